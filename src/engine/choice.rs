//! Enums for engines, kernels and symmetries, and errors for invalid combinations of them.

use thiserror::Error;

/// Defines an enum whose variants have lower-case names in options and reports.
macro_rules! named {
    ($(#[$doc:meta])* pub enum $name:ident { $($(#[$of_variant:meta])* $variant:ident,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(strum::Display, strum::EnumString, strum::IntoStaticStr)]
        #[derive(strum::VariantArray, strum::VariantNames)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
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
        /// WebAssembly with 128-bit vectors.
        Wasm,
        /// AVX2.
        Avx2,
        /// AVX-512 with the extensions of Ice Lake, Zen 4 and later.
        Avx512,
    }
}

named! {
    /// Symmetry that the `bitboard` engine exploits to search for only one of several equivalent
    /// solutions.
    #[non_exhaustive]
    pub enum Symmetry {
        /// No symmetry: the engine finds every solution. This works for any board.
        None,
        /// Top-to-bottom reflection: the engine finds one solution of each mirror-image pair. The
        /// board must have this symmetry.
        Mirror,
        /// All rotations and reflections: the engine finds about one in eight solutions. The board
        /// must have all of these symmetries.
        Eightfold,
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
}
