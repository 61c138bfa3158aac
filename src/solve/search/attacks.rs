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
    /// Which rows hold a queen, which rising diagonals (the sum of column and row is the same), and which falling ones (the
    /// difference is). None where the queens are looped over.
    tables: Option<[Vec<bool>; 3]>,
    /// Squares tested.
    pub(super) tests: u64,
    /// Looks into a table, or comparisons with an earlier queen: of rows, of rising and of falling diagonals.
    pub(super) looks: u64,
}

impl Tester {
    pub(super) fn new(domains: &Domains, attacks: Attacks) -> Self {
        let n = domains.n() as usize;
        let tables = || [n, 2 * n, 2 * n].map(|lines| vec![false; lines]);
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
        let lines = self.lines(square);
        let Some(tables) = &self.tables else {
            let n = self.n as u32;
            let attacks = |queen: &Square| queen.attacks(square, n, self.torus);
            let first = queens.iter().position(attacks);
            self.looks += 3 * first.map_or(queens.len(), |first| first + 1) as u64;
            return first.is_some();
        };
        let mut looks = tables.iter().zip(lines);
        let first = looks.position(|(table, line)| table[line]);
        self.looks += first.map_or(3, |first| first + 1) as u64;
        first.is_some()
    }

    /// Notes that a queen was placed, or taken back.
    pub(super) fn mark(&mut self, queen: Square, is_placed: bool) {
        let lines = self.lines(queen);
        for (table, line) in self.tables.iter_mut().flatten().zip(lines) {
            table[line] = is_placed;
        }
    }

    /// The places of a square in the three tables.
    fn lines(&self, square: Square) -> [usize; 3] {
        let (column, row) = (square.column as usize, square.row as usize);
        let (rising, falling) = (column + row, column + self.n - row);
        match self.torus {
            true => [row, rising % self.n, falling % self.n],
            false => [row, rising, falling],
        }
    }
}
