//! The counting engines, and a common interface to them.
//!
//! An [`Engine`] is a counting algorithm, and a [`Kernel`] is an implementation of its inner loop
//! for one instruction set. An engine divides a board into an ordered list of `Subproblems`, which
//! a [`Solver`] prepares for one kernel. Each thread counts with its own [`Worker`], which reuses
//! its scratch memory from one subproblem to the next. Only this file dispatches on the engine. The
//! engines neither report progress nor access files.

pub(crate) mod bitboard;
mod cancel;
mod choice;
mod interruption;
pub(crate) mod join;
mod options;
mod simd;

pub(crate) use cancel::CancelOnDrop;
pub use cancel::CancelToken;
pub use choice::{Engine, EngineError, Kernel, Symmetry};
pub use interruption::Interruption;
#[cfg(feature = "stats")]
pub use join::stats::{Phase, Stats, take_stats};
pub(crate) use options::Options;

use std::fmt::Display;
use std::ops::RangeInclusive;

use simd::Isa;

use crate::board::Board;

impl Engine {
    /// Returns the fastest engine for a board. If `kernel` is given, only engines that have this
    /// kernel are considered.
    ///
    /// ```
    /// use queens::{Board, Engine};
    ///
    /// assert_eq!(Engine::auto(&Board::new(8)?, None), Engine::Bitboard);
    /// assert_eq!(Engine::auto(&Board::new(20)?, None), Engine::Join);
    /// # Ok::<(), queens::BoardError>(())
    /// ```
    #[must_use]
    pub fn auto(board: &Board, kernel: Option<Kernel>) -> Self {
        let is_fastest = board.n() >= join::FASTEST_FROM && Self::Join.accepts(board).is_ok();
        let has_kernel = kernel.is_none_or(|kernel| join::KERNELS.contains(&kernel));
        if is_fastest && has_kernel { Self::Join } else { Self::Bitboard }
    }

    /// Returns the range of board sizes that the engine supports.
    #[must_use]
    pub fn sizes(self) -> RangeInclusive<u32> {
        match self {
            Self::Bitboard => bitboard::SIZES,
            Self::Join => join::SIZES,
        }
    }

    /// Returns the engine's kernels, from slowest to fastest.
    #[must_use]
    pub fn kernels(self) -> &'static [Kernel] {
        match self {
            Self::Bitboard => bitboard::KERNELS,
            Self::Join => join::KERNELS,
        }
    }

    /// Whether the engine has the kernel and this CPU can run it.
    #[must_use]
    pub fn can_run(self, kernel: Kernel) -> bool {
        self.kernels().contains(&kernel) && Isa::detect(kernel).is_some()
    }

    /// Returns the engine's kernels that this CPU can run, from slowest to fastest. There is always
    /// at least one.
    pub fn available_kernels(self) -> impl DoubleEndedIterator<Item = Kernel> {
        let kernels = self.kernels().iter().copied();
        kernels.filter(move |&kernel| self.can_run(kernel))
    }

    /// Returns the engine's fastest kernel on this CPU.
    #[must_use]
    pub fn fastest_kernel(self) -> Kernel {
        let fastest = self.available_kernels().next_back();
        fastest.expect("the first kernel of an engine needs no special instructions")
    }

    /// Returns the kernel to use for a board: `wanted` if given, and otherwise the fastest one for
    /// this board and CPU.
    ///
    /// ```
    /// use queens::{Board, Engine, Kernel};
    ///
    /// let board = Board::new(20)?;
    /// assert!(Engine::Bitboard.can_run(Engine::Bitboard.choose_kernel(&board, None)?));
    /// assert!(Engine::Join.choose_kernel(&board, Some(Kernel::Reference)).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`EngineError::NoSuchKernel`] if the engine does not have the kernel, and
    /// [`EngineError::Unavailable`] if this CPU cannot run it.
    pub fn choose_kernel(
        self,
        board: &Board,
        wanted: Option<Kernel>,
    ) -> Result<Kernel, EngineError> {
        self.choose(board, wanted).map(|(kernel, _)| kernel)
    }

    /// Returns the kernel to use for a board, as [`choose_kernel`](Self::choose_kernel) does, and
    /// its instruction set.
    pub(crate) fn choose(
        self,
        board: &Board,
        wanted: Option<Kernel>,
    ) -> Result<(Kernel, Isa), EngineError> {
        let (engine, accepted) = (self, || list(self.available_kernels()));
        let kernel = match wanted {
            Some(kernel) if !self.kernels().contains(&kernel) => {
                let accepted = accepted();
                return Err(EngineError::NoSuchKernel { engine, kernel, accepted });
            }
            Some(kernel) => kernel,
            // On small boards, most vectors are not full, so plain recursion or narrower vectors
            // are faster (docs/BENCHMARKING.md).
            None if self == Self::Bitboard && board.n() < 10 => Kernel::Reference,
            None if board.n() < 13 => {
                let narrow = self.available_kernels().rfind(|kernel| *kernel != Kernel::Avx512);
                narrow.expect("the first kernel of an engine is another one")
            }
            None => self.fastest_kernel(),
        };
        match Isa::detect(kernel) {
            Some(isa) => Ok((kernel, isa)),
            None => Err(EngineError::Unavailable { kernel, accepted: accepted() }),
        }
    }

    /// Returns the engines that can count a board, in order of their speed on large boards, slowest
    /// first.
    pub fn all_for(board: &Board) -> impl DoubleEndedIterator<Item = Self> {
        let engines = Self::ALL.into_iter();
        engines.filter(|engine| engine.accepts(board).is_ok())
    }

    /// Checks that the engine can count a board.
    ///
    /// # Errors
    ///
    /// Returns [`EngineError::Board`] or [`EngineError::Size`] if the kind of board or its size is
    /// not supported.
    pub fn accepts(self, board: &Board) -> Result<(), EngineError> {
        let (engine, n) = (self, board.n());
        if self == Self::Join && board.has_constraints() {
            return Err(EngineError::Board {
                engine,
                board: "a board with blocked squares or preplaced queens",
                accepted: "an empty board",
            });
        }
        let (min, max) = self.sizes().into_inner();
        if !(min..=max).contains(&n) {
            return Err(EngineError::Size { engine, n, min, max });
        }
        Ok(())
    }
}

/// Formats items for an error message, separated by commas.
fn list(items: impl IntoIterator<Item = impl Display>) -> String {
    let names: Vec<_> = items.into_iter().map(|item| item.to_string()).collect();
    names.join(", ")
}

/// A board divided into subproblems by an engine. The subproblems are in the same order on every
/// machine.
#[derive(Debug, Clone)]
pub(crate) enum Subproblems {
    Bitboard(bitboard::Subproblems),
    Join(join::RowSets),
}

impl Subproblems {
    /// Divides a board into subproblems. If `symmetry` is `None`, uses the engine's default for the
    /// board.
    pub(crate) fn new(
        board: &Board,
        engine: Engine,
        symmetry: Option<Symmetry>,
    ) -> Result<Self, EngineError> {
        engine.accepts(board)?;
        match engine {
            Engine::Bitboard => bitboard::Subproblems::new(board, symmetry).map(Self::Bitboard),
            Engine::Join if symmetry.is_some() => Err(EngineError::NoSymmetry { engine }),
            Engine::Join => Ok(Self::Join(join::RowSets::for_size(board.n()))),
        }
    }

    /// Returns the number of subproblems.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Bitboard(subproblems) => subproblems.len(),
            Self::Join(row_sets) => row_sets.len(),
        }
    }

    /// Returns the number of consecutive subproblems that share data. They are best counted by the
    /// same thread.
    pub(crate) fn stretch_len(&self) -> usize {
        match self {
            Self::Bitboard(_) => 1,
            Self::Join(_) => join::STRETCH_LEN,
        }
    }

    /// Returns the estimated cost of a subproblem in arbitrary units. The cost is always positive.
    pub(crate) fn weight(&self, index: usize) -> f64 {
        match self {
            Self::Bitboard(subproblems) => subproblems.weight(index),
            Self::Join(row_sets) => row_sets.get(index).estimate(),
        }
    }

    /// Returns the approximate memory use, in bytes, of a count on `threads` threads with a target
    /// of `max_bytes`. The result exceeds the target if the count cannot run within it.
    pub(crate) fn memory(&self, threads: usize, max_bytes: u64) -> u64 {
        match self {
            Self::Bitboard(subproblems) => subproblems.memory(threads),
            Self::Join(row_sets) => join::memory(row_sets.n, threads, max_bytes),
        }
    }

    /// Returns what a subproblem fixes: the rows of the first queens, or the rows of the east half.
    #[cfg(test)]
    pub(crate) fn fixed_rows(&self, index: usize) -> Vec<u8> {
        match self {
            Self::Bitboard(subproblems) => subproblems.rows(index).to_vec(),
            Self::Join(row_sets) => row_sets.get(index).rows.to_le_bytes().to_vec(),
        }
    }

    /// Prepares the subproblems for counting.
    pub(crate) fn solver(&self, options: &Options) -> Solver {
        Solver(match self {
            Self::Bitboard(subproblems) => {
                AnySolver::Bitboard(bitboard::Solver::new(subproblems, options))
            }
            Self::Join(row_sets) => AnySolver::Join(Box::new(join::Solver::new(row_sets, options))),
        })
    }
}

/// Subproblems prepared for counting with one kernel.
///
/// This is a low-level interface for testing hardware and for benchmarking kernels. It counts
/// subproblems one at a time, without a thread pool, progress updates or verification.
///
/// ```
/// use queens::{Board, Engine, Kernel, Plan};
///
/// let plan = Plan::new(Board::new(8)?, Engine::Bitboard)?;
/// let solver = plan.solver(Kernel::Reference, 1)?;
/// let mut worker = solver.worker();
/// let counts = (0..plan.len()).map(|index| worker.try_count(index));
/// assert_eq!(counts.sum::<Result<u64, _>>()?, 92);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Solver(AnySolver);

#[derive(Debug)]
enum AnySolver {
    Bitboard(bitboard::Solver),
    Join(Box<join::Solver>),
}

impl Solver {
    /// Creates a worker for one thread.
    #[must_use]
    pub fn worker(&self) -> Worker<'_> {
        Worker { solver: self, lists: Default::default(), scratch: None }
    }

    fn join(&self) -> Option<&join::Solver> {
        match &self.0 {
            AnySolver::Bitboard(_) => None,
            AnySolver::Join(solver) => Some(solver),
        }
    }

    /// Builds the tables that subproblems share, which are otherwise built on first use. Returns
    /// `true` if subproblems need no other tables. Consecutive subproblems then run faster, because
    /// they find the same data in the cache.
    pub(crate) fn build_shared(&self) -> Result<bool, Interruption> {
        self.join().map_or(Ok(false), join::Solver::build_kept)
    }
}

/// Scratch memory of one thread that counts subproblems of a [`Solver`]. It is reused from one
/// subproblem to the next.
pub struct Worker<'a> {
    solver: &'a Solver,
    /// Scratch memory of engine `bitboard`.
    lists: bitboard::StateLists,
    /// Scratch memory of engine `join`, allocated on first use.
    scratch: Option<Box<join::Scratch>>,
}

impl Worker<'_> {
    /// Counts subproblem `index` of the plan on the current thread, and returns its contribution to
    /// the total.
    ///
    /// # Errors
    ///
    /// Returns an error if memory runs out or the count is cancelled.
    ///
    /// # Panics
    ///
    /// Panics if `index` is out of range.
    pub fn try_count(&mut self, index: usize) -> Result<u64, Interruption> {
        match &self.solver.0 {
            AnySolver::Bitboard(solver) => solver.count(index, &mut self.lists),
            AnySolver::Join(solver) => {
                solver.row_set(solver.get(index), self.scratch.get_or_insert_default()).count()
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Returns the engine's kernels that this CPU can run, and prints the names of the others to
    /// standard error.
    pub(crate) fn kernels(engine: Engine) -> Vec<Kernel> {
        let all = engine.kernels().iter();
        let (run, left_out): (Vec<_>, Vec<_>) = all.partition(|&&kernel| engine.can_run(kernel));
        if !left_out.is_empty() {
            eprintln!("left out, since this CPU cannot run them: {left_out:?}");
        }
        run
    }

    /// Checks that counts never depend on the kernel or the number of threads. Ledgers rely on
    /// this. The boards include some without symmetry.
    #[test]
    fn subproblems_have_one_count() {
        let blocked = Board::new(8).unwrap().with_blocked(["d7"]).unwrap();
        let empty = (2..=11).map(|n| Board::new(n).unwrap());
        for board in empty.chain([blocked]) {
            for engine in Engine::all_for(&board) {
                let subproblems = Subproblems::new(&board, engine, None).unwrap();
                let mut seen = HashSet::new();
                for kernel in kernels(engine) {
                    for threads in [1, 50] {
                        let options = Options::new((kernel, Isa::detect(kernel).unwrap()), threads);
                        let solver = subproblems.solver(&options);
                        let mut worker = solver.worker();
                        let counts =
                            (0..subproblems.len()).map(|index| worker.try_count(index).unwrap());
                        seen.insert(counts.collect::<Vec<_>>());
                    }
                }
                assert_eq!(seen.len(), 1, "{engine} N = {}", board.n());
            }
        }
    }

    /// Covers boards that have a single subproblem without queens, several subproblems, or none at
    /// all.
    #[test]
    fn a_missing_subproblem_panics() {
        for board in [0, 1, 2, 8].map(|n| Board::new(n).unwrap()) {
            for engine in Engine::all_for(&board) {
                let chosen = engine.choose(&board, None).unwrap();
                let subproblems = Subproblems::new(&board, engine, None).unwrap();
                let solver = subproblems.solver(&Options::new(chosen, 1));
                let count = || solver.worker().try_count(subproblems.len());
                std::panic::catch_unwind(count).expect_err("no such subproblem");
            }
        }
    }

    /// Checks conditions that hold on every CPU, whichever kernels it can run.
    #[test]
    fn errors_list_the_available_kernels() {
        let board = Board::new(20).unwrap();
        for engine in Engine::ALL {
            let choose = |kernel: &Kernel| engine.choose_kernel(&board, Some(*kernel));
            let (run, others): (Vec<_>, Vec<_>) =
                Kernel::ALL.into_iter().partition(|kernel| choose(kernel).is_ok());
            assert!(!others.is_empty() && engine.available_kernels().eq(run.iter().copied()));
            let names: Vec<_> = run.iter().map(|kernel| kernel.name()).collect();
            for error in others.iter().map(|kernel| choose(kernel).unwrap_err().to_string()) {
                assert!(error.ends_with(&format!("(accepted: {})", names.join(", "))), "{error}");
            }
        }
    }
}
