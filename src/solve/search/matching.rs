//! Domain consistency of an all-different constraint.
//!
//! The algorithm is due to J.-C. Régin (A Filtering Algorithm for Constraints of Difference in
//! CSPs, AAAI 1994). A *matching* assigns a different line to each column. Any other matching can
//! be reached if columns take over each other's lines, along cycles or along paths that end at an
//! unused line. Free squares that belong to no matching are removed. The cycles and paths are found
//! with a transitive closure (S. Warshall 1962), which contains, for each column, the columns whose
//! lines it can take over.

use super::domains::Domains;
use super::step::{Cause, Failure, Limit, Lines, Step};
use super::strategy::ActiveLimits;
use crate::board::Square;

/// Matching found by the last call, most of which is still valid, and scratch buffers.
#[derive(Debug)]
pub(super) struct Matching {
    lines: Lines,
    /// For each line, the square on it whose column is matched to the line.
    square_on: Vec<Option<Square>>,
    /// Columns visited in the search for an augmenting path.
    visited: Vec<bool>,
    /// For each column, a bit set of the columns whose lines it can take over, including itself.
    /// Bit N stands for an unused line. If bit N is set, the other bits may be incomplete.
    reachable: Vec<Vec<u64>>,
}

impl Matching {
    pub(super) fn new(lines: Lines, n: u32) -> Self {
        let n = n as usize;
        Self {
            lines,
            square_on: vec![None; 2 * n],
            visited: vec![false; n],
            reachable: vec![vec![0; n / 64 + 1]; n],
        }
    }

    /// Makes the unassigned columns domain consistent. Squares on occupied lines must already have
    /// been removed. Fails if the columns need more lines than there are, or if a limit was
    /// reached.
    pub(super) fn narrow(
        &mut self,
        domains: &mut Domains,
        limits: &mut ActiveLimits,
    ) -> Result<(), Step> {
        self.repair(domains, limits)?;
        self.close(domains, limits)?;
        let columns: Vec<_> = domains.unassigned_columns().collect();
        domains.set_cause(Cause::AllDifferent(self.lines));
        for column in columns {
            let is_inconsistent = |&square: &Square| {
                self.square_on[domains.line(self.lines, square)].is_some_and(|other| {
                    let gets = &self.reachable[other.column as usize];
                    !contains(gets, column) && !contains(gets, domains.n)
                })
            };
            // Usually, no square is inconsistent, and nothing is allocated.
            let squares = free_squares(domains, column).filter(is_inconsistent);
            for square in squares.collect::<Vec<_>>() {
                domains.remove(square);
            }
        }
        Ok(())
    }

    /// Completes the matching, so that each unassigned column has a line on which it has a free
    /// square.
    fn repair(&mut self, domains: &Domains, limits: &mut ActiveLimits) -> Result<(), Step> {
        let mut has_line = vec![false; domains.n as usize];
        for assigned in &mut self.square_on {
            *assigned = assigned.filter(|&square| domains.is_free(square));
            if let Some(square) = assigned {
                has_line[square.column as usize] = true;
            }
        }
        for column in domains.unassigned_columns() {
            if !has_line[column as usize] {
                self.visited.fill(false);
                if !self.augment(column, domains, limits)? {
                    return Err(Failure::TooFew(self.lines).into());
                }
            }
        }
        Ok(())
    }

    /// Matches a column to a line along an augmenting path. Returns false if there is no such path.
    fn augment(
        &mut self,
        column: u32,
        domains: &Domains,
        limits: &mut ActiveLimits,
    ) -> Result<bool, Limit> {
        limits.check()?;
        self.visited[column as usize] = true;
        for square in free_squares(domains, column) {
            let line = domains.line(self.lines, square);
            let is_available = match self.square_on[line] {
                None => true,
                Some(Square { column, .. }) => {
                    !self.visited[column as usize] && self.augment(column, domains, limits)?
                }
            };
            if is_available {
                self.square_on[line] = Some(square);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Computes the columns whose lines each column can take over, directly or through other
    /// columns.
    fn close(&mut self, domains: &Domains, limits: &mut ActiveLimits) -> Result<(), Limit> {
        for column in domains.unassigned_columns() {
            let reachable = &mut self.reachable[column as usize];
            reachable.fill(0);
            for square in free_squares(domains, column) {
                let owner = self.square_on[domains.line(self.lines, square)];
                let bit = owner.map_or(domains.n, |owner| owner.column);
                reachable[bit as usize / 64] |= 1 << (bit % 64);
            }
        }
        // A column that can take an unused line makes no square inconsistent, so its set need not
        // be complete.
        let is_tight = |&column: &u32| !contains(&self.reachable[column as usize], domains.n);
        let tight: Vec<_> = domains.unassigned_columns().filter(is_tight).collect();
        for middle in domains.unassigned_columns() {
            limits.check()?;
            let beyond = std::mem::take(&mut self.reachable[middle as usize]);
            for &column in &tight {
                let reachable = &mut self.reachable[column as usize];
                if column != middle && contains(reachable, middle) {
                    let words = reachable.iter_mut().zip(&beyond);
                    words.for_each(|(word, beyond)| *word |= beyond);
                }
            }
            self.reachable[middle as usize] = beyond;
        }
        Ok(())
    }
}

/// Iterates over the free squares of an unassigned column.
fn free_squares(domains: &Domains, column: u32) -> impl Iterator<Item = Square> {
    domains.free_rows(column).map(move |row| Square::new(column, row))
}

fn contains(set: &[u64], bit: u32) -> bool {
    set[bit as usize / 64] >> (bit % 64) & 1 != 0
}
