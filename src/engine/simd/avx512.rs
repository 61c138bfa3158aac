//! AVX-512: sixteen lanes, verdicts in mask registers, a compress instruction. Words ask for AVX-512 F alone, [`Bits`] for
//! more: VPOPCNTDQ to add up set bits, VBMI and GFNI to transpose them (Ice Lake, Zen 4 and later).

use std::arch::x86_64::*;

use super::{Bits512, InstructionSet, LaneMask, U32s};

/// Sixteen words.
#[derive(Clone, Copy, Debug)]
pub struct Avx512(__m512i);

impl LaneMask for __mmask16 {
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self & other
    }
    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        self & !other
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
    unsafe fn load_u16(from: *const u16) -> Self {
        // SAFETY: as for `splat`, and sixteen 16-bit words are readable; no alignment is asked for.
        Avx512(unsafe { _mm512_cvtepu16_epi32(_mm256_loadu_si256(from.cast())) })
    }
    #[inline(always)]
    unsafe fn first(n: usize) -> __mmask16 {
        if n >= Self::LANES { !0 } else { !(!0 << n) }
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
    fn xor(self, other: Self) -> Self {
        // SAFETY: see above.
        Avx512(unsafe { _mm512_xor_si512(self.0, other.0) })
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
    fn disjoint(self, other: Self) -> __mmask16 {
        // SAFETY: see above.
        unsafe { _mm512_testn_epi32_mask(self.0, other.0) }
    }
    #[inline(always)]
    fn reduce_and(self) -> u32 {
        // SAFETY: see above.
        unsafe { _mm512_reduce_and_epi32(self.0) }.cast_unsigned()
    }
    #[inline(always)]
    fn reduce_or(self) -> u32 {
        // SAFETY: see above.
        unsafe { _mm512_reduce_or_epi32(self.0) }.cast_unsigned()
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

/// AVX-512 F, BW, DQ and VL with VBMI, VPOPCNTDQ and GFNI, and BMI1, BMI2 and POPCNT.
#[derive(Clone, Copy, Debug)]
pub struct WithAvx512(());

impl WithAvx512 {
    /// The instruction set, if the CPU has it.
    #[must_use]
    pub fn detect() -> Option<Self> {
        let has = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("avx512vpopcntdq")
            && is_x86_feature_detected!("gfni")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt");
        has.then_some(Self(()))
    }
}

// SAFETY: `detect` alone makes values.
unsafe impl InstructionSet for WithAvx512 {
    type Words = Avx512;
    type Bits = Bits;
}

// SAFETY of every block below, unless it says more: `Bits` only exists where the CPU has all that `WithAvx512` names, by
// the contract of `Bits512`, and functions without one are called by those that have.

/// 512 bits in one register.
#[derive(Clone, Copy)]
pub struct Bits(__m512i);

impl Bits512 for Bits {
    /// Eight sums.
    type Tally = (__m512i, __m512i);

    #[inline(always)]
    unsafe fn load(from: *const u64) -> Self {
        // SAFETY: the caller vouches for 64 readable, aligned bytes.
        Self(unsafe { _mm512_load_si512(from.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u64) {
        // SAFETY: the caller vouches for 64 writable, aligned bytes.
        unsafe { _mm512_store_si512(to.cast(), self.0) };
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_and_si512(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the CPU has AVX-512, by the caller's promise.
        Self(unsafe { _mm512_setzero_si512() })
    }

    #[inline(always)]
    unsafe fn tally() -> Self::Tally {
        // SAFETY: the CPU has AVX-512, by the caller's promise.
        let zero = unsafe { Self::zero() }.0;
        (zero, zero)
    }

    #[inline(always)]
    fn add(tally: Self::Tally, bits: [Self; 8]) -> Self::Tally {
        // SAFETY: see above.
        unsafe {
            let (mut a, mut b) = tally;
            for pair in bits.chunks_exact(2) {
                a = _mm512_add_epi64(a, _mm512_popcnt_epi64(pair[0].0));
                b = _mm512_add_epi64(b, _mm512_popcnt_epi64(pair[1].0));
            }
            (a, b)
        }
    }

    #[inline(always)]
    fn total((a, b): Self::Tally) -> u64 {
        // SAFETY: see above.
        unsafe { _mm512_reduce_add_epi64(_mm512_add_epi64(a, b)) as u64 }
    }

    #[inline(always)]
    unsafe fn planes(words: *const u32, planes: *mut u64) {
        // SAFETY: the caller vouches for 512 readable words and 32 times 64 writable bytes, both aligned.
        unsafe {
            for byte in 0..4 {
                // Each register of `groups` holds the eight planes of one byte for 64 of the words, a plane in each
                // 64-bit lane; transposing the 8 x 8 lanes makes each register a plane.
                let mut groups = [_mm512_setzero_si512(); 8];
                for (group, planes) in groups.iter_mut().enumerate() {
                    *planes = byte_planes(words.add(64 * group), byte);
                }
                for (bit, plane) in transpose_lanes(groups).into_iter().enumerate() {
                    _mm512_store_si512(planes.add(8 * (8 * byte + bit)).cast(), plane);
                }
            }
        }
    }
}

/// Of byte `byte` of 64 words, the eight bit planes, inverted: bit `j` of lane `b` is set where word `j` lacks the bit.
///
/// # Safety
///
/// `words` is valid for reading 64 words and is aligned to 64 bytes.
#[inline(always)]
unsafe fn byte_planes(words: *const u32, byte: usize) -> __m512i {
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
    /// Byte `8 b + g` of the result is byte `b` of lane `g`.
    const BY_PLANE: [u8; 64] = {
        let mut index = [0; 64];
        let mut i = 0;
        while i < 64 {
            index[i] = (8 * (i % 8) + i / 8) as u8;
            i += 1;
        }
        index
    };
    // SAFETY: the caller vouches for 64 readable words.
    unsafe {
        let words = words.cast::<__m512i>();
        let pick = _mm512_loadu_si512(PICK[byte].as_ptr().cast());
        let low = _mm512_permutex2var_epi8(words.read(), pick, words.add(1).read());
        let high = _mm512_permutex2var_epi8(words.add(2).read(), pick, words.add(3).read());
        let bytes = _mm512_mask_blend_epi64(0xf0, low, high);
        // With the words as the matrix and unit vectors as its operand, the affine instruction transposes: bit i of
        // output byte b is the parity of (matrix row 7 - i and operand byte b), so the rows are picked in reverse.
        let units = _mm512_set1_epi64(0x8040_2010_0804_0201_u64 as i64);
        let by_group = _mm512_gf2p8affine_epi64_epi8::<0xff>(units, bytes);
        _mm512_permutexvar_epi8(_mm512_loadu_si512(BY_PLANE.as_ptr().cast()), by_group)
    }
}

/// Transposes an 8 x 8 matrix of 64-bit lanes.
#[inline(always)]
unsafe fn transpose_lanes(r: [__m512i; 8]) -> [__m512i; 8] {
    // SAFETY: see above.
    unsafe {
        // Pairs of rows, even and odd columns.
        let p = [
            _mm512_unpacklo_epi64(r[0], r[1]),
            _mm512_unpackhi_epi64(r[0], r[1]),
            _mm512_unpacklo_epi64(r[2], r[3]),
            _mm512_unpackhi_epi64(r[2], r[3]),
            _mm512_unpacklo_epi64(r[4], r[5]),
            _mm512_unpackhi_epi64(r[4], r[5]),
            _mm512_unpacklo_epi64(r[6], r[7]),
            _mm512_unpackhi_epi64(r[6], r[7]),
        ];
        // Columns j and j + 4 (or j + 2 and j + 6) of four rows.
        let q04 = [even(p[0], p[2]), even(p[4], p[6])];
        let q15 = [even(p[1], p[3]), even(p[5], p[7])];
        let q26 = [odd(p[0], p[2]), odd(p[4], p[6])];
        let q37 = [odd(p[1], p[3]), odd(p[5], p[7])];
        [
            even(q04[0], q04[1]),
            even(q15[0], q15[1]),
            even(q26[0], q26[1]),
            even(q37[0], q37[1]),
            odd(q04[0], q04[1]),
            odd(q15[0], q15[1]),
            odd(q26[0], q26[1]),
            odd(q37[0], q37[1]),
        ]
    }
}

/// Lanes 0, 2 of both halves of both, in 128-bit units.
#[inline(always)]
unsafe fn even(a: __m512i, b: __m512i) -> __m512i {
    // SAFETY: see above.
    unsafe { _mm512_shuffle_i64x2::<0b10_00_10_00>(a, b) }
}

/// Lanes 1, 3 of both, in 128-bit units.
#[inline(always)]
unsafe fn odd(a: __m512i, b: __m512i) -> __m512i {
    // SAFETY: see above.
    unsafe { _mm512_shuffle_i64x2::<0b11_01_11_01>(a, b) }
}
