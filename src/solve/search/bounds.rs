//! Bounds consistency of an all-different constraint.
//!
//! The algorithm is that of A. Lopez-Ortiz, C.-G. Quimper, J. Tromp and P. van Beek (A Fast and Simple Algorithm for Bounds
//! Consistency of the AllDifferent Constraint, IJCAI 2003). A *Hall interval* has as many lines as there are columns all of
//! whose free lines lie in it: those columns need them all, and no other column can begin or end there. Columns are taken
//! up in the order of their last lines, the places between two bounds are counted down as they are, and paths over what is
//! full or in a Hall interval are compressed, as in union-find. That raises first lines; for last lines, the same is done
//! from the other side.
//!
//! Only columns without a queen take part, and lines with a queen are not counted. So there is little to do deep in the
//! tree, and most often, above all on diagonals, a look at the lengths says that there can be no Hall interval.

use super::domains::Domains;
use super::step::{Cause, Failure, Lines};

/// Working memory for one board.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    /// Lines without a queen before each line.
    before: Vec<i32>,
    columns: Vec<u32>,
    /// How many columns have each number of lines.
    lengths: Vec<usize>,
    hall: Hall,
}

impl Bounds {
    /// Takes from the open columns what bounds consistency on these lines takes.
    ///
    /// # Errors
    ///
    /// That there are too few lines.
    pub(super) fn narrow(&mut self, domains: &mut Domains, lines: Lines) -> Result<(), Failure> {
        // Each of two columns has two lines at least: that is enough.
        if domains.n() <= domains.queens().len() as u32 + 2 {
            return Ok(());
        }
        self.number_lines(domains, lines);
        self.columns.clear();
        self.hall.intervals.clear();
        let n = domains.n();
        for column in domains.open_columns() {
            let line =
                |row: Option<u32>| (row.expect("a free row") + lines.shift(column, n)) as usize;
            let (min, max) = (line(domains.min(column)), line(domains.max(column)));
            self.columns.push(column);
            let (min, end) = (self.before[min], self.before[max] + 1);
            self.hall.intervals.push(Interval {
                min,
                end,
                ..Interval::default()
            });
        }
        if !self.may_have_hall_interval() {
            return Ok(());
        }
        let too_few = Failure::TooFew(lines);
        self.hall.raise_mins().ok_or(too_few)?;
        if !self.hall.has_interval {
            return Ok(());
        }
        self.take(domains, lines, false);
        for Interval { min, end, .. } in &mut self.hall.intervals {
            (*min, *end) = (1 - *end, 1 - *min);
        }
        self.hall.raise_mins().ok_or(too_few)?;
        self.take(domains, lines, true);
        Ok(())
    }

    fn number_lines(&mut self, domains: &Domains, lines: Lines) {
        let n = domains.n();
        self.before.clear();
        self.before.resize(2 * n as usize, 1);
        for queen in domains.queens() {
            self.before[(queen.row + lines.shift(queen.column, n)) as usize] = 0;
        }
        let mut number = 0;
        for line in &mut self.before {
            number += std::mem::replace(line, number);
        }
    }

    /// Whether the lengths allow a Hall interval, or too few lines for some of the columns: as many columns as some number
    /// of lines have no more lines than that.
    fn may_have_hall_interval(&mut self) -> bool {
        let most = self.columns.len();
        self.lengths.clear();
        self.lengths.resize(most, 0);
        for interval in &self.hall.intervals {
            if let Some(number) = self.lengths.get_mut((interval.end - interval.min) as usize) {
                *number += 1;
            }
        }
        let mut columns = 0;
        self.lengths
            .iter()
            .enumerate()
            .skip(1)
            .any(|(length, number)| {
                columns += number;
                columns >= length
            })
    }

    /// Takes the squares before the new first lines; after the new last ones if `mirrored`.
    fn take(&self, domains: &mut Domains, lines: Lines, mirrored: bool) {
        if self.hall.raised.is_empty() {
            return;
        }
        domains.because(Cause::AllDifferent(lines));
        let n = domains.n();
        for &(i, min) in &self.hall.raised {
            let column = self.columns[i as usize];
            let shift = lines.shift(column, n);
            // Squares on lines with a queen are not free.
            let is_out = |row: &u32| {
                let line = self.before[(row + shift) as usize];
                if mirrored { -line < min } else { line < min }
            };
            while let Some(row) = if mirrored {
                domains.max(column)
            } else {
                domains.min(column)
            }
            .filter(is_out)
            {
                domains.take(crate::board::Square::new(column, row));
            }
        }
    }
}

/// The algorithm itself, on intervals of whole numbers.
#[derive(Debug, Default)]
struct Hall {
    /// Those of the free lines of each column, among the lines without a queen.
    intervals: Vec<Interval>,
    /// Intervals by their first number, and by their last one.
    by_min: Vec<u32>,
    by_max: Vec<u32>,
    /// The different numbers at which an interval begins, or before which one ends, in order; one more before and after.
    bounds: Vec<i32>,
    /// Numbers between the bound before and each one that are not used up.
    left: Vec<i32>,
    /// From a bound without numbers left towards the next one with some; from that one, back to the one before its group.
    tree: Vec<usize>,
    /// From a bound in a Hall interval towards its end; from the others, back.
    hall: Vec<usize>,
    /// Intervals that must begin later, and where.
    raised: Vec<(u32, i32)>,
    /// Whether there is a Hall interval at all.
    has_interval: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct Interval {
    min: i32,
    /// The number after the last.
    end: i32,
    /// Where both are among the bounds.
    min_at: usize,
    end_at: usize,
}

impl Hall {
    /// Finds the intervals that must begin later, if each is to have a number of its own; none if that cannot be.
    fn raise_mins(&mut self) -> Option<()> {
        self.load();
        for &i in &self.by_max {
            let Interval {
                min_at: x,
                end_at: y,
                ..
            } = self.intervals[i as usize];
            let mut z = path_end(&self.tree, x + 1);
            let before = self.tree[z];
            self.left[z] -= 1;
            if self.left[z] == 0 {
                self.tree[z] = z + 1;
                z = path_end(&self.tree, z + 1);
                self.tree[z] = before;
            }
            set_path(&mut self.tree, x + 1, z, z);
            let beyond = self.bounds[z] - self.bounds[y];
            if self.left[z] < beyond {
                return None;
            }
            if self.hall[x] > x {
                let end = path_end(&self.hall, self.hall[x]);
                self.raised.push((i, self.bounds[end]));
                set_path(&mut self.hall, x, end, end);
            }
            if self.left[z] == beyond {
                self.has_interval = true;
                let from = self.hall[y];
                set_path(&mut self.hall, from, before - 1, y);
                self.hall[y] = before - 1;
            }
        }
        Some(())
    }

    /// Sorts the ends and merges them into bounds.
    fn load(&mut self) {
        self.raised.clear();
        self.has_interval = false;
        let intervals = &mut self.intervals;
        for order in [&mut self.by_min, &mut self.by_max] {
            order.clear();
            order.extend(0..intervals.len() as u32);
        }
        self.by_min
            .sort_unstable_by_key(|&i| intervals[i as usize].min);
        self.by_max
            .sort_unstable_by_key(|&i| intervals[i as usize].end);
        let mut mins = self.by_min.iter().map(|&i| i as usize).peekable();
        let lowest = mins.peek().map_or(0, |&i| intervals[i].min) - 2;
        self.bounds.clear();
        self.bounds.push(lowest);
        let mut place = |at| {
            if self.bounds.last() != Some(&at) {
                self.bounds.push(at);
            }
            self.bounds.len() - 1
        };
        for &i in &self.by_max {
            let end = intervals[i as usize].end;
            while let Some(next) = mins.next_if(|&next| intervals[next].min <= end) {
                intervals[next].min_at = place(intervals[next].min);
            }
            intervals[i as usize].end_at = place(end);
        }
        self.bounds.push(self.bounds[self.bounds.len() - 1] + 2);
        self.left.clear();
        self.left.push(0);
        self.left
            .extend(self.bounds.windows(2).map(|pair| pair[1] - pair[0]));
        for links in [&mut self.tree, &mut self.hall] {
            links.clear();
            links.push(0);
            links.extend(0..self.bounds.len() - 1);
        }
    }
}

/// Follows links that go up.
fn path_end(links: &[usize], mut i: usize) -> usize {
    while links[i] > i {
        i = links[i];
    }
    i
}

/// Has every link on the path between two places lead to a third.
fn set_path(links: &mut [usize], mut from: usize, end: usize, to: usize) {
    while from != end {
        from = std::mem::replace(&mut links[from], to);
    }
}
