//! AVX-512 F: sixteen lanes, verdicts in mask registers, a compress instruction.

use std::arch::x86_64::*;

use super::{LaneMask, U32s};

/// Sixteen words.
#[derive(Clone, Copy, Debug)]
pub struct Avx512(__m512i);

impl LaneMask for __mmask16 {
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self & other
    }
    #[inline(always)]
    fn count(self) -> u32 {
        self.count_ones()
    }
}

// SAFETY of every block below, unless it says more: an `Avx512` only exists where the CPU has AVX-512 F, by the
// contract of `splat` and `load`.
impl U32s for Avx512 {
    const LANES: usize = 16;
    type Mask = __mmask16;

    #[inline(always)]
    unsafe fn splat(word: u32) -> Self {
        // SAFETY: the CPU has AVX-512 F, by the caller's promise.
        Avx512(unsafe { _mm512_set1_epi32(word.cast_signed()) })
    }
    #[inline(always)]
    unsafe fn load(from: *const u32) -> Self {
        // SAFETY: as for `splat`, and sixteen words are readable; no alignment is asked for.
        Avx512(unsafe { _mm512_loadu_si512(from.cast()) })
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: see above.
        Avx512(unsafe { _mm512_and_si512(self.0, other.0) })
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: see above.
        Avx512(unsafe { _mm512_or_si512(self.0, other.0) })
    }
    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        // SAFETY: see above. The instruction negates its first operand.
        Avx512(unsafe { _mm512_andnot_si512(other.0, self.0) })
    }
    #[inline(always)]
    fn shl1(self) -> Self {
        // SAFETY: see above.
        Avx512(unsafe { _mm512_slli_epi32::<1>(self.0) })
    }
    #[inline(always)]
    fn shr1(self) -> Self {
        // SAFETY: see above.
        Avx512(unsafe { _mm512_srli_epi32::<1>(self.0) })
    }
    #[inline(always)]
    fn clear_lowest(self) -> Self {
        // SAFETY: see above.
        Avx512(unsafe { _mm512_and_si512(self.0, _mm512_add_epi32(self.0, _mm512_set1_epi32(-1))) })
    }
    #[inline(always)]
    fn is_zero(self) -> __mmask16 {
        // SAFETY: see above.
        unsafe { _mm512_testn_epi32_mask(self.0, self.0) }
    }
    #[inline(always)]
    fn not_zero(self) -> __mmask16 {
        // SAFETY: see above.
        unsafe { _mm512_test_epi32_mask(self.0, self.0) }
    }
    #[inline(always)]
    fn and_where(self, mask: __mmask16, other: Self) -> Self {
        // SAFETY: see above.
        Avx512(unsafe { _mm512_mask_and_epi32(self.0, mask, self.0, other.0) })
    }
    #[inline(always)]
    unsafe fn compress_store<const K: usize>(
        vectors: [Self; K],
        keep: __mmask16,
        to: [*mut u32; K],
    ) {
        for (vector, to) in vectors.into_iter().zip(to) {
            // Compress in a register, then store it all: compressing straight to memory is microcoded, and some ten
            // times slower, on Zen 4 and 5.
            // SAFETY: see above; sixteen words may be overwritten, by the caller's promise.
            unsafe { _mm512_storeu_si512(to.cast(), _mm512_maskz_compress_epi32(keep, vector.0)) };
        }
    }
}
