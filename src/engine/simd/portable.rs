//! Vectors implemented as small arrays. The compiler turns their operations into vector
//! instructions of the target.

use super::carry_save::{CarrySave, CarrySaveBits};
use super::{Aligned, Bits512, InstructionSet, LaneMask, Row, U32s};

/// Instruction set that uses arrays as vectors, for any target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrays<const LANES: usize>;

// SAFETY: arrays require no CPU features.
unsafe impl<const LANES: usize> InstructionSet for Arrays<LANES> {
    type Words = ArrayU32s<LANES>;
    type Bits = ArrayBits;
}

/// A vector of words, implemented as an array. In a lane mask, as in the result of a vector
/// comparison, a word is all ones if its lane is set and zero otherwise.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArrayU32s<const LANES: usize>([u32; LANES]);

#[inline(always)]
fn map<const N: usize>(a: [u32; N], f: impl Fn(u32) -> u32) -> [u32; N] {
    let mut out = [0; N];
    for (out, a) in out.iter_mut().zip(a) {
        *out = f(a);
    }
    out
}

#[inline(always)]
fn zip<const N: usize>(a: [u32; N], b: [u32; N], f: impl Fn(u32, u32) -> u32) -> [u32; N] {
    let mut out = [0; N];
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        *out = f(a, b);
    }
    out
}

#[inline(always)]
fn all_ones_if(is: bool) -> u32 {
    u32::from(is).wrapping_neg()
}

impl<const LANES: usize> LaneMask for ArrayU32s<LANES> {
    inlined! {
        fn and(self, other: Self) -> Self { Self(zip(self.0, other.0, |a, b| a & b)) }

        // Each set lane is -1.
        fn count(self) -> u32 {
            let sum = self.0.iter().fold(0u32, |sum, &lane| sum.wrapping_add(lane));
            sum.wrapping_neg()
        }
    }
}

// SAFETY: this is an array of words.
unsafe impl<const LANES: usize> U32s for ArrayU32s<LANES> {
    const LANES: usize = LANES;
    type Mask = Self;

    inlined! {
        fn splat(_: impl InstructionSet<Words = Self>, word: u32) -> Self { Self([word; LANES]) }

        fn first(_: impl InstructionSet<Words = Self>, n: usize) -> Self {
            let mut mask = [0; LANES];
            for (lane, mask) in mask.iter_mut().enumerate() {
                *mask = all_ones_if(lane < n);
            }
            Self(mask)
        }
    }

    #[inline(always)]
    unsafe fn compress_store<const K: usize>(
        vectors: [Self; K],
        keep: Self,
        to: [*mut u32; K],
    ) -> usize {
        // Lanes that are not kept are written too, but `kept` does not advance, so the next lane
        // overwrites them.
        let mut kept = 0;
        for lane in 0..LANES {
            for k in 0..K {
                // SAFETY: `kept` <= `lane` < LANES, and the caller guarantees that LANES words may
                // be overwritten.
                unsafe { to[k].add(kept).write(vectors[k].0[lane]) };
            }
            kept += (keep.0[lane] & 1) as usize;
        }
        // This equals `kept`, but is available earlier.
        keep.count() as usize
    }

    inlined! {
        fn and(self, other: Self) -> Self { Self(zip(self.0, other.0, |a, b| a & b)) }

        fn or(self, other: Self) -> Self { Self(zip(self.0, other.0, |a, b| a | b)) }

        fn and_not(self, other: Self) -> Self { Self(zip(self.0, other.0, |a, b| a & !b)) }

        fn shl1(self) -> Self { Self(map(self.0, |a| a << 1)) }

        fn shr1(self) -> Self { Self(map(self.0, |a| a >> 1)) }

        fn clear_lowest(self) -> Self { Self(map(self.0, |a| a & a.wrapping_sub(1))) }

        fn is_zero(self) -> Self { Self(map(self.0, |a| all_ones_if(a == 0))) }

        fn not_zero(self) -> Self { Self(map(self.0, |a| all_ones_if(a != 0))) }

        fn and_where(self, mask: Self, other: Self) -> Self {
            let other = zip(other.0, mask.0, |other, mask| other | !mask);
            Self(zip(self.0, other, |a, other| a & other))
        }
    }
}

/// A vector of 512 bits, implemented as eight words. Its alignment allows its use as a memory
/// operand.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(crate) struct ArrayBits([u64; 8]);

impl ArrayBits {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        // This is a plain loop because the compiler does not inline iterators in functions as large
        // as a kernel.
        let mut out = [0; 8];
        let mut i = 0;
        while i < 8 {
            out[i] = f(self.0[i], other.0[i]);
            i += 1;
        }
        Self(out)
    }
}

// SAFETY: this is an array of eight words, like a row.
unsafe impl Bits512 for ArrayBits {
    type Sum = CarrySave<Self>;

    inlined! {
        fn and(self, other: Self) -> Self { self.zip(other, |a, b| a & b) }
    }
}

impl CarrySaveBits for ArrayBits {
    inlined! {
        fn or(self, other: Self) -> Self { self.zip(other, |a, b| a | b) }

        fn xor(self, other: Self) -> Self { self.zip(other, |a, b| a ^ b) }

        fn count(self, sums: Self) -> Self {
            self.zip(sums, |word, sum| sum + u64::from(word.count_ones()))
        }
    }
}

/// Computes bit planes: see [`Bits512::planes`].
#[inline(always)]
pub(super) fn planes(words: &[Aligned<[u32; 16]>; 32], planes: &mut [Row; 32]) {
    for (group, [a, b, c, d]) in words.as_chunks().0.iter().enumerate() {
        // Store two 32 x 32 bit matrices side by side, in the low and the high halves of the rows.
        let mut rows = [0; 32];
        for i in 0..16 {
            rows[i] = !(u64::from(a.0[i]) | u64::from(c.0[i]) << 32);
            rows[i + 16] = !(u64::from(b.0[i]) | u64::from(d.0[i]) << 32);
        }
        transpose_pairs(&mut rows);
        for (plane, row) in planes.iter_mut().zip(rows) {
            plane.0[group] = row;
        }
    }
}

/// Transposes two 32 x 32 bit matrices, one in the low halves and one in the high halves of the
/// rows.
#[inline(always)]
fn transpose_pairs(rows: &mut [u64; 32]) {
    let mut step = 16;
    let mut mask = 0x0000_ffff_0000_ffff_u64;
    while step > 0 {
        let mut i = 0;
        while i < 32 {
            for j in i..i + step {
                let swap = ((rows[j] >> step) ^ rows[j + step]) & mask;
                rows[j] ^= swap << step;
                rows[j + step] ^= swap;
            }
            i += 2 * step;
        }
        step /= 2;
        mask ^= mask << step;
    }
}
