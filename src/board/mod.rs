//! Boards, with preplaced queens and blocked squares.
//!
//! A preplaced queen makes every other square of its column, row and diagonals unusable. Engines
//! need not treat preplaced queens specially, because a preplaced queen leaves only one usable
//! square in its column.
//!
//! Columns are numbered from left to right and rows from top to bottom, both zero-based. A set of
//! rows is a `u32` mask in which bit `r` stands for row `r`, so counting is limited to [`MAX_N`]
//! rows.

mod error;
mod placement;
mod square;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::BTreeSet;
use std::fmt;

pub use error::BoardError;
pub use placement::{Placement, PlacementError, SymmetryClass};
pub use square::Square;

/// Size of the largest board that can be counted: a 32-bit mask has one bit per row.
pub const MAX_N: u32 = 32;

/// Size of the largest board of any kind. Boards this large are solved by construction.
pub const MAX_BOARD: u32 = 1_000_000;

/// Size of the largest board with preplaced queens or blocked squares. These boards store one bit
/// per square.
pub const MAX_CONSTRAINED: u32 = 5_000;

/// An N by N board, optionally with preplaced queens and blocked squares.
///
/// ```
/// use queens::{Board, Counter, Square};
///
/// let mut board = Board::new(8)?;
/// board.place(Square::new(0, 0))?;
/// // Few solutions have a queen in a corner.
/// assert_eq!(Counter::on(board.clone()).run()?.total, 4);
/// let board = board.with_blocked(["b4"])?;
/// assert_eq!(Counter::on(board).run()?.total, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(into = "BoardRecord", try_from = "BoardRecord"))]
pub struct Board {
    n: u32,
    pub(crate) queens: BTreeSet<Square>,
    pub(crate) blocked: BTreeSet<Square>,
    /// Bit masks of the rows that are unusable in each column, because they are blocked or attacked
    /// by a preplaced queen. Each column starts a new word. Boards up to size [`MAX_N`] always have
    /// [`MAX_N`] words. Larger boards have none until the first square becomes unusable.
    unusable: Vec<u32>,
}

impl Board {
    /// Creates an empty N by N board.
    ///
    /// # Errors
    ///
    /// Returns [`BoardError::TooLarge`] if N exceeds [`MAX_BOARD`].
    pub fn new(n: u32) -> Result<Self, BoardError> {
        BoardError::check_size(n, MAX_BOARD, "solve")?;
        let words = if n <= MAX_N { MAX_N as usize } else { 0 };
        Ok(Self { n, queens: BTreeSet::new(), blocked: BTreeSet::new(), unusable: vec![0; words] })
    }

    /// Preplaces a queen, so that only placements with this queen are solutions (N-queens
    /// completion). Placing the same queen again has no effect.
    ///
    /// ```
    /// use queens::{Board, Square};
    /// let mut board = Board::new(8)?.with_queens(["c5"])?;
    /// assert!(board.place(Square::parse("e3", 8)?).is_err()); // on a diagonal of c5
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the square is off the board or blocked, if another preplaced queen
    /// attacks it, or if N exceeds 5,000. The board is unchanged after an error.
    pub fn place(&mut self, queen: Square) -> Result<(), BoardError> {
        let n = self.n;
        self.check_square(queen)?;
        if let Some(other) = self.queens().find(|other| other.attacks(queen)) {
            let [queen, other] = [queen, other].map(|square| square.name(n));
            return Err(BoardError::Attacked { queen, other });
        }
        if self.blocked.contains(&queen) {
            return Err(self.occupied(queen));
        }
        if self.queens.insert(queen) {
            for row in (0..n).filter(|&row| row != queen.row) {
                self.mark_unusable(Square { row, ..queen });
            }
            for column in (0..n).filter(|&column| column != queen.column) {
                let rows = queen.rows_attacked_in(column, n);
                for row in rows.into_iter().flatten() {
                    self.mark_unusable(Square::new(column, row));
                }
            }
        }
        Ok(())
    }

    /// Blocks a square, so that no solution has a queen on it. Blocking a square again has no
    /// effect.
    ///
    /// # Errors
    ///
    /// Returns an error if the square is off the board or occupied by a preplaced queen, or if N
    /// exceeds 5,000. The board is unchanged after an error.
    pub fn block(&mut self, square: Square) -> Result<(), BoardError> {
        self.check_square(square)?;
        if self.queens.contains(&square) {
            return Err(self.occupied(square));
        }
        self.blocked.insert(square);
        self.mark_unusable(square);
        Ok(())
    }

    /// Returns the board with preplaced queens on the squares with these names. See
    /// [`place`](Self::place).
    ///
    /// ```
    /// use queens::Board;
    /// let board = Board::new(8)?.with_queens(["c5"])?.with_blocked(["a8", "0,1"])?;
    /// assert_eq!(board.to_string(), "8 x 8 board with queens on c5 with a8, a7 blocked");
    /// # Ok::<(), queens::BoardError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if a name is not that of a square, or if a queen cannot be placed.
    pub fn with_queens(
        mut self,
        names: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Self, BoardError> {
        for name in names {
            self.place(Square::parse(name.as_ref(), self.n)?)?;
        }
        Ok(self)
    }

    /// Returns the board without the squares with these names. See [`block`](Self::block).
    ///
    /// # Errors
    ///
    /// Returns an error if a name is not that of a square, or if the square cannot be blocked.
    pub fn with_blocked(
        mut self,
        names: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Self, BoardError> {
        for name in names {
            self.block(Square::parse(name.as_ref(), self.n)?)?;
        }
        Ok(self)
    }

    fn check_square(&self, square: Square) -> Result<(), BoardError> {
        if square.column.max(square.row) >= self.n {
            return Err(Square::off_board(square, self.n));
        }
        let purpose = "have preplaced queens or blocked squares";
        BoardError::check_size(self.n, MAX_CONSTRAINED, purpose)
    }

    fn occupied(&self, square: Square) -> BoardError {
        let square = square.name(self.n);
        BoardError::Occupied { square }
    }

    fn mark_unusable(&mut self, square: Square) {
        if self.unusable.is_empty() {
            self.unusable = vec![0; self.n as usize * self.words()];
        }
        let (word, bit) = self.locate(square);
        self.unusable[word] |= bit;
    }

    /// Returns the number of words per column.
    fn words(&self) -> usize {
        self.n.div_ceil(u32::BITS) as usize
    }

    /// Returns the index of the word that contains a square, and the square's bit in that word.
    fn locate(&self, square: Square) -> (usize, u32) {
        let word = square.column as usize * self.words() + (square.row / u32::BITS) as usize;
        (word, 1 << (square.row % u32::BITS))
    }

    /// Returns the board size N.
    #[must_use]
    pub fn n(&self) -> u32 {
        self.n
    }

    /// Returns the preplaced queens, from left to right.
    pub fn queens(&self) -> impl Iterator<Item = Square> {
        self.queens.iter().copied()
    }

    /// Whether a preplaced queen occupies the square.
    #[must_use]
    pub fn has_queen(&self, square: Square) -> bool {
        self.queens.contains(&square)
    }

    /// Whether the square is [blocked](Self::block). Squares that are only attacked by a preplaced
    /// queen are not.
    #[must_use]
    pub fn is_blocked(&self, square: Square) -> bool {
        self.blocked.contains(&square)
    }

    /// Returns the squares blocked by [`block`](Self::block), column by column. Squares that are
    /// only attacked by a preplaced queen are not included.
    pub fn blocked_squares(&self) -> impl Iterator<Item = Square> {
        self.blocked.iter().copied()
    }

    /// Returns the mask of all rows. N must not exceed [`MAX_N`].
    pub(crate) fn rows(&self) -> u32 {
        rows_below(self.n)
    }

    /// Returns the mask of the unusable rows in each column: rows that are blocked or attacked by a
    /// preplaced queen. The masks from column N on are zero.
    ///
    /// # Panics
    ///
    /// Panics if N exceeds [`MAX_N`].
    #[must_use]
    pub fn unusable_rows(&self) -> &[u32; MAX_N as usize] {
        assert!(self.n <= MAX_N, "N = {} exceeds {MAX_N} rows", self.n);
        self.unusable.first_chunk().expect("one word per column")
    }

    /// Whether the square is usable: on the board, and neither blocked nor attacked by a preplaced
    /// queen.
    #[must_use]
    pub fn allows(&self, square: Square) -> bool {
        let (word, bit) = self.locate(square);
        square.column.max(square.row) < self.n
            && self.unusable.get(word).is_none_or(|word| word & bit == 0)
    }

    /// Whether there are preplaced queens or blocked squares.
    #[must_use]
    pub fn has_constraints(&self) -> bool {
        !self.queens.is_empty() || !self.blocked.is_empty()
    }

    /// Returns the names of the preplaced queens and of the blocked squares.
    fn names(&self) -> [Vec<String>; 2] {
        let name = |square: &Square| square.name(self.n);
        [&self.queens, &self.blocked].map(|squares| squares.iter().map(name).collect())
    }

    /// Describes how the board differs from the standard problem. Returns `None` for the standard
    /// problem. Blocked squares that a preplaced queen attacks are omitted.
    ///
    /// ```
    /// use queens::Board;
    /// let board = Board::new(8)?.with_queens(["c5"])?.with_blocked(["a8"])?;
    /// assert_eq!(board.constraints().as_deref(), Some("queen c5, blocked a8"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn constraints(&self) -> Option<String> {
        let is_free = |square: &Square| !self.queens().any(|queen| queen.attacks(*square));
        let list = |what: &str, squares: Vec<Square>| {
            let names: Vec<_> = squares.iter().map(|square| square.name(self.n)).collect();
            (!names.is_empty()).then(|| format!("{what} {}", names.join(" ")))
        };
        let parts = [
            list(if self.queens.len() == 1 { "queen" } else { "queens" }, self.queens().collect()),
            list("blocked", self.blocked_squares().filter(is_free).collect()),
        ];
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// Whether the set of unusable squares is invariant under all eight symmetries of the square.
    #[must_use]
    pub fn has_all_symmetries(&self) -> bool {
        // These two reflections generate the whole group.
        self.is_mirror_symmetric() && self.is_invariant_under(|s| Square::new(s.row, s.column))
    }

    /// Whether the set of unusable squares is invariant under a top-to-bottom reflection.
    #[must_use]
    pub(crate) fn is_mirror_symmetric(&self) -> bool {
        self.is_invariant_under(|s| Square::new(s.column, self.n - 1 - s.row))
    }

    fn is_invariant_under(&self, image: impl Fn(Square) -> Square) -> bool {
        let n = self.n;
        let is_unchanged = |square| self.allows(square) == self.allows(image(square));
        !self.has_constraints()
            || (0..n).all(|column| (0..n).all(|row| is_unchanged(Square::new(column, row))))
    }

    /// Whether the placement solves this board: it has N queens on usable squares, and no two
    /// attack each other.
    #[must_use]
    pub fn is_solved_by(&self, placement: &Placement) -> bool {
        placement.n() == self.n && placement.is_solution() && self.fits(placement)
    }

    /// Whether a solution comes first, in lexicographic order, among those of its symmetric images
    /// that also solve the board. Of the solutions that are images of each other, exactly one comes
    /// first.
    ///
    /// ```
    /// let board = queens::Board::new(8)?;
    /// let solution = queens::Placement::new(vec![0, 4, 7, 5, 2, 6, 1, 3])?;
    /// assert!(board.is_first_of_class(&solution));
    /// assert!(!board.is_first_of_class(&solution.mirrored()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn is_first_of_class(&self, solution: &Placement) -> bool {
        let is_earlier = |image: &Placement| image < solution && self.fits(image);
        !solution.symmetries().iter().any(is_earlier)
    }

    /// Whether all queens are on usable squares. A placement that fits includes the preplaced
    /// queens, because their columns have no other usable square.
    fn fits(&self, placement: &Placement) -> bool {
        !self.has_constraints() || placement.squares().all(|square| self.allows(square))
    }
}

impl fmt::Display for Board {
    /// Writes the size of the board, and all preplaced queens and blocked squares.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{n} x {n} board", n = self.n)?;
        let [queens, blocked] = self.names().map(|names| names.join(", "));
        if !queens.is_empty() {
            write!(f, " with queens on {queens}")?;
        }
        match blocked.is_empty() {
            true => Ok(()),
            false => write!(f, " with {blocked} blocked"),
        }
    }
}

/// Board as it is serialized. Squares have their algebraic names.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct BoardRecord {
    n: u32,
    queens: Vec<String>,
    blocked: Vec<String>,
}

#[cfg(feature = "serde")]
impl From<Board> for BoardRecord {
    fn from(board: Board) -> Self {
        let [queens, blocked] = board.names();
        Self { n: board.n, queens, blocked }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<BoardRecord> for Board {
    type Error = BoardError;

    fn try_from(record: BoardRecord) -> Result<Self, BoardError> {
        Self::new(record.n)?.with_queens(record.queens)?.with_blocked(record.blocked)
    }
}

/// Returns the mask of rows 0 to n - 1.
#[inline]
pub(crate) fn rows_below(n: u32) -> u32 {
    debug_assert!(n <= MAX_N);
    ((1_u64 << n) - 1) as u32
}
