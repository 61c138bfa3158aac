//! Searches as solver guides compare them, with their branches and failures counted and every step to be watched.
//!
//! A [`Search`] walks a binary tree depth first. Where a node is a *choice*, the search picks a square by its [`Settings`]
//! and goes along two *branches*: a queen here, then none here. At each node it first concludes what its [`Propagation`]
//! concludes. A node that can have no solution, as far as that shows, is a *failure*; a node with all queens is a solution.
//! So a tree that was walked to its end has as many branches as nodes but one, and as many choices as leaves but one. The
//! tree that is counted, limited, traced and drawn is the same one.

mod attacks;
mod bounds;
#[cfg(test)]
mod consistency;
mod domains;
mod matching;
mod node;
mod settings;
mod state;
mod step;
#[cfg(test)]
mod tests;
mod watch;
mod words;

use crate::board::{Board, BoardError, MAX_CONSTRAINED, Placement, Square};
use node::Node;
use state::State;
use watch::Watch;

pub use settings::{
    Attacks, Choices, Propagation, SearchError, Settings, Strategy, Value, Variable,
};
pub use step::{Branch, Cause, Failure, Limit, Lines, Removal, Step};
pub use watch::Limits;

/// The largest board that is searched: about five bytes are remembered for each of its squares.
pub const MAX_SEARCHED: u32 = MAX_CONSTRAINED;

/// How much a search took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Branches taken, both sides of a choice counted: a queen here, none here.
    pub branches: u64,
    /// Dead ends: nodes that turned out to have no solution when they were reached.
    pub failures: u64,
    /// Solutions found.
    pub solutions: u64,
    /// Squares that were tested for an attack; none where something is propagated.
    pub tests: u64,
    /// Looks into a table that these tests took, or comparisons with an earlier queen, three each.
    pub looks: u64,
}

/// A depth-first walk through the tree of a search, and an iterator over the solutions in it.
///
/// What the methods say of the node is said of the one that the last step reached, until the next step.
///
/// ```
/// use queens::solve::{Limits, Search, Step, Strategy};
/// use queens::{Board, Square};
///
/// let mut search = Search::new(&Board::new(4)?, Strategy::FirstUnbound, Limits::default())?;
/// assert_eq!(search.step(), Step::Choice(None)); // the root
/// assert_eq!(search.choice(), Some(Square::new(0, 0)));
/// let step = search.step(); // a queen in the corner: column 2 has two rows left
/// assert!(matches!(step, Step::Choice(Some(branch)) if branch.queen));
/// assert_eq!(search.free_rows(1).collect::<Vec<_>>(), [2, 3]);
/// assert_eq!(search.by_ref().count(), 2);
/// assert_eq!(search.statistics().branches, 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Search {
    state: State,
    frames: Vec<Frame>,
    /// Whether the node is a failure or a solution: there is no frame for it then.
    is_at_leaf: bool,
    statistics: Statistics,
    phase: Phase,
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
    square: Square,
    /// How many of its two branches have been taken.
    taken: u8,
}

impl Search {
    /// A search for the solutions of a board.
    ///
    /// # Errors
    ///
    /// [`SearchError`] if N is above [`MAX_SEARCHED`], or the settings do not go together.
    pub fn new(
        board: &Board,
        settings: impl Into<Settings>,
        limits: Limits,
    ) -> Result<Self, SearchError> {
        let settings = settings.into();
        BoardError::check_size(board.n(), MAX_SEARCHED, "search")?;
        settings.check(board)?;
        Ok(Self {
            state: State::new(board, settings, Watch::new(limits)),
            frames: Vec::new(),
            is_at_leaf: false,
            statistics: Statistics::default(),
            phase: Phase::Fresh,
        })
    }

    /// What it has taken so far.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        let (tests, looks) = self.state.tested();
        Statistics {
            tests,
            looks,
            ..self.statistics
        }
    }

    /// The limit that ended it, if one did.
    #[must_use]
    pub fn limit(&self) -> Option<Limit> {
        match self.phase {
            Phase::Stopped(limit) => Some(limit),
            _ => None,
        }
    }

    /// The number of branches from the root to the node.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.state.domains.depth()
    }

    /// The square that the search will branch on, if the node is a choice.
    #[must_use]
    pub fn choice(&self) -> Option<Square> {
        let frame = self.frames.last().filter(|_| !self.is_at_leaf);
        frame.map(|frame| frame.square)
    }

    /// The queens on the board, in the order in which they were placed.
    #[must_use]
    pub fn queens(&self) -> &[Square] {
        self.state.domains.queens()
    }

    /// The queens that the branch to the node brought: that of the branch, if it places one, then those that propagation
    /// placed, since their columns were left with one row.
    #[must_use]
    pub fn new_queens(&self) -> &[Square] {
        self.state.domains.new_queens()
    }

    /// The rows of a column that are still free, from the top; the queen's where it has one.
    pub fn free_rows(&self, column: u32) -> impl Iterator<Item = u32> {
        let domains = &self.state.domains;
        let is_open = domains.is_open(column);
        let queen = (!is_open).then(|| domains.row(column));
        let free = domains.free_rows(column).filter(move |_| is_open);
        queen.into_iter().chain(free)
    }

    /// The branches from the root to the node.
    pub fn path(&self) -> impl Iterator<Item = Branch> {
        let taken = self.frames.iter().filter(|frame| frame.taken > 0);
        taken.map(|&Frame { square, taken }| Branch {
            square,
            queen: taken == 1,
        })
    }

    /// The squares that went along the branch to the node, in order, and why. Those that are gone at the root because they
    /// are blocked or attacked by a preplaced queen are not among them, nor are those of a queen's own column.
    pub fn removed(&self) -> impl Iterator<Item = Removal> {
        self.state.domains.removed()
    }

    /// The same for all branches from the root to the node.
    pub fn all_removed(&self) -> impl Iterator<Item = Removal> {
        self.state.domains.all_removed()
    }

    /// Walks on to the next solution, and tells of every step on the way there.
    pub fn walk(&mut self, mut tell: impl FnMut(&Self, &Step)) -> Option<Placement> {
        loop {
            let step = self.step();
            tell(self, &step);
            match step {
                Step::Solution(_, placement) => return Some(placement),
                Step::End | Step::Limit(_) => return None,
                Step::Choice(_) | Step::Failure(..) | Step::Up => {}
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
                let node = self.state.node();
                return self.arrive(None, node);
            }
            Phase::Walking => {}
        }
        if std::mem::take(&mut self.is_at_leaf) && !self.frames.is_empty() {
            self.state.undo();
        }
        let Some(frame) = self.frames.last_mut() else {
            self.phase = Phase::Ended;
            return Step::End;
        };
        if frame.taken == 2 {
            self.frames.pop();
            if !self.frames.is_empty() {
                self.state.undo();
            }
            return Step::Up;
        }
        let queen = frame.taken == 0;
        let square = frame.square;
        frame.taken += 1;
        let most = self.state.watch.limits.branches;
        if most.is_some_and(|most| self.statistics.branches >= most) {
            return self.stop(Limit::Branches);
        }
        if let Err(limit) = self.state.watch.look() {
            return self.stop(limit);
        }
        self.statistics.branches += 1;
        let branch = Branch { square, queen };
        let node = self.state.enter(branch);
        self.arrive(Some(branch), node)
    }

    /// A node was reached along a branch.
    fn arrive(&mut self, branch: Option<Branch>, node: Node) -> Step {
        self.is_at_leaf = true;
        match node {
            Node::Choice(square) => {
                self.is_at_leaf = false;
                self.frames.push(Frame { square, taken: 0 });
                Step::Choice(branch)
            }
            Node::Failure(failure) => {
                self.statistics.failures += 1;
                Step::Failure(branch, failure)
            }
            Node::Solution => {
                self.statistics.solutions += 1;
                let rows = self.state.domains.rows().to_vec();
                Step::Solution(branch, Placement::of_permutation(rows))
            }
            Node::Stopped(limit) => {
                // The branch was not walked to its end, and does not count.
                if branch.is_some() {
                    self.statistics.branches -= 1;
                    self.state.undo();
                }
                self.is_at_leaf = false;
                self.stop(limit)
            }
        }
    }

    fn stop(&mut self, limit: Limit) -> Step {
        self.phase = Phase::Stopped(limit);
        Step::Limit(limit)
    }
}

impl Iterator for Search {
    type Item = Placement;

    /// The next solution, or `None` at the end or at a limit, which [`limit`](Self::limit) tells apart.
    fn next(&mut self) -> Option<Placement> {
        self.walk(|_, _| ())
    }
}
