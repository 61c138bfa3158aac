//! AVX-512 vectors of sixteen lanes. AVX-512 has mask registers and a compress instruction.

use std::arch::x86_64::*;

use super::{Aligned, BitSum, Bits512, InstructionSet, LaneMask, Row, U32s};

instruction_set! {
    /// AVX-512 with VPOPCNTDQ for population counts, and VBMI and GFNI for transposition (Ice Lake,
    /// Zen 4 and later).
    Avx512, Avx512U32s, Avx512Bits, has_fast_pext: true;
    "avx512f" "avx512bw" "avx512dq" "avx512vl" "avx512vbmi" "avx512vpopcntdq" "gfni" "bmi1" "popcnt"
}

/// A vector of sixteen words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512U32s(__m512i);

impl LaneMask for __mmask16 {
    inlined! {
        fn and(self, other: Self) -> Self { self & other }

        fn count(self) -> u32 { self.count_ones() }
    }
}

// SAFETY: a register of 512 bits consists of sixteen words.
unsafe impl U32s for Avx512U32s {
    const LANES: usize = 16;
    type Mask = __mmask16;

    safe_intrinsics! {
        fn splat(_isa: impl InstructionSet<Words = Self>, word: u32) -> Self {
            Self(_mm512_set1_epi32(word.cast_signed()))
        }
    }

    inlined! {
        fn first(_: impl InstructionSet<Words = Self>, n: usize) -> __mmask16 {
            if n >= Self::LANES { !0 } else { !(!0 << n) }
        }
    }

    #[inline(always)]
    unsafe fn compress_store<const K: usize>(
        vectors: [Self; K],
        keep: __mmask16,
        to: [*mut u32; K],
    ) -> usize {
        for (vector, to) in vectors.into_iter().zip(to) {
            // Compress in a register, then store the whole register. On Zen 4 and 5, compressing to
            // memory is microcoded and about ten times slower.
            // SAFETY: the vector proves that the CPU has AVX-512 F. The caller guarantees that
            // sixteen words may be overwritten.
            unsafe { _mm512_storeu_si512(to.cast(), _mm512_maskz_compress_epi32(keep, vector.0)) };
        }
        keep.count() as usize
    }

    safe_intrinsics! {
        fn and(self, other: Self) -> Self { Self(_mm512_and_si512(self.0, other.0)) }

        fn or(self, other: Self) -> Self { Self(_mm512_or_si512(self.0, other.0)) }

        // The operands are swapped because the instruction inverts its first one.
        fn and_not(self, other: Self) -> Self { Self(_mm512_andnot_si512(other.0, self.0)) }

        fn shl1(self) -> Self { Self(_mm512_slli_epi32::<1>(self.0)) }

        fn shr1(self) -> Self { Self(_mm512_srli_epi32::<1>(self.0)) }

        fn clear_lowest(self) -> Self {
            Self(_mm512_and_si512(self.0, _mm512_add_epi32(self.0, _mm512_set1_epi32(-1))))
        }

        fn is_zero(self) -> __mmask16 { _mm512_testn_epi32_mask(self.0, self.0) }

        fn not_zero(self) -> __mmask16 { _mm512_test_epi32_mask(self.0, self.0) }

        fn disjoint(self, other: Self) -> __mmask16 { _mm512_testn_epi32_mask(self.0, other.0) }

        fn and_where(self, mask: __mmask16, other: Self) -> Self {
            Self(_mm512_mask_and_epi32(self.0, mask, self.0, other.0))
        }
    }
}

/// A vector of 512 bits in one register.
#[derive(Clone, Copy)]
pub(crate) struct Avx512Bits(__m512i);

// SAFETY: this is a register of 512 bits.
unsafe impl Bits512 for Avx512Bits {
    type Sum = EightSums;

    #[inline(always)]
    fn planes(
        _isa: impl InstructionSet<Bits = Self>,
        words: &[Aligned<[u32; 16]>; 32],
        open: u32,
        planes: &mut [Row; 32],
    ) {
        for byte in 0..4 {
            if open >> (8 * byte) & 0xff == 0 {
                continue;
            }
            // SAFETY: `_isa` proves that the CPU has the required features.
            unsafe {
                // Each register of `groups` contains eight planes of a group of 64 words, one plane
                // per 64-bit lane. Transposing the 8 x 8 lanes turns each register into a complete
                // plane.
                let mut groups = [_mm512_setzero_si512(); 8];
                for (words, planes) in words.as_chunks().0.iter().zip(&mut groups) {
                    *planes = byte_planes(words, byte);
                }
                for (bit, plane) in transpose_lanes(groups).into_iter().enumerate() {
                    Self(plane).store(&mut planes[8 * byte + bit]);
                }
            }
        }
    }

    safe_intrinsics! {
        fn and(self, other: Self) -> Self { Self(_mm512_and_si512(self.0, other.0)) }
    }
}

/// Eight sums. Each has two accumulators, so that no addition has to wait for the previous one.
#[derive(Clone, Copy)]
pub(crate) struct EightSums(__m512i, __m512i);

impl BitSum<Avx512Bits> for EightSums {
    #[inline(always)]
    fn new(zero: Avx512Bits) -> Self {
        Self(zero.0, zero.0)
    }

    safe_intrinsics! {
        fn add(self, bits: [Avx512Bits; 8]) -> Self {
            let Self(mut a, mut b) = self;
            for pair in bits.chunks_exact(2) {
                a = _mm512_add_epi64(a, _mm512_popcnt_epi64(pair[0].0));
                b = _mm512_add_epi64(b, _mm512_popcnt_epi64(pair[1].0));
            }
            Self(a, b)
        }

        fn total(self) -> u64 {
            _mm512_reduce_add_epi64(_mm512_add_epi64(self.0, self.1)).cast_unsigned()
        }
    }
}

/// Computes the inverted bit planes of byte `byte` of 64 words. Bit `j` of lane `b` is set if that
/// byte of word `j` has bit `b` clear.
#[target_feature(enable = "avx512f,avx512vbmi,gfni")]
#[inline]
fn byte_planes(words: &[Aligned<[u32; 16]>; 4], byte: usize) -> __m512i {
    const fn pick(byte: usize) -> [u8; 64] {
        let mut index = [0; 64];
        let mut i = 0;
        while i < 64 {
            index[i] = ((4 * (i ^ 7) + byte) % 128) as u8;
            i += 1;
        }
        index
    }
    const PICK: [[u8; 64]; 4] = [pick(0), pick(1), pick(2), pick(3)];
    /// Permutation that moves byte `b` of lane `g` to byte `8 b + g`.
    const BY_PLANE: [u8; 64] = {
        let mut index = [0; 64];
        let mut i = 0;
        while i < 64 {
            index[i] = (8 * (i % 8) + i / 8) as u8;
            i += 1;
        }
        index
    };
    let words = words.as_ptr().cast::<__m512i>();
    // SAFETY: the words have the size and the alignment of four vectors, and an index array has the
    // size of one vector.
    let ([a, b, c, d], pick, by_plane) = unsafe {
        let words = [0, 1, 2, 3].map(|i| words.add(i).read());
        let index = |index: &[u8; 64]| _mm512_loadu_si512(index.as_ptr().cast());
        (words, index(&PICK[byte]), index(&BY_PLANE))
    };
    let low = _mm512_permutex2var_epi8(a, pick, b);
    let high = _mm512_permutex2var_epi8(c, pick, d);
    let bytes = _mm512_mask_blend_epi64(0xf0, low, high);
    // The affine instruction transposes a matrix if the other operand consists of unit vectors. Bit
    // i of output byte b is the parity of (matrix row 7 - i AND operand byte b), so `PICK` gathers
    // the rows in reverse order.
    let units = _mm512_set1_epi64(0x8040_2010_0804_0201_u64 as i64);
    let by_group = _mm512_gf2p8affine_epi64_epi8::<0xff>(units, bytes);
    _mm512_permutexvar_epi8(by_plane, by_group)
}

/// Transposes an 8 x 8 matrix of 64-bit lanes. Each step swaps two quarters of blocks along the
/// diagonal, of twice the size of those in the step before.
#[target_feature(enable = "avx512f")]
#[inline]
fn transpose_lanes(mut rows: [__m512i; 8]) -> [__m512i; 8] {
    for step in [1, 2, 4] {
        // Index 8 + i selects lane i of the second row.
        let lanes = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
        let (eight, step_lanes) = (_mm512_set1_epi64(8), _mm512_set1_epi64(step as i64));
        let is_second = _mm512_test_epi64_mask(lanes, step_lanes);
        let swapped = _mm512_xor_si512(lanes, step_lanes);
        let first = _mm512_mask_or_epi64(lanes, is_second, swapped, eight);
        let second = _mm512_mask_or_epi64(swapped, is_second, lanes, eight);
        for i in 0..8 {
            if i & step == 0 {
                let (a, b) = (rows[i], rows[i + step]);
                rows[i] = _mm512_permutex2var_epi64(a, first, b);
                rows[i + step] = _mm512_permutex2var_epi64(a, second, b);
            }
        }
    }
    rows
}
