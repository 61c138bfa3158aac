//! Settings of the engines.

use super::cancel::CancelToken;
use super::choice::Kernel;
use super::simd::Isa;

/// Settings for a count. None of them changes the result.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    /// Kernel to run.
    pub(crate) kernel: Kernel,
    /// Instruction set of the kernel.
    pub(crate) isa: Isa,
    /// Number of counting threads.
    pub(crate) threads: usize,
    /// Approximate memory limit in bytes.
    pub(crate) memory: u64,
    /// Token that cancels the count.
    pub(crate) cancel: CancelToken,
}

impl Options {
    /// Creates options with no memory limit and without any optional features, for a kernel and its
    /// instruction set.
    pub(crate) fn new((kernel, isa): (Kernel, Isa), threads: usize) -> Self {
        Self { kernel, isa, threads, memory: u64::MAX, cancel: CancelToken::new() }
    }
}
