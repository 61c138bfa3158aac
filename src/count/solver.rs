//! A plan made ready to run: kernel chosen, tables built, memory for each worker at hand.

use super::engine::{EngineError, Kernel};
use super::plan::{Plan, Subproblems};
use super::run::CancelToken;
use super::tally::Tally;
use super::{bitboard, torus};

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
    Torus(torus::Torus),
}

/// The memory that a worker reuses from one subproblem to the next; made by [`Solver::scratch`] for that solver.
#[derive(Debug)]
pub struct Scratch(Memory);

#[derive(Debug)]
enum Memory {
    Bitboard(bitboard::Scratch),
    None,
}

impl Solver {
    /// Makes `plan` ready for `kernel`, to be run by `threads` workers.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if the plan's engine has no such kernel or this CPU cannot run it.
    pub fn new(plan: &Plan, kernel: Kernel, threads: usize) -> Result<Self, EngineError> {
        let kernel = plan.engine().choose_kernel(Some(kernel))?;
        let engine =
            match plan.subproblems() {
                Subproblems::Bitboard { symmetry, list } => Ready::Bitboard(
                    bitboard::Bitboard::new(plan.board(), *symmetry, list.clone(), kernel, threads),
                ),
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

    /// Memory for one worker.
    #[must_use]
    pub fn scratch(&self) -> Scratch {
        Scratch(match &self.engine {
            Ready::Bitboard(_) => Memory::Bitboard(bitboard::Scratch::default()),
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
            (Ready::Torus(torus), _) => torus.count(index, cancel),
            (Ready::Bitboard(_), Memory::None) => panic!("the scratch is another engine's"),
        }
    }
}
