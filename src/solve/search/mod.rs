//! Searches as solver guides compare them, with their branches and failures counted and every step to be watched.
//!
//! A [`Search`] walks a binary tree depth first. Where a node is a *choice*, the search picks a square by its [`Settings`]
//! and goes along two *branches*: a queen here, then none here. At each node it first concludes what its [`Propagation`]
//! concludes. A node that can have no solution, as far as that shows, is a *failure*; a node with all queens is a solution.
//! So a tree that was walked to its end has as many branches as nodes but one, and as many choices as leaves but one. The
//! tree that is counted, limited, traced and drawn is the same one.

mod bounds;
mod domains;
mod matching;
mod settings;
mod step;
#[cfg(test)]
mod tests;

use fastrand::Rng;

use crate::board::{Board, BoardError, MAX_CONSTRAINED, Placement, Square};
use bounds::Bounds;
use domains::Domains;
use matching::Matching;
use settings::Watch;
use step::Stop;

pub use settings::{
    Choices, Limits, Propagation, SearchError, Settings, Strategy, Value, Variable,
};
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
    /// Squares are tested when they are about to be tried: by tables that say for each kind of lines which of them hold a
    /// queen, or by a loop over the queens.
    Test(Option<[Vec<bool>; 3]>),
    Eliminate,
    Bounds(Bounds),
    Domain(Matching),
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

    /// The queens that the branch to the node brought: that of the branch, if it places one, then those that propagation
    /// placed, since their columns were left with one row.
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
        })
    }

    /// The squares that were removed along the branch to the node, in order, and why. Those that are gone at the root because they
    /// are blocked or attacked by a preplaced queen are not among them, nor are those of a queen's own column.
    pub fn removed(&self) -> impl Iterator<Item = Removal> {
        self.domains.removed()
    }

    /// The same for all branches from the root to the node.
    pub fn all_removed(&self) -> impl Iterator<Item = Removal> {
        self.domains.all_removed()
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
        self.domains.save();
        if queen {
            self.place(square);
        } else {
            self.domains.because(Cause::Branch);
            self.domains.remove(square);
        }
        self.arrive(Some(Branch { square, queen }))
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
                Step::Solution(branch, Placement::of_permutation(rows))
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
        if let Filter::Test(_) = self.filter {
            for i in 0..self.domains.new_queens().len() {
                self.mark(self.domains.new_queens()[i], false);
            }
        }
        self.domains.undo();
    }

    #[inline]
    fn place(&mut self, queen: Square) {
        self.domains.place(queen);
        self.mark(queen, true);
        if !matches!(self.filter, Filter::Test(_)) {
            self.domains.eliminate(queen);
        }
    }

    /// Notes in the tables that a queen was placed, or taken back.
    #[inline]
    fn mark(&mut self, queen: Square, is_placed: bool) {
        if let Filter::Test(Some(tables)) = &mut self.filter {
            for (table, lines) in tables.iter_mut().zip(Lines::ALL) {
                table[self.domains.line(lines, queen)] = is_placed;
            }
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
        if !matches!(self.filter, Filter::Test(_)) {
            let row = self.next_row(column);
            return Ok(row.map(|row| Square::new(column, row)));
        }
        self.domains.because(Cause::Tested);
        let (mut tests, mut looks) = (0, 0);
        let mut test = |search: &Self, row| {
            let (is_attacked, more_looks) = search.test(Square::new(column, row));
            tests += 1;
            looks += more_looks;
            !is_attacked
        };
        let mut row = None;
        if self.settings.value == Value::Min {
            // The textbook's order. Removing at once what was tested is half as fast again.
            row = self.domains.free_rows(column).find(|&row| test(self, row));
            let above = row.unwrap_or(self.domains.n());
            self.domains.remove_above(column, above);
        } else {
            while let Some(next) = self.next_row(column) {
                if test(self, next) {
                    row = Some(next);
                    break;
                }
                self.domains.remove(Square::new(column, next));
            }
        }
        self.statistics.tests += tests;
        self.statistics.looks += looks;
        let row = row.ok_or(Failure::NoRow { column })?;
        Ok(Some(Square::new(column, row)))
    }

    /// Whether an earlier queen attacks a square, as textbooks test it, and the looks that it takes.
    #[inline]
    fn test(&self, square: Square) -> (bool, u64) {
        if let Filter::Test(Some(tables)) = &self.filter {
            let mut looks = tables.iter().zip(Lines::ALL);
            let first = looks.position(|(table, lines)| table[self.domains.line(lines, square)]);
            (first.is_some(), first.map_or(3, |first| first as u64 + 1))
        } else {
            let queens = self.queens().len();
            let first = self.domains.attacker(square);
            // At a queen's row and at both its diagonals.
            (
                first.is_some(),
                3 * first.map_or(queens, |first| first + 1) as u64,
            )
        }
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
        match self.settings.variable {
            Variable::First => domains.open_columns().next(),
            Variable::Smallest => domains
                .open_columns()
                .min_by_key(|&column| domains.size(column)),
            Variable::Random => {
                let open = domains.n() - domains.queens().len() as u32;
                let skipped = (open > 0).then(|| self.rng.u32(..open))?;
                domains.open_columns().nth(skipped as usize)
            }
        }
    }

    #[inline]
    fn next_row(&mut self, column: u32) -> Option<u32> {
        let domains = &self.domains;
        match self.settings.value {
            Value::Min => domains.min(column),
            Value::Max => domains.max(column),
            Value::Middle | Value::Random => {
                let last = domains.size(column).checked_sub(1)?;
                let above = match self.settings.value {
                    Value::Middle => last / 2,
                    _ => self.rng.u32(..=last),
                };
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
