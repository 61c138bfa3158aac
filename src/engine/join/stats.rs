//! What the engine did, counted and timed: for tuning. A [`Probe`] is asked for every block, which is seldom enough to
//! cost nothing where nothing is recorded.

use std::time::{Duration, Instant};

/// A step of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Making quadrant lists.
    Lists,
    /// Joining quadrants to half-boards.
    Generate,
    /// Sorting half-boards.
    Sort,
    /// Filtering west half-boards for a block.
    Filter,
    /// Building the look-up tables of blocks.
    Build,
    /// Scanning west half-boards.
    Scan,
}

/// Where the engine records what it does: in statistics, or nowhere.
pub(super) struct Probe<'a>(pub(super) Option<&'a mut Stats>);

impl Probe<'_> {
    /// Runs a phase, and adds up its time where statistics are kept.
    #[inline(always)]
    pub(super) fn time<T>(&mut self, phase: Phase, run: impl FnOnce() -> T) -> T {
        let start = self.0.is_some().then(Instant::now);
        let result = run();
        if let Some(start) = start {
            self.record(|stats| stats.seconds[phase as usize] += start.elapsed());
        }
        result
    }

    /// Records figures.
    #[inline(always)]
    pub(super) fn record(&mut self, add: impl FnOnce(&mut Stats)) {
        if let Some(stats) = &mut self.0 {
            add(stats);
        }
    }
}

/// Figures of the work done.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Stats {
    /// Row sets counted.
    pub row_sets: u64,
    /// Half-boards generated in the east.
    pub east: u64,
    /// Half-boards generated in the west.
    pub west: u64,
    /// Blocks built.
    pub blocks: u64,
    /// Patterns in blocks; the fill is this over 512 for each block.
    pub filled: u64,
    /// West patterns looked at by filters.
    pub filtered: u64,
    /// West patterns against blocks.
    pub visits: u64,
    /// Pairs that these stand for.
    pub pairs: u64,
    /// Table look-ups of visits.
    pub lookups: u64,
    /// Solutions that pairs stand for, by the weight class of their west half-boards.
    pub(super) solutions: [u128; 3],
    /// Bytes that the quadrant lists take which are kept for all row sets.
    pub list_bytes: u64,
    /// Time in each [`Phase`], all threads together.
    pub(super) seconds: [Duration; 6],
}

impl Stats {
    /// Time in a phase, all threads together.
    #[must_use]
    pub fn time(&self, phase: Phase) -> Duration {
        self.seconds[phase as usize]
    }

    /// Patterns in a block on average, of 512.
    #[must_use]
    pub fn fill(&self) -> f64 {
        self.filled as f64 / self.blocks.max(1) as f64
    }

    /// Table look-ups of a visit on average.
    #[must_use]
    pub fn lookups_per_visit(&self) -> f64 {
        self.lookups as f64 / self.visits.max(1) as f64
    }

    /// Adds the figures of some row sets.
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
        for (mine, theirs) in self.solutions.iter_mut().zip(other.solutions) {
            *mine += theirs;
        }
        for (mine, theirs) in self.seconds.iter_mut().zip(other.seconds) {
            *mine += theirs;
        }
    }
}
