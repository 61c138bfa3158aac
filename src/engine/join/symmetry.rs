//! Which row sets and which half-boards are counted, and with what weight: almost eightfold symmetry.
//!
//! 1. *Upside down.* A row set and its reversal count the same: only the smaller is counted, twice where they differ.
//! 2. *Long diagonals.* Reflection in one long diagonal keeps it and swaps the two halves of the other. So only
//!    solutions with no queen on a long diagonal in the east are counted (a queen on the centre square is in neither
//!    half), twice for each long diagonal that is occupied in the west.
//! 3. *Left and right.* For even N, among solutions with no queen on either long diagonal, a row set and its complement
//!    count the same. The rows on which a row set agrees with its reversal are the same for its reversal and its
//!    complement. If there is none, reversal and complement are the same and nothing is left to gain. Else the lowest of
//!    them decides: either the row set has it and its complement does not, and is counted twice, or it is not counted.
//!    For odd N the same holds among solutions with a queen on the centre square, with the middle row left out of it:
//!    the east has it before and after.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::subsets::{choose, subset, subsets_before};

/// The rows that the queens of the east half use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowSet {
    /// Bit r: row r is used.
    pub rows: u32,
}

impl RowSet {
    /// The rows in the opposite order.
    pub(super) fn reversed(self, n: usize) -> Self {
        Self {
            rows: self.rows.reverse_bits() >> (32 - n),
        }
    }

    /// The rows that the west half uses.
    pub(super) fn complement(self, n: usize) -> Self {
        Self {
            rows: !self.rows & all_rows(n),
        }
    }

    /// By how much all that is counted for this row set is multiplied.
    pub(super) fn weight(self, n: usize) -> u64 {
        if self == self.reversed(n) { 1 } else { 2 }
    }

    /// The estimated work, in units that mean something only for this N.
    ///
    /// Row sets differ by a factor of two or so. Rows close together, in either half, make queens attack each other and
    /// leave fewer half-boards, and so do rows crowded in the north or the south. The coefficients were fitted to the work
    /// of row sets for N = 16 to 20; the part done that they predict is right to 0.025 everywhere along these plans.
    #[must_use]
    pub(super) fn estimate(self, n: usize) -> f64 {
        let pairs_at = |distance: usize| {
            let of = |rows: u32| (rows & rows >> distance).count_ones();
            f64::from(of(self.rows) + of(self.complement(n).rows))
        };
        let north = self.rows & ((1 << n.div_ceil(2)) - 1);
        let crowded = f64::from(north.count_ones()) - n.div_ceil(2) as f64 / 2.0;
        let free = if self.free_weight(n) > 0 { 0.15 } else { 0.0 };
        let close = 0.08 * pairs_at(1) + 0.07 * pairs_at(2) + 0.05 * pairs_at(3);
        (free - close - 0.11 * crowded * crowded).exp()
    }

    /// By how much solutions with no queen on a long diagonal are multiplied besides.
    pub(super) fn free_weight(self, n: usize) -> u64 {
        if n.is_multiple_of(2) {
            self.left_right_weight(n, 0)
        } else {
            1
        }
    }

    /// By how much solutions with a queen on the centre square are multiplied besides; 0 where there is none.
    pub(super) fn centre_weight(self, n: usize) -> u64 {
        let middle = 1 << (n / 2);
        if n.is_multiple_of(2) || self.rows & middle == 0 {
            0
        } else {
            self.left_right_weight(n, middle)
        }
    }

    /// What reflection left for right leaves to count, where it turns the row set into its complement on all rows but
    /// those in `fixed`, which must be the same upside down.
    fn left_right_weight(self, n: usize, fixed: u32) -> u64 {
        let agree = !(self.rows ^ self.reversed(n).rows) & all_rows(n) & !fixed;
        match agree & agree.wrapping_neg() {
            0 => 1,
            lowest if self.rows & lowest != 0 => 2,
            _ => 0,
        }
    }
}

/// All rows of the board.
fn all_rows(n: usize) -> u32 {
    u32::MAX >> (32 - n)
}

/// The row sets to count, in a fixed order: for N = 32 there are 300 million, so none is made before it is asked for.
///
/// They are ordered by their south, so that neighbours have as much in common as can be. Turned upside down, the north is a
/// number of as many bits as the south, the middle row left out; a row set is not above its reversal iff its south is not
/// above its north.
#[derive(Clone)]
pub(super) struct RowSets {
    pub(super) n: usize,
    /// How many there are with a lesser south, for each south and at last for all.
    before: Arc<[u32]>,
}

/// Without its table.
impl fmt::Debug for RowSets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RowSets of N = {}", self.n)
    }
}

impl RowSets {
    pub(super) fn new(n: usize) -> Self {
        let souths = 0..1u32 << (n / 2);
        let of_south = |south| norths(n, south).map(|(_, _, ranks)| ranks.len() as u32);
        let mut all = 0;
        let mut before = vec![all];
        before.extend(souths.map(|south| {
            all += of_south(south).sum::<u32>();
            all
        }));
        let before = before.into();
        Self { n, before }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.before[self.before.len() - 1] as usize
    }

    /// The row set of this rank.
    pub(super) fn get(&self, rank: usize) -> RowSet {
        assert!(rank < self.len(), "there is no row set {rank}");
        let half = self.n / 2;
        let south = self
            .before
            .partition_point(|&before| before as usize <= rank)
            - 1;
        let mut left = rank - self.before[south] as usize;
        for (middle, size, mut ranks) in norths(self.n, south as u32) {
            let len = ranks.len();
            if let Some(rank) = ranks.nth(left) {
                let north = subset(half, size, rank).reverse_bits() >> (32 - half);
                let rows = (south as u32) << self.n.div_ceil(2) | middle << half | north;
                return RowSet { rows };
            }
            left -= len;
        }
        unreachable!("the norths of a south are as many as were counted");
    }
}

/// The norths that go with a south, without and, on an odd board, with the middle row: how many rows they have, and which of
/// the sets of as many rows, turned upside down, they are.
fn norths(n: usize, south: u32) -> impl Iterator<Item = (u32, usize, Range<usize>)> {
    let size = n.div_ceil(2) - south.count_ones() as usize;
    (0..=n % 2).filter_map(move |middle| {
        let size = size.checked_sub(middle)?;
        Some((
            middle as u32,
            size,
            subsets_before(south, size)..choose(n / 2, size),
        ))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::known::known;

    #[test]
    fn weights_of_symmetry_classes_add_up_to_all_solutions() {
        for n in 5..=10 {
            let sets = RowSets::new(n);
            let counted: Vec<_> = (0..sets.len()).map(|rank| sets.get(rank)).collect();
            let mut sum = 0;
            for board in crate::solutions(n as u32).unwrap() {
                // The column of the queen of each row, or the row of that of each column: solutions are the same.
                let board: Vec<_> = board.rows().iter().map(|&c| c as usize).collect();
                let east = (0..n).filter(|&r| board[r] >= n / 2);
                let rows = east.fold(0, |rows, r| rows | 1 << r);
                let set = RowSet { rows };
                let on_long = |&r: &usize| (board[r] == r) != (board[r] + r == n - 1);
                let long: Vec<_> = (0..n).filter(on_long).collect();
                if !counted.contains(&set) || long.iter().any(|&r| board[r] >= n / 2) {
                    continue;
                }
                let centre = n % 2 == 1 && board[n / 2] == n / 2;
                let besides = match (long.len(), centre) {
                    (0, false) => set.free_weight(n),
                    (0, true) => set.centre_weight(n),
                    // With a queen on the centre square no other is on a long diagonal.
                    (long, centre) => u64::from(!centre) << long,
                };
                sum += set.weight(n) * besides;
            }
            assert_eq!(u128::from(sum), known(n as u32).unwrap().solutions, "N={n}");
        }
    }

    /// Far too many to list where they matter most: that no two are the same, and that all are of the right kind, is what
    /// makes each row set or its reversal one of them.
    #[test]
    fn row_sets_of_large_boards_are_found_by_rank() {
        for n in 5..=32 {
            let sets = RowSets::new(n);
            let size = n.div_ceil(2);
            // Half of all and of those that are their own reversal.
            let symmetric = if n % 4 == 2 {
                0
            } else {
                choose(n / 2, size / 2)
            };
            assert_eq!(2 * sets.len(), choose(n, size) + symmetric);
            let mut seen = std::collections::HashSet::new();
            for rank in (0..sets.len())
                .step_by(sets.len() / 1000 + 1)
                .chain([sets.len() - 1])
            {
                let set = sets.get(rank);
                assert_eq!(set.rows.count_ones() as usize, size);
                assert!(set.rows <= set.reversed(n).rows && set.rows <= all_rows(n));
                seen.insert(set.rows);
            }
            assert!(seen.len() >= sets.len().min(1000) / 2);
        }
    }

    proptest! {
        #[test]
        fn every_row_set_or_a_reflection_of_it_is_counted(n in 5usize..=14, seed in any::<u32>()) {
            let size = n.div_ceil(2) as u32;
            let mut rows = seed & ((1 << n) - 1);
            while rows.count_ones() > size { rows &= rows - 1; }
            while rows.count_ones() < size { rows |= rows + 1; }
            let (set, sets) = (RowSet { rows }, RowSets::new(n));
            let sets: Vec<_> = (0..sets.len()).map(|rank| sets.get(rank)).collect();
            let reversed = set.reversed(n);
            let listed = usize::from(sets.contains(&set)) + usize::from(reversed != set && sets.contains(&reversed));
            prop_assert_eq!(listed, 1);
            prop_assert_eq!(set.weight(n), if reversed == set { 1 } else { 2 });
            let middle = 1 << (n / 2);
            if n % 2 == 0 {
                prop_assert_eq!(set.free_weight(n), reversed.free_weight(n));
                let together = set.free_weight(n) + set.complement(n).free_weight(n);
                prop_assert_eq!(together, 2);
                prop_assert_eq!(set.centre_weight(n), 0);
            } else if rows & middle == 0 {
                prop_assert_eq!(set.centre_weight(n), 0);
            } else {
                prop_assert_eq!(set.centre_weight(n), reversed.centre_weight(n));
                let turned = RowSet { rows: set.complement(n).rows | middle };
                prop_assert_eq!(set.centre_weight(n) + turned.centre_weight(n), 2);
            }
        }
    }
}
