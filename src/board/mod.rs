//! The board: its size, its preplaced queens and its blocked squares.
//!
//! A preplaced queen takes all other squares of its column, its row and its diagonals away. Nothing else has to know of
//! it: every column needs a queen, and its column has no other square left.
//!
//! Columns run from left to right and rows from top to bottom, both from 0. Where a set of rows is a `u32` mask, bit
//! `r` stands for row `r`, which is why boards that are counted end at [`MAX_N`] rows.

mod error;
mod placement;
mod square;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

pub use error::BoardError;
pub use placement::{Placement, PlacementError, SymmetryClass};
pub use square::Square;

/// The largest board that can be counted: one bit of a 32-bit mask for each row.
pub const MAX_N: u32 = 32;

/// The largest board that there is; large ones are solved by construction.
pub const MAX_BOARD: u32 = 1_000_000;

/// The largest board that can have preplaced queens or blocked squares, since it takes a bit for each of its squares.
pub(crate) const MAX_CONSTRAINED: u32 = 5_000;

/// An N by N board, maybe with preplaced queens and blocked squares, maybe with diagonals that wrap around.
///
/// ```
/// use queens::{Board, Counter, Square};
///
/// let mut board = Board::new(8)?;
/// board.place(Square::new(0, 0))?;
/// assert_eq!(Counter::on(board.clone()).run()?.total, 4); // few solutions have a queen in a corner
/// board.block(Square::parse("b4", 8)?)?;
/// assert_eq!(Counter::on(board).run()?.total, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Board {
    n: u32,
    torus: bool,
    queens: BTreeSet<Square>,
    /// The squares that were blocked one by one.
    blocked: BTreeSet<Square>,
    /// The rows that no queen may use in each column, those that preplaced queens attack among them: 32 to a word,
    /// column by column, each in whole words. A board that can be counted always has [`MAX_N`] words; a larger one has
    /// none while all its squares are open.
    unusable: Vec<u32>,
}

impl Board {
    /// An empty board of N by N squares.
    ///
    /// # Errors
    ///
    /// [`BoardError::TooLarge`] if N is above [`MAX_BOARD`].
    pub fn new(n: u32) -> Result<Self, BoardError> {
        BoardError::check_size(n, MAX_BOARD, "solve")?;
        let words = if n <= MAX_N { MAX_N as usize } else { 0 };
        Ok(Self {
            n,
            torus: false,
            queens: BTreeSet::new(),
            blocked: BTreeSet::new(),
            unusable: vec![0; words],
        })
    }

    /// An empty board of N by N squares whose diagonals wrap around: the modular problem.
    ///
    /// ```
    /// use queens::{Board, Counter};
    /// assert_eq!(Counter::on(Board::torus(7)?).run()?.total, 28);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`BoardError::TooLarge`] if N is above [`MAX_BOARD`].
    pub fn torus(n: u32) -> Result<Self, BoardError> {
        Ok(Self {
            torus: true,
            ..Self::new(n)?
        })
    }

    /// Preplaces a queen, so that only the ways to complete the board are solutions (n-queens completion). The same
    /// queen twice is the same as once.
    ///
    /// ```
    /// use queens::{Board, Square};
    /// let mut board = Board::new(8)?;
    /// board.place(Square::parse("c5", 8)?)?;
    /// assert!(board.place(Square::parse("e3", 8)?).is_err()); // on a diagonal of c5
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`BoardError`] if the square is off the board or blocked, if another preplaced queen attacks it, or if N is
    /// above 5,000. The board is left as it was.
    pub fn place(&mut self, queen: Square) -> Result<(), BoardError> {
        let Self { n, torus, .. } = *self;
        self.check_square(queen)?;
        if let Some(&other) = self.queens.iter().find(|q| q.attacks(queen, n, torus)) {
            let [queen, other] = [queen, other].map(|square| square.name(n));
            return Err(BoardError::Attacked { queen, other });
        }
        if self.blocked.contains(&queen) {
            return Err(self.occupied(queen));
        }
        if self.queens.insert(queen) {
            for row in (0..n).filter(|&row| row != queen.row) {
                self.take_away(Square { row, ..queen });
            }
            for column in (0..n).filter(|&column| column != queen.column) {
                let rows = queen.rows_attacked_in(column, n, torus);
                for row in rows.into_iter().flatten() {
                    self.take_away(Square::new(column, row));
                }
            }
        }
        Ok(())
    }

    /// Blocks a square, so that no queen may stand on it. Blocking it twice is the same as once.
    ///
    /// # Errors
    ///
    /// [`BoardError`] if the square is off the board or holds a preplaced queen, or if N is above 5,000. The
    /// board is left as it was.
    pub fn block(&mut self, square: Square) -> Result<(), BoardError> {
        self.check_square(square)?;
        if self.queens.contains(&square) {
            return Err(self.occupied(square));
        }
        self.blocked.insert(square);
        self.take_away(square);
        Ok(())
    }

    fn check_square(&self, Square { column, row }: Square) -> Result<(), BoardError> {
        if column.max(row) >= self.n {
            return Err(Square::off_board(format_args!("{column},{row}"), self.n));
        }
        let purpose = "have preplaced queens or blocked squares";
        BoardError::check_size(self.n, MAX_CONSTRAINED, purpose)
    }

    fn occupied(&self, square: Square) -> BoardError {
        let square = square.name(self.n);
        BoardError::Occupied { square }
    }

    fn take_away(&mut self, square: Square) {
        if self.unusable.is_empty() {
            self.unusable = vec![0; self.n as usize * self.words()];
        }
        let (word, bit) = self.locate(square);
        self.unusable[word] |= bit;
    }

    /// Words for the rows of a column.
    fn words(&self) -> usize {
        self.n.div_ceil(u32::BITS) as usize
    }

    /// The word and the bit that stand for a square.
    fn locate(&self, square: Square) -> (usize, u32) {
        let word = square.column as usize * self.words() + (square.row / u32::BITS) as usize;
        (word, 1 << (square.row % u32::BITS))
    }

    /// Board size N.
    #[must_use]
    pub fn n(&self) -> u32 {
        self.n
    }

    /// Whether the diagonals wrap around.
    #[must_use]
    pub fn is_torus(&self) -> bool {
        self.torus
    }

    /// The preplaced queens, from left to right.
    pub fn queens(&self) -> impl Iterator<Item = Square> {
        self.queens.iter().copied()
    }

    /// Whether a preplaced queen stands there.
    #[must_use]
    pub fn has_queen(&self, square: Square) -> bool {
        self.queens.contains(&square)
    }

    /// The squares that were blocked, column by column; those that preplaced queens attack are among them only if they
    /// were blocked too.
    pub fn blocked_squares(&self) -> impl Iterator<Item = Square> {
        self.blocked.iter().copied()
    }

    /// The set of all rows of a board that can be counted.
    pub(crate) fn rows(&self) -> u32 {
        rows_below(self.n)
    }

    /// The rows that no queen may use in each column of a board that can be counted, those that preplaced queens attack
    /// among them; columns from N on are all zero.
    ///
    /// # Panics
    ///
    /// If N is above [`MAX_N`].
    #[must_use]
    pub fn blocked(&self) -> &[u32; MAX_N as usize] {
        assert!(self.n <= MAX_N, "N = {} has no masks of 32 rows", self.n);
        let columns = self.unusable.first_chunk();
        columns.expect("a board that can be counted has a word for each column")
    }

    /// Whether a queen may stand on this square of the board: it is neither blocked nor attacked by a preplaced queen.
    #[must_use]
    pub fn allows(&self, square: Square) -> bool {
        let (word, bit) = self.locate(square);
        self.unusable.get(word).is_none_or(|word| word & bit == 0)
    }

    /// Whether this is the ordinary problem: no blocked square, no preplaced queen, no diagonal that wraps around.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !self.torus && !self.has_constraints()
    }

    /// Whether there are preplaced queens or blocked squares.
    #[must_use]
    pub fn has_constraints(&self) -> bool {
        !self.queens.is_empty() || !self.blocked.is_empty()
    }

    /// What is special about the board, in words: that it is a torus, the preplaced queens, the blocked squares that no
    /// such queen attacks. `None` for the ordinary problem.
    ///
    /// ```
    /// use queens::{Board, Square};
    /// let mut board = Board::torus(8)?;
    /// board.place(Square::parse("c5", 8)?)?;
    /// board.block(Square::parse("a8", 8)?)?;
    /// assert_eq!(board.constraints().as_deref(), Some("torus, queen c5, blocked a8"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn constraints(&self) -> Option<String> {
        let (n, mut parts) = (self.n, Vec::new());
        let mut name = |what: &str, squares: &[Square]| {
            if !squares.is_empty() {
                let names: Vec<_> = squares.iter().map(|square| square.name(n)).collect();
                parts.push(format!("{what} {}", names.join(" ")));
            }
        };
        let queens: Vec<_> = self.queens().collect();
        let is_attacked =
            |square: &Square| queens.iter().any(|q| q.attacks(*square, n, self.torus));
        let blocked: Vec<_> = self.blocked_squares().filter(|s| !is_attacked(s)).collect();
        name(if queens.len() == 1 { "queen" } else { "queens" }, &queens);
        name("blocked", &blocked);
        if self.torus {
            parts.insert(0, "torus".to_owned());
        }
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// Whether all eight symmetries of the square leave the unusable squares where they are.
    #[must_use]
    pub(crate) fn has_all_symmetries(&self) -> bool {
        // Mirroring and reflection in a diagonal generate the other six.
        self.is_mirror_symmetric() && self.is_unchanged_by(|s| Square::new(s.row, s.column))
    }

    /// Whether the unusable squares stay the same when the rows are reversed, top for bottom.
    #[must_use]
    pub(crate) fn is_mirror_symmetric(&self) -> bool {
        self.is_unchanged_by(|s| Square::new(s.column, self.n - 1 - s.row))
    }

    fn is_unchanged_by(&self, image: impl Fn(Square) -> Square) -> bool {
        let n = self.n;
        let is_unchanged = |square| self.allows(square) == self.allows(image(square));
        !self.has_constraints()
            || (0..n).all(|column| (0..n).all(|row| is_unchanged(Square::new(column, row))))
    }

    /// Whether this is a solution of the board: as many queens, no attack, every queen on a square that it may use.
    #[must_use]
    pub fn is_solved_by(&self, placement: &Placement) -> bool {
        placement.n() == self.n && placement.check(self.torus).is_ok() && self.fits(placement)
    }

    /// Whether no image of this solution that solves the board too comes before it: in each symmetry class that is so
    /// for one solution, whatever squares are blocked.
    ///
    /// ```
    /// let board = queens::Board::new(8)?;
    /// let fundamental = queens::solutions(8)?.filter(|p| board.is_first_of_class(p)).count();
    /// assert_eq!(fundamental, 12);
    /// # Ok::<(), queens::BoardError>(())
    /// ```
    #[must_use]
    pub fn is_first_of_class(&self, solution: &Placement) -> bool {
        let is_earlier = |image: &Placement| image < solution && self.fits(image);
        !solution.symmetries().iter().any(is_earlier)
    }

    /// Whether a queen may stand on each of these squares. Preplaced queens take away all other squares of their
    /// columns.
    fn fits(&self, placement: &Placement) -> bool {
        !self.has_constraints() || placement.squares().all(|square| self.allows(square))
    }
}

/// The set of the rows 0 to n - 1.
#[inline]
pub(crate) fn rows_below(n: u32) -> u32 {
    debug_assert!(n <= MAX_N);
    ((1_u64 << n) - 1) as u32
}
