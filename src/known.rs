//! Published values, and where they come from.
//!
//! The table is the file `data/known-values.csv`, compiled in. Sources, all in the On-Line Encyclopedia of Integer
//! Sequences (<https://oeis.org>): solutions A000170, fundamental solutions A002562, half-turn invariant solutions
//! A032522, quarter-turn invariant solutions A033148, nodes of the plain backtracker the sums over the rows of A319284.
//! Q(0) = 1 by convention. `data/README.md` says what was checked of them. The solutions on a torus, A007705 and
//! A051906, are listed below; those up to N = 19 have been counted with this program.

use std::str::FromStr;
use std::sync::LazyLock;

/// Where the published numbers of solutions come from.
pub const SOLUTIONS_SOURCE: &str = "OEIS A000170";

/// Where the published numbers of solutions on a torus come from.
pub const TORUS_SOURCE: &str = "OEIS A007705 and A051906";

/// Solutions on a torus for N = 1, 3, 5, ..., 33, as OEIS A007705 has them. For even N there are none
/// (A051906).
const TORUS_ODD: &str = "1 0 10 28 0 88 4524 0 140692 820496 0 128850048 1957725000 0 605917055356 \
                         13404947681712 0";

/// The tables that are compiled in; a mistake in them is a mistake of the program.
const VALUES: &str = include_str!("../data/known-values.csv");
const OR_TOOLS: &str = include_str!("../data/ortools-published.csv");

/// What is known of one board size.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "store", derive(serde::Serialize))]
pub struct Known {
    /// Board size N.
    pub n: u32,
    /// Q(N), the number of solutions.
    pub solutions: u128,
    /// Solutions up to the eight symmetries of the square.
    pub fundamental: u128,
    /// Solutions unchanged by a half turn, those unchanged by a quarter turn among them.
    pub half_turn: u128,
    /// Solutions unchanged by a quarter turn.
    pub quarter_turn: u128,
    /// Placements that the plain backtracker without symmetry visits, the empty board not counted.
    pub nodes: Option<u128>,
}

/// What the OR-Tools guide to the N-queens problem publishes for its all-solutions example. The guide names neither the
/// solver nor the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrToolsRow {
    /// Board size N.
    pub n: u32,
    /// Number of solutions.
    pub solutions: u128,
    /// Published milliseconds; 0 where it took less than one.
    pub milliseconds: u64,
}

/// Everything published about the board of size `n`, for N from 0 to 27.
///
/// ```
/// let eight = queens::known::known(8).unwrap();
/// assert_eq!((eight.solutions, eight.fundamental), (92, 12));
/// assert!(queens::known::known(28).is_none());
/// ```
#[must_use]
pub fn known(n: u32) -> Option<&'static Known> {
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
        let rows = rows(VALUES).map(row);
        std::iter::once(empty_board).chain(rows).collect()
    });
    let row = TABLE.get(n as usize);
    row.inspect(|row| debug_assert_eq!(row.n, n))
}

/// Whether queens can be placed on a torus of size `n`: exactly where N has no factor in common with 6, as G. Pólya
/// showed (in W. Ahrens, Mathematische Unterhaltungen und Spiele, 1921). `solve::construct_torus` shows that they can.
///
/// That they cannot elsewhere: the columns c are all residues modulo N, and so are the rows r, the sums c + r and the
/// differences c - r. Adding up c + r, the sum S of all residues is S + S modulo N, so N divides S = N (N - 1) / 2, and
/// N is odd. Adding up (c + r)^2 + (c - r)^2 = 2 c^2 + 2 r^2, the sum T of all squares has 2 T = 4 T modulo N, so N
/// divides 2 T = N (N - 1) (2 N - 1) / 3. If 3 divided N it would have to divide (N - 1) (2 N - 1), which is 1 modulo
/// 3.
///
/// ```
/// let sizes: Vec<_> = (0..12).filter(|&n| queens::known::torus_is_solvable(n)).collect();
/// assert_eq!(sizes, [0, 1, 5, 7, 11]);
/// ```
#[must_use]
pub fn torus_is_solvable(n: u32) -> bool {
    n == 0 || !(n.is_multiple_of(2) || n.is_multiple_of(3))
}

/// The number of solutions on a torus of size `n`, where diagonals wrap around, for N from 0 to 34. Pólya showed that
/// there are none where N and 6 have a common factor.
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

/// The row of the OR-Tools guide's table for size `n`, for N from 1 to 15.
///
/// ```
/// assert_eq!(queens::known::or_tools(12).unwrap().milliseconds, 2198);
/// ```
#[must_use]
pub fn or_tools(n: u32) -> Option<&'static OrToolsRow> {
    static TABLE: LazyLock<Vec<OrToolsRow>> = LazyLock::new(|| {
        let row = |[n, solutions, milliseconds]: [&str; 3]| OrToolsRow {
            n: number(n),
            solutions: number(solutions),
            milliseconds: number(milliseconds),
        };
        rows(OR_TOOLS).map(row).collect()
    });
    TABLE.iter().find(|row| row.n == n)
}

/// The fields of each line of a table below its heading.
fn rows<const FIELDS: usize>(table: &str) -> impl Iterator<Item = [&str; FIELDS]> {
    table.lines().skip(1).map(|line| {
        let fields: Vec<_> = line.split(',').collect();
        let fields = fields.try_into();
        fields.expect("the lines of a table that is compiled in have as many fields as its heading")
    })
}

fn number<T: FromStr>(field: &str) -> T {
    let number = field.parse().ok();
    number.expect("the fields of a table that is compiled in are whole numbers")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The columns stand in the order in which they are read.
    #[test]
    fn the_tables_are_whole_and_in_order() {
        let heading = "n,solutions,fundamental,half_turn,quarter_turn,nodes";
        assert_eq!(VALUES.lines().next(), Some(heading));
        assert_eq!(OR_TOOLS.lines().next(), Some("n,solutions,milliseconds"));
        assert!((0..=27).all(|n| known(n).unwrap().n == n) && known(28).is_none());
        assert!(known(18).unwrap().nodes.is_some() && known(19).unwrap().nodes.is_none());
        for n in 1..=15 {
            assert_eq!(or_tools(n).unwrap().solutions, known(n).unwrap().solutions);
        }
        assert!(or_tools(0).is_none() && or_tools(16).is_none());
    }

    /// Burnside's lemma on the symmetries of the square: no reflection fixes a solution from N = 2 on.
    #[test]
    fn burnside_ties_the_columns_together() {
        for n in 2..=27 {
            let row = known(n).unwrap();
            let fixed = row.solutions + row.half_turn + 2 * row.quarter_turn;
            assert_eq!(8 * row.fundamental, fixed, "N = {n}");
        }
    }

    /// Moving all queens down by one row maps solutions on a torus to others.
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
