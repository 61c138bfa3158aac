//! The engines: what counts the subproblems of a board.
//!
//! An [`Engine`] is an algorithm, a [`Kernel`] its inner loop for one instruction set. Each engine has a folder; to the
//! layers above all of them are an [`Algorithm`]. Nothing here knows of threads, progress or files.

pub(crate) mod algorithm;
pub(crate) mod bitboard;
mod cancel;
mod choice;
pub(crate) mod join;
mod simd;
mod tally;

pub use cancel::CancelToken;
pub use choice::{Engine, EngineError, Kernel, Symmetry};
pub use join::stats::{Phase, Stats};
pub use tally::Tally;

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::sync::Arc;

use strum::VariantArray;

use crate::board::Board;
use algorithm::{Algorithm, Subproblems};

impl Engine {
    /// The one place that knows which algorithm is whose.
    fn algorithm(self) -> &'static dyn Algorithm {
        match self {
            Self::Bitboard => &bitboard::Bitboard,
            Self::Join => &join::Join,
        }
    }

    /// The fastest engine for a board, of those that have the kernel, where one was asked for.
    ///
    /// ```
    /// use queens::{Board, Engine};
    ///
    /// assert_eq!(Engine::auto(&Board::new(8)?, None), Engine::Bitboard);
    /// assert_eq!(Engine::auto(&Board::new(20)?, None), Engine::Join);
    /// assert_eq!(Engine::auto(&Board::torus(20)?, None), Engine::Bitboard);
    /// # Ok::<(), queens::BoardError>(())
    /// ```
    #[must_use]
    pub fn auto(board: &Board, kernel: Option<Kernel>) -> Self {
        let fastest_first = || {
            let engines = Self::all_for(board).rev();
            engines.filter(|engine| engine.algorithm().is_fastest(board))
        };
        let has_kernel =
            |engine: &Self| kernel.is_none_or(|kernel| engine.kernels().contains(&kernel));
        let engine = fastest_first().find(has_kernel);
        engine.or(fastest_first().next()).unwrap_or(Self::Bitboard)
    }

    /// The board sizes that the engine counts.
    #[must_use]
    pub fn sizes(self) -> RangeInclusive<u32> {
        self.algorithm().sizes()
    }

    /// The engine's kernels, the fastest last.
    #[must_use]
    pub fn kernels(self) -> &'static [Kernel] {
        self.algorithm().kernels()
    }

    /// Whether the engine has the kernel and this CPU its instructions.
    #[must_use]
    pub fn can_run(self, kernel: Kernel) -> bool {
        self.kernels().contains(&kernel) && self.algorithm().can_run(kernel)
    }

    /// Those of the engine's kernels that this CPU can run, the fastest last; never none.
    pub fn available_kernels(self) -> impl DoubleEndedIterator<Item = Kernel> {
        let kernels = self.kernels().iter().copied();
        kernels.filter(move |&kernel| self.can_run(kernel))
    }

    /// The fastest of the engine's kernels that this CPU can run.
    #[must_use]
    pub fn fastest_kernel(self) -> Kernel {
        let fastest = self.available_kernels().next_back();
        fastest.expect("the first kernel of an engine needs no special instructions")
    }

    /// The kernel to count a board with: `wanted`, or the fastest that this CPU can run.
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
    /// [`EngineError::NoSuchKernel`], [`EngineError::Unavailable`] or [`EngineError::Torus`].
    pub fn choose_kernel(
        self,
        board: &Board,
        wanted: Option<Kernel>,
    ) -> Result<Kernel, EngineError> {
        let engine = self;
        match wanted {
            Some(kernel) if !self.kernels().contains(&kernel) => {
                let accepted = list(self.kernels());
                Err(EngineError::NoSuchKernel {
                    engine,
                    kernel,
                    accepted,
                })
            }
            Some(kernel) if !self.can_run(kernel) => {
                let accepted = list(self.available_kernels());
                Err(EngineError::Unavailable { kernel, accepted })
            }
            Some(kernel) if board.is_torus() && kernel != Kernel::Reference => {
                Err(EngineError::Torus { kernel })
            }
            Some(kernel) => Ok(kernel),
            None if board.is_torus() => Ok(Kernel::Reference),
            None => Ok(self.fastest_kernel()),
        }
    }

    /// The engines that count a board, the fastest last.
    pub fn all_for(board: &Board) -> impl DoubleEndedIterator<Item = Self> {
        let engines = Self::VARIANTS.iter().copied();
        engines.filter(|engine| engine.accepts(board).is_ok())
    }

    /// Whether the engine counts a board.
    ///
    /// # Errors
    ///
    /// [`EngineError::Size`] or [`EngineError::Board`].
    pub fn accepts(self, board: &Board) -> Result<(), EngineError> {
        self.algorithm().accepts(board)?;
        let (engine, n) = (self, board.n());
        let (least, most) = self.sizes().into_inner();
        if !(least..=most).contains(&n) {
            return Err(EngineError::Size {
                engine,
                n,
                least,
                most,
            });
        }
        Ok(())
    }

    /// Cuts a board into subproblems, with this much symmetry where that is a choice, or as much as the board allows.
    pub(crate) fn cut(
        self,
        board: &Board,
        symmetry: Option<Symmetry>,
    ) -> Result<Arc<dyn Subproblems>, EngineError> {
        self.accepts(board)?;
        let (engine, algorithm) = (self, self.algorithm());
        if symmetry.is_some() && !algorithm.offers_symmetry() {
            return Err(EngineError::NoSymmetry { engine });
        }
        algorithm.cut(board, symmetry)
    }
}

/// Names for an error message: "a, b, c".
fn list(items: impl IntoIterator<Item = impl Display>) -> String {
    let names: Vec<_> = items.into_iter().map(|item| item.to_string()).collect();
    names.join(", ")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::algorithm::Setup;
    use super::*;

    /// The kernels of an engine that this CPU can run; the others are named.
    pub(crate) fn kernels(engine: Engine) -> Vec<Kernel> {
        let all = engine.kernels().iter();
        let (run, left_out): (Vec<_>, Vec<_>) = all.partition(|&&kernel| engine.can_run(kernel));
        if !left_out.is_empty() {
            eprintln!("left out, since this CPU cannot run them: {left_out:?}");
        }
        run
    }

    /// A subproblem and its mirror image, on boards with and without symmetry.
    #[test]
    fn mirror_images_have_the_same_tally() {
        let never = CancelToken::new();
        let mut blocked = Board::new(8).unwrap();
        blocked.block(crate::Square::new(3, 1)).unwrap();
        let mut torus = Board::torus(7).unwrap();
        torus.block(crate::Square::new(3, 1)).unwrap();
        let boards = [Board::new(9), Board::new(10), Ok(blocked), Ok(torus)].map(Result::unwrap);
        for board in &boards {
            for engine in Engine::all_for(board) {
                let cut = engine.cut(board, None).unwrap();
                let counts = |kernel: &Kernel| engine.choose_kernel(board, Some(*kernel)).is_ok();
                for kernel in kernels(engine).into_iter().filter(counts) {
                    let [tallies, mirrored] = [false, true].map(|mirrored| {
                        let setup = Setup {
                            kernel,
                            threads: 1,
                            memory: u64::MAX,
                            stats: false,
                            mirrored,
                        };
                        let ready = cut.ready(setup, &never);
                        let mut work = ready.worker();
                        let mut count = |index| work.count(index, 0, &never).unwrap();
                        (0..cut.len()).map(&mut count).collect::<Vec<_>>()
                    });
                    assert_eq!(tallies, mirrored, "{engine} {kernel} N = {}", board.n());
                }
            }
        }
    }

    /// The CPU's best kernel is another on other machines; what is asserted holds on all.
    #[test]
    fn a_kernel_that_cannot_be_had_is_refused_with_those_that_can() {
        let board = Board::new(20).unwrap();
        for &engine in Engine::VARIANTS {
            let available: Vec<_> = engine.available_kernels().collect();
            assert_eq!(available.first(), engine.kernels().first());
            for &kernel in Kernel::VARIANTS {
                match engine.choose_kernel(&board, Some(kernel)) {
                    Ok(chosen) => assert!(chosen == kernel && available.contains(&kernel)),
                    Err(error) => {
                        assert!(!available.contains(&kernel));
                        assert!(error.to_string().contains(available[0].name()), "{error}");
                    }
                }
            }
        }
    }
}
