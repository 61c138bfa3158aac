//! Searches as solver guides compare them, with their branches and failures counted and every step to be watched.
//!
//! A [`Search`] walks a binary tree depth first. Where a node is a *choice*, the search picks a square by its
//! [`Settings`] and goes along two *branches*: a queen here, then none here. At each node it first concludes what its
//! [`Propagation`] concludes. A node that can have no solution, as far as that shows, is a *failure*; a node with all
//! queens is a solution. So a tree that was walked to its end has as many branches as nodes but one, and as many
//! choices as leaves but one. The tree that is counted, limited, traced and drawn is the same one.

mod bounds;
mod domains;
mod matching;
mod settings;
mod step;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::sync::atomic::Ordering;

use fastrand::Rng;

use crate::board::{Board, BoardError, MAX_CONSTRAINED, Placement, Square};
use bounds::Bounds;
use domains::Domains;
use matching::Matching;
use settings::Watch;
use step::Stop;

pub use settings::{Limits, Propagation, SearchError, Settings, Strategy, Value, Variable};
pub use step::{Branch, Cause, Failure, Limit, Lines, Removal, Step};

/// The largest board that is searched: about a dozen bytes are remembered for each of its squares.
pub(crate) const MAX_SEARCHED: u32 = MAX_CONSTRAINED;

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
    domains: Domains,
    settings: Settings,
    filter: Filter,
    rng: Rng,
    watch: Watch,
    frames: Vec<Frame>,
    /// Whether the node is a failure or a solution: there is no frame for it then.
    is_at_leaf: bool,
    statistics: Statistics,
    has_begun: bool,
    /// The step that it stays at.
    end: Option<Step>,
}

/// What keeps queens apart.
#[derive(Debug)]
enum Filter {
    /// Squares are tested when they are about to be tried: by tables that say for each kind of lines which of them hold
    /// a queen, or by a loop over the queens.
    Test(Option<[Vec<bool>; 3]>),
    Eliminate,
    Bounds(Bounds),
    Domain(Matching),
}

impl Filter {
    /// Notes in the tables, if there are any, that a queen was placed or taken back.
    #[inline]
    fn mark(&mut self, queen: Square, domains: &Domains, is_placed: bool) {
        if let Self::Test(Some(tables)) = self {
            for (table, line) in tables.iter_mut().zip(domains.lines(queen)) {
                table[line] = is_placed;
            }
        }
    }

    /// Whether an earlier queen attacks a square that is to be tried, as textbooks test it. Where something is
    /// propagated, none does.
    #[inline(always)]
    fn is_attacked(&self, square: Square, domains: &Domains, work: &mut Statistics) -> bool {
        let Self::Test(tables) = self else {
            return false;
        };
        work.tests += 1;
        if let Some(tables) = tables {
            let mut looks = tables.iter().zip(domains.lines(square));
            let first = looks.position(|(table, line)| table[line]);
            work.looks += first.map_or(3, |first| first + 1) as u64;
            return first.is_some();
        }
        let first = domains.attacker(square);
        // At a queen's row and at both its diagonals.
        let queens = first.map_or(domains.queens().len(), |first| first + 1);
        work.looks += 3 * queens as u64;
        first.is_some()
    }
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
    /// [`SearchError`] if N is above 5,000, or the settings do not go together.
    pub fn new(
        board: &Board,
        settings: impl Into<Settings>,
        limits: Limits,
    ) -> Result<Self, SearchError> {
        let settings = settings.into();
        BoardError::check_size(board.n(), MAX_SEARCHED, "search")?;
        settings.check(board)?;
        let tables = || Lines::ALL.map(|_| vec![false; 2 * board.n() as usize]);
        Ok(Self {
            domains: Domains::new(board),
            filter: match settings.propagation {
                Propagation::None => Filter::Test(settings.tables.then(tables)),
                Propagation::Value => Filter::Eliminate,
                Propagation::Bounds => Filter::Bounds(Bounds::default()),
                Propagation::Domain => Filter::Domain(Matching::new(board.n())),
            },
            rng: Rng::with_seed(settings.seed),
            settings,
            watch: Watch::new(limits),
            frames: Vec::new(),
            is_at_leaf: false,
            statistics: Statistics::default(),
            has_begun: false,
            end: None,
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
        match self.end {
            Some(Step::Limit(limit)) => Some(limit),
            _ => None,
        }
    }

    /// The number of branches from the root to the node.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.domains.depth()
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
        self.domains.queens()
    }

    /// The queens that the branch to the node brought: that of the branch, if it places one, then those that
    /// propagation placed, since their columns were left with one row.
    #[must_use]
    pub fn new_queens(&self) -> &[Square] {
        self.domains.new_queens()
    }

    /// The rows of a column that are still free, from the top; the queen's where it has one.
    pub fn free_rows(&self, column: u32) -> impl Iterator<Item = u32> {
        let queen = self.queens().iter().find(|queen| queen.column == column);
        let free = self.domains.free_rows(column);
        let free = free.filter(move |_| queen.is_none());
        queen.map(|queen| queen.row).into_iter().chain(free)
    }

    /// The branches from the root to the node.
    pub fn path(&self) -> impl Iterator<Item = Branch> {
        let taken = self.frames.iter().filter(|frame| frame.taken > 0);
        taken.map(|&Frame { square, taken }| Branch {
            square,
            queen: taken == 1,
            split: self.settings.value == Value::Split,
        })
    }

    /// The squares that were removed along the branch to the node, in order, and why. Those that are gone at the root
    /// because they are blocked or attacked by a preplaced queen are not among them, nor are those of a queen's own
    /// column.
    pub fn removed(&self) -> impl Iterator<Item = Removal> {
        self.domains.removed()
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
        if let Some(end) = &self.end {
            return end.clone();
        }
        if !std::mem::replace(&mut self.has_begun, true) {
            return self.arrive(None);
        }
        if std::mem::take(&mut self.is_at_leaf) && !self.frames.is_empty() {
            self.undo();
        }
        let Some(frame) = self.frames.last_mut() else {
            return self.stay(Step::End);
        };
        if frame.taken == 2 {
            self.frames.pop();
            if !self.frames.is_empty() {
                self.undo();
            }
            return Step::Up;
        }
        let queen = frame.taken == 0;
        let square = frame.square;
        frame.taken += 1;
        let most = self.watch.limits.branches;
        if most.is_some_and(|most| self.statistics.branches >= most) {
            return self.stay(Step::Limit(Limit::Branches));
        }
        if let Err(limit) = self.watch.look() {
            return self.stay(Step::Limit(limit));
        }
        self.statistics.branches += 1;
        let taken = &self.watch.limits.taken;
        taken.store(self.statistics.branches, Ordering::Relaxed);
        self.domains.save();
        let split = self.settings.value == Value::Split;
        if split {
            self.domains.because(Cause::Branch);
            let rows = self.domains.free_rows(square.column);
            let rows: Vec<_> = rows.filter(|&row| (row <= square.row) != queen).collect();
            for row in rows {
                self.domains.remove(Square::new(square.column, row));
            }
        } else if queen {
            self.place(square);
        } else {
            self.domains.because(Cause::Branch);
            self.domains.remove(square);
        }
        self.arrive(Some(Branch {
            square,
            queen,
            split,
        }))
    }

    /// A node was reached along a branch.
    fn arrive(&mut self, branch: Option<Branch>) -> Step {
        self.is_at_leaf = true;
        match self.conclude() {
            Ok(Some(square)) => {
                self.is_at_leaf = false;
                self.frames.push(Frame { square, taken: 0 });
                Step::Choice(branch)
            }
            Ok(None) => {
                self.statistics.solutions += 1;
                let mut rows = vec![0; self.domains.n() as usize];
                for queen in self.queens() {
                    rows[queen.column as usize] = queen.row;
                }
                Step::Solution(branch, Placement::from_permutation(rows))
            }
            Err(Stop::Failure(failure)) => {
                self.statistics.failures += 1;
                Step::Failure(branch, failure)
            }
            Err(Stop::Limit(limit)) => {
                // The branch was not walked to its end, and does not count.
                if branch.is_some() {
                    self.statistics.branches -= 1;
                    self.undo();
                }
                self.is_at_leaf = false;
                self.stay(Step::Limit(limit))
            }
        }
    }

    fn stay(&mut self, end: Step) -> Step {
        self.end.insert(end).clone()
    }

    /// Goes back to where the last branch began.
    #[inline]
    fn undo(&mut self) {
        for &queen in self.domains.new_queens() {
            self.filter.mark(queen, &self.domains, false);
        }
        self.domains.undo();
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

    /// Draws all conclusions: the square to branch on, or none if all queens are placed.
    ///
    /// # Errors
    ///
    /// That there is no solution, or a limit was reached before that was known.
    #[inline]
    fn conclude(&mut self) -> Result<Option<Square>, Stop> {
        self.propagate()?;
        let Some(column) = self.next_column() else {
            return Ok(None);
        };
        let is_tested = matches!(self.filter, Filter::Test(_));
        if is_tested {
            self.domains.because(Cause::Tested);
        }
        if is_tested && self.settings.value == Value::Min {
            // The textbook's order. Removing at once what was tested is half as fast again.
            let (domains, filter) = (&self.domains, &self.filter);
            let mut rows = domains.free_rows(column);
            let row = rows.find(|&row| {
                let square = Square::new(column, row);
                !filter.is_attacked(square, domains, &mut self.statistics)
            });
            drop(rows);
            let above = row.unwrap_or(self.domains.n());
            self.domains.remove_above(column, above);
            let row = row.ok_or(Failure::NoRow { column })?;
            return Ok(Some(Square::new(column, row)));
        }
        while let Some(row) = self.next_row(column) {
            let square = Square::new(column, row);
            let (domains, statistics) = (&self.domains, &mut self.statistics);
            if !self.filter.is_attacked(square, domains, statistics) {
                return Ok(Some(square));
            }
            self.domains.remove(square);
        }
        Err(Failure::NoRow { column }.into())
    }

    /// Propagates to a fixpoint.
    #[inline]
    fn propagate(&mut self) -> Result<(), Stop> {
        if let Filter::Test(_) = self.filter {
            return Ok(());
        }
        // Constraints in turn that have to be looked at, since something was removed after they were.
        let mut due = Lines::ALL.len();
        for lines in Lines::ALL.into_iter().cycle() {
            while let Some(queen) = self.domains.next_single()? {
                self.place(queen);
                due = Lines::ALL.len();
            }
            let before = self.domains.removals();
            match &mut self.filter {
                Filter::Bounds(bounds) if due > 0 => bounds.narrow(&mut self.domains, lines)?,
                Filter::Domain(matching) if due > 0 => {
                    matching.narrow(&mut self.domains, lines, &mut self.watch)?;
                }
                _ => break,
            }
            due = if self.domains.removals() == before {
                due - 1
            } else {
                Lines::ALL.len()
            };
        }
        Ok(())
    }

    #[inline]
    fn next_column(&mut self) -> Option<u32> {
        let domains = &self.domains;
        let mut open = domains.open_columns();
        match self.settings.variable {
            Variable::First => open.next(),
            Variable::Smallest => open.min_by_key(|&column| domains.size(column)),
            Variable::SmallestLowestMin => {
                open.min_by_key(|&column| (domains.size(column), domains.min(column)))
            }
            Variable::Largest => open.min_by_key(|&column| Reverse(domains.size(column))),
            Variable::LowestMin => open.min_by_key(|&column| domains.min(column)),
            Variable::HighestMax => open.min_by_key(|&column| Reverse(domains.max(column))),
            Variable::Random => {
                let count = domains.n() - domains.queens().len() as u32;
                let skipped = (count > 0).then(|| self.rng.u32(..count))?;
                open.nth(skipped as usize)
            }
        }
    }

    #[inline]
    fn next_row(&mut self, column: u32) -> Option<u32> {
        let domains = &self.domains;
        match self.settings.value {
            Value::Min => domains.min(column),
            Value::Max => domains.max(column),
            Value::Middle | Value::Split => {
                let middle = (domains.min(column)? + domains.max(column)?) / 2;
                let rows = domains.free_rows(column);
                match self.settings.value {
                    Value::Split => rows.take_while(|&row| row <= middle).last(),
                    _ => rows.min_by_key(|row| row.abs_diff(middle)), // the first of two
                }
            }
            Value::Median => {
                let above = domains.size(column).saturating_sub(1) / 2;
                domains.free_rows(column).nth(above as usize)
            }
            Value::Random => {
                let size = domains.size(column);
                let above = (size > 0).then(|| self.rng.u32(..size))?;
                domains.free_rows(column).nth(above as usize)
            }
        }
    }
}

impl Iterator for Search {
    type Item = Placement;

    /// The next solution, or `None` at the end or at a limit, which [`limit`](Self::limit) tells apart.
    fn next(&mut self) -> Option<Placement> {
        self.walk(|_, _| ())
    }
}
