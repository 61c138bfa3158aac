//! Bounds consistency of an all-different constraint.
//!
//! A *Hall interval* has exactly as many lines as there are columns whose free lines all lie in it. Those columns need
//! all its lines, so the free lines of other columns can neither begin nor end there. J.-F. Puget's algorithm finds
//! them in the order of the columns' last lines (A Fast Algorithm for the Bound Consistency of Alldiff Constraints,
//! AAAI 1998). It raises the first lines of columns; a mirrored pass lowers the last lines.
//!
//! Only columns and lines without a queen take part, so little work is left deep in the tree. A check of the interval
//! lengths usually rules out Hall intervals, above all on diagonals.

use super::domains::Domains;
use super::step::{Cause, Failure, Lines};
use crate::board::Square;

/// Scratch buffers of the algorithm.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    /// Number of unoccupied lines before each line.
    before: Vec<i32>,
    columns: Vec<Interval>,
    /// Number of columns with each interval length.
    lengths: Vec<usize>,
}

/// Range of the free lines of a column, numbered without the occupied lines.
#[derive(Debug, Clone, Copy)]
struct Interval {
    column: u32,
    min: i32,
    max: i32,
    /// Last line needed by the columns that begin at `min` or later, if they use the first lines they can.
    reach: i32,
}

impl Bounds {
    /// Makes the columns without a queen bounds consistent on these lines.
    ///
    /// # Errors
    ///
    /// [`Failure::TooFew`] if the columns need more lines than they have.
    pub(super) fn narrow(&mut self, domains: &mut Domains, lines: Lines) -> Result<(), Failure> {
        // Two columns with at least two lines each are consistent.
        if domains.n() <= domains.queens().len() as u32 + 2 {
            return Ok(());
        }
        self.load(domains, lines);
        if !self.may_have_hall_interval() {
            return Ok(());
        }
        for mirrored in [false, true] {
            if !self.raise_mins().ok_or(Failure::TooFew(lines))? {
                return Ok(());
            }
            self.remove_outside(domains, lines, mirrored);
            for interval in &mut self.columns {
                (interval.min, interval.max) = (-interval.max, -interval.min);
            }
        }
        Ok(())
    }

    fn load(&mut self, domains: &Domains, lines: Lines) {
        self.before.clear();
        self.before.resize(2 * domains.n() as usize, 1);
        for &queen in domains.queens() {
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
            self.columns.push(Interval {
                column,
                min: number(domains.min(column)),
                max: number(domains.max(column)),
                reach: 0,
            });
        }
    }

    /// Whether the lengths allow a Hall interval or a failure: for some length, at least as many columns are that
    /// short.
    fn may_have_hall_interval(&mut self) -> bool {
        self.lengths.clear();
        self.lengths.resize(self.columns.len(), 0);
        for interval in &self.columns {
            let length = (interval.max + 1 - interval.min) as usize;
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

    /// Raises the first lines of columns that begin in a Hall interval and end behind it. Returns whether there is a
    /// Hall interval, or `None` if there are too few lines.
    fn raise_mins(&mut self) -> Option<bool> {
        let mut has_hall_interval = false;
        self.columns.sort_unstable_by_key(|interval| interval.max);
        for i in 0..self.columns.len() {
            let (earlier, later) = self.columns.split_at_mut(i);
            let (interval, later) = later.split_first_mut()?;
            interval.reach = interval.min;
            // First line of the longest Hall interval that ends at this column's last line.
            let mut hall = None;
            for other in earlier {
                if other.min < interval.min {
                    other.reach += 1;
                    if other.reach > interval.max {
                        return None;
                    }
                    if other.reach == interval.max {
                        hall = hall.into_iter().chain([other.min]).min();
                    }
                } else {
                    interval.reach += 1;
                }
            }
            if interval.reach > interval.max {
                return None;
            }
            if interval.reach == interval.max {
                hall = hall.or(Some(interval.min));
            }
            if let Some(hall) = hall {
                has_hall_interval = true;
                for other in later {
                    if other.min >= hall {
                        other.min = other.min.max(interval.max + 1);
                    }
                }
            }
        }
        Some(has_hall_interval)
    }

    /// Removes the squares before the first lines or, if `mirrored`, after the last lines.
    fn remove_outside(&self, domains: &mut Domains, lines: Lines, mirrored: bool) {
        domains.set_cause(Cause::AllDifferent(lines));
        for &Interval { column, min, .. } in &self.columns {
            // Squares on occupied lines are not free.
            while let Some(row) = if mirrored {
                domains.max(column)
            } else {
                domains.min(column)
            } {
                let square = Square::new(column, row);
                let line = self.before[domains.line(lines, square)];
                if (if mirrored { -line } else { line }) >= min {
                    break;
                }
                domains.remove(square);
            }
        }
    }
}
