//! Reasons for aborting the count of a subproblem.

/// Reason for aborting the count of a subproblem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Interruption {
    /// The count was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// An allocation failed.
    #[error("not enough memory: cannot allocate another {} KiB", asked.div_ceil(1 << 10))]
    OutOfMemory {
        /// Size of the allocation in bytes.
        asked: u64,
    },
}
