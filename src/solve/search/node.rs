//! What a search finds at a node.

use super::step::{Failure, Limit};
use crate::board::Square;

/// What a node of the tree turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Node {
    /// The next queen goes to this square, or does not.
    Choice(Square),
    Failure(Failure),
    Solution,
    /// It is not known: a limit was reached before.
    Stopped(Limit),
}

impl From<Failure> for Node {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<Limit> for Node {
    fn from(limit: Limit) -> Self {
        Self::Stopped(limit)
    }
}
