//! Weights of row sets and half-boards, which exploit almost all of the eightfold symmetry of the
//! board.
//!
//! 1. *Top to bottom.* A row set and its reversal have the same count. Only the smaller of the two
//!    is counted, with weight 2 if they differ.
//! 2. *Ends of long diagonals.* Reflection in one long diagonal swaps the east and west halves of
//!    the other. Only solutions whose east half occupies neither are counted, with a factor of 2
//!    for each long diagonal that the west half occupies. The centre square belongs to neither half
//!    of a long diagonal.
//! 3. *Left to right.* Take the solutions that leave both long diagonals unoccupied. Reflection
//!    moves the queen of every row to the other half, except in the centre column of an odd board.
//!    For even N, it complements the row set, and a set and its complement agree with their
//!    reversals in the same rows. If there are no such rows, the complement is the reversal, which
//!    rule 1 has already covered. Otherwise, the row with the smallest index decides: a row set
//!    that contains this row has a factor of 2, and its complement is skipped. For odd N and a
//!    queen on the centre square, the same applies without the middle row, which stays in the half
//!    with the centre column. If the centre square is unoccupied, the queen in the middle row
//!    changes halves, so the middle row decides.
//! 4. *Reflection in a long diagonal.* Take the solutions that occupy only one long diagonal, in
//!    the west. Reflection in that diagonal maps these solutions to each other. It swaps two sets:
//!    the columns of the queens in one quadrant, which are known from its list, and the rows of the
//!    queens in its image, which are known from the row set. Of the two solutions, the one with the
//!    greater columns has an additional factor of 2: see [`Comparison`]. If the west has the centre
//!    column, the same comparisons apply to solutions that leave both long diagonals and the centre
//!    square unoccupied. By rule 3, the queen in the middle row is in the east. Reflection in the
//!    falling long diagonal preserves this if the queen in the centre column is in the south, and
//!    reflection in the rising one if it is in the north.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::pattern::{Layout, Part, Side, centre, width};
use super::subsets::{choose, subset, subsets_before};

/// Set of the rows of the queens in the east half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowSet {
    /// Size of the board.
    pub n: usize,
    /// Mask with bit r set for row r.
    pub rows: u32,
}

impl RowSet {
    /// Returns the row set of the board turned upside down.
    pub(crate) fn reversed(self) -> Self {
        Self { rows: self.rows.reverse_bits() >> (32 - self.n), ..self }
    }

    /// Returns the rows of the queens in the west half.
    pub(crate) fn complement(self) -> Self {
        Self { rows: !self.rows & all_rows(self.n), ..self }
    }

    /// Returns the factor for all solutions of the row set (rule 1).
    pub(crate) fn weight(self) -> u64 {
        if self == self.reversed() { 1 } else { 2 }
    }

    /// Returns the estimated work in arbitrary units. Estimates are comparable only for the same N.
    ///
    /// The work varies by a factor of about two between row sets. There are fewer half-boards if
    /// the rows of either half are close together, or crowded in the north or the south. The
    /// coefficients were fitted to row sets of N = 16 to 20. The predicted fraction of work done is
    /// accurate to 0.025 throughout at N = 16, and to 0.075 at N = 17.
    #[must_use]
    pub(crate) fn estimate(self) -> f64 {
        let n = self.n;
        let pairs_at = |distance: usize| {
            let of = |rows: u32| (rows & rows >> distance).count_ones();
            f64::from(of(self.rows) + of(self.complement().rows))
        };
        let north = self.rows & ((1 << n.div_ceil(2)) - 1);
        let crowded = f64::from(north.count_ones()) - n.div_ceil(2) as f64 / 2.0;
        // On odd boards, row sets without the middle row also have fewer west half-boards.
        let gain = if n.is_multiple_of(2) { 0.15 } else { 0.5 };
        let free = if self.free_weight() > 0 { gain } else { 0.0 };
        let close = 0.08 * pairs_at(1) + 0.07 * pairs_at(2) + 0.05 * pairs_at(3);
        (free - close - 0.11 * crowded * crowded).exp()
    }

    /// Returns the additional factor for solutions without a queen on a long diagonal or the centre
    /// square (rule 3).
    pub(crate) fn free_weight(self) -> u64 {
        let is_even = self.n.is_multiple_of(2);
        self.left_right_weight(if is_even { all_rows(self.n) } else { self.middle() })
    }

    /// Returns the additional factor for solutions with a queen on the centre square (rule 3). It
    /// is 0 if the half with the centre column, which has more rows, does not use the middle row.
    pub(crate) fn centre_weight(self) -> u64 {
        let n = self.n;
        let east_is_wider = self.rows.count_ones() as usize > n / 2;
        if n.is_multiple_of(2) || (self.rows & self.middle() != 0) != east_is_wider {
            0
        } else {
            self.left_right_weight(all_rows(n) & !self.middle())
        }
    }

    /// Returns the mask of the middle row of an odd board.
    fn middle(self) -> u32 {
        1 << (self.n / 2)
    }

    /// Returns the factor due to left-right reflection, which is decided by the first of the given
    /// rows in which the set agrees with its reversal. The reversal of a given row must be given
    /// too.
    fn left_right_weight(self, rows: u32) -> u64 {
        let agree = !(self.rows ^ self.reversed().rows) & rows;
        match agree & agree.wrapping_neg() {
            0 => 1,
            lowest if self.rows & lowest != 0 => 2,
            _ => 0,
        }
    }
}

/// Comparison of a solution with its reflection in a long diagonal (rule 4). The reflection swaps
/// the columns of some queens with the rows of others. The two sets are compared as binary numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Comparison {
    /// Quadrant of the west half whose columns are compared. The column of a queen in the middle
    /// row is ignored.
    pub(crate) part: Part,
    /// Columns to compare: all except the centre column.
    pub(crate) columns: u32,
    /// Rows to compare, each represented by the column that it is reflected to.
    pub(crate) rows: u32,
}

impl RowSet {
    /// Returns the comparisons for the falling and the rising long diagonal.
    ///
    /// Let m = floor(N/2). Both reflections swap the outer m rows at each end of the board with the
    /// outer m columns. If the west has m columns, its quadrant with the occupied diagonal is
    /// mapped to itself, with rows and columns swapped. If the west also has the centre column, the
    /// row of the queen in that column is unknown, so the other quadrant of the west is used
    /// instead. It is mapped to a quadrant of the east, and its columns are swapped with the rows
    /// of that quadrant.
    pub(crate) fn comparisons(self) -> [Comparison; 2] {
        let n = self.n;
        let m = n / 2;
        let west = n - self.rows.count_ones() as usize;
        // If the west has the centre column, it is column 0 of the west.
        let first = west - m;
        let columns = (1 << west) - (1 << first);
        let (set, parts) = if first == 0 {
            (self.complement(), [Part::North, Part::South])
        } else {
            (self, [Part::South, Part::North])
        };
        let north = (set.rows & ((1 << m) - 1)).reverse_bits() >> (32 - m);
        let south = set.rows >> (n - m);
        let comparison = |part, rows| Comparison { part, columns, rows: rows << first };
        [comparison(parts[0], north), comparison(parts[1], south)]
    }
}

/// Returns the mask of the first `n` rows.
fn all_rows(n: usize) -> u32 {
    u32::MAX >> (32 - n)
}

/// The row sets to count, in a fixed order. They are computed on demand, because N = 32 has 300
/// million of them.
///
/// Row sets are ordered by their southern rows, so that consecutive ones share as much as possible.
/// Apart from the middle row, there are as many northern rows as southern ones. A row set is less
/// than or equal to its reversal iff the mask of its southern rows is less than or equal to the
/// reversed mask of its northern rows.
#[derive(Clone)]
pub(crate) struct RowSets {
    pub(crate) n: usize,
    /// Half that has the centre column if N is odd.
    centre: Side,
    /// Number of row sets before those with each set of southern rows, followed by the total number
    /// of row sets.
    before: Arc<[u32]>,
}

impl fmt::Debug for RowSets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RowSets of N = {}", self.n)
    }
}

impl RowSets {
    /// Creates the row sets for size `n`, with the centre column in the half where it is faster.
    pub(crate) fn for_size(n: u32) -> Self {
        Self::new(n as usize, centre(n as usize))
    }

    /// Creates the row sets for size `n`. `centre` is the half that has the centre column if `n` is
    /// odd.
    pub(crate) fn new(n: usize, centre: Side) -> Self {
        let east = width(n, centre, Side::East);
        let souths = 0..1u32 << (n / 2);
        let of_south = |south| norths(n, east, south).map(|(_, _, ranks)| ranks.len() as u32);
        let mut all = 0;
        let mut before = vec![all];
        before.extend(souths.map(|south| {
            all += of_south(south).sum::<u32>();
            all
        }));
        let before = before.into();
        Self { n, centre, before }
    }

    /// Returns the pattern layout of the half-boards.
    pub(crate) fn layout(&self) -> Layout {
        Layout::new(self.n, self.centre)
    }

    pub(crate) fn len(&self) -> usize {
        self.before[self.before.len() - 1] as usize
    }

    /// Returns the row set with the given rank.
    pub(crate) fn get(&self, rank: usize) -> RowSet {
        assert!(rank < self.len(), "there is no row set {rank}");
        let half = self.n / 2;
        let east = width(self.n, self.centre, Side::East);
        let south = self.before.partition_point(|&before| before as usize <= rank) - 1;
        let mut left = rank - self.before[south] as usize;
        for (middle, size, mut ranks) in norths(self.n, east, south as u32) {
            let len = ranks.len();
            if let Some(rank) = ranks.nth(left) {
                let north = subset(half, size, rank).reverse_bits() >> (32 - half);
                let rows = (south as u32) << self.n.div_ceil(2) | middle << half | north;
                return RowSet { n: self.n, rows };
            }
            left -= len;
        }
        unreachable!("the norths of a south are as many as were counted");
    }
}

/// Returns the possible northern rows for the given southern rows, first without the middle row and
/// then, if `n` is odd, with it. Each item consists of the bit of the middle row, the number of
/// other northern rows, and the range of ranks of their reversed masks among the sets of that size.
fn norths(n: usize, east: usize, south: u32) -> impl Iterator<Item = (u32, usize, Range<usize>)> {
    (0..=n % 2).filter_map(move |middle| {
        let size = east.checked_sub(south.count_ones() as usize + middle)?;
        Some((middle as u32, size, subsets_before(south, size)..choose(n / 2, size)))
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::engine::join::tests::centres;

    /// Large boards have too many row sets to list them all. Checks that sampled row sets are valid
    /// and distinct, and that the number of row sets is right.
    #[test]
    fn row_sets_of_large_boards_are_found_by_rank() {
        let cuts = (5..=32).flat_map(|n| centres(n).iter().map(move |&centre| (n, centre)));
        for (n, centre) in cuts {
            let sets = RowSets::new(n, centre);
            let size = width(n, centre, Side::East);
            // Half of all row sets plus half of the symmetric ones.
            let symmetric = if n % 2 == 0 && size % 2 == 1 { 0 } else { choose(n / 2, size / 2) };
            assert_eq!(2 * sets.len(), choose(n, size) + symmetric);
            let mut seen = HashSet::new();
            for rank in (0..sets.len()).step_by(sets.len() / 1000 + 1).chain([sets.len() - 1]) {
                let set = sets.get(rank);
                assert_eq!(set.rows.count_ones() as usize, size);
                assert!(set.rows <= set.reversed().rows && set.rows <= all_rows(n));
                seen.insert(set.rows);
            }
            assert!(seen.len() >= sets.len().min(1000) / 2);
        }
    }
}
