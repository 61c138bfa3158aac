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
    /// Adds the population count to `sums`, a vector of 64-bit words that add up to a count.
    fn count(self, sums: Self) -> Self;
}

/// Running sum: carries in units of one, two and four, and words that add up to a count in units of
/// eight.
#[derive(Clone, Copy)]
pub(crate) struct CarrySave<B: CarrySaveBits> {
    ones: B,
    twos: B,
    fours: B,
    eights: B,
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
        Self { ones: zero, twos: zero, fours: zero, eights: zero }
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
        Self { ones, twos, fours, eights: eights.count(self.eights) }
    }

    #[inline(always)]
    fn total(self) -> u64 {
        let words = |bits: B| {
            let mut row = Row::EMPTY;
            bits.store(&mut row);
            row.0.into_iter()
        };
        let ones = |bits| words(bits).map(|word| u64::from(word.count_ones())).sum::<u64>();
        8 * words(self.eights).sum::<u64>()
            + 4 * ones(self.fours)
            + 2 * ones(self.twos)
            + ones(self.ones)
    }
}
