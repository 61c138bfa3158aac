//! AVX2 vectors of eight lanes. AVX2 has no compress instruction, so a table provides a permutation
//! for each mask.

use std::arch::x86_64::*;
use std::sync::LazyLock;

use super::carry_save::{CarrySave, CarrySaveBits};
use super::{Aligned, Bits512, InstructionSet, LaneMask, Row, U32s};

instruction_set! {
    /// AVX2 with BMI1, BMI2 and POPCNT.
    Avx2, Avx2U32s, Avx2Bits, has_fast_pext: !*EXTRACTS_SLOWLY; "avx2" "bmi1" "popcnt"
}

/// Whether PEXT is slow on this CPU. The value is cached because, in a virtual machine, CPUID takes
/// longer than counting a row set.
static EXTRACTS_SLOWLY: LazyLock<bool> = LazyLock::new(|| {
    // SAFETY: every x86-64 CPU has CPUID with these leaves.
    #[allow(unused_unsafe, reason = "`__cpuid` is safe in recent versions of Rust")]
    let (name, version) = unsafe { (__cpuid(0), __cpuid(1).eax) };
    let vendor = [name.ebx, name.edx, name.ecx].map(u32::to_le_bytes).concat();
    let [family, extended] = [version >> 8 & 0xf, version >> 20 & 0xff];
    extracts_slowly(&vendor, if family == 0xf { family + extended } else { family })
        // Tests set this variable to cover CPUs with a slow PEXT.
        || cfg!(test) && std::env::var_os("QUEENS_SLOW_PEXT").is_some()
});

/// Whether PEXT is slow on CPUs of the given vendor and family. On AMD CPUs before Zen 3,
/// extracting the bits of a field takes 100 cycles or more (Fog, Instruction tables).
fn extracts_slowly(vendor: &[u8], family: u32) -> bool {
    [b"AuthenticAMD", b"HygonGenuine"].iter().any(|amd| *amd == vendor) && family < 0x19
}

/// A vector of eight words. In a lane mask, a word is all ones if its lane is set and zero
/// otherwise.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2U32s(__m256i);

/// Indices of the lanes in each mask, in ascending order, with one byte per lane. The table takes 2
/// KiB. A table of complete permutation vectors would take 8 KiB.
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

impl Avx2U32s {
    safe_intrinsics! {
        /// Returns a lane mask with one bit per lane, in the low eight bits.
        fn bits(self) -> u32 { _mm256_movemask_ps(_mm256_castsi256_ps(self.0)).cast_unsigned() }
    }
}

impl LaneMask for Avx2U32s {
    safe_intrinsics! {
        fn and(self, other: Self) -> Self { Self(_mm256_and_si256(self.0, other.0)) }
    }

    inlined! {
        fn count(self) -> u32 { self.bits().count_ones() }
    }
}

// SAFETY: a register of 256 bits consists of eight words.
unsafe impl U32s for Avx2U32s {
    const LANES: usize = 8;
    type Mask = Self;

    safe_intrinsics! {
        fn splat(_isa: impl InstructionSet<Words = Self>, word: u32) -> Self {
            Self(_mm256_set1_epi32(word.cast_signed()))
        }

        fn first(_isa: impl InstructionSet<Words = Self>, n: usize) -> Self {
            let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
            Self(_mm256_cmpgt_epi32(_mm256_set1_epi32(n.min(Self::LANES) as i32), lanes))
        }
    }

    #[inline(always)]
    unsafe fn compress_store<const K: usize>(
        vectors: [Self; K],
        keep: Self,
        to: [*mut u32; K],
    ) -> usize {
        let lanes = KEPT_LANES[keep.bits() as usize];
        // SAFETY: the mask proves that the CPU has AVX2.
        let lanes = unsafe { _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(lanes.cast_signed())) };
        for (vector, to) in vectors.into_iter().zip(to) {
            // SAFETY: the vector proves it as well. The caller guarantees that eight words may be
            // overwritten.
            unsafe { _mm256_storeu_si256(to.cast(), _mm256_permutevar8x32_epi32(vector.0, lanes)) };
        }
        keep.count() as usize
    }

    safe_intrinsics! {
        fn and(self, other: Self) -> Self { Self(_mm256_and_si256(self.0, other.0)) }

        fn or(self, other: Self) -> Self { Self(_mm256_or_si256(self.0, other.0)) }

        // The operands are swapped because the instruction inverts its first one.
        fn and_not(self, other: Self) -> Self { Self(_mm256_andnot_si256(other.0, self.0)) }

        fn shl1(self) -> Self { Self(_mm256_add_epi32(self.0, self.0)) }

        fn shr1(self) -> Self { Self(_mm256_srli_epi32::<1>(self.0)) }

        fn clear_lowest(self) -> Self {
            Self(_mm256_and_si256(self.0, _mm256_add_epi32(self.0, _mm256_set1_epi32(-1))))
        }

        fn is_zero(self) -> Self {
            Self(_mm256_cmpeq_epi32(self.0, _mm256_setzero_si256()))
        }

        fn not_zero(self) -> Self {
            Self(_mm256_xor_si256(self.is_zero().0, _mm256_set1_epi32(-1)))
        }

        fn and_where(self, mask: Self, other: Self) -> Self {
            Self(_mm256_andnot_si256(_mm256_andnot_si256(other.0, mask.0), self.0))
        }
    }
}

/// A vector of 512 bits in two registers.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Avx2Bits(__m256i, __m256i);

// SAFETY: these are two registers of 256 bits.
unsafe impl Bits512 for Avx2Bits {
    type Sum = CarrySave<Self>;

    #[inline(always)]
    fn planes(
        _isa: impl InstructionSet<Bits = Self>,
        words: &[Aligned<[u32; 16]>; 32],
        open: u32,
        planes: &mut [Row; 32],
    ) {
        // Gather the same byte of 32 words in a vector. The sign bits of these bytes are 32 bits of
        // a plane. Shifting the bytes left gives the next plane.
        let words = words.as_ptr().cast::<__m256i>();
        // SAFETY: `_isa` proves that the CPU has AVX2. The 512 words have the size and the
        // alignment of 64 vectors.
        unsafe {
            let by_byte = _mm256_broadcastsi128_si256(_mm_setr_epi8(
                0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15,
            ));
            let order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
            for group in 0..16 {
                // Lane 2 b + h consists of byte b of words 4 h to 4 h + 3 of these eight words.
                let mut w = [_mm256_setzero_si256(); 4];
                for (i, w) in w.iter_mut().enumerate() {
                    let words = _mm256_load_si256(words.add(4 * group + i));
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
                    if open >> (8 * byte) & 0xff == 0 {
                        continue;
                    }
                    for bit in (0..8).rev() {
                        let plane = planes[8 * byte + bit].0.as_mut_ptr().cast::<u32>();
                        // A row has sixteen 32-bit words.
                        plane.add(group).write(!_mm256_movemask_epi8(x) as u32);
                        x = _mm256_add_epi8(x, x);
                    }
                }
            }
        }
    }

    safe_intrinsics! {
        fn and(self, other: Self) -> Self {
            Self(_mm256_and_si256(self.0, other.0), _mm256_and_si256(self.1, other.1))
        }
    }
}

impl CarrySaveBits for Avx2Bits {
    safe_intrinsics! {
        fn or(self, other: Self) -> Self {
            Self(_mm256_or_si256(self.0, other.0), _mm256_or_si256(self.1, other.1))
        }

        fn xor(self, other: Self) -> Self {
            Self(_mm256_xor_si256(self.0, other.0), _mm256_xor_si256(self.1, other.1))
        }

        // Looks up the count of each nibble.
        fn count(self, sums: Self) -> Self {
            let of_nibble = _mm256_broadcastsi128_si256(_mm_setr_epi8(
                0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
            ));
            let low = _mm256_set1_epi8(15);
            let mut bytes = _mm256_setzero_si256();
            for bits in [self.0, self.1] {
                for nibbles in [bits, _mm256_srli_epi16::<4>(bits)] {
                    let counts = _mm256_shuffle_epi8(of_nibble, _mm256_and_si256(nibbles, low));
                    bytes = _mm256_add_epi8(bytes, counts);
                }
            }
            let counts = _mm256_sad_epu8(bytes, _mm256_setzero_si256());
            Self(_mm256_add_epi64(sums.0, counts), sums.1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extracting_is_slow_before_zen_3() {
        let (excavator, zen_2, zen_3, zen_5) = (0x15, 0x17, 0x19, 0x1a);
        let is_slow = |vendor: &str, family| extracts_slowly(vendor.as_bytes(), family);
        assert!([excavator, zen_2].iter().all(|&family| is_slow("AuthenticAMD", family)));
        assert!(is_slow("HygonGenuine", 0x18)); // Dhyana
        assert!(![zen_3, zen_5].iter().any(|&family| is_slow("AuthenticAMD", family)));
        assert!(!is_slow("GenuineIntel", 0x06));
    }
}
