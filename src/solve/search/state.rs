//! What a search and its strategies say to each other.

use std::fmt;

use crate::board::Square;

/// What a node of the tree turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Node {
    /// The next queen goes into this column, which has a row for it.
    Choice(u32),
    Failure,
    Solution,
}

/// What a strategy knows of the partial placement, and how it goes on from there.
pub(super) trait State: fmt::Debug {
    /// What the board is before the search places a queen.
    fn root(&mut self) -> Node;
    /// Puts a queen into a row of a column and says what came of it.
    fn place(&mut self, queen: Square) -> Node;
    /// Takes back the last queen that was placed.
    fn undo(&mut self);
    /// The row to try next in a column where `last` was tried last and has been taken back.
    fn next_row(&mut self, column: u32, last: Option<u32>) -> Option<u32>;
    /// The row of the queen in each column of a solution.
    fn rows(&self) -> Vec<u32>;
}
