//! Published values and their sources.
//!
//! The table in `data/known-values.csv` is compiled into the library. All values are from the
//! On-Line Encyclopedia of Integer Sequences (<https://oeis.org>): solutions from A000170,
//! fundamental solutions from A002562, solutions unchanged by a half turn from A032522, those
//! unchanged by a quarter turn from A033148, and search nodes from the row sums of A319284 and, for
//! N = 17 to 19, from the P3D-DFS project. Q(0) is 1 by convention. `data/README.md` explains how
//! the values were checked.

use std::str::FromStr;
use std::sync::LazyLock;

/// Source of the published numbers of solutions.
pub const SOLUTIONS_SOURCE: &str = "OEIS A000170";

const VALUES: &str = include_str!("../data/known-values.csv");
const OR_TOOLS: &str = include_str!("../data/ortools-published.csv");

/// Published values for one board size.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Known {
    /// Board size N.
    pub n: u32,
    /// Number of solutions, Q(N).
    pub solutions: u128,
    /// Number of solutions up to the eight symmetries of the square.
    pub fundamental: u128,
    /// Number of solutions unchanged by a half turn, including those unchanged by a quarter turn.
    pub half_turn: u128,
    /// Number of solutions unchanged by a quarter turn.
    pub quarter_turn: u128,
    /// Number of placements, excluding the empty board, that plain backtracking visits if it uses
    /// no symmetry.
    pub nodes: Option<u128>,
}

/// Returns the published values for board size `n`, or `None` if `n` exceeds 27.
///
/// ```
/// let eight = queens::known::values(8).unwrap();
/// assert_eq!((eight.solutions, eight.fundamental), (92, 12));
/// assert!(queens::known::values(28).is_none());
/// ```
#[must_use]
pub fn values(n: u32) -> Option<&'static Known> {
    static TABLE: LazyLock<Vec<Known>> = LazyLock::new(|| {
        let empty_board = Known {
            n: 0,
            solutions: 1,
            fundamental: 1,
            half_turn: 1,
            quarter_turn: 1,
            nodes: Some(0),
        };
        let row = |[n, solutions, fundamental, half_turn, quarter_turn, nodes]: [&str; 6]| Known {
            n: number(n),
            solutions: number(solutions),
            fundamental: number(fundamental),
            half_turn: number(half_turn),
            quarter_turn: number(quarter_turn),
            nodes: (!nodes.is_empty()).then(|| number(nodes)),
        };
        std::iter::once(empty_board).chain(rows(VALUES).map(row)).collect()
    });
    TABLE.get(n as usize)
}

/// Returns the time in milliseconds that the OR-Tools guide to the N-queens problem gives for its
/// all-solutions example, or `None` unless `n` is from 1 to 15. Times below 1 ms are given as 0.
/// The guide names neither the solver nor the machine.
///
/// ```
/// assert_eq!(queens::known::or_tools(12), Some(2198));
/// ```
#[must_use]
pub fn or_tools(n: u32) -> Option<u64> {
    rows(OR_TOOLS)
        .map(|[size, _, milliseconds]| (number(size), number(milliseconds)))
        .find_map(|(size, milliseconds): (u32, _)| (size == n).then_some(milliseconds))
}

/// Returns the fields of each line after the header.
fn rows<const FIELDS: usize>(table: &str) -> impl Iterator<Item = [&str; FIELDS]> {
    table.lines().skip(1).map(|line| {
        let fields: Vec<_> = line.split(',').collect();
        fields.try_into().expect("one field for each column")
    })
}

fn number<T: FromStr>(field: &str) -> T {
    field.parse().ok().expect("the field is a whole number")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_complete_and_in_order() {
        let header = "n,solutions,fundamental,half_turn,quarter_turn,nodes";
        assert_eq!(VALUES.lines().next(), Some(header));
        assert_eq!(OR_TOOLS.lines().next(), Some("n,solutions,milliseconds"));
        assert!((0..=27).all(|n| values(n).unwrap().n == n) && values(28).is_none());
        assert!((0..=27).all(|n| values(n).unwrap().nodes.is_some() == (n <= 19)));
        for (n, [size, solutions, _]) in (1..=15).zip(rows(OR_TOOLS)) {
            assert_eq!((number::<u32>(size), number(solutions)), (n, values(n).unwrap().solutions));
        }
        assert!((0..=16).all(|n| or_tools(n).is_some() == (1..=15).contains(&n)));
    }

    /// Checks the values with Burnside's lemma. For N >= 2, no reflection fixes a solution.
    #[test]
    fn columns_satisfy_burnsides_lemma() {
        for n in 2..=27 {
            let row = values(n).unwrap();
            let fixed = row.solutions + row.half_turn + 2 * row.quarter_turn;
            assert_eq!(8 * row.fundamental, fixed, "N = {n}");
        }
    }
}
