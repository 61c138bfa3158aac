//! Which row sets and which half-boards are counted, and with what weight: almost eightfold symmetry.
//!
//! 1. *Upside down.* A row set and its reversal count the same: only the smaller is counted, twice where they differ.
//! 2. *Long diagonals.* Reflection in one long diagonal keeps it and swaps the two halves of the other. So only
//!    solutions with no queen on a long diagonal in the east are counted (a queen on the centre square is in neither
//!    half), twice for each long diagonal that is occupied in the west.
//! 3. *Left and right.* For even N, among solutions with no queen on either long diagonal, a row set and its complement
//!    count the same. The rows on which a row set agrees with its reversal are the same for its reversal and its
//!    complement. If there is none, reversal and complement are the same and nothing is left to gain. Else the lowest
//!    of them decides: either the row set has it and its complement does not, and is counted twice, or it is not
//!    counted. For odd N the same holds among solutions with a queen on the centre square, with the middle row left out
//!    of it: it stays in the half that has the centre column.
//! 4. *An occupied long diagonal.* Reflection in a long diagonal that is occupied in the west leaves its queen there,
//!    so it takes the solutions that occupy just this one to themselves. It swaps two sets of numbers: the columns that
//!    a quadrant's queens use, which its list tells, and rows that are known from the row set. Of two such solutions
//!    the one whose columns are the greater set counts twice: see [`Judge`].

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::pattern::{Layout, Part, Side, width};
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
    /// leave fewer half-boards, and so do rows crowded in the north or the south. The coefficients were fitted to the
    /// work of row sets for N = 16 to 20; the part done that they predict is right to 0.025 everywhere along these
    /// plans.
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

    /// By how much solutions with a queen on the centre square are multiplied besides; 0 where there is none, because
    /// the half with the centre column, which has the more rows, lacks the middle one.
    pub(super) fn centre_weight(self, n: usize) -> u64 {
        let middle = 1 << (n / 2);
        let east_is_wider = self.rows.count_ones() as usize > n / 2;
        if n.is_multiple_of(2) || (self.rows & middle != 0) != east_is_wider {
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

/// How reflection in one long diagonal, occupied in the west, tells a solution from its image (rule 4): it swaps the
/// columns that some queens use and the rows that some others do. The greater of two sets is the greater number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Judge {
    /// The columns are those of the west's queens in this part, but for a queen in the middle row,
    pub(super) part: Part,
    /// as far as they are among these: all but the centre column.
    pub(super) columns: u32,
    /// The rows, as the columns that reflection makes of them.
    pub(super) rows: u32,
}

impl RowSet {
    /// For the falling and for the rising long diagonal.
    ///
    /// Either reflection takes the outer m = floor(N/2) rows and columns at each end of the board to each other. Where
    /// the west is m columns wide, its quadrant with the occupied diagonal becomes itself, and swaps its own rows and
    /// columns. Where the west has the centre column too, it is not known which of a quadrant's rows has the queen on
    /// that column. So the other quadrant of the west is looked at, which changes places with one of the east: its
    /// columns and that one's rows are swapped. Turned upside down, one case becomes the other.
    pub(super) fn judges(self, n: usize) -> [Judge; 2] {
        let m = n / 2;
        let west = n - self.rows.count_ones() as usize;
        // The centre column, where the west has it, is its column 0.
        let first = west - m;
        let columns = (1 << west) - (1 << first);
        let (set, parts) = if first == 0 {
            (self.complement(n), [Part::North, Part::South])
        } else {
            (self, [Part::South, Part::North])
        };
        let north = (set.rows & ((1 << m) - 1)).reverse_bits() >> (32 - m);
        let south = set.rows >> (n - m);
        let judge = |part, rows| Judge {
            part,
            columns,
            rows: rows << first,
        };
        [judge(parts[0], north), judge(parts[1], south)]
    }
}

/// All rows of the board.
fn all_rows(n: usize) -> u32 {
    u32::MAX >> (32 - n)
}

/// The row sets to count, in a fixed order: for N = 32 there are 300 million, so none is made before it is asked for.
///
/// They are ordered by their south, so that neighbours have as much in common as can be. Turned upside down, the north
/// is a number of as many bits as the south, the middle row left out; a row set is not above its reversal iff its south
/// is not above its north.
#[derive(Clone)]
pub(super) struct RowSets {
    pub(super) n: usize,
    /// The half that has the centre column of an odd board.
    centre: Side,
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
    /// Those of N, where the half `centre` has the centre column of an odd board.
    pub(super) fn new(n: usize, centre: Side) -> Self {
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

    /// Which diagonal has which bit in the patterns of their half-boards.
    pub(super) fn layout(&self) -> Layout {
        Layout::new(self.n, self.centre)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.before[self.before.len() - 1] as usize
    }

    /// The row set of this rank.
    pub(super) fn get(&self, rank: usize) -> RowSet {
        assert!(rank < self.len(), "there is no row set {rank}");
        let half = self.n / 2;
        let east = width(self.n, self.centre, Side::East);
        let south = self
            .before
            .partition_point(|&before| before as usize <= rank)
            - 1;
        let mut left = rank - self.before[south] as usize;
        for (middle, size, mut ranks) in norths(self.n, east, south as u32) {
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

/// The norths that go with a south, without and, on an odd board, with the middle row: how many rows they have, and
/// which of the sets of as many rows, turned upside down, they are.
fn norths(n: usize, east: usize, south: u32) -> impl Iterator<Item = (u32, usize, Range<usize>)> {
    (0..=n % 2).filter_map(move |middle| {
        let size = east.checked_sub(south.count_ones() as usize + middle)?;
        Some((
            middle as u32,
            size,
            subsets_before(south, size)..choose(n / 2, size),
        ))
    })
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::known::known;

    /// Sizes with the half that has the centre column: on odd boards either.
    fn cuts(sizes: impl Iterator<Item = usize>) -> impl Iterator<Item = (usize, Side)> {
        sizes.flat_map(|n| [(n, Side::East), (n, Side::West)][..1 + n % 2].to_vec())
    }

    /// By solutions, each of which is looked at by itself.
    #[test]
    fn weights_of_symmetry_classes_add_up_to_all_solutions() {
        for (n, centre) in cuts(5..=12) {
            let sets = RowSets::new(n, centre);
            let counted: HashSet<_> = (0..sets.len()).map(|rank| sets.get(rank).rows).collect();
            let west = width(n, centre, Side::West);
            let mut sum = 0;
            for board in crate::solutions(n as u32).unwrap() {
                // The column of the queen of each row, or the row of that of each column: solutions are the same.
                let board: Vec<_> = board.rows().iter().map(|&c| c as usize).collect();
                let (m, is_centre) = (n / 2, |r| n % 2 == 1 && r == n / 2 && board[r] == r);
                let rows = (0..n).filter(|&r| board[r] >= west);
                let rows = rows.fold(0, |rows, r| rows | 1 << r);
                let set = RowSet { rows };
                let falling = (0..n).find(|&r| board[r] == r && !is_centre(r));
                let rising = (0..n).find(|&r| board[r] + r == n - 1 && !is_centre(r));
                let mut long = [falling, rising].into_iter().flatten();
                if !counted.contains(&rows) || long.any(|r| board[r] >= west) {
                    continue;
                }
                // The columns of the west's queens in rows of the north or of the south, but for the middle row and
                // column.
                let columns = |rows: Range<usize>| {
                    let columns = rows.map(|r| board[r]).filter(|&c| c < m);
                    columns.fold(0, |set, c| set | 1 << (west - 1 - c))
                };
                let judged = |judge: Judge| {
                    let rows = match judge.part {
                        Part::North => 0..m,
                        Part::South => n - m..n,
                    };
                    match columns(rows).cmp(&judge.rows) {
                        Ordering::Less => 0,
                        Ordering::Equal => 2,
                        Ordering::Greater => 4,
                    }
                };
                let [by_falling, by_rising] = set.judges(n);
                let besides = match (falling, rising) {
                    (None, None) if (0..n).any(is_centre) => set.centre_weight(n),
                    (None, None) => set.free_weight(n),
                    (Some(_), None) => judged(by_falling),
                    (None, Some(_)) => judged(by_rising),
                    (Some(_), Some(_)) => 4,
                };
                sum += set.weight(n) * besides;
            }
            assert_eq!(
                u128::from(sum),
                known(n as u32).unwrap().solutions,
                "N={n} {centre:?}"
            );
        }
    }

    /// Far too many to list where they matter most: that no two are the same, and that all are of the right kind, is
    /// what makes each row set or its reversal one of them.
    #[test]
    fn row_sets_of_large_boards_are_found_by_rank() {
        for (n, centre) in cuts(5..=32) {
            let sets = RowSets::new(n, centre);
            let size = width(n, centre, Side::East);
            // Half of all and of those that are their own reversal.
            let symmetric = if n % 2 == 0 && size % 2 == 1 {
                0
            } else {
                choose(n / 2, size / 2)
            };
            assert_eq!(2 * sets.len(), choose(n, size) + symmetric);
            let mut seen = HashSet::new();
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
        fn every_row_set_or_a_reflection_of_it_is_counted(
            n in 5usize..=14,
            centre in prop_oneof![Just(Side::East), Just(Side::West)],
            seed in any::<u32>(),
        ) {
            let size = width(n, centre, Side::East) as u32;
            let mut rows = seed & ((1 << n) - 1);
            while rows.count_ones() > size { rows &= rows - 1; }
            while rows.count_ones() < size { rows |= rows + 1; }
            let (set, sets) = (RowSet { rows }, RowSets::new(n, centre));
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
            } else if (rows & middle != 0) != (centre == Side::East) {
                prop_assert_eq!(set.centre_weight(n), 0);
            } else {
                prop_assert_eq!(set.centre_weight(n), reversed.centre_weight(n));
                let turned = RowSet { rows: set.complement(n).rows ^ middle };
                prop_assert_eq!(set.centre_weight(n) + turned.centre_weight(n), 2);
            }
        }
    }
}
