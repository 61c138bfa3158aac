//! The textbook's program: columns from left to right, rows from the top, and three tables that say which rows and
//! which diagonals hold a queen.

use super::state::{Node, State};
use crate::board::{Board, Square};

#[derive(Debug)]
pub(super) struct Backtrack {
    board: Board,
    /// The row of the queen in each column that is filled.
    rows: Vec<u32>,
    row_taken: Vec<bool>,
    /// Diagonals on which column and row have the same sum.
    rising_taken: Vec<bool>,
    /// Diagonals on which column and row have the same difference.
    falling_taken: Vec<bool>,
}

impl Backtrack {
    pub(super) fn new(board: &Board) -> Self {
        let n = board.n() as usize;
        Self {
            board: board.clone(),
            rows: Vec::with_capacity(n),
            row_taken: vec![false; n],
            rising_taken: vec![false; 2 * n],
            falling_taken: vec![false; 2 * n],
        }
    }

    /// The places of a square in the three tables.
    fn lines(&self, square: Square) -> (usize, usize, usize) {
        let n = self.board.n() as usize;
        let (column, row) = (square.column as usize, square.row as usize);
        let (rising, falling) = (column + row, column + n - row);
        if self.board.is_torus() {
            (row, rising % n, falling % n)
        } else {
            (row, rising, falling)
        }
    }

    fn is_free(&self, square: Square) -> bool {
        let (row, rising, falling) = self.lines(square);
        let taken = self.row_taken[row] || self.rising_taken[rising] || self.falling_taken[falling];
        !taken && self.board.allows(square)
    }

    fn mark(&mut self, square: Square, taken: bool) {
        let (row, rising, falling) = self.lines(square);
        self.row_taken[row] = taken;
        self.rising_taken[rising] = taken;
        self.falling_taken[falling] = taken;
    }
}

impl State for Backtrack {
    fn root(&mut self) -> Node {
        let column = self.rows.len() as u32;
        if column == self.board.n() {
            Node::Solution
        } else if self.next_row(column, None).is_some() {
            Node::Choice(column)
        } else {
            Node::Failure
        }
    }

    fn place(&mut self, queen: Square) -> Node {
        self.mark(queen, true);
        self.rows.push(queen.row);
        self.root()
    }

    fn undo(&mut self) {
        let row = self.rows.pop().expect("a queen was placed");
        self.mark(Square::new(self.rows.len() as u32, row), false);
    }

    fn next_row(&mut self, column: u32, last: Option<u32>) -> Option<u32> {
        let mut rows = last.map_or(0, |last| last + 1)..self.board.n();
        rows.find(|&row| self.is_free(Square::new(column, row)))
    }

    fn rows(&self) -> Vec<u32> {
        self.rows.clone()
    }
}
