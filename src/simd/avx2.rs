//! AVX2: eight lanes. There is no compress instruction: a table of permutations, one per mask, stands in for it.

use std::arch::x86_64::*;

use super::{LaneMask, U32s};

/// Eight words.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(__m256i);

/// All bits of a word set where the lane is.
#[derive(Clone, Copy, Debug)]
pub struct Avx2Mask(__m256i);

/// For each mask, the lanes that it keeps, in order, a byte each: 2 KiB, where whole permutation vectors would take 8.
static KEPT_LANES: [u64; 256] = kept_lanes();

const fn kept_lanes() -> [u64; 256] {
    let mut table = [0; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut kept) = (0, 0);
        while lane < 8 {
            if mask >> lane & 1 == 1 {
                table[mask] |= (lane as u64) << (8 * kept);
                kept += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
}

impl Avx2Mask {
    /// The verdicts as the low eight bits.
    #[inline(always)]
    fn bits(self) -> u32 {
        // SAFETY: an `Avx2Mask` is only made from an `Avx2`, which only exists where the CPU has AVX2.
        unsafe { _mm256_movemask_ps(_mm256_castsi256_ps(self.0)) }.cast_unsigned()
    }
}

impl LaneMask for Avx2Mask {
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: as in `bits`.
        Avx2Mask(unsafe { _mm256_and_si256(self.0, other.0) })
    }
    #[inline(always)]
    fn count(self) -> u32 {
        self.bits().count_ones()
    }
}

// SAFETY of every block below, unless it says more: an `Avx2` only exists where the CPU has AVX2, by the contract of
// `splat` and `load`.
impl U32s for Avx2 {
    const LANES: usize = 8;
    type Mask = Avx2Mask;

    #[inline(always)]
    unsafe fn splat(word: u32) -> Self {
        // SAFETY: the CPU has AVX2, by the caller's promise.
        Avx2(unsafe { _mm256_set1_epi32(word.cast_signed()) })
    }
    #[inline(always)]
    unsafe fn load(from: *const u32) -> Self {
        // SAFETY: as for `splat`, and eight words are readable; no alignment is asked for.
        Avx2(unsafe { _mm256_loadu_si256(from.cast()) })
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: see above.
        Avx2(unsafe { _mm256_and_si256(self.0, other.0) })
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: see above.
        Avx2(unsafe { _mm256_or_si256(self.0, other.0) })
    }
    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        // SAFETY: see above. The instruction negates its first operand.
        Avx2(unsafe { _mm256_andnot_si256(other.0, self.0) })
    }
    #[inline(always)]
    fn shl1(self) -> Self {
        // SAFETY: see above.
        Avx2(unsafe { _mm256_add_epi32(self.0, self.0) })
    }
    #[inline(always)]
    fn shr1(self) -> Self {
        // SAFETY: see above.
        Avx2(unsafe { _mm256_srli_epi32::<1>(self.0) })
    }
    #[inline(always)]
    fn clear_lowest(self) -> Self {
        // SAFETY: see above.
        Avx2(unsafe { _mm256_and_si256(self.0, _mm256_add_epi32(self.0, _mm256_set1_epi32(-1))) })
    }
    #[inline(always)]
    fn is_zero(self) -> Avx2Mask {
        // SAFETY: see above.
        Avx2Mask(unsafe { _mm256_cmpeq_epi32(self.0, _mm256_setzero_si256()) })
    }
    #[inline(always)]
    fn not_zero(self) -> Avx2Mask {
        // SAFETY: see above.
        Avx2Mask(unsafe { _mm256_xor_si256(self.is_zero().0, _mm256_set1_epi32(-1)) })
    }
    #[inline(always)]
    fn and_where(self, mask: Avx2Mask, other: Self) -> Self {
        // SAFETY: see above.
        Avx2(unsafe { _mm256_andnot_si256(_mm256_andnot_si256(other.0, mask.0), self.0) })
    }
    #[inline(always)]
    unsafe fn compress_store<const K: usize>(
        vectors: [Self; K],
        keep: Avx2Mask,
        to: [*mut u32; K],
    ) {
        let lanes = KEPT_LANES[keep.bits() as usize];
        // SAFETY: see above.
        let lanes = unsafe { _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(lanes.cast_signed())) };
        for (vector, to) in vectors.into_iter().zip(to) {
            // SAFETY: see above; eight words may be overwritten, by the caller's promise.
            unsafe { _mm256_storeu_si256(to.cast(), _mm256_permutevar8x32_epi32(vector.0, lanes)) };
        }
    }
}
