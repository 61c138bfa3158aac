//! Search strategies as solver guides compare them, with their branches and failures counted.
//!
//! A [`Search`] walks the tree of a [`Strategy`] depth first. A node of the tree is a partial placement; a *branch* leads
//! from it to the node with one more queen, chosen by the search. A node that can have no solution, as far as the
//! strategy notices, is a *failure*; a complete one is a solution. Every other node is a *choice*, and has a branch for
//! each row that the strategy still allows in the column that it picks. So the tree that is counted, limited and drawn
//! is the same one.

mod backtrack;
mod propagate;

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::{Placement, Puzzle};
use crate::board::BoardError;
use crate::board::Square;
use crate::engine::CancelToken;
use backtrack::Backtrack;
use propagate::{FirstFail, FirstUnbound, Propagate};

/// The largest board that is searched: propagation remembers some six bytes for each of its squares.
pub const MAX_SEARCHED: u32 = 5_000;

/// How a search picks the next column and row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::VariantNames)]
#[strum(serialize_all = "kebab-case")]
#[non_exhaustive]
pub enum Strategy {
    /// Columns from left to right, rows from the top, attacks looked up in three tables: the textbook's program. A node
    /// fails when no row of the next column is free.
    Backtrack,
    /// The column with the fewest free rows, the leftmost of these, and its middle free row first, after forward
    /// checking: as the n-queens scripts of Alice ML and Gecode do. Most large boards take hardly a failure; in some it
    /// loses its way, N = 78 being the first.
    FirstFail,
    /// The leftmost open column and its lowest row, with the same forward checking: as the original constraint solver
    /// of OR-Tools does in its example.
    FirstUnbound,
}

/// A name that is none of the strategies'.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("no strategy is called '{0}' (accepted: backtrack, first-fail, first-unbound)")]
pub struct UnknownStrategy(String);

impl Strategy {
    /// All strategies.
    pub const ALL: [Self; 3] = [Self::Backtrack, Self::FirstFail, Self::FirstUnbound];

    /// Whether it meets solutions in lexicographic order.
    #[must_use]
    pub fn is_lexicographic(self) -> bool {
        match self {
            Self::Backtrack | Self::FirstUnbound => true,
            Self::FirstFail => false,
        }
    }

    /// The strategy's name as options have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Backtrack => "backtrack",
            Self::FirstFail => "first-fail",
            Self::FirstUnbound => "first-unbound",
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Strategy {
    type Err = UnknownStrategy;

    fn from_str(name: &str) -> Result<Self, UnknownStrategy> {
        Self::ALL
            .into_iter()
            .find(|strategy| strategy.name() == name)
            .ok_or_else(|| UnknownStrategy(name.to_owned()))
    }
}

/// What a node of the tree turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Node {
    /// The next queen goes into this column, which has a row for it.
    Choice(u32),
    Failure,
    Solution,
}

/// What a strategy knows of the partial placement, and how it goes on from there.
trait State: fmt::Debug {
    /// What the empty board, with the queens that stand already, is.
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

/// When to give up.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// Branches taken.
    pub branches: Option<u64>,
    /// Time since the search was made.
    pub time: Option<Duration>,
    /// An order to stop.
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
    /// It was told to stop.
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
/// use queens::Puzzle;
///
/// let mut search = Search::new(&Puzzle::new(8, false), Strategy::Backtrack, Limits::default())?;
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

/// Steps between two looks at the clock and at the order to stop. On large boards a step takes longer than a look.
const STEPS_BETWEEN_LOOKS: u32 = 64;

impl Search {
    /// A search for the solutions of a puzzle.
    ///
    /// # Errors
    ///
    /// [`BoardError::TooLargeToSearch`] if N is above [`MAX_SEARCHED`].
    pub fn new(puzzle: &Puzzle, strategy: Strategy, limits: Limits) -> Result<Self, BoardError> {
        let n = puzzle.n();
        if n > MAX_SEARCHED {
            return Err(BoardError::TooLargeToSearch { n });
        }
        let state: Box<dyn State> = match strategy {
            Strategy::Backtrack => Box::new(Backtrack::new(puzzle)),
            Strategy::FirstFail => Box::new(Propagate::<FirstFail>::new(puzzle)),
            Strategy::FirstUnbound => Box::new(Propagate::<FirstUnbound>::new(puzzle)),
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
        let Some(row) = self.state.next_row(frame.column, frame.last) else {
            return self.leave();
        };
        let column = frame.column;
        if let Some(limit) = self.limit_reached() {
            self.phase = Phase::Stopped(limit);
            return Step::Limit(limit);
        }
        self.frames.last_mut().expect("it was there").last = Some(row);
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
        loop {
            match self.step() {
                Step::Solution(_, placement) => return Some(placement),
                Step::End | Step::Limit(_) => return None,
                Step::Choice(_) | Step::Failure(_) | Step::Up => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::known;
    use crate::solve::Solutions;
    use proptest::prelude::{Just, Strategy as _, any, prop_assert_eq, proptest};

    fn search(puzzle: &Puzzle, strategy: Strategy) -> Search {
        Search::new(puzzle, strategy, Limits::default()).unwrap()
    }

    #[test]
    fn names_are_read_back() {
        for strategy in Strategy::ALL {
            assert_eq!(strategy.name().parse(), Ok(strategy));
        }
        let message = "random".parse::<Strategy>().unwrap_err().to_string();
        assert!(Strategy::ALL.iter().all(|s| message.contains(s.name())));
    }

    #[test]
    fn every_strategy_finds_every_solution_once() {
        for strategy in Strategy::ALL {
            for torus in [false, true] {
                for n in 0..=12 - 2 * u32::from(torus) {
                    let puzzle = Puzzle::new(n, torus);
                    let mut search = search(&puzzle, strategy);
                    let mut found: Vec<_> = search.by_ref().collect();
                    assert!(search.limit().is_none());
                    assert_eq!(search.statistics().solutions, found.len() as u64);
                    if strategy != Strategy::FirstFail {
                        assert!(found.is_sorted(), "{strategy} N = {n}");
                    }
                    found.sort();
                    assert!(
                        Solutions::new(&puzzle).unwrap().eq(found),
                        "{strategy} N = {n}"
                    );
                }
            }
        }
    }

    #[test]
    fn branches_of_backtracking_are_the_nodes_of_the_plain_search() {
        for n in 0..=11 {
            let mut search = search(&Puzzle::new(n, false), Strategy::Backtrack);
            search.by_ref().for_each(drop);
            let branches = u128::from(search.statistics().branches);
            assert_eq!(Some(branches), known(n).unwrap().nodes, "N = {n}");
        }
    }

    /// Leaves are the failures and the solutions; in a tree that is walked to its end, a branch leads to every node but
    /// the root, and every choice is left once.
    #[test]
    fn the_statistics_describe_the_tree() {
        for strategy in Strategy::ALL {
            for n in 0..=8 {
                let mut search = search(&Puzzle::new(n, false), strategy);
                let (mut choices, mut leaves, mut ups) = (0, 0, 0);
                loop {
                    match search.step() {
                        Step::Choice(_) => choices += 1,
                        Step::Failure(_) | Step::Solution(..) => leaves += 1,
                        Step::Up => ups += 1,
                        Step::End => break,
                        Step::Limit(_) => unreachable!("no limit was set"),
                    }
                }
                let Statistics {
                    branches,
                    failures,
                    solutions,
                } = search.statistics();
                assert_eq!(branches + 1, choices + leaves, "{strategy} N = {n}");
                assert_eq!(leaves, failures + solutions, "{strategy} N = {n}");
                assert_eq!(choices, ups, "{strategy} N = {n}");
            }
        }
    }

    /// What the strategy is for. (In some sizes it loses its way, N = 78 being the first.)
    #[test]
    fn first_fail_finds_large_solutions_with_few_failures() {
        for n in (4..=77).chain([500, 1000]) {
            let puzzle = Puzzle::new(n, false);
            let limits = Limits {
                branches: Some(20_000),
                ..Limits::default()
            };
            let mut search = Search::new(&puzzle, Strategy::FirstFail, limits).unwrap();
            let found = search.next();
            assert!(found.is_some_and(|found| found.solves(&puzzle)), "N = {n}");
        }
    }

    #[test]
    fn limits_are_kept() {
        let puzzle = Puzzle::new(30, false);
        let limits = |limits| Search::new(&puzzle, Strategy::Backtrack, limits).unwrap();
        let mut search = limits(Limits {
            branches: Some(1000),
            ..Limits::default()
        });
        assert_eq!(search.next(), None);
        assert_eq!(search.limit(), Some(Limit::Branches));
        assert_eq!(search.statistics().branches, 1000);
        assert_eq!(search.step(), Step::Limit(Limit::Branches));

        let mut search = limits(Limits {
            time: Some(Duration::ZERO),
            ..Limits::default()
        });
        assert_eq!((search.next(), search.limit()), (None, Some(Limit::Time)));

        let cancel = CancelToken::new();
        cancel.cancel();
        let mut search = limits(Limits {
            cancel,
            ..Limits::default()
        });
        assert_eq!(
            (search.next(), search.limit()),
            (None, Some(Limit::Cancelled))
        );

        let exact = Limits {
            branches: Some(2056),
            ..Limits::default()
        };
        let mut search = Search::new(&Puzzle::new(8, false), Strategy::Backtrack, exact).unwrap();
        assert_eq!((search.by_ref().count(), search.limit()), (92, None));
    }

    #[test]
    fn boards_too_large_are_refused() {
        let puzzle = Puzzle::new(MAX_SEARCHED + 1, false);
        assert!(Search::new(&puzzle, Strategy::FirstFail, Limits::default()).is_err());
    }

    proptest! {
        /// Marked boards, against the solutions of the empty board filtered by hand.
        #[test]
        fn marks_leave_out_what_they_should(
            (n, torus, queens, closed) in (1..=8_u32).prop_flat_map(|n| {
                let squares = |most| proptest::collection::vec((0..n, 0..n), 0..most);
                (Just(n), any::<bool>(), squares(3), squares(10))
            })
        ) {
            let mut puzzle = Puzzle::new(n, torus);
            let (mut queens_kept, mut closed_kept) = (Vec::new(), Vec::new());
            for (column, row) in queens {
                let queen = Square::new(column, row);
                if let Ok(more) = puzzle.clone().with_queen(queen) {
                    puzzle = more;
                    queens_kept.push(queen);
                }
            }
            for (column, row) in closed {
                let square = Square::new(column, row);
                if let Ok(more) = puzzle.clone().with_closed(square) {
                    puzzle = more;
                    closed_kept.push(square);
                }
            }
            let keep = |p: &Placement| {
                let has = |square: &Square| p.rows()[square.column as usize] == square.row;
                queens_kept.iter().all(has) && !closed_kept.iter().any(has)
            };
            let empty = Solutions::new(&Puzzle::new(n, torus)).unwrap();
            let truth: Vec<_> = empty.filter(keep).collect();
            let enumerated: Vec<_> = Solutions::new(&puzzle).unwrap().collect();
            prop_assert_eq!(&enumerated, &truth);
            for strategy in Strategy::ALL {
                let mut found: Vec<_> = search(&puzzle, strategy).collect();
                found.sort();
                prop_assert_eq!(&found, &truth, "{}", strategy);
            }
        }
    }
}
