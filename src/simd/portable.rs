//! Small arrays, written so that the compiler turns each operation into the vector instructions of the target.

use super::{LaneMask, U32s};

/// Words in a [`Words`]. Eight fill two SSE2 or NEON registers.
const LANES: usize = 8;

/// Eight words.
#[derive(Clone, Copy, Debug)]
pub struct Words([u32; LANES]);

/// All bits of a word set where the lane is, none where it is not: what vector comparisons give.
#[derive(Clone, Copy, Debug)]
pub struct WordMask([u32; LANES]);

#[inline(always)]
fn map(a: [u32; LANES], f: impl Fn(u32) -> u32) -> [u32; LANES] {
    let mut out = [0; LANES];
    for (out, a) in out.iter_mut().zip(a) {
        *out = f(a);
    }
    out
}

#[inline(always)]
fn zip(a: [u32; LANES], b: [u32; LANES], f: impl Fn(u32, u32) -> u32) -> [u32; LANES] {
    let mut out = [0; LANES];
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        *out = f(a, b);
    }
    out
}

#[inline(always)]
fn verdict(is: bool) -> u32 {
    u32::from(is).wrapping_neg()
}

impl LaneMask for WordMask {
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        WordMask(zip(self.0, other.0, |a, b| a & b))
    }
    #[inline(always)]
    fn count(self) -> u32 {
        // Each set lane is -1.
        self.0
            .iter()
            .fold(0u32, |sum, &lane| sum.wrapping_add(lane))
            .wrapping_neg()
    }
}

impl U32s for Words {
    const LANES: usize = LANES;
    type Mask = WordMask;

    #[inline(always)]
    unsafe fn splat(word: u32) -> Self {
        Words([word; LANES])
    }
    #[inline(always)]
    unsafe fn load(from: *const u32) -> Self {
        // SAFETY: eight words are readable, by the caller's promise, and an array of words has a word's alignment.
        Words(unsafe { from.cast::<[u32; LANES]>().read() })
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Words(zip(self.0, other.0, |a, b| a & b))
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Words(zip(self.0, other.0, |a, b| a | b))
    }
    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        Words(zip(self.0, other.0, |a, b| a & !b))
    }
    #[inline(always)]
    fn shl1(self) -> Self {
        Words(map(self.0, |a| a << 1))
    }
    #[inline(always)]
    fn shr1(self) -> Self {
        Words(map(self.0, |a| a >> 1))
    }
    #[inline(always)]
    fn clear_lowest(self) -> Self {
        Words(map(self.0, |a| a & a.wrapping_sub(1)))
    }
    #[inline(always)]
    fn is_zero(self) -> WordMask {
        WordMask(map(self.0, |a| verdict(a == 0)))
    }
    #[inline(always)]
    fn not_zero(self) -> WordMask {
        WordMask(map(self.0, |a| verdict(a != 0)))
    }
    #[inline(always)]
    fn and_where(self, mask: WordMask, other: Self) -> Self {
        let other = zip(other.0, mask.0, |other, mask| other | !mask);
        Words(zip(self.0, other, |a, other| a & other))
    }
    #[inline(always)]
    unsafe fn compress_store<const K: usize>(
        vectors: [Self; K],
        keep: WordMask,
        to: [*mut u32; K],
    ) {
        let mut kept = 0;
        for lane in 0..LANES {
            for k in 0..K {
                // SAFETY: `kept` <= `lane` < LANES, and the caller allows LANES words to be overwritten.
                unsafe { to[k].add(kept).write(vectors[k].0[lane]) };
            }
            kept += (keep.0[lane] & 1) as usize;
        }
    }
}
