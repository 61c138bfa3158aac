//! The order to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Tells a count to stop; clones share the order.
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
    /// A token that has not been cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Orders everything that holds a clone to stop. It cannot be taken back.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the order has been given.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Cancels a token when it is dropped, also while a panic unwinds.
pub(crate) struct CancelOnDrop<'a>(pub(crate) &'a CancelToken);

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
