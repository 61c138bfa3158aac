//! Bounds consistency of an all-different constraint.
//!
//! A *Hall interval* has as many lines as there are columns all of whose free lines lie in it: those columns need them
//! all, and no other column can begin or end there. They are found as J.-F. Puget does (A Fast Algorithm for the Bound
//! Consistency of Alldiff Constraints, AAAI 1998), in the order of the columns' last lines; that raises first lines,
//! and for last lines the same is done from the other side.
//!
//! Only columns without a queen take part, and lines with a queen are not counted. So there is little to do deep in the
//! tree, and most often, above all on diagonals, a look at the lengths says that there can be no Hall interval.

use super::domains::Domains;
use super::step::{Cause, Failure, Lines};
use crate::board::Square;

/// Working memory for one board.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    /// Lines without a queen before each line.
    before: Vec<i32>,
    columns: Vec<Interval>,
    /// How many columns have each number of lines.
    lengths: Vec<usize>,
}

/// The first and the last of the free lines of a column, among the lines without a queen.
#[derive(Debug, Clone, Copy)]
struct Interval {
    column: u32,
    min: i32,
    max: i32,
    /// The last of the lines that columns with no less a first line need, if they use the first ones that they may.
    reach: i32,
}

impl Bounds {
    /// Removes from the open columns what bounds consistency on these lines removes.
    ///
    /// # Errors
    ///
    /// That there are too few lines.
    pub(super) fn narrow(&mut self, domains: &mut Domains, lines: Lines) -> Result<(), Failure> {
        // Each of two columns has two lines at least: that is enough.
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
        for column in domains.open_columns() {
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

    /// Whether the lengths allow a Hall interval, or too few lines for some of the columns: as many columns as some
    /// number of lines have no more lines than that.
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

    /// Raises the first lines of columns that begin in a Hall interval and do not end there. Whether there is one;
    /// `None` if there are too few lines.
    fn raise_mins(&mut self) -> Option<bool> {
        let mut has_hall_interval = false;
        self.columns.sort_unstable_by_key(|interval| interval.max);
        for i in 0..self.columns.len() {
            let (earlier, later) = self.columns.split_at_mut(i);
            let (interval, later) = later.split_first_mut()?;
            interval.reach = interval.min;
            // The first line of the longest Hall interval that ends with this column's last line.
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

    /// Removes the squares before the first lines; after the last ones if `mirrored`.
    fn remove_outside(&self, domains: &mut Domains, lines: Lines, mirrored: bool) {
        domains.because(Cause::AllDifferent(lines));
        for &Interval { column, min, .. } in &self.columns {
            // Squares on lines with a queen are not free.
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
