//! Published values and their sources.
//!
//! The table in `data/known-values.csv` is compiled into the library. All values are from the
//! On-Line Encyclopedia of Integer Sequences (<https://oeis.org>): solutions from A000170,
//! fundamental solutions from A002562, solutions unchanged by a half turn from A032522, those
//! unchanged by a quarter turn from A033148, and search nodes from the row sums of A319284 and, for
//! N = 17 to 19, from the P3D-DFS project. Q(0) is 1 by convention. `data/README.md` explains how
//! the values were checked. The numbers of torus solutions, from A007705 and A051906, are in this
//! source file. This program has confirmed them up to N = 19.

use std::str::FromStr;
use std::sync::LazyLock;

/// Source of the published numbers of solutions.
pub const SOLUTIONS_SOURCE: &str = "OEIS A000170";

/// Source of the published numbers of torus solutions.
pub const TORUS_SOURCE: &str = "OEIS A007705 and A051906";

/// Numbers of torus solutions for N = 1, 3, 5, ..., 33 (OEIS A007705). For even N there are none
/// (A051906).
const TORUS_ODD: &str = "1 0 10 28 0 88 4524 0 140692 820496 0 128850048 1957725000 0 605917055356 \
                         13404947681712 0";

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

/// Whether the `n` by `n` torus has a solution. G. Pólya showed that a torus of size N > 0 has a
/// solution if and only if N is coprime to 6 (in W. Ahrens, Mathematische Unterhaltungen und
/// Spiele, 1921). `solve::construct_torus` constructs a solution for each of these sizes.
///
/// For the converse, note that in any solution, the columns c, the rows r, the sums c + r and the
/// differences c - r each run through all residues modulo N. Let S be the sum of all residues and T
/// the sum of their squares. Summing c + r gives S = 2 S modulo N, so N divides S = N (N - 1) / 2,
/// and N is odd. Summing (c + r)^2 + (c - r)^2 = 2 c^2 + 2 r^2 gives 2 T = 4 T modulo N, so N
/// divides 2 T = N (N - 1) (2 N - 1) / 3. If 3 divided N, it would also divide (N - 1) (2 N - 1),
/// but that product would be 1 modulo 3.
///
/// ```
/// let sizes: Vec<_> = (0..12).filter(|&n| queens::known::torus_is_solvable(n)).collect();
/// assert_eq!(sizes, [0, 1, 5, 7, 11]);
/// ```
#[must_use]
pub fn torus_is_solvable(n: u32) -> bool {
    n == 0 || !(n.is_multiple_of(2) || n.is_multiple_of(3))
}

/// Returns the number of solutions on the `n` by `n` torus, where diagonals wrap around, or `None`
/// if `n` exceeds 34.
///
/// ```
/// assert_eq!(queens::known::torus_solutions(7), Some(28));
/// assert_eq!(queens::known::torus_solutions(8), Some(0));
/// ```
#[must_use]
pub fn torus_solutions(n: u32) -> Option<u128> {
    match n {
        0 => Some(1), // by convention, as for Q(0)
        1..=34 if n.is_multiple_of(2) => Some(0),
        _ => TORUS_ODD.split(' ').nth(n as usize / 2).map(number),
    }
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

    /// Shifting all queens of a torus solution down by one row gives another torus solution.
    #[test]
    fn torus_values_are_multiples_of_the_size() {
        for n in 1..=34 {
            let solutions = torus_solutions(n).unwrap();
            assert_eq!(solutions % u128::from(n), 0, "N = {n}");
            let coprime_to_six = n % 2 == 1 && n % 3 != 0;
            assert_eq!(solutions > 0, coprime_to_six, "N = {n}");
        }
        assert_eq!(torus_solutions(35), None);
    }
}
