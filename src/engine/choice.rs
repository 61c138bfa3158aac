//! Enums for engines, kernels and symmetries, and errors for invalid combinations of them.

use thiserror::Error;

use crate::board::Board;

/// Defines an enum whose variants have lower-case names in options and reports.
macro_rules! named {
    ($(#[$doc:meta])* pub enum $name:ident { $($(#[$of_variant:meta])* $variant:ident,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(strum::Display, strum::EnumString, strum::IntoStaticStr)]
        #[derive(strum::VariantArray, strum::VariantNames)]
        #[cfg_attr(feature = "store", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "store", serde(rename_all = "lowercase"))]
        #[strum(serialize_all = "lowercase")]
        pub enum $name { $($(#[$of_variant])* $variant,)+ }

        impl $name {
            /// Returns the name used in options and reports.
            #[must_use]
            pub fn name(self) -> &'static str {
                self.into()
            }
        }
    };
}

named! {
    /// A counting algorithm. Variants are ordered from slowest to fastest on large boards.
    #[non_exhaustive]
    pub enum Engine {
        /// Backtracking search that fills the board column by column, using bit masks.
        Bitboard,
        /// Algorithm that counts pairs of compatible half-boards, joined at the centre line.
        Join,
    }
}

named! {
    /// An implementation of an engine's inner loop for one instruction set.
    #[non_exhaustive]
    pub enum Kernel {
        /// Plain recursion. All other kernels are tested and benchmarked against it.
        Reference,
        /// Scalar code that processes one state at a time, without data-dependent branches.
        Scalar,
        /// Portable code that works on small arrays. The compiler vectorizes it for the target.
        Portable,
        /// NEON on 64-bit ARM.
        Neon,
        /// AVX2.
        Avx2,
        /// AVX-512.
        Avx512,
    }
}

named! {
    /// Symmetry that the `bitboard` engine exploits to search for only one of several equivalent
    /// solutions.
    pub enum Symmetry {
        /// No symmetry: the engine finds every solution. This works for any board.
        None,
        /// Top-to-bottom reflection: the engine finds one solution of each mirror-image pair. The
        /// board must have this symmetry.
        Mirror,
        /// All rotations and reflections: the engine finds about one in eight solutions. The board
        /// must have all of these symmetries and must not be a torus.
        Eightfold,
        /// Vertical shifts and reflection: the engine finds one in 2N solutions. The board must be
        /// an empty torus.
        Translation,
    }
}

impl Symmetry {
    /// Returns the default symmetry for a board. On a symmetric board with blocked squares, more
    /// symmetry could be used. But totals of such boards are verified by counting their symmetric
    /// solutions, and this detects fewer errors if the count itself uses more symmetry.
    pub(super) fn of(board: &Board) -> Self {
        if board.is_standard() {
            Self::Eightfold
        } else if Self::Translation.fits(board) {
            Self::Translation
        } else if board.is_mirror_symmetric() {
            Self::Mirror
        } else {
            Self::None
        }
    }

    /// Whether a board has this symmetry.
    pub(super) fn fits(self, board: &Board) -> bool {
        match self {
            Self::None => true,
            Self::Mirror => board.is_mirror_symmetric(),
            Self::Eightfold => board.has_all_symmetries() && !board.is_torus(),
            Self::Translation => board.is_torus() && !board.has_constraints(),
        }
    }

    /// Whether to keep subproblems whose first queens are in the given rows. Otherwise, their
    /// images under the symmetry are counted instead. A single queen in the middle row is its own
    /// mirror image and is kept.
    pub(super) fn keeps(self, n: u32, rows: &[u8]) -> bool {
        match (self, rows) {
            (Self::None, _) | (_, []) => true,
            (Self::Translation, [a, rest @ ..]) => {
                *a == 0 && rest.first().is_none_or(|b| 2 * u32::from(*b) < n)
            }
            (Self::Mirror | Self::Eightfold, [a, rest @ ..]) => {
                let middle = 2 * u32::from(*a) + 1;
                middle < n || (middle == n && rest.first().is_none_or(|b| b < a))
            }
        }
    }
}

/// A request that an engine cannot fulfil.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The engine has no such kernel.
    #[error("engine {engine} has no kernel '{kernel}' (accepted: {accepted})")]
    NoSuchKernel {
        /// The engine.
        engine: Engine,
        /// The requested kernel.
        kernel: Kernel,
        /// The engine's kernels.
        accepted: String,
    },
    /// The CPU does not support the kernel's instructions.
    #[error("this CPU cannot run kernel '{kernel}' (accepted: {accepted})")]
    Unavailable {
        /// The requested kernel.
        kernel: Kernel,
        /// The engine's kernels that the CPU can run.
        accepted: String,
    },
    /// The board is a torus, which the kernel cannot count.
    #[error("kernel '{kernel}' cannot count a torus (accepted: {})", Kernel::Reference)]
    Torus {
        /// The requested kernel.
        kernel: Kernel,
    },
    /// The board does not have the requested symmetry.
    #[error(
        "the board does not have symmetry '{symmetry}' (accepted: none, or one that keeps its blocked squares and preplaced queens)"
    )]
    Symmetry {
        /// The requested symmetry.
        symmetry: Symmetry,
    },
    /// The engine offers no choice of symmetry.
    #[error("engine {engine} always uses its own symmetry (only engine bitboard offers a choice)")]
    NoSymmetry {
        /// The engine.
        engine: Engine,
    },
    /// The engine does not support this kind of board.
    #[error("engine {engine} cannot count {board} (accepted: {accepted})")]
    Board {
        /// The engine.
        engine: Engine,
        /// The kind of board.
        board: &'static str,
        /// The boards that the engine supports.
        accepted: &'static str,
    },
    /// The engine does not support this board size.
    #[error("engine {engine} cannot count N = {n} (accepted: {least} to {most})")]
    Size {
        /// The engine.
        engine: Engine,
        /// Board size.
        n: u32,
        /// The smallest supported size.
        least: u32,
        /// The largest supported size.
        most: u32,
    },
    /// The engine collects no statistics.
    #[error("engine {engine} keeps no statistics (engine join does)")]
    NoStatistics {
        /// The engine.
        engine: Engine,
    },
}
