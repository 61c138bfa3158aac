//! Counters and timings for tuning the engine. A [`Probe`] is called once per block, which has no
//! measurable cost if statistics are off.

use std::time::Duration;

use crate::machine::clock::Instant;

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

/// Records statistics, or does nothing if they are off.
pub(super) struct Probe<'a>(pub(super) Option<&'a mut Stats>);

impl Probe<'_> {
    /// Runs a phase and adds the elapsed time to the statistics.
    #[inline(always)]
    pub(super) fn time<T>(&mut self, phase: Phase, run: impl FnOnce() -> T) -> T {
        let start = self.0.is_some().then(Instant::now);
        let result = run();
        if let Some(start) = start {
            self.record(|stats| stats.seconds[phase as usize] += start.elapsed());
        }
        result
    }

    /// Updates the statistics.
    #[inline(always)]
    pub(super) fn record(&mut self, add: impl FnOnce(&mut Stats)) {
        if let Some(stats) = &mut self.0 {
            add(stats);
        }
    }
}

/// Statistics of the `join` engine.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Stats {
    /// Number of row sets counted.
    pub row_sets: u64,
    /// Number of east half-boards generated.
    pub east: u64,
    /// Number of west half-boards generated.
    pub west: u64,
    /// Number of blocks built.
    pub blocks: u64,
    /// Number of patterns in all blocks.
    pub filled: u64,
    /// Number of patterns tested by filters.
    pub filtered: u64,
    /// Number of visits. Each visit matches one query with one block.
    pub visits: u64,
    /// Number of pairs tested by visits.
    pub pairs: u64,
    /// Number of table look-ups in visits.
    pub lookups: u64,
    /// Size in bytes of the quadrant lists that all row sets share.
    pub list_bytes: u64,
    /// Time spent in each [`Phase`], summed over threads.
    pub(super) seconds: [Duration; 6],
}

impl Stats {
    /// Returns the time spent in a phase, summed over threads.
    #[must_use]
    pub fn time(&self, phase: Phase) -> Duration {
        self.seconds[phase as usize]
    }

    /// Returns the average number of patterns in a block, out of 512.
    #[must_use]
    pub fn fill(&self) -> f64 {
        self.filled as f64 / self.blocks.max(1) as f64
    }

    /// Returns the average number of table look-ups per visit.
    #[must_use]
    pub fn lookups_per_visit(&self) -> f64 {
        self.lookups as f64 / self.visits.max(1) as f64
    }

    /// Adds the counters and times of `other`.
    pub fn merge(&mut self, other: &Self) {
        self.row_sets += other.row_sets;
        self.east += other.east;
        self.west += other.west;
        self.blocks += other.blocks;
        self.filled += other.filled;
        self.filtered += other.filtered;
        self.visits += other.visits;
        self.pairs += other.pairs;
        self.lookups += other.lookups;
        for (mine, theirs) in self.seconds.iter_mut().zip(other.seconds) {
            *mine += theirs;
        }
    }
}
