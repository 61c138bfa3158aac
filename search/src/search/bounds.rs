//! Bounds consistency of an all-different constraint.
//!
//! A *Hall interval* is a range of lines with exactly as many lines as there are columns whose free
//! lines are all in the range. These columns need all of the lines, so the free lines of other
//! columns can neither begin nor end in the interval. J.-F. Puget's algorithm visits columns in the
//! order of their last lines to find Hall intervals (A Fast Algorithm for the Bound Consistency of
//! Alldiff Constraints, AAAI 1998). This implementation makes one pass in that order for each line
//! at which an interval can begin.
//!
//! Columns and lines with a queen are skipped, so little work is left deep in the tree. A test of
//! the interval lengths usually rules out Hall intervals, especially on diagonals.

use super::domains::Domains;
use super::step::{Cause, Direction, FailureCause};
use queens::board::Square;

/// Scratch buffers of the algorithm.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    /// Number of unoccupied lines before each line.
    before: Vec<usize>,
    columns: Vec<Range>,
    /// Number of columns with each interval length.
    lengths: Vec<usize>,
}

/// Range from the first to the last free line of a column. The line numbers skip occupied lines.
#[derive(Debug, Clone, Copy)]
struct Range {
    column: u32,
    first: usize,
    last: usize,
}

impl Bounds {
    /// Shortens the ranges of columns without a queen that begin or end in a Hall interval of other
    /// columns. The columns are bounds consistent once a call removes nothing. Fails if the columns
    /// need more lines than there are.
    pub(super) fn narrow(
        &mut self,
        domains: &mut Domains,
        lines: Direction,
    ) -> Result<(), FailureCause> {
        // Two columns with at least two lines each are consistent.
        if domains.n <= domains.queens.len() as u32 + 2 {
            return Ok(());
        }
        self.load(domains, lines);
        if !self.may_have_hall_interval() {
            return Ok(());
        }
        domains.set_cause(Cause::AllDifferent(lines));
        self.columns.sort_unstable_by_key(|interval| interval.last);
        for &Range { first, .. } in &self.columns {
            let mut inside = 0;
            for &Range { last, .. } in self.columns.iter().filter(|other| other.first >= first) {
                inside += 1;
                if first + inside > last + 1 {
                    return Err(FailureCause::TooFew(lines));
                }
                if first + inside == last + 1 {
                    self.remove_hall_interval(first, last, domains, lines);
                }
            }
        }
        Ok(())
    }

    fn load(&mut self, domains: &Domains, lines: Direction) {
        self.before.clear();
        self.before.resize(2 * domains.n as usize, 1);
        for &queen in &domains.queens {
            self.before[domains.line(lines, queen)] = 0;
        }
        let mut number = 0;
        for line in &mut self.before {
            number += std::mem::replace(line, number);
        }
        self.columns.clear();
        for column in domains.unassigned_columns() {
            let number = |row: Option<u32>| {
                let square = Square::new(column, row.expect("a free row"));
                self.before[domains.line(lines, square)]
            };
            self.columns.push(Range {
                column,
                first: number(domains.min(column)),
                last: number(domains.max(column)),
            });
        }
    }

    /// Whether the interval lengths allow a Hall interval or a failure. Both require that, for some
    /// length k, at least k intervals have at most k lines.
    fn may_have_hall_interval(&mut self) -> bool {
        self.lengths.clear();
        self.lengths.resize(self.columns.len(), 0);
        for interval in &self.columns {
            let length = interval.last + 1 - interval.first;
            if let Some(number) = self.lengths.get_mut(length) {
                *number += 1;
            }
        }
        let mut columns = 0;
        self.lengths.iter().enumerate().any(|(length, number)| {
            columns += number;
            length > 0 && columns >= length
        })
    }

    /// Removes the lines of a Hall interval from both ends of the ranges of columns that are not
    /// inside it.
    fn remove_hall_interval(
        &self,
        first: usize,
        last: usize,
        domains: &mut Domains,
        lines: Direction,
    ) {
        let is_inside = |column: &&Range| first <= column.first && column.last <= last;
        for &Range { column, .. } in self.columns.iter().filter(|column| !is_inside(column)) {
            for end in [Domains::min, Domains::max] {
                while let Some(row) = end(domains, column) {
                    let square = Square::new(column, row);
                    // The square is free, so its line is unoccupied.
                    let line = self.before[domains.line(lines, square)];
                    if !(first..=last).contains(&line) {
                        break;
                    }
                    domains.remove(square);
                }
            }
        }
    }
}
