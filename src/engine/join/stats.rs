//! Counters of work and times of phases, for tuning the engine. Without the feature `stats`, the
//! functions that record them compile to nothing.
#![cfg_attr(not(feature = "stats"), allow(unreachable_pub, dead_code, reason = "not exported"))]

use std::cell::RefCell;
use std::time::Duration;

use crate::machine::clock::Instant;

/// Whether work is recorded.
const IS_ON: bool = cfg!(any(test, feature = "stats"));

thread_local! {
    static STATS: RefCell<Stats> = RefCell::default();
}

/// Returns the statistics of the counts that this thread has made since the last call.
#[must_use]
pub fn take_stats() -> Stats {
    STATS.take()
}

/// Records the time of a phase until it is dropped.
pub(super) struct Timer(Phase, Option<Instant>);

/// Starts a phase.
#[inline(always)]
pub(super) fn time(phase: Phase) -> Timer {
    Timer(phase, IS_ON.then(Instant::now))
}

impl Drop for Timer {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(start) = self.1 {
            record(|stats| stats.seconds[self.0 as usize] += start.elapsed());
        }
    }
}

/// Updates the statistics of this thread.
#[inline(always)]
pub(super) fn record(add: impl FnOnce(&mut Stats)) {
    if IS_ON {
        STATS.with_borrow_mut(add);
    }
}

/// A step of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// Building quadrant lists.
    Lists,
    /// Joining quadrants into half-boards.
    Generate,
    /// Sorting and partitioning half-boards.
    Sort,
    /// Filtering half-boards.
    Filter,
    /// Building the look-up tables of blocks.
    Build,
    /// Matching queries with blocks.
    Scan,
}

/// Statistics of the `join` engine.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Stats {
    /// Number of row sets counted.
    pub row_sets: u64,
    /// Number of east half-boards generated.
    pub east: u64,
    /// Number of west half-boards generated.
    pub west: u64,
    /// Number of censuses, each of both sides of a node.
    pub censuses: u64,
    /// Number of blocks built.
    pub blocks: u64,
    /// Number of patterns in all blocks, each of which has space for 512.
    pub filled: u64,
    /// Number of patterns tested by filters.
    pub filtered: u64,
    /// Number of visits. Each visit matches one query with one block.
    pub visits: u64,
    /// Number of pairs tested by visits.
    pub pairs: u64,
    /// Number of table look-ups in visits.
    pub lookups: u64,
    /// Time spent in each [`Phase`].
    pub seconds: [Duration; 6],
}
