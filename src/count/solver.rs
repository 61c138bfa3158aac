//! Subproblems one by one, without pool, progress or checks.

use super::error::CountError;
use super::plan::Plan;
use crate::engine::algorithm::{Setup, Solve, Work};
use crate::engine::{CancelToken, Kernel, Tally};

/// Counts the subproblems of a plan one by one with one kernel: for tests of the machine, and for measuring kernels.
///
/// ```
/// use queens::{Board, Engine, Kernel, Plan, Solver};
///
/// let plan = Plan::new(Board::new(8)?, Engine::Bitboard)?;
/// let solver = Solver::new(&plan, Kernel::Reference, 1)?;
/// let mut worker = solver.worker();
/// let total: u64 = (0..plan.len()).map(|index| worker.count(index).count).sum();
/// assert_eq!(total, 92);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Solver(Box<dyn Solve>);

/// One thread's share of a [`Solver`]: its memory, used again for each subproblem.
pub struct Worker<'a> {
    solver: &'a dyn Solve,
    work: Box<dyn Work + 'a>,
}

impl Solver {
    /// Makes `plan` ready for `kernel`, to be counted by `threads` workers.
    ///
    /// # Errors
    ///
    /// [`CountError::Engine`] if the plan's engine has no such kernel or this CPU cannot run it.
    pub fn new(plan: &Plan, kernel: Kernel, threads: usize) -> Result<Self, CountError> {
        let kernel = plan.engine().choose_kernel(plan.board(), Some(kernel))?;
        let never = CancelToken::new();
        let setup = Setup {
            kernel,
            threads,
            memory: u64::MAX,
            stats: false,
            mirrored: false,
        };
        Ok(Self(plan.subproblems().ready(setup, &never)))
    }

    /// A worker for one thread.
    #[must_use]
    pub fn worker(&self) -> Worker<'_> {
        Worker {
            solver: &*self.0,
            work: self.0.worker(),
        }
    }
}

impl Worker<'_> {
    /// What subproblem `index` of the plan contributes to the total, counted on this thread.
    ///
    /// # Panics
    ///
    /// If the plan has no subproblem `index`.
    pub fn count(&mut self, index: usize) -> Tally {
        let never = CancelToken::new();
        let mut sum = Tally::default();
        for part in 0..self.solver.parts(index) {
            let tally = self.work.count(index, part, &never);
            sum += tally.expect("nothing can cancel it");
        }
        sum
    }
}
