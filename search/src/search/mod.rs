//! Backtracking search with configurable strategies, statistics and observable steps.
//!
//! A [`Search`] explores a binary tree depth first. At each node it propagates constraints, as
//! specified by [`Propagation`]. A node found to have no solution is a *failure*, and a node with
//! all queens placed is a *solution*. Any other node is a *choice*: the search picks a square
//! according to its [`Strategy`] and takes two *branches*, first with a queen on the square, then
//! without. A fully explored tree has one more node than branches and one more leaf than choices.
//! Statistics, limits, traces and drawings all refer to this tree.

mod bounds;
mod domains;
mod step;
mod strategy;
#[cfg(test)]
mod tests;

use fastrand::Rng;

use super::matching::has_matching;
use bounds::Bounds;
use domains::{Domains, TrailLevel};
use queens::board::{Board, BoardError, MAX_CONSTRAINED, Placement, Square};
use strategy::ActiveLimits;

pub use step::{Branch, Cause, Direction, FailureCause, Limit, Removal, Step};
pub use strategy::{Limits, Propagation, SearchError, Strategy, UnknownStrategy, Value, Variable};

/// Largest board size that can be searched. The search uses about a dozen bytes per square.
pub(crate) const MAX_SEARCHED: u32 = MAX_CONSTRAINED;

/// Statistics of a search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// Branches taken, counting both branches of a choice.
    pub branches: u64,
    /// Nodes found to have no solution.
    pub failures: u64,
    /// Solutions found.
    pub solutions: u64,
    /// Squares tested for an attack; 0 with propagation.
    pub tests: u64,
    /// Table lookups in these tests. Without tables, each comparison with a queen counts as three
    /// lookups.
    pub lookups: u64,
}

/// Depth-first search that takes one step at a time. It is also an iterator over its solutions.
///
/// The *current node* is the node that the last step reached.
///
/// ```
/// use queens_search::{Limits, Search, Step, Strategy};
/// use queens::{Board, Square};
///
/// let mut search = Search::new(&Board::new(4)?, Strategy::FIRST_UNBOUND, Limits::default())?;
/// assert_eq!(search.step(), Step::Choice); // the root
/// assert_eq!(search.choice(), Some(Square::new(0, 0)));
/// assert_eq!(search.step(), Step::Choice); // a queen in the corner leaves two rows in column 1
/// assert!(search.branch().unwrap().queen);
/// assert_eq!(search.free_rows(1).collect::<Vec<_>>(), [2, 3]);
/// assert_eq!(search.by_ref().count(), 2);
/// assert_eq!(search.statistics().branches, 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Search {
    domains: Domains,
    /// Whether the columns can have usable squares in different rows, without which the root is a
    /// failure.
    has_matching: bool,
    strategy: Strategy,
    filter: Filter,
    /// Source of random rows; `None` if the strategy picks the rows.
    rng: Option<Rng>,
    limits: ActiveLimits,
    choices: Vec<Choice>,
    statistics: Statistics,
    /// Last step; `None` before the root.
    last: Option<Step>,
}

/// Mechanism that keeps queens from attacking each other.
#[derive(Debug)]
enum Filter {
    /// Tests each square just before it is tried, with tables of occupied lines or with a loop over
    /// the queens.
    Test(Option<[Vec<bool>; 3]>),
    Eliminate,
    Bounds(Bounds),
}

impl Filter {
    /// Updates the tables, if any, after a queen is placed or removed.
    #[inline]
    fn mark(&mut self, queen: Square, domains: &Domains, is_placed: bool) {
        if let Self::Test(Some(tables)) = self {
            for (table, line) in tables.iter_mut().zip(domains.lines(queen)) {
                table[line] = is_placed;
            }
        }
    }

    /// Whether an earlier queen attacks the square. Always false with propagation, which removes
    /// attacked squares.
    #[inline(always)]
    fn is_attacked(&self, square: Square, domains: &Domains, work: &mut Statistics) -> bool {
        let Self::Test(tables) = self else {
            return false;
        };
        work.tests += 1;
        let (attacker, lookups) = match tables {
            Some(tables) => {
                let mut lines = tables.iter().zip(domains.lines(square));
                let occupied = lines.position(|(table, line)| table[line]);
                (occupied, occupied.map_or(3, |index| index + 1))
            }
            None => {
                let attacker = domains.attacker(square);
                // Each queen is compared by row and by both diagonals.
                let compared = attacker.map_or(domains.queens.len(), |index| index + 1);
                (attacker, 3 * compared)
            }
        };
        work.lookups += lookups as u64;
        attacker.is_some()
    }
}

/// A choice whose branches are being explored.
#[derive(Debug, Clone, Copy)]
struct Choice {
    square: Square,
    /// Number of branches taken, up to 2.
    taken: u8,
    /// State of the domains at the choice.
    level: TrailLevel,
}

impl Search {
    /// Creates a search for the solutions of a board.
    ///
    /// # Errors
    ///
    /// Returns an error if N exceeds 5,000, or if the choices of the strategy conflict with each
    /// other or with the board.
    pub fn new(board: &Board, strategy: Strategy, limits: Limits) -> Result<Self, SearchError> {
        BoardError::check_size(board.n(), MAX_SEARCHED, "search")?;
        strategy.check()?;
        let limits = ActiveLimits::new(limits, board.n());
        let tables = || Direction::ALL.map(|_| vec![false; 2 * board.n() as usize]);
        Ok(Self {
            domains: Domains::new(board),
            has_matching: has_matching(board),
            filter: match strategy.propagation {
                Propagation::None { by_loop } => Filter::Test((!by_loop).then(tables)),
                Propagation::Value => Filter::Eliminate,
                Propagation::Bounds => Filter::Bounds(Bounds::default()),
            },
            rng: None,
            strategy,
            limits,
            choices: Vec::new(),
            statistics: Statistics::default(),
            last: None,
        })
    }

    /// Returns the statistics so far.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// Returns the limit that ended the search, if any.
    #[must_use]
    pub fn limit(&self) -> Option<Limit> {
        match self.last {
            Some(Step::Limit(limit)) => Some(limit),
            _ => None,
        }
    }

    /// Returns the number of branches from the root to the current node.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.choices.len().saturating_sub(usize::from(!self.is_at_leaf()))
    }

    /// Returns the square to branch on next, if the current node is a choice.
    #[must_use]
    pub fn choice(&self) -> Option<Square> {
        self.choices.get(self.depth()).map(|choice| choice.square)
    }

    /// Returns the choice whose branch leads to the current node, unless this is the root.
    fn above(&self) -> Option<&Choice> {
        self.choices[..self.depth()].last()
    }

    /// Returns the queens on the board, in the order in which they were placed.
    #[must_use]
    pub fn queens(&self) -> &[Square] {
        &self.domains.queens
    }

    /// Returns the queens placed along the last branch: the branch's own queen, if any, then the
    /// queens placed by propagation.
    #[must_use]
    pub fn new_queens(&self) -> &[Square] {
        self.domains.queens_since(self.level())
    }

    /// Returns the queens placed by propagation along the last branch.
    #[must_use]
    pub fn propagated_queens(&self) -> &[Square] {
        let chosen = usize::from(self.branch().is_some_and(|branch| branch.queen));
        &self.new_queens()[chosen..]
    }

    /// Iterates over the free rows of a column from the top. If the column has a queen, yields only
    /// the queen's row.
    pub fn free_rows(&self, column: u32) -> impl Iterator<Item = u32> {
        let queen = self.queens().iter().find(|queen| queen.column == column);
        let free = self.domains.free_rows(column);
        let free = free.filter(move |_| queen.is_none());
        queen.map(|queen| queen.row).into_iter().chain(free)
    }

    /// Returns the strategy of the search.
    #[must_use]
    pub fn strategy(&self) -> Strategy {
        self.strategy
    }

    /// Returns the branch that leads to the current node, unless this is the root.
    #[must_use]
    pub fn branch(&self) -> Option<Branch> {
        self.above().map(|choice| Branch { square: choice.square, queen: choice.taken == 1 })
    }

    /// Whether the current node is a leaf: a failure or a solution. Leaves are not in `choices`.
    fn is_at_leaf(&self) -> bool {
        matches!(self.last, Some(Step::Failure(_) | Step::Solution(_)))
    }

    /// Returns the state before the last branch, or the initial state at the root.
    fn level(&self) -> TrailLevel {
        self.above().map_or_else(TrailLevel::default, |choice| choice.level)
    }

    /// Iterates over the squares removed along the last branch, in order, with their causes.
    ///
    /// Squares in a queen's column are not included, nor are squares that are blocked or attacked
    /// by a preplaced queen.
    pub fn removed(&self) -> impl Iterator<Item = Removal> {
        self.domains.removed_since(self.level())
    }

    /// Searches for the next solution and calls `observe` after each step.
    pub fn walk(&mut self, mut observe: impl FnMut(&Self, &Step)) -> Option<Placement> {
        loop {
            let step = self.step();
            observe(self, &step);
            match step {
                Step::Solution(placement) => return Some(placement),
                Step::End | Step::Limit(_) => return None,
                Step::Choice | Step::Failure(_) | Step::Up => {}
            }
        }
    }

    /// Takes one step. Once the search has ended, returns the last step again.
    pub fn step(&mut self) -> Step {
        let step = match &self.last {
            None => self.enter_node(),
            Some(end @ (Step::End | Step::Limit(_))) => return end.clone(),
            Some(Step::Failure(_) | Step::Solution(_)) => {
                self.undo();
                self.next_branch()
            }
            Some(Step::Choice | Step::Up) => self.next_branch(),
        };
        self.last = Some(step.clone());
        step
    }

    /// Takes the next branch of the last choice, or backtracks if both have been taken.
    fn next_branch(&mut self) -> Step {
        let Some(choice) = self.choices.last_mut() else {
            return Step::End;
        };
        if choice.taken == 2 {
            self.choices.pop();
            self.undo();
            return Step::Up;
        }
        let queen = choice.taken == 0;
        let square = choice.square;
        choice.taken += 1;
        if let Err(limit) = self.limits.check_branch(self.statistics.branches) {
            return Step::Limit(limit);
        }
        self.statistics.branches += 1;
        if queen {
            self.place(square);
        } else {
            self.domains.set_cause(Cause::Branch);
            self.domains.remove(square);
        }
        self.enter_node()
    }

    /// Classifies the root or the node that the last branch leads to.
    fn enter_node(&mut self) -> Step {
        let step = self.try_choose().unwrap_or_else(|end| end);
        match step {
            Step::Solution(_) => self.statistics.solutions += 1,
            Step::Failure(_) => self.statistics.failures += 1,
            _ => {}
        }
        step
    }

    /// Whether the whole tree has been explored, or a limit reached.
    pub(super) fn has_ended(&self) -> bool {
        matches!(self.last, Some(Step::End | Step::Limit(_)))
    }

    /// Returns to the root for another search with the same limits, which tries rows in random
    /// order, or in that of the strategy without a seed. Statistics accumulate across searches.
    pub(super) fn restart(&mut self, seed: Option<u64>) {
        self.choices.truncate(1);
        self.undo();
        self.choices.clear();
        self.last = None;
        self.rng = seed.map(Rng::with_seed);
    }

    /// Restores the state at the last choice, if there is one.
    #[inline]
    fn undo(&mut self) {
        let Some(&Choice { level, .. }) = self.choices.last() else {
            return;
        };
        for &queen in self.domains.queens_since(level) {
            self.filter.mark(queen, &self.domains, false);
        }
        self.domains.undo(level);
    }

    #[inline]
    fn place(&mut self, queen: Square) {
        self.domains.place(queen);
        if let Filter::Test(_) = self.filter {
            self.filter.mark(queen, &self.domains, true);
        } else {
            self.domains.eliminate(queen);
        }
    }

    /// Propagates constraints and, unless all queens are placed, chooses the square to branch on.
    /// Returns a failure or a limit as an error.
    #[inline]
    fn try_choose(&mut self) -> Result<Step, Step> {
        if !self.has_matching {
            return Err(FailureCause::TooFew(Direction::Rows).into());
        }
        self.propagate()?;
        let Some(column) = self.next_column() else {
            let mut rows = vec![0; self.domains.n as usize];
            for queen in self.queens() {
                rows[queen.column as usize] = queen.row;
            }
            return Ok(Step::Solution(Placement::from_permutation(rows)));
        };
        let row = self.choose_row(column)?;
        let square = Square::new(column, row);
        self.choices.push(Choice { square, taken: 0, level: self.domains.level() });
        Ok(Step::Choice)
    }

    /// Returns the first row to try in a column, and removes the attacked rows before it.
    #[inline]
    fn choose_row(&mut self, column: u32) -> Result<u32, FailureCause> {
        let is_tested = matches!(self.filter, Filter::Test(_));
        if is_tested {
            self.domains.set_cause(Cause::Tested);
        }
        if is_tested && self.strategy.value == Value::Min {
            // Tests rows from the top, as the textbook does. Removing attacked rows one at a time
            // takes 50 % longer.
            let (domains, filter) = (&self.domains, &self.filter);
            let mut rows = domains.free_rows(column);
            let row = rows.find(|&row| {
                let square = Square::new(column, row);
                !filter.is_attacked(square, domains, &mut self.statistics)
            });
            drop(rows);
            let above = row.unwrap_or(self.domains.n);
            self.domains.remove_above(column, above);
            return row.ok_or(FailureCause::NoRow { column });
        }
        while let Some(row) = self.next_row(column) {
            let square = Square::new(column, row);
            let (domains, statistics) = (&self.domains, &mut self.statistics);
            if !self.filter.is_attacked(square, domains, statistics) {
                return Ok(row);
            }
            self.domains.remove(square);
        }
        Err(FailureCause::NoRow { column })
    }

    /// Propagates constraints to a fixpoint, unless a limit is reached.
    #[inline]
    fn propagate(&mut self) -> Result<(), Step> {
        if let Filter::Test(_) = self.filter {
            return Ok(());
        }
        // Number of constraints to visit again, in rotation, because a square was removed after
        // their last visit.
        let mut due = Direction::ALL.len();
        for lines in Direction::ALL.into_iter().cycle() {
            while let Some(queen) = self.domains.next_single()? {
                self.limits.check_interrupt()?;
                self.place(queen);
                due = Direction::ALL.len();
            }
            self.limits.check_interrupt()?;
            let before = self.domains.removals();
            match &mut self.filter {
                Filter::Bounds(bounds) if due > 0 => bounds.narrow(&mut self.domains, lines)?,
                _ => break,
            }
            due = if self.domains.removals() == before { due - 1 } else { Direction::ALL.len() };
        }
        Ok(())
    }

    #[inline]
    fn next_column(&mut self) -> Option<u32> {
        let domains = &self.domains;
        let mut columns = domains.unassigned_columns();
        match self.strategy.variable {
            Variable::First => columns.next(),
            Variable::Smallest => columns.min_by_key(|&column| domains.size(column)),
            Variable::SmallestLowestMin => {
                columns.min_by_key(|&column| (domains.size(column), domains.min(column)))
            }
            Variable::SmallestLowestMax => {
                columns.min_by_key(|&column| (domains.size(column), domains.max(column)))
            }
        }
    }

    #[inline]
    fn next_row(&mut self, column: u32) -> Option<u32> {
        let domains = &self.domains;
        if let Some(rng) = &mut self.rng {
            let size = domains.size(column);
            let index = (size > 0).then(|| rng.u32(..size))?;
            return domains.free_rows(column).nth(index as usize);
        }
        match self.strategy.value {
            Value::Min => domains.min(column),
            Value::Max => domains.max(column),
            Value::Middle => {
                let middle = (domains.min(column)? + domains.max(column)?) / 2;
                // The upper row on a tie.
                domains.free_rows(column).min_by_key(|row| row.abs_diff(middle))
            }
            Value::Median => {
                let index = domains.size(column).saturating_sub(1) / 2;
                domains.free_rows(column).nth(index as usize)
            }
        }
    }
}

impl Iterator for Search {
    type Item = Placement;

    /// Returns the next solution, or `None` if none is left or a [`limit`](Self::limit) has been
    /// reached.
    fn next(&mut self) -> Option<Placement> {
        self.walk(|_, _| ())
    }
}
