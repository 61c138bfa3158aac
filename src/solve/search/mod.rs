//! Search strategies as solver guides compare them, with their branches and failures counted.
//!
//! A [`Search`] walks the tree of a [`Strategy`] depth first. A node of the tree is a partial placement; a *branch* leads
//! from it to the node with one more queen, chosen by the search. A node that can have no solution, as far as the
//! strategy notices, is a *failure*; a complete one is a solution. Every other node is a *choice*, and has a branch for
//! each row that the strategy still allows in the column that it picks. So the tree that is counted, limited and drawn
//! is the same one.

mod backtrack;
mod propagate;
mod state;
mod strategy;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use crate::board::{Board, BoardError, MAX_CONSTRAINED, Placement, Square};
use crate::engine::CancelToken;
use backtrack::Backtrack;
use propagate::Propagate;
use state::{Node, State};

pub use strategy::Strategy;

/// The largest board that is searched: propagation remembers about six bytes for each of its squares.
pub const MAX_SEARCHED: u32 = MAX_CONSTRAINED;

/// When to give up.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// Branches taken.
    pub branches: Option<u64>,
    /// Time since the search was made.
    pub time: Option<Duration>,
    /// Cancels the search from elsewhere.
    pub cancel: CancelToken,
}

/// Why a search gave up before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// As many branches as allowed.
    Branches,
    /// As much time as allowed.
    Time,
    /// It was cancelled.
    Cancelled,
}

/// How much a search took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Queens that the search chose to place; those that propagation placed are not among them.
    pub branches: u64,
    /// Nodes that turned out to have no solution when they were reached.
    pub failures: u64,
    /// Solutions found.
    pub solutions: u64,
}

/// One step of a walk through the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The root or, along a branch, a node with this queen more was reached. It is a choice.
    Choice(Option<Square>),
    /// The same, and it is a failure. Its branch is left again.
    Failure(Option<Square>),
    /// The same, and it is a solution. Its branch is left again.
    Solution(Option<Square>, Placement),
    /// All branches of a choice have been walked, and its own branch is left.
    Up,
    /// A limit was reached; the walk goes no further.
    Limit(Limit),
    /// The whole tree has been walked.
    End,
}

/// A depth-first walk through the tree of a strategy, and an iterator over the solutions in it.
///
/// ```
/// use queens::solve::{Limits, Search, Strategy};
/// use queens::Board;
///
/// let mut search = Search::new(&Board::new(8)?, Strategy::Backtrack, Limits::default())?;
/// assert_eq!(search.by_ref().count(), 92);
/// assert_eq!(search.statistics().branches, 2056); // the nodes of the plain search
/// # Ok::<(), queens::BoardError>(())
/// ```
#[derive(Debug)]
pub struct Search {
    state: Box<dyn State>,
    frames: Vec<Frame>,
    limits: Limits,
    statistics: Statistics,
    started: Instant,
    phase: Phase,
    /// Steps until the clock is looked at again.
    patience: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Fresh,
    Walking,
    Ended,
    Stopped(Limit),
}

/// A choice whose branches are being walked.
#[derive(Debug, Clone, Copy)]
struct Frame {
    column: u32,
    last: Option<u32>,
}

/// Steps between two looks at the clock and for cancellation. On large boards a step takes longer than a look.
const STEPS_BETWEEN_LOOKS: u32 = 64;

impl Search {
    /// A search for the solutions of a board.
    ///
    /// # Errors
    ///
    /// [`BoardError::TooLarge`] if N is above [`MAX_SEARCHED`].
    pub fn new(board: &Board, strategy: Strategy, limits: Limits) -> Result<Self, BoardError> {
        BoardError::check_size(board.n(), MAX_SEARCHED, "search")?;
        let state: Box<dyn State> = match strategy {
            Strategy::Backtrack => Box::new(Backtrack::new(board)),
            Strategy::FirstFail => Box::new(Propagate::new(board, true)),
            Strategy::FirstUnbound => Box::new(Propagate::new(board, false)),
        };
        Ok(Self {
            state,
            frames: Vec::new(),
            limits,
            statistics: Statistics::default(),
            started: Instant::now(),
            phase: Phase::Fresh,
            patience: 0,
        })
    }

    /// What it has taken so far.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// The limit that ended it, if one did.
    #[must_use]
    pub fn limit(&self) -> Option<Limit> {
        match self.phase {
            Phase::Stopped(limit) => Some(limit),
            _ => None,
        }
    }

    /// Walks on to the next solution, and tells of every step on the way there.
    pub(super) fn walk(&mut self, mut tell: impl FnMut(&Step)) -> Option<Placement> {
        loop {
            let step = self.step();
            tell(&step);
            match step {
                Step::Solution(_, placement) => return Some(placement),
                Step::End | Step::Limit(_) => return None,
                Step::Choice(_) | Step::Failure(_) | Step::Up => {}
            }
        }
    }

    /// Takes one step.
    pub fn step(&mut self) -> Step {
        match self.phase {
            Phase::Ended => return Step::End,
            Phase::Stopped(limit) => return Step::Limit(limit),
            Phase::Fresh => {
                self.phase = Phase::Walking;
                let node = self.state.root();
                return self.arrive(None, node);
            }
            Phase::Walking => {}
        }
        let Some(frame) = self.frames.last_mut() else {
            self.phase = Phase::Ended;
            return Step::End;
        };
        let column = frame.column;
        let Some(row) = self.state.next_row(column, frame.last) else {
            return self.leave();
        };
        frame.last = Some(row);
        if let Some(limit) = self.limit_reached() {
            self.phase = Phase::Stopped(limit);
            return Step::Limit(limit);
        }
        self.statistics.branches += 1;
        let queen = Square::new(column, row);
        let node = self.state.place(queen);
        self.arrive(Some(queen), node)
    }

    /// A node was reached along the branch of `queen`.
    fn arrive(&mut self, queen: Option<Square>, node: Node) -> Step {
        match node {
            Node::Choice(column) => {
                self.frames.push(Frame { column, last: None });
                return Step::Choice(queen);
            }
            Node::Failure => self.statistics.failures += 1,
            Node::Solution => self.statistics.solutions += 1,
        }
        let solution = (node == Node::Solution).then(|| self.state.rows());
        if queen.is_some() {
            self.state.undo();
        }
        match solution {
            Some(rows) => Step::Solution(queen, Placement::of_permutation(rows)),
            None => Step::Failure(queen),
        }
    }

    /// The last choice is done with.
    fn leave(&mut self) -> Step {
        self.frames.pop();
        if !self.frames.is_empty() {
            self.state.undo();
        }
        Step::Up
    }

    fn limit_reached(&mut self) -> Option<Limit> {
        let Limits {
            branches,
            time,
            cancel,
        } = &self.limits;
        if branches.is_some_and(|most| self.statistics.branches >= most) {
            return Some(Limit::Branches);
        }
        if self.patience > 0 {
            self.patience -= 1;
            return None;
        }
        self.patience = STEPS_BETWEEN_LOOKS;
        if cancel.is_cancelled() {
            Some(Limit::Cancelled)
        } else if time.is_some_and(|most| self.started.elapsed() >= most) {
            Some(Limit::Time)
        } else {
            None
        }
    }
}

impl Iterator for Search {
    type Item = Placement;

    /// The next solution, or `None` at the end or at a limit, which [`limit`](Self::limit) tells apart.
    fn next(&mut self) -> Option<Placement> {
        self.walk(|_| ())
    }
}
