//! How much memory a count takes, and how it is cut to fit.

use super::half::Share;

/// What is kept, and into how many parts row sets are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    /// The lists of sets of so many of a quadrant's first rows are kept.
    pub(super) kept_rows: usize,
    /// Parts of the east and of the west half-boards.
    pub(super) east: usize,
    pub(super) west: usize,
}

impl Shape {
    /// The shape for counting N with some threads.
    pub(super) fn new(n: usize) -> Self {
        let env = |name: &str, or: usize| std::env::var(name).ok().and_then(|s| s.parse().ok()).unwrap_or(or);
        Self { kept_rows: env("KEPT", if n <= 20 { 16 } else { 7 }), east: env("EAST", 1), west: env("WEST", 1) }
    }

    /// Parts of a row set.
    pub(super) fn parts(self) -> usize {
        self.east * self.west
    }

    /// The shares of the east and the west half-boards that make a part.
    pub(super) fn shares(self, part: usize) -> (Share, Share) {
        let Self { east, west, .. } = self;
        let share = |part, parts| Share { part, parts };
        (share(part / west, east), share(part % west, west))
    }
}
