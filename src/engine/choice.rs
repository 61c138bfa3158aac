//! Names of engines, kernels and symmetries, and errors for invalid combinations.

use thiserror::Error;

use crate::board::Board;

/// Defines an enum whose variants are named in lower case in options and reports.
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
    /// An algorithm that counts. Variants are ordered by speed: the last one that suits a board is the fastest.
    #[non_exhaustive]
    pub enum Engine {
        /// Backtracking, column by column, over bitboards.
        Bitboard,
        /// Joining of half-boards along the centre line.
        Join,
    }
}

named! {
    /// An engine's inner loop for one instruction set.
    #[non_exhaustive]
    pub enum Kernel {
        /// Plain recursion, the reference for the tests and benchmarks of all other kernels.
        Reference,
        /// One state at a time, without vectors and without data-dependent branches.
        Scalar,
        /// Small arrays that the compiler vectorizes for the target.
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
    /// Symmetry that the `bitboard` engine uses to find only one of several equivalent solutions.
    pub enum Symmetry {
        /// Finds every solution. Works for any board.
        None,
        /// Finds one of two solutions that are reflections of each other, top to bottom. The board must have this
        /// symmetry.
        Mirror,
        /// Finds about one of eight solutions, up to rotation and reflection. The board must have all of these
        /// symmetries.
        Eightfold,
        /// Finds one of 2N solutions, up to vertical shifts and reflection. The board must be an empty torus.
        Translation,
    }
}

impl Symmetry {
    /// Returns the default symmetry for a board. A symmetric board with blocked squares could use more than this, but
    /// its total is verified by its symmetric solutions, which detects fewer errors the more symmetry the count uses.
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

    /// Whether subproblems with their first queens in these rows are counted rather than their mirror images. A single
    /// queen in the middle row is its own mirror image and is counted.
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
    /// The CPU lacks the kernel's instructions.
    #[error("this CPU cannot run kernel '{kernel}' (accepted: {accepted})")]
    Unavailable {
        /// The requested kernel.
        kernel: Kernel,
        /// The engine's kernels that the CPU can run.
        accepted: String,
    },
    /// The board is a torus, which the kernel cannot count.
    #[error(
        "kernel '{kernel}' cannot count a torus (accepted: {})",
        Kernel::Reference
    )]
    Torus {
        /// The requested kernel.
        kernel: Kernel,
    },
    /// The board lacks the symmetry.
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
    /// The engine does not count boards of this kind.
    #[error("engine {engine} cannot count {board} (accepted: {accepted})")]
    Board {
        /// The engine.
        engine: Engine,
        /// The kind of board.
        board: &'static str,
        /// The boards that it counts.
        accepted: &'static str,
    },
    /// The engine does not count boards of this size.
    #[error("engine {engine} cannot count N = {n} (accepted: {least} to {most})")]
    Size {
        /// The engine.
        engine: Engine,
        /// Board size.
        n: u32,
        /// The smallest size that it counts.
        least: u32,
        /// The largest.
        most: u32,
    },
    /// The engine collects no statistics.
    #[error("engine {engine} keeps no statistics (engine join does)")]
    NoStatistics {
        /// The engine.
        engine: Engine,
    },
}
