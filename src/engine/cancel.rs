//! Cooperative cancellation.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::interruption::Interruption;

/// A flag that cancels a count. All clones share the same flag.
///
/// ```
/// use queens::{CancelToken, CountError, Counter};
///
/// let cancel = CancelToken::new();
/// cancel.cancel();
/// let stopped = Counter::new(20)?.prepare()?.cancel_with(cancel).run();
/// assert!(matches!(stopped, Err(CountError::Cancelled)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// Creates a token that has not been cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels every count that uses this token or a clone of it. This cannot be undone.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the token has been cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Returns an error if the token has been cancelled.
    pub(crate) fn check(&self) -> Result<(), Interruption> {
        if self.is_cancelled() { Err(Interruption::Cancelled) } else { Ok(()) }
    }
}

/// Guard that cancels a token when it is dropped, including during a panic.
pub(crate) struct CancelOnDrop<'a>(pub(crate) &'a CancelToken);

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
