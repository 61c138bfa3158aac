//! Placements and their symmetries.

use std::fmt;

use thiserror::Error;

use super::square::Square;

/// N queens on an N by N board, one per row and column. Placements are ordered lexicographically by
/// the rows of their queens, from left to right.
///
/// ```
/// let placement = queens::Placement::new(vec![1, 3, 0, 2])?;
/// assert!(placement.is_solution());
/// assert_eq!(placement.to_string(), "_ _ Q _\nQ _ _ _\n_ _ _ Q\n_ Q _ _\n");
/// # Ok::<(), queens::PlacementError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Placement(Vec<u32>);

/// Error from creating or checking a [`Placement`].
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PlacementError {
    /// A row is not on the board.
    #[error("column {}: row {row} is not on the {n} x {n} board (accepted: 0 to {})", Square::new(*column as u32, 0).column_name(), n - 1)]
    OffBoard {
        /// Zero-based column from the left.
        column: usize,
        /// Row, as given.
        row: u32,
        /// Board size.
        n: usize,
    },
    /// Two queens attack each other.
    #[error("{} and {} attack each other along a {line}", left.name(*n), right.name(*n))]
    Attack {
        /// Leftmost queen that attacks `right`.
        left: Square,
        /// Leftmost queen that is attacked by a queen to its left.
        right: Square,
        /// Line along which the queens attack: `row` or `diagonal`.
        line: &'static str,
        /// Board size.
        n: u32,
    },
}

named_enum! {
    /// Symmetry group of a solution. For N >= 2, no solution is its own mirror image: either a
    /// queen would attack its own image along a row or column, or all queens would be on one
    /// diagonal.
    #[derive(Hash, PartialOrd, Ord)]
    pub enum SymmetryClass {
        /// Identity only: eight distinct images.
        None = "none",
        /// Half turn: four images.
        HalfTurn = "half turn",
        /// Quarter turns: two images.
        QuarterTurn = "quarter turn",
        /// All eight symmetries, for N = 0 and N = 1 only: one image.
        Full = "all",
    }
}

impl SymmetryClass {
    /// Returns the number of distinct images of a solution with this symmetry.
    #[must_use]
    pub fn orbit_size(self) -> u32 {
        match self {
            Self::None => 8,
            Self::HalfTurn => 4,
            Self::QuarterTurn => 2,
            Self::Full => 1,
        }
    }
}

impl Placement {
    /// Creates a placement from the row of each column's queen, from left to right. Rows are
    /// zero-based from the top.
    ///
    /// # Errors
    ///
    /// Returns an error if a row is off the board or occurs twice. Diagonals are not checked.
    pub fn new(rows: Vec<u32>) -> Result<Self, PlacementError> {
        let n = rows.len();
        let mut queens = vec![None; n];
        for (column, &row) in rows.iter().enumerate() {
            let queen = queens.get_mut(row as usize);
            let queen = queen.ok_or(PlacementError::OffBoard { column, row, n })?;
            let right = Square::new(column as u32, row);
            if let Some(left) = queen.replace(right) {
                let (line, n) = ("row", n as u32);
                return Err(PlacementError::Attack { left, right, line, n });
            }
        }
        Ok(Self(rows))
    }

    /// Creates a placement from a permutation. This is faster than [`new`](Self::new) up to N = 64.
    ///
    /// # Panics
    ///
    /// Panics if the rows are not a permutation of 0 to N - 1.
    #[must_use]
    pub fn from_permutation(rows: Vec<u32>) -> Self {
        let n = rows.len() as u32;
        if n > u64::BITS {
            return Self::new(rows).expect("a permutation");
        }
        let occupied = rows.iter().filter(|row| **row < n).fold(0, |rows, row| rows | 1_u64 << row);
        assert_eq!(occupied.count_ones(), n, "not a permutation: {rows:?}");
        Self(rows)
    }

    /// Returns the board size N.
    #[must_use]
    pub fn n(&self) -> u32 {
        self.0.len() as u32
    }

    /// Returns the row of each column's queen, from left to right. Rows are zero-based from the
    /// top.
    #[must_use]
    pub fn rows(&self) -> &[u32] {
        &self.0
    }

    /// Returns the squares of the queens, from left to right.
    pub fn squares(&self) -> impl Iterator<Item = Square> + '_ {
        let queens = (0..).zip(&self.0);
        queens.map(|(column, &row)| Square::new(column, row))
    }

    /// Checks that no two queens attack each other along a diagonal.
    ///
    /// ```
    /// let placement = queens::Placement::new(vec![0, 1])?;
    /// let attack = placement.check().unwrap_err();
    /// assert_eq!(attack.to_string(), "a2 and b1 attack each other along a diagonal");
    /// # Ok::<(), queens::PlacementError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`PlacementError::Attack`] with the leftmost pair of queens that attack each other.
    pub fn check(&self) -> Result<(), PlacementError> {
        let n = self.0.len();
        // The queen on each diagonal.
        let (mut rising, mut falling) = (vec![None; 2 * n], vec![None; 2 * n]);
        for right in self.squares() {
            let (column, row) = (right.column as usize, right.row as usize);
            let on_rising = rising[column + row].replace(right);
            let on_falling = falling[column + n - row].replace(right);
            if let Some(left) = on_rising.into_iter().chain(on_falling).min() {
                let (line, n) = ("diagonal", self.n());
                return Err(PlacementError::Attack { left, right, line, n });
            }
        }
        Ok(())
    }

    /// Whether no two queens attack each other.
    #[must_use]
    pub fn is_solution(&self) -> bool {
        self.check().is_ok()
    }

    /// Returns the mirror image with top and bottom swapped.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        let last = self.n().saturating_sub(1);
        Self(self.0.iter().map(|row| last - row).collect())
    }

    /// Returns the reflection in the falling main diagonal, which swaps columns and rows.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let mut rows = vec![0; self.0.len()];
        for square in self.squares() {
            rows[square.row as usize] = square.column;
        }
        Self(rows)
    }

    /// Returns the images under the eight symmetries of the square: the placement rotated clockwise
    /// by 0, 90, 180 and 270 degrees, then its mirror image rotated in the same way. Some images
    /// are equal if the placement is symmetric.
    #[must_use]
    pub fn symmetries(&self) -> [Self; 8] {
        let mut image = self.clone();
        std::array::from_fn(|i| {
            if i == 4 {
                image = self.mirrored();
            }
            let turned = image.mirrored().transposed();
            std::mem::replace(&mut image, turned)
        })
    }

    /// Returns the lexicographically first image, which represents all eight.
    ///
    /// ```
    /// let placement = queens::Placement::new(vec![7, 3, 0, 2, 5, 1, 6, 4])?;
    /// assert_eq!(placement.canonical().rows(), [0, 4, 7, 5, 2, 6, 1, 3]);
    /// # Ok::<(), queens::PlacementError>(())
    /// ```
    #[must_use]
    pub fn canonical(&self) -> Self {
        self.symmetries().into_iter().min().expect("eight images")
    }

    /// Returns the symmetry group of this placement.
    #[must_use]
    pub fn symmetry(&self) -> SymmetryClass {
        let [this, quarter_turn, half_turn, _, mirrored, ..] = self.symmetries();
        if mirrored == this {
            SymmetryClass::Full
        } else if quarter_turn == this {
            SymmetryClass::QuarterTurn
        } else if half_turn == this {
            SymmetryClass::HalfTurn
        } else {
            SymmetryClass::None
        }
    }
}

impl TryFrom<Vec<u32>> for Placement {
    type Error = PlacementError;

    fn try_from(rows: Vec<u32>) -> Result<Self, PlacementError> {
        Self::new(rows)
    }
}

impl fmt::Display for Placement {
    /// Writes one line per row, with `Q` for a queen and `_` for an empty square, as in the user
    /// guides of constraint solvers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = self.0.len().saturating_sub(1);
        for queen in self.transposed().0 {
            let (left, right) = (queen as usize, last - queen as usize);
            writeln!(f, "{}Q{}", "_ ".repeat(left), " _".repeat(right))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, tests::solutions};
    use std::collections::HashSet;

    /// Compares the result with a brute-force check of all pairs. All lists of rows that are
    /// permutations are placements.
    #[test]
    fn check_finds_the_leftmost_attack() {
        let error = Placement::new(vec![0, 2]).unwrap_err().to_string();
        assert_eq!(error, "column b: row 2 is not on the 2 x 2 board (accepted: 0 to 1)");
        for n in 0..=6_u32 {
            let lists = (0..n.pow(n)).map(|i| (0..n).map(|column| i / n.pow(column) % n).collect());
            let placements: Vec<_> = lists.filter_map(|rows| Placement::new(rows).ok()).collect();
            assert_eq!(placements.len() as u32, (1..=n).product::<u32>());
            for placement in placements {
                let queens: Vec<_> = placement.squares().collect();
                let pairs = queens
                    .iter()
                    .enumerate()
                    .flat_map(|(i, &right)| queens[..i].iter().map(move |&left| (left, right)));
                let first = pairs.into_iter().find(|(left, right)| left.attacks(*right));
                let found = match placement.check() {
                    Err(PlacementError::Attack { left, right, .. }) => Some((left, right)),
                    _ => None,
                };
                assert_eq!(found, first, "{placement:?}");
            }
        }
    }

    #[rstest::rstest]
    #[case(vec![1, 2])]
    #[case(vec![0, 0])]
    #[case(vec![0; 65])]
    #[should_panic(expected = "permutation")]
    fn other_rows_are_no_permutation(#[case] rows: Vec<u32>) {
        let _ = Placement::from_permutation(rows);
    }

    #[test]
    fn symmetries_match_the_coordinate_maps() {
        let placement = Placement(vec![2, 0, 3, 1, 4]);
        let image = |map: fn(u32, u32) -> (u32, u32)| {
            let mut rows = [0; 5];
            for square in placement.squares() {
                let (column, row) = map(square.column, square.row);
                rows[column as usize] = row;
            }
            Placement(rows.to_vec())
        };
        assert_eq!(placement.mirrored(), image(|c, r| (c, 4 - r)));
        assert_eq!(placement.transposed(), image(|c, r| (r, c)));
        // A clockwise rotation moves the top row to the last column.
        let images = placement.symmetries();
        assert_eq!(images[1], image(|c, r| (4 - r, c)));
        assert_eq!(images[2], image(|c, r| (4 - c, 4 - r)));
        assert_eq!(images[4], placement.mirrored());
        assert_eq!(HashSet::from(images).len(), 8);
    }

    #[test]
    fn the_number_of_images_is_the_orbit_size() {
        for solution in (0..=8).flat_map(|n| solutions(&Board::new(n).unwrap())) {
            let images: HashSet<_> = solution.symmetries().into_iter().collect();
            let size = solution.symmetry().orbit_size();
            assert_eq!(images.len(), size as usize, "{solution:?}");
            let same_class = |image: &Placement| image.canonical() == solution.canonical();
            assert!(images.iter().all(same_class), "{solution:?}");
        }
    }
}
