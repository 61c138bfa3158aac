//! What is known at a node of the tree, and how a branch leads to the next one.

use fastrand::Rng;

use super::attacks::Tester;
use super::bounds::Bounds;
use super::domains::Domains;
use super::matching::Matching;
use super::node::Node;
use super::settings::{Propagation, Settings, Value, Variable};
use super::step::{Branch, Cause, Failure, Lines};
use super::watch::Watch;
use crate::board::{Board, Square};

#[derive(Debug)]
pub(super) struct State {
    pub(super) domains: Domains,
    pub(super) watch: Watch,
    settings: Settings,
    filter: Filter,
    rng: Rng,
}

/// What keeps queens apart.
#[derive(Debug)]
enum Filter {
    Test(Tester),
    Eliminate,
    Bounds(Bounds),
    Domain(Matching),
}

impl State {
    pub(super) fn new(board: &Board, settings: Settings, watch: Watch) -> Self {
        let domains = Domains::new(board);
        Self {
            filter: match settings.propagation {
                Propagation::None => Filter::Test(Tester::new(&domains, settings.attacks)),
                Propagation::Value => Filter::Eliminate,
                Propagation::Bounds => Filter::Bounds(Bounds::default()),
                Propagation::Domain => Filter::Domain(Matching::new(board.n())),
            },
            domains,
            watch,
            settings,
            rng: Rng::with_seed(settings.seed),
        }
    }

    /// Squares tested, and the looks that it took.
    pub(super) fn tested(&self) -> (u64, u64) {
        match &self.filter {
            Filter::Test(tester) => (tester.tests, tester.looks),
            _ => (0, 0),
        }
    }

    /// Goes along a branch.
    #[inline]
    pub(super) fn enter(&mut self, branch: Branch) -> Node {
        self.domains.save();
        if branch.queen {
            self.place(branch.square);
        } else {
            self.domains.because(Cause::Branch);
            self.domains.take(branch.square);
        }
        self.node()
    }

    /// Goes back to where the last branch began.
    #[inline]
    pub(super) fn undo(&mut self) {
        if let Filter::Test(tester) = &mut self.filter {
            for &queen in self.domains.new_queens() {
                tester.mark(queen, false);
            }
        }
        self.domains.undo();
    }

    #[inline]
    fn place(&mut self, queen: Square) {
        self.domains.place(queen);
        match &mut self.filter {
            Filter::Test(tester) => tester.mark(queen, true),
            _ => self.domains.eliminate(queen),
        }
    }

    /// Draws all conclusions, and says what that makes of the node.
    #[inline]
    pub(super) fn node(&mut self) -> Node {
        if let Err(node) = self.propagate() {
            return node;
        }
        let Some(column) = self.next_column() else {
            return Node::Solution;
        };
        if let Filter::Test(tester) = &mut self.filter {
            self.domains.because(Cause::Tested);
            if self.settings.value == Value::Min {
                // The textbook's order, which is worth a loop of its own.
                let queens = self.domains.queens();
                let mut rows = self.domains.free_rows(column);
                let row = rows.find(|&row| !tester.is_attacked(Square::new(column, row), queens));
                drop(rows);
                self.domains
                    .take_above(column, row.unwrap_or(self.domains.n()));
                let choice = row.map(|row| Node::Choice(Square::new(column, row)));
                return choice.unwrap_or(Node::Failure(Failure::NoRow { column }));
            }
        }
        while let Some(row) = self.next_row(column) {
            let square = Square::new(column, row);
            let is_attacked = match &mut self.filter {
                Filter::Test(tester) => tester.is_attacked(square, self.domains.queens()),
                _ => false,
            };
            if !is_attacked {
                return Node::Choice(square);
            }
            self.domains.take(square);
        }
        Node::Failure(Failure::NoRow { column })
    }

    /// Propagates to a fixpoint.
    ///
    /// # Errors
    ///
    /// What the node is, where that ends it.
    fn propagate(&mut self) -> Result<(), Node> {
        if let Filter::Test(_) = self.filter {
            return Ok(());
        }
        // Constraints in turn that have to be looked at, since something went after they were.
        let mut due = Lines::ALL.len();
        for lines in Lines::ALL.into_iter().cycle() {
            while let Some(queen) = self.domains.next_single()? {
                self.place(queen);
                due = Lines::ALL.len();
            }
            let before = self.domains.taken();
            match &mut self.filter {
                Filter::Bounds(bounds) if due > 0 => bounds.narrow(&mut self.domains, lines)?,
                Filter::Domain(matching) if due > 0 => {
                    matching.narrow(&mut self.domains, lines, &mut self.watch)?;
                }
                _ => break,
            }
            due = match self.domains.taken() == before {
                true => due - 1,
                false => Lines::ALL.len(),
            };
        }
        Ok(())
    }

    fn next_column(&mut self) -> Option<u32> {
        let domains = &self.domains;
        match self.settings.variable {
            Variable::First => domains.first_open(),
            Variable::Smallest => domains
                .open_columns()
                .min_by_key(|&column| domains.size(column)),
            Variable::Random => {
                let open = domains.n() - domains.queens().len() as u32;
                let skipped = (open > 0).then(|| self.rng.u32(0..open))?;
                domains.open_columns().nth(skipped as usize)
            }
        }
    }

    fn next_row(&mut self, column: u32) -> Option<u32> {
        let domains = &self.domains;
        match self.settings.value {
            Value::Min => domains.min(column),
            Value::Max => domains.max(column),
            Value::Middle => domains.nth(column, domains.size(column).checked_sub(1)? / 2),
            Value::Random => {
                let size = domains.size(column);
                let before = (size > 0).then(|| self.rng.u32(0..size))?;
                domains.nth(column, before)
            }
        }
    }
}
