//! The names of the engines and of their kernels, and the choice between them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub mod bitboard;
mod cancel;
pub mod join;
mod simd;
mod tally;
pub(crate) mod torus;

pub use bitboard::Symmetry;
pub use cancel::CancelToken;
pub use tally::Tally;

use crate::board::{Board, MAX_N};

/// An algorithm that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Engine {
    /// Column by column over bitboards: [`crate::engine::bitboard`].
    Bitboard,
    /// Half-boards joined along the centre line: [`crate::engine::join`].
    Join,
}

/// An engine's inner loop for one instruction set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Kernel {
    /// The plain recursion: the yardstick, and the truth that the others are tested against. Alone in counting nodes.
    Reference,
    /// Without vectors: one state at a time, without a branch that depends on it.
    Scalar,
    /// Small arrays that the compiler turns into whatever vectors the target has.
    Portable,
    /// AVX2.
    Avx2,
    /// AVX-512.
    Avx512,
}

/// The smallest N that engine `join` counts faster than engine `bitboard`.
const JOIN_FROM: u32 = 16;

/// A name that is none of the accepted ones.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("no {what} is called '{name}' (accepted: {accepted})")]
pub struct UnknownName {
    what: &'static str,
    name: String,
    accepted: String,
}

/// Why an engine and a kernel cannot be used together, here.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The engine has no kernel of that name.
    #[error("engine {engine} has no kernel '{kernel}' (accepted: {})", list(engine.kernels()))]
    NoSuchKernel {
        /// The engine asked for.
        engine: Engine,
        /// The kernel asked for.
        kernel: Kernel,
    },
    /// The CPU lacks the kernel's instructions.
    #[error("this CPU cannot run kernel '{kernel}' (it can run: {})", list(engine.available_kernels()))]
    Unavailable {
        /// The engine asked for.
        engine: Engine,
        /// The kernel asked for.
        kernel: Kernel,
    },
    /// The board lacks the symmetry.
    #[error(
        "the marked squares do not allow symmetry '{symmetry}' (accepted: none, or one that maps them to themselves)"
    )]
    Symmetry {
        /// The symmetry asked for.
        symmetry: Symmetry,
    },
    /// The engine has no choice of symmetry.
    #[error(
        "engine {engine} has a symmetry of its own (a symmetry can be chosen for: {})",
        Engine::Bitboard
    )]
    NoSymmetry {
        /// The engine asked for.
        engine: Engine,
    },
    /// The engine counts open boards only.
    #[error(
        "engine {engine} cannot count boards with marked squares (engine {} can)",
        Engine::Bitboard
    )]
    Marked {
        /// The engine asked for.
        engine: Engine,
    },
    /// The engine keeps no statistics.
    #[error("engine {engine} keeps no statistics (engine {} does)", Engine::Join)]
    NoStatistics {
        /// The engine asked for.
        engine: Engine,
    },
    /// The board is outside of what the engine does.
    #[error("engine {engine} cannot count N = {n} (accepted: {} to {})", engine.sizes().start(), engine.sizes().end())]
    Size {
        /// The engine asked for.
        engine: Engine,
        /// Board size.
        n: u32,
    },
}

impl Engine {
    /// All engines.
    pub const ALL: [Self; 2] = [Self::Bitboard, Self::Join];

    /// The engine that is the fastest one for a board, of those that have the kernel, where one was asked for.
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
        let joins = (JOIN_FROM..=*Self::Join.sizes().end()).contains(&board.n());
        let has_kernel = kernel.is_none_or(|kernel| Self::Join.kernels().contains(&kernel));
        if joins && board.is_open() && has_kernel {
            Self::Join
        } else {
            Self::Bitboard
        }
    }

    /// The engine's name as options and reports have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bitboard => "bitboard",
            Self::Join => "join",
        }
    }

    /// The board sizes that the engine counts.
    #[must_use]
    pub fn sizes(self) -> std::ops::RangeInclusive<u32> {
        match self {
            Self::Bitboard => 0..=MAX_N,
            Self::Join => join::pattern::MIN_N as u32..=join::pattern::MAX_N as u32,
        }
    }

    /// The engine's kernels, the best one last.
    #[must_use]
    pub fn kernels(self) -> &'static [Kernel] {
        match self {
            Self::Bitboard => bitboard::KERNELS,
            Self::Join => join::KERNELS,
        }
    }

    /// Whether the engine has the kernel and this CPU its instructions.
    #[must_use]
    pub fn can_run(self, kernel: Kernel) -> bool {
        self.kernels().contains(&kernel)
            && match self {
                Self::Bitboard => bitboard::can_run(kernel),
                Self::Join => join::can_run(kernel),
            }
    }

    /// Those of the engine's kernels that this CPU can run, the best one last.
    pub fn available_kernels(self) -> impl Iterator<Item = &'static Kernel> {
        self.kernels()
            .iter()
            .filter(move |&&kernel| self.can_run(kernel))
    }

    /// The best of the engine's kernels that this CPU can run.
    ///
    /// ```
    /// use queens::Engine;
    ///
    /// assert!(Engine::Bitboard.can_run(Engine::Bitboard.best_kernel()));
    /// ```
    #[must_use]
    pub fn best_kernel(self) -> Kernel {
        *self
            .available_kernels()
            .last()
            .expect("every engine has a kernel for any CPU")
    }

    /// The kernel to use where `wanted` was asked for, or the best one where nothing was.
    ///
    /// # Errors
    ///
    /// [`EngineError::NoSuchKernel`] or [`EngineError::Unavailable`].
    pub fn choose_kernel(self, wanted: Option<Kernel>) -> Result<Kernel, EngineError> {
        let engine = self;
        match wanted {
            None => Ok(self.best_kernel()),
            Some(kernel) if !self.kernels().contains(&kernel) => {
                Err(EngineError::NoSuchKernel { engine, kernel })
            }
            Some(kernel) if !self.can_run(kernel) => {
                Err(EngineError::Unavailable { engine, kernel })
            }
            Some(kernel) => Ok(kernel),
        }
    }
}

impl Kernel {
    /// All kernels of all engines.
    pub const ALL: [Self; 5] = [
        Self::Reference,
        Self::Scalar,
        Self::Portable,
        Self::Avx2,
        Self::Avx512,
    ];

    /// The kernel's name as options and reports have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::Scalar => "scalar",
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Engine {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        by_name("engine", name, &Self::ALL)
    }
}

impl FromStr for Kernel {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        by_name("kernel", name, &Self::ALL)
    }
}

pub(crate) fn by_name<T: Copy + fmt::Display>(
    what: &'static str,
    name: &str,
    all: &[T],
) -> Result<T, UnknownName> {
    all.iter()
        .copied()
        .find(|item| item.to_string() == name)
        .ok_or_else(|| UnknownName {
            what,
            name: name.to_owned(),
            accepted: list(all),
        })
}

/// Names for an error message: "a, b, c".
fn list<'a, T: fmt::Display + 'a>(items: impl IntoIterator<Item = &'a T>) -> String {
    let names: Vec<_> = items.into_iter().map(ToString::to_string).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for engine in Engine::ALL {
            assert_eq!(engine.name().parse(), Ok(engine));
        }
        for kernel in Kernel::ALL {
            assert_eq!(kernel.name().parse(), Ok(kernel));
        }
    }

    #[test]
    fn a_wrong_name_is_answered_with_the_right_ones() {
        let message = "turbo".parse::<Kernel>().unwrap_err().to_string();
        for kernel in Kernel::ALL {
            assert!(message.contains(kernel.name()), "{message}");
        }
        assert!("turbo".parse::<Engine>().is_err());
    }
}
