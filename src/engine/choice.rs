//! Enums for engines, kernels and symmetries, and errors for invalid combinations of them.

use thiserror::Error;

named_enum! {
    /// A counting algorithm. Variants are ordered from slowest to fastest on large boards.
    #[derive(PartialOrd, Ord, Hash)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
    #[non_exhaustive]
    pub enum Engine {
        /// Backtracking search that fills the board column by column, using bit masks.
        Bitboard = "bitboard",
        /// Algorithm that counts pairs of compatible half-boards, joined at the centre line.
        Join = "join",
    }
}

named_enum! {
    /// An implementation of an engine's inner loop for one instruction set.
    #[derive(PartialOrd, Ord, Hash)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
    #[non_exhaustive]
    pub enum Kernel {
        /// Plain recursion. All other kernels are tested and benchmarked against it.
        Reference = "reference",
        /// Scalar code that processes one state at a time, without data-dependent branches.
        Scalar = "scalar",
        /// Portable code that works on small arrays. The compiler vectorizes it for the target.
        Portable = "portable",
        /// NEON on 64-bit ARM.
        Neon = "neon",
        /// WebAssembly with 128-bit vectors.
        Wasm = "wasm",
        /// AVX2.
        Avx2 = "avx2",
        /// AVX-512 with the extensions of Ice Lake, Zen 4 and later.
        Avx512 = "avx512",
    }
}

named_enum! {
    /// Symmetry that the `bitboard` engine exploits to search for only one of several equivalent
    /// solutions.
    #[derive(PartialOrd, Ord, Hash)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
    #[non_exhaustive]
    pub enum Symmetry {
        /// No symmetry: the engine finds every solution. This works for any board.
        None = "none",
        /// Top-to-bottom reflection: the engine finds one solution of each mirror-image pair. The
        /// board must have this symmetry.
        Mirror = "mirror",
        /// All rotations and reflections: the engine finds about one in eight solutions. The board
        /// must have all of these symmetries.
        Eightfold = "eightfold",
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
        /// The engine's kernels that this CPU can run.
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
    #[error("engine {engine} cannot count N = {n} (accepted: {min} to {max})")]
    Size {
        /// The engine.
        engine: Engine,
        /// Board size.
        n: u32,
        /// The smallest supported size.
        min: u32,
        /// The largest supported size.
        max: u32,
    },
}
