//! A board to solve, of any size.

use crate::board::Square;
use crate::board::{Board, BoardError};

/// A board of any size, with queens that stand already and squares that are closed: what is to be solved.
///
/// It is a [`Board`] without the limit that counting puts on N, and is made of one by `From`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Puzzle {
    n: u32,
    torus: bool,
    queens: Vec<Square>,
    /// The squares that were closed one by one.
    blocked: Vec<Square>,
    /// All closed squares, those that queens attack among them: a bit for each square, column by column, each column in
    /// whole words; empty while no square is closed.
    closed: Vec<u64>,
}

impl Puzzle {
    /// An empty board of size `n`; its diagonals wrap around if `torus`.
    #[must_use]
    pub fn new(n: u32, torus: bool) -> Self {
        Self {
            n,
            torus,
            queens: Vec::new(),
            blocked: Vec::new(),
            closed: Vec::new(),
        }
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

    /// Whether a square is closed or holds a queen.
    #[must_use]
    pub fn has_marks(&self) -> bool {
        !self.closed.is_empty() || !self.queens.is_empty()
    }

    /// The queens that stand already, in the order they came.
    #[must_use]
    pub fn queens(&self) -> &[Square] {
        &self.queens
    }

    /// The puzzle with one more queen, which closes all that it attacks; the same queen twice is the same as once.
    ///
    /// ```
    /// use queens::{Puzzle, Square};
    /// let puzzle = Puzzle::new(8, false).with_queen(Square::parse("c5", 8)?)?;
    /// assert!(puzzle.clone().with_queen(Square::parse("e3", 8)?).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`BoardError`] if the square is off the board or closed, or another queen attacks it.
    pub fn with_queen(mut self, queen: Square) -> Result<Self, BoardError> {
        let Self { n, torus, .. } = self;
        self.on_board(queen)?;
        if self.queens.contains(&queen) {
            return Ok(self);
        }
        let attacker = self.queens.iter().find(|q| q.attacks(queen, n, torus));
        if let Some(&other) = attacker {
            return Err(BoardError::Attacked { n, queen, other });
        }
        if !self.is_open(queen) {
            return Err(BoardError::Occupied { n, square: queen });
        }
        self.queens.push(queen);
        for square in queen.attacked(n, torus) {
            self.close(square);
        }
        Ok(self)
    }

    /// The puzzle with one more closed square; closing it twice is the same as once.
    ///
    /// # Errors
    ///
    /// [`BoardError`] if the square is off the board or a queen stands on it.
    pub fn with_closed(mut self, square: Square) -> Result<Self, BoardError> {
        self.on_board(square)?;
        if self.queens.contains(&square) {
            return Err(BoardError::Occupied { n: self.n, square });
        }
        if !self.blocked.contains(&square) {
            self.blocked.push(square);
            self.close(square);
        }
        Ok(self)
    }

    /// Whether a queen may stand on this square of the board.
    #[must_use]
    pub fn is_open(&self, square: Square) -> bool {
        let (word, bit) = self.place_of(square);
        self.closed
            .get(word)
            .is_none_or(|word| word >> bit & 1 == 0)
    }

    /// The squares that were closed, in the order they came, without those that queens attack if nobody closed them. Of a
    /// puzzle made of a [`Board`], which does not tell the two apart: those that no queen attacks.
    ///
    /// ```
    /// use queens::{Puzzle, Square};
    /// let (c5, c1) = (Square::parse("c5", 8)?, Square::parse("c1", 8)?);
    /// let puzzle = Puzzle::new(8, false).with_queen(c5)?.with_closed(c1)?;
    /// assert_eq!(puzzle.closed(), [c1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn closed(&self) -> &[Square] {
        &self.blocked
    }

    /// The closed rows of one column, 64 to a word; empty if no square of the board is closed.
    pub(super) fn closed_in(&self, column: u32) -> &[u64] {
        if self.closed.is_empty() {
            return &[];
        }
        let words = self.words();
        &self.closed[column as usize * words..][..words]
    }

    /// The rows of a column in 64-bit words.
    fn words(&self) -> usize {
        self.n.div_ceil(64) as usize
    }

    fn place_of(&self, square: Square) -> (usize, u32) {
        let word = square.column as usize * self.words() + square.row as usize / 64;
        (word, square.row % 64)
    }

    fn close(&mut self, square: Square) {
        if self.closed.is_empty() {
            self.closed = vec![0; self.n as usize * self.words()];
        }
        let (word, bit) = self.place_of(square);
        self.closed[word] |= 1 << bit;
    }

    fn on_board(&self, square: Square) -> Result<(), BoardError> {
        let Square { column, row } = square;
        let n = self.n;
        if column < n && row < n {
            Ok(())
        } else {
            Err(BoardError::OffBoard { n, column, row })
        }
    }
}

impl From<&Board> for Puzzle {
    fn from(board: &Board) -> Self {
        let mut puzzle = Self::new(board.n(), board.is_torus());
        puzzle.queens = board.queens().collect();
        for (column, &rows) in (0..board.n()).zip(board.blocked()) {
            for row in (0..board.n()).filter(|row| rows >> row & 1 == 1) {
                let square = Square::new(column, row);
                puzzle.close(square);
                if !puzzle
                    .queens
                    .iter()
                    .any(|q| q.attacks(square, puzzle.n, puzzle.torus))
                {
                    puzzle.blocked.push(square);
                }
            }
        }
        puzzle
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_puzzle_is_the_board_it_is_made_of() {
        let square = |name| Square::parse(name, 9).unwrap();
        let mut board = Board::new(9).unwrap().with_queens([square("c5")]).unwrap();
        board.block(8, 8).unwrap();
        let puzzle = Puzzle::new(9, false)
            .with_queen(square("c5"))
            .and_then(|puzzle| puzzle.with_closed(Square::new(8, 8)))
            .unwrap();
        assert_eq!(Puzzle::from(&board), puzzle);
        assert!(!Puzzle::from(&Board::torus(9).unwrap()).has_marks());
    }

    #[test]
    fn words_do_not_mix_columns() {
        let puzzle = Puzzle::new(100, false)
            .with_closed(Square::new(3, 70))
            .unwrap();
        assert_eq!(puzzle.closed_in(3), [0, 1 << 6]);
        assert_eq!(puzzle.closed_in(2), [0, 0]);
        assert!(!puzzle.is_open(Square::new(3, 70)) && puzzle.is_open(Square::new(4, 70)));
    }

    #[test]
    fn contradictory_marks_are_refused() {
        let c5 = Square::new(2, 3);
        let puzzle = Puzzle::new(8, false).with_queen(c5).unwrap();
        assert_eq!(puzzle.clone().with_queen(c5).as_ref(), Ok(&puzzle));
        let occupied = BoardError::Occupied { n: 8, square: c5 };
        assert_eq!(puzzle.with_closed(c5), Err(occupied.clone()));
        let closed = Puzzle::new(8, false).with_closed(c5).unwrap();
        assert_eq!(closed.with_queen(c5), Err(occupied));
        assert!(
            Puzzle::new(8, false)
                .with_closed(Square::new(0, 8))
                .is_err()
        );
        assert!(Puzzle::new(8, false).with_queen(Square::new(8, 0)).is_err());
    }
}
