//! The names of engines, kernels and symmetries, and why some of them cannot be used together.

use thiserror::Error;

use crate::board::Board;

/// Makes an enum whose names, as options and reports have them, are its variants' in small letters.
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
            /// The name as options and reports have it.
            #[must_use]
            pub fn name(self) -> &'static str {
                self.into()
            }
        }
    };
}

named! {
    /// An algorithm that counts. The order is that of preference: of those that suit a board, the last is the fastest.
    #[non_exhaustive]
    pub enum Engine {
        /// Column by column over bitboards.
        Bitboard,
        /// Half-boards joined along the centre line.
        Join,
    }
}

named! {
    /// An engine's inner loop for one instruction set.
    #[non_exhaustive]
    pub enum Kernel {
        /// The plain recursion: the yardstick, and the truth that the others are tested against.
        Reference,
        /// Without vectors: one state at a time, without a branch that depends on it.
        Scalar,
        /// Small arrays that the compiler turns into whatever vectors the target has.
        Portable,
        /// NEON, of 64-bit ARM.
        Neon,
        /// AVX2.
        Avx2,
        /// AVX-512.
        Avx512,
    }
}

named! {
    /// Which images of a solution engine bitboard counts once for all of them.
    pub enum Symmetry {
        /// None: every solution is found by itself. Good for any board.
        None,
        /// Top for bottom: one of two is found. For boards that are their own mirror image.
        Mirror,
        /// All rotations and reflections: about one of eight is found. For boards that each of them leaves as they are.
        Eightfold,
        /// Moves up and down and top for bottom: one of 2N is found. For an empty board whose diagonals wrap around.
        Translation,
    }
}

impl Symmetry {
    /// What is used where nothing is asked for. A board with blocked squares that allows more has its total checked by
    /// its symmetric solutions, which tells less the more symmetry is imposed.
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

    /// Whether a board allows it.
    pub(super) fn fits(self, board: &Board) -> bool {
        match self {
            Self::None => true,
            Self::Mirror => board.is_mirror_symmetric(),
            Self::Eightfold => board.has_all_symmetries() && !board.is_torus(),
            Self::Translation => board.is_torus() && !board.has_constraints(),
        }
    }

    /// Whether subproblems whose first queens are in these rows are counted, not their mirror images. With a single
    /// queen, in the middle row, both are.
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

/// Why an engine cannot do what was asked of it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The engine has no such kernel.
    #[error("engine {engine} has no kernel '{kernel}' (accepted: {accepted})")]
    NoSuchKernel {
        /// The engine.
        engine: Engine,
        /// The kernel asked for.
        kernel: Kernel,
        /// The engine's kernels.
        accepted: String,
    },
    /// The CPU lacks the kernel's instructions.
    #[error("this CPU cannot run kernel '{kernel}' (accepted: {accepted})")]
    Unavailable {
        /// The kernel asked for.
        kernel: Kernel,
        /// The engine's kernels that the CPU can run.
        accepted: String,
    },
    /// The diagonals of the board wrap around, and the kernel's do not.
    #[error(
        "kernel '{kernel}' cannot count a torus (accepted: {})",
        Kernel::Reference
    )]
    Torus {
        /// The kernel asked for.
        kernel: Kernel,
    },
    /// The board lacks the symmetry.
    #[error(
        "the board does not have symmetry '{symmetry}' (accepted: none, or one that keeps its blocked squares and preplaced queens)"
    )]
    Symmetry {
        /// The symmetry asked for.
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
        /// What it counts.
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
    /// The engine keeps no statistics.
    #[error("engine {engine} keeps no statistics (engine join does)")]
    NoStatistics {
        /// The engine.
        engine: Engine,
    },
}
