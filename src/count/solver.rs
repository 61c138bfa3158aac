//! A plan made ready to run: kernel chosen, tables built, memory for each worker at hand.

use super::plan::{Plan, Subproblems};
use crate::engine::CancelToken;
use crate::engine::Tally;
use crate::engine::join;
use crate::engine::join::stats::Stats;
use crate::engine::{EngineError, Kernel};
use crate::engine::{bitboard, torus};

/// Solves the subproblems of a plan with one kernel.
///
/// ```
/// use queens::{Board, Engine, Kernel, Plan, Solver};
///
/// let plan = Plan::new(Board::new(8)?, Engine::Bitboard)?;
/// let solver = Solver::new(&plan, Kernel::Reference, 1)?;
/// let mut scratch = solver.scratch();
/// let total: u64 = (0..plan.len()).map(|index| solver.solve(index, &mut scratch).count).sum();
/// assert_eq!(total, 92);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Solver {
    engine: Ready,
}

/// An engine made ready.
#[derive(Debug)]
enum Ready {
    Bitboard(bitboard::Bitboard),
    Join(Box<join::Join>),
    Torus(torus::Torus),
}

/// The memory that a worker reuses from one subproblem to the next; made by [`Solver::scratch`] for that solver.
#[derive(Debug)]
pub struct Scratch(Memory);

#[derive(Debug)]
enum Memory {
    Bitboard(bitboard::Scratch),
    Join(Box<join::Scratch>),
    None,
}

impl Solver {
    /// Makes `plan` ready for `kernel`, to be run by `threads` workers. Tables, where the engine has some, are made on the
    /// threads of the current rayon pool.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if the plan's engine has no such kernel or this CPU cannot run it.
    pub fn new(plan: &Plan, kernel: Kernel, threads: usize) -> Result<Self, EngineError> {
        Self::prepare(plan, kernel, threads, false, &CancelToken::new())
    }

    /// The same, with statistics if wanted. Once `cancel` told to stop, the solver is good for nothing.
    pub(crate) fn prepare(
        plan: &Plan,
        kernel: Kernel,
        threads: usize,
        with_stats: bool,
        cancel: &CancelToken,
    ) -> Result<Self, EngineError> {
        let kernel = plan.engine().choose_kernel(Some(kernel))?;
        let (board, engine) = (plan.board(), plan.engine());
        let engine =
            match plan.subproblems() {
                Subproblems::Bitboard { .. } if with_stats => {
                    return Err(EngineError::NoStatistics { engine });
                }
                Subproblems::Bitboard { symmetry, list } => Ready::Bitboard(
                    bitboard::Bitboard::new(board, *symmetry, list.clone(), kernel, threads),
                ),
                Subproblems::Join(list) => Ready::Join(Box::new(join::Join::new(
                    board.n(),
                    list.clone(),
                    kernel,
                    with_stats,
                    cancel,
                ))),
                Subproblems::Torus(_) if kernel != torus::KERNEL => {
                    let engine = plan.engine();
                    return Err(EngineError::NoSuchKernel { engine, kernel });
                }
                Subproblems::Torus(list) => {
                    Ready::Torus(torus::Torus::new(plan.board(), list.clone()))
                }
            };
        Ok(Self { engine })
    }

    /// What the join engine did so far, if it was asked to tell.
    pub(crate) fn stats(&self) -> Option<Stats> {
        match &self.engine {
            Ready::Bitboard(_) | Ready::Torus(_) => None,
            Ready::Join(join) => join.stats(),
        }
    }

    /// Memory for one worker.
    #[must_use]
    pub fn scratch(&self) -> Scratch {
        Scratch(match &self.engine {
            Ready::Bitboard(_) => Memory::Bitboard(bitboard::Scratch::default()),
            Ready::Join(_) => Memory::Join(Box::default()),
            Ready::Torus(_) => Memory::None,
        })
    }

    /// What subproblem `index` of the plan contributes to the total, counted on this thread.
    ///
    /// # Panics
    ///
    /// If the plan has no subproblem `index`, or the scratch is another engine's.
    #[must_use]
    pub fn solve(&self, index: usize, scratch: &mut Scratch) -> Tally {
        let never = CancelToken::new();
        let mut sum = Tally::default();
        for part in 0..self.parts(index) {
            sum += self
                .solve_part(index, part, scratch, &never)
                .expect("nobody holds the token that could stop it");
        }
        sum
    }

    /// Into how many parts subproblem `index` is cut to feed all workers.
    pub(crate) fn parts(&self, index: usize) -> usize {
        match &self.engine {
            Ready::Bitboard(bitboard) => bitboard.parts(index),
            Ready::Join(_) => 1,
            Ready::Torus(_) => 1,
        }
    }

    /// What one part of a subproblem contributes, or `None` if told to stop.
    pub(crate) fn solve_part(
        &self,
        index: usize,
        part: usize,
        scratch: &mut Scratch,
        cancel: &CancelToken,
    ) -> Option<Tally> {
        match (&self.engine, &mut scratch.0) {
            (Ready::Bitboard(bitboard), Memory::Bitboard(scratch)) => {
                bitboard.count(index, part, scratch, cancel)
            }
            (Ready::Join(join), Memory::Join(scratch)) => join.count(index, scratch, cancel),
            (Ready::Torus(torus), _) => torus.count(index, cancel),
            _ => panic!("the scratch is another engine's"),
        }
    }
}
