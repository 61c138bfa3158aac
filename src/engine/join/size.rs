//! How much memory a count takes, and how it is cut to fit.

use super::half::Wanted;
use super::pairs::Prefix;

/// What is kept, and into how many parts row sets are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    /// The lists of sets of so many of a quadrant's first rows are kept.
    pub(super) kept_rows: usize,
    /// Shares of the east half-boards.
    shares: usize,
    /// Classes of the west half-boards are parts that agree on so many bits.
    class_bits: usize,
    /// West half-boards that may be there at a time; none where it makes no difference.
    most: Option<usize>,
    /// Bits of the high word, of which classes are made.
    high_bits: usize,
}

impl Shape {
    /// The shape for counting N with some threads.
    pub(super) fn new(n: usize, high_bits: u32) -> Self {
        let env = |name: &str, or: usize| {
            std::env::var(name)
                .ok()
                .and_then(|s| s.parse().ok())
                .unwrap_or(or)
        };
        Self {
            kept_rows: env("KEPT", if n <= 20 { 16 } else { 7 }),
            shares: env("EAST", 1),
            class_bits: env("CLASS", 0),
            most: (n >= 23).then(|| env("MOST", 1 << 20)),
            high_bits: high_bits as usize,
        }
    }

    /// Parts of a row set.
    pub(super) fn parts(self) -> usize {
        self.shares << self.class_bits
    }

    /// The share of the east half-boards and the class of the west ones that make a part.
    pub(super) fn part(self, part: usize) -> (Wanted, Prefix) {
        let (bits, class) = (self.class_bits, part % (1 << self.class_bits));
        (
            Wanted::share(part >> bits, self.shares),
            Prefix { class, bits },
        )
    }

    /// Whether all half-boards of a row set are there at a time.
    pub(super) fn holds_all(self) -> bool {
        self.most.is_none()
    }

    /// On how many bits the west half-boards should agree that are there at a time, if there are so many in all.
    ///
    /// Those that lack the bits are most. About a quarter of all have a bit.
    pub(super) fn prefix_bits(self, west: usize) -> usize {
        let Some(most) = self.most else { return 0 };
        let (mut bits, mut left) = (
            self.class_bits,
            west as f64 * 0.75f64.powi(self.class_bits as i32),
        );
        while left > most as f64 && bits < self.high_bits {
            bits += 1;
            left *= 0.75;
        }
        bits
    }
}
