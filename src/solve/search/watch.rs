//! The clock and cancellation, looked at now and then.

use std::time::{Duration, Instant};

use super::step::Limit;
use crate::engine::CancelToken;

/// When to give up.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// Branches taken.
    pub branches: Option<u64>,
    /// Time since the search was made.
    pub time: Option<Duration>,
    /// Cancels the search from elsewhere.
    pub cancel: CancelToken,
}

#[derive(Debug)]
pub(super) struct Watch {
    pub(super) limits: Limits,
    started: Instant,
    /// Calls until the next look.
    patience: u32,
}

/// Steps between two looks, each of one branch or of one column in a propagation. On large boards a step takes longer than a
/// look.
const STEPS_BETWEEN_LOOKS: u32 = 64;

impl Watch {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            started: Instant::now(),
            patience: 0,
        }
    }

    /// Says that a step is about to be taken.
    ///
    /// # Errors
    ///
    /// That time is up or the search was cancelled.
    #[inline]
    pub(super) fn look(&mut self) -> Result<(), Limit> {
        if self.patience > 0 {
            self.patience -= 1;
            return Ok(());
        }
        self.patience = STEPS_BETWEEN_LOOKS;
        let is_late = |most| self.started.elapsed() >= most;
        if self.limits.cancel.is_cancelled() {
            Err(Limit::Cancelled)
        } else if self.limits.time.is_some_and(is_late) {
            Err(Limit::Time)
        } else {
            Ok(())
        }
    }
}
