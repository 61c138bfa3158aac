//! AVX2: eight lanes. There is no compress instruction: a table of permutations, one per mask, stands in for it.

use std::arch::x86_64::*;

use super::{Bits512, InstructionSet, LaneMask, U32s};

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
    fn and_not(self, other: Self) -> Self {
        // SAFETY: as in `bits`. The instruction negates its first operand.
        Avx2Mask(unsafe { _mm256_andnot_si256(other.0, self.0) })
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
    unsafe fn load_u16(from: *const u16) -> Self {
        // SAFETY: as for `splat`, and eight 16-bit words are readable; no alignment is asked for.
        Avx2(unsafe { _mm256_cvtepu16_epi32(_mm_loadu_si128(from.cast())) })
    }
    #[inline(always)]
    unsafe fn first(n: usize) -> Avx2Mask {
        let n = n.min(Self::LANES) as i32;
        // SAFETY: as for `splat`.
        Avx2Mask(unsafe {
            let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
            _mm256_cmpgt_epi32(_mm256_set1_epi32(n), lanes)
        })
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
    fn xor(self, other: Self) -> Self {
        // SAFETY: see above.
        Avx2(unsafe { _mm256_xor_si256(self.0, other.0) })
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
    fn disjoint(self, other: Self) -> Avx2Mask {
        self.and(other).is_zero()
    }
    #[inline(always)]
    fn reduce_and(self) -> u32 {
        self.lanes().into_iter().fold(u32::MAX, |a, b| a & b)
    }
    #[inline(always)]
    fn reduce_or(self) -> u32 {
        self.lanes().into_iter().fold(0, |a, b| a | b)
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

impl Avx2 {
    /// The words as an array.
    #[inline(always)]
    fn lanes(self) -> [u32; 8] {
        let mut lanes = [0; 8];
        // SAFETY: see above; the array takes a vector.
        unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), self.0) };
        lanes
    }
}

/// AVX2 with BMI1, BMI2 and POPCNT.
#[derive(Clone, Copy, Debug)]
pub struct WithAvx2(());

impl WithAvx2 {
    /// The instruction set, if the CPU has it.
    #[must_use]
    pub fn detect() -> Option<Self> {
        let has = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt");
        has.then_some(Self(()))
    }
}

// SAFETY: `detect` alone makes values.
unsafe impl InstructionSet for WithAvx2 {
    type Words = Avx2;
    type Bits = Bits;
}

// SAFETY of every block below, unless it says more: `Bits` and `Tally` only exist where the CPU has AVX2, by the contract
// of `Bits512`, and functions without one of them are called by those that have.

/// 512 bits in two registers.
#[derive(Clone, Copy)]
pub struct Bits(__m256i, __m256i);

/// Adds three vectors bit by bit: (sum, carry).
#[inline(always)]
fn add3(a: Bits, b: Bits, c: Bits) -> (Bits, Bits) {
    let (sum0, carry0) = add3_half(a.0, b.0, c.0);
    let (sum1, carry1) = add3_half(a.1, b.1, c.1);
    (Bits(sum0, sum1), Bits(carry0, carry1))
}

#[inline(always)]
fn add3_half(a: __m256i, b: __m256i, c: __m256i) -> (__m256i, __m256i) {
    // SAFETY: see above.
    unsafe {
        let ab = _mm256_xor_si256(a, b);
        let carry = _mm256_or_si256(_mm256_and_si256(a, b), _mm256_and_si256(ab, c));
        (_mm256_xor_si256(ab, c), carry)
    }
}

/// Set bits in units of one, two and four that have not been added up yet, and sums in units of eight.
#[derive(Clone, Copy)]
pub struct Tally {
    ones: Bits,
    twos: Bits,
    fours: Bits,
    eights: __m256i,
}

/// Set bits, as four sums.
#[inline(always)]
fn popcount(bits: Bits) -> __m256i {
    let bytes = [popcount_bytes(bits.0), popcount_bytes(bits.1)];
    // SAFETY: see above.
    unsafe { _mm256_sad_epu8(_mm256_add_epi8(bytes[0], bytes[1]), _mm256_setzero_si256()) }
}

/// Set bits of each byte.
#[inline(always)]
fn popcount_bytes(x: __m256i) -> __m256i {
    // SAFETY: see above.
    unsafe {
        let of_nibble = _mm256_setr_epi8(
            0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2,
            3, 3, 4,
        );
        let low = _mm256_set1_epi8(15);
        let a = _mm256_shuffle_epi8(of_nibble, _mm256_and_si256(x, low));
        let b = _mm256_shuffle_epi8(of_nibble, _mm256_and_si256(_mm256_srli_epi16::<4>(x), low));
        _mm256_add_epi8(a, b)
    }
}

#[inline(always)]
fn sum(four: __m256i) -> u64 {
    let mut lanes = [0u64; 4];
    // SAFETY: the array has the vector's size.
    unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), four) };
    lanes.into_iter().sum()
}

impl Bits512 for Bits {
    type Tally = Tally;

    #[inline(always)]
    unsafe fn load(from: *const u64) -> Self {
        // SAFETY: the caller vouches for 64 readable, aligned bytes.
        unsafe {
            Self(
                _mm256_load_si256(from.cast()),
                _mm256_load_si256(from.add(4).cast()),
            )
        }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u64) {
        // SAFETY: the caller vouches for 64 writable, aligned bytes.
        unsafe {
            _mm256_store_si256(to.cast(), self.0);
            _mm256_store_si256(to.add(4).cast(), self.1);
        }
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: see above.
        unsafe {
            Self(
                _mm256_and_si256(self.0, other.0),
                _mm256_and_si256(self.1, other.1),
            )
        }
    }

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the CPU has AVX2, by the caller's promise.
        unsafe { Self(_mm256_setzero_si256(), _mm256_setzero_si256()) }
    }

    #[inline(always)]
    unsafe fn tally() -> Tally {
        // SAFETY: the CPU has AVX2, by the caller's promise.
        let zero = unsafe { Self::zero() };
        Tally {
            ones: zero,
            twos: zero,
            fours: zero,
            eights: zero.0,
        }
    }

    #[inline(always)]
    fn add(tally: Tally, b: [Self; 8]) -> Tally {
        let (ones, two_a) = add3(tally.ones, b[0], b[1]);
        let (ones, two_b) = add3(ones, b[2], b[3]);
        let (twos, four_a) = add3(tally.twos, two_a, two_b);
        let (ones, two_a) = add3(ones, b[4], b[5]);
        let (ones, two_b) = add3(ones, b[6], b[7]);
        let (twos, four_b) = add3(twos, two_a, two_b);
        let (fours, eights) = add3(tally.fours, four_a, four_b);
        // SAFETY: see above.
        let eights = unsafe { _mm256_add_epi64(tally.eights, popcount(eights)) };
        Tally {
            ones,
            twos,
            fours,
            eights,
        }
    }

    #[inline(always)]
    fn total(t: Tally) -> u64 {
        8 * sum(t.eights)
            + 4 * sum(popcount(t.fours))
            + 2 * sum(popcount(t.twos))
            + sum(popcount(t.ones))
    }

    #[inline(always)]
    unsafe fn planes(words: *const u32, planes: *mut u64) {
        // Bytes of 32 words are brought together; the sign bits of the bytes are then a plane, bit after bit.
        // SAFETY: the caller vouches for 512 readable words and 32 times 64 writable bytes, both aligned.
        unsafe {
            let planes = planes.cast::<u32>();
            for group in 0..16 {
                let by_byte = _mm256_setr_epi8(
                    0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, 0, 4, 8, 12, 1, 5, 9, 13,
                    2, 6, 10, 14, 3, 7, 11, 15,
                );
                let order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
                // Lane 2 b + h: byte b of words 4 h to 4 h + 3 of the eight.
                let mut w = [_mm256_setzero_si256(); 4];
                for (i, w) in w.iter_mut().enumerate() {
                    let words = _mm256_load_si256(words.add(32 * group + 8 * i).cast());
                    *w = _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(words, by_byte), order);
                }
                let a = _mm256_unpacklo_epi64(w[0], w[1]);
                let b = _mm256_unpackhi_epi64(w[0], w[1]);
                let c = _mm256_unpacklo_epi64(w[2], w[3]);
                let d = _mm256_unpackhi_epi64(w[2], w[3]);
                let bytes = [
                    _mm256_permute2x128_si256::<0x20>(a, c),
                    _mm256_permute2x128_si256::<0x20>(b, d),
                    _mm256_permute2x128_si256::<0x31>(a, c),
                    _mm256_permute2x128_si256::<0x31>(b, d),
                ];
                for (byte, mut x) in bytes.into_iter().enumerate() {
                    for bit in (0..8).rev() {
                        planes
                            .add(16 * (8 * byte + bit) + group)
                            .write(!_mm256_movemask_epi8(x) as u32);
                        x = _mm256_add_epi8(x, x);
                    }
                }
            }
        }
    }
}
