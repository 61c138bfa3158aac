//! Harley-Seal population count. Carry-save adders combine the vectors, so that only one in eight
//! needs a population count. See Warren, Hacker's Delight, 2nd edition, 2013, section 5-1, and
//! Mula, Kurz and Lemire, Faster Population Counts Using AVX2 Instructions, 2018,
//! <https://arxiv.org/abs/1611.07612>.

use super::{BitSum, Bits512, Row};

/// A vector of 512 bits, for instruction sets that have no vector population count.
pub(crate) trait CarrySaveBits: Bits512 {
    /// `self | other`
    fn or(self, other: Self) -> Self;
    /// `self ^ other`
    fn xor(self, other: Self) -> Self;
    /// Returns the population count.
    #[inline(always)]
    fn count(self) -> u64 {
        let mut row = Row::EMPTY;
        self.store(&mut row);
        row.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }
}

/// Running sum: carries in units of one, two and four, and counts in units of eight.
#[derive(Clone, Copy)]
pub(crate) struct CarrySave<B: CarrySaveBits> {
    ones: B,
    twos: B,
    fours: B,
    eights: u64,
}

/// Adds three vectors bit by bit and returns (sum, carry).
#[inline(always)]
fn add3<B: CarrySaveBits>(a: B, b: B, c: B) -> (B, B) {
    let ab = a.xor(b);
    (ab.xor(c), a.and(b).or(ab.and(c)))
}

impl<B: CarrySaveBits> BitSum<B> for CarrySave<B> {
    #[inline(always)]
    fn new(zero: B) -> Self {
        Self { ones: zero, twos: zero, fours: zero, eights: 0 }
    }

    #[inline(always)]
    fn add(self, b: [B; 8]) -> Self {
        let (ones, two_a) = add3(self.ones, b[0], b[1]);
        let (ones, two_b) = add3(ones, b[2], b[3]);
        let (twos, four_a) = add3(self.twos, two_a, two_b);
        let (ones, two_a) = add3(ones, b[4], b[5]);
        let (ones, two_b) = add3(ones, b[6], b[7]);
        let (twos, four_b) = add3(twos, two_a, two_b);
        let (fours, eights) = add3(self.fours, four_a, four_b);
        Self { ones, twos, fours, eights: self.eights + eights.count() }
    }

    #[inline(always)]
    fn total(self) -> u64 {
        8 * self.eights + 4 * self.fours.count() + 2 * self.twos.count() + self.ones.count()
    }
}
