//! Whether an earlier queen attacks a square, as textbooks test it: with three look-up tables, or by a loop over the
//! queens.

use super::domains::Domains;
use super::settings::Attacks;
use crate::board::Square;

/// Tests squares, and counts the work.
#[derive(Debug)]
pub(super) struct Tester {
    n: usize,
    torus: bool,
    /// None where the queens are looped over.
    tables: Option<Tables>,
    /// Squares tested.
    pub(super) tests: u64,
    /// Looks into a table, or comparisons with an earlier queen: of rows, of rising and of falling diagonals.
    pub(super) looks: u64,
}

/// Which lines hold a queen.
#[derive(Debug)]
struct Tables {
    rows: Vec<bool>,
    /// Diagonals on which column and row have the same sum.
    rising: Vec<bool>,
    /// Diagonals on which column and row have the same difference.
    falling: Vec<bool>,
}

impl Tester {
    pub(super) fn new(domains: &Domains, attacks: Attacks) -> Self {
        let n = domains.n() as usize;
        let tables = || Tables {
            rows: vec![false; n],
            rising: vec![false; 2 * n],
            falling: vec![false; 2 * n],
        };
        Self {
            n,
            torus: domains.is_torus(),
            tables: (attacks == Attacks::Tables).then(tables),
            tests: 0,
            looks: 0,
        }
    }

    /// Whether one of these queens, which are those that the tables know of, attacks the square.
    pub(super) fn is_attacked(&mut self, square: Square, queens: &[Square]) -> bool {
        self.tests += 1;
        let (row, rising, falling) = self.lines(square);
        let Some(tables) = &self.tables else {
            let n = self.n as u32;
            let attacks = |queen: &Square| queen.attacks(square, n, self.torus);
            let first = queens.iter().position(attacks);
            self.looks += 3 * first.map_or(queens.len(), |first| first + 1) as u64;
            return first.is_some();
        };
        let looks = [
            tables.rows[row],
            tables.rising[rising],
            tables.falling[falling],
        ];
        let first = looks.iter().position(|&is_taken| is_taken);
        self.looks += first.map_or(3, |first| first + 1) as u64;
        first.is_some()
    }

    /// Notes that a queen was placed, or taken back.
    pub(super) fn mark(&mut self, queen: Square, is_placed: bool) {
        let (row, rising, falling) = self.lines(queen);
        if let Some(tables) = &mut self.tables {
            tables.rows[row] = is_placed;
            tables.rising[rising] = is_placed;
            tables.falling[falling] = is_placed;
        }
    }

    /// The places of a square in the three tables.
    fn lines(&self, square: Square) -> (usize, usize, usize) {
        let (column, row) = (square.column as usize, square.row as usize);
        let (rising, falling) = (column + row, column + self.n - row);
        match self.torus {
            true => (row, rising % self.n, falling % self.n),
            false => (row, rising, falling),
        }
    }
}
