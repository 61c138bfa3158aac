//! NEON vectors of four lanes. Every 64-bit ARM CPU has NEON, so no detection is needed. NEON has
//! no compress instruction, so a table provides a byte shuffle for each mask.

use std::arch::aarch64::*;

use super::{BitSum, Bits512, InstructionSet, KEPT_BYTES, LaneMask, U32s};

/// The NEON instruction set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Neon;

// SAFETY: this file is compiled only for 64-bit ARM, and every such CPU has NEON.
unsafe impl InstructionSet for Neon {
    type Words = NeonU32s;
    type Bits = NeonBits;
}

/// A vector of four words. In a lane mask, a word is all ones if its lane is set and zero
/// otherwise.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NeonU32s(uint32x4_t);

impl LaneMask for NeonU32s {
    safe_intrinsics! {
        fn and(self, other: Self) -> Self { Self(vandq_u32(self.0, other.0)) }

        // Each set lane is -1.
        fn count(self) -> u32 { vaddvq_u32(self.0).wrapping_neg() }
    }
}

// SAFETY: a register of 128 bits consists of four words.
unsafe impl U32s for NeonU32s {
    const LANES: usize = 4;
    type Mask = Self;

    safe_intrinsics! {
        fn splat(_isa: impl InstructionSet<Words = Self>, word: u32) -> Self {
            Self(vdupq_n_u32(word))
        }
    }

    #[inline(always)]
    fn first(_isa: impl InstructionSet<Words = Self>, n: usize) -> Self {
        static LANES: [u32; 4] = [0, 1, 2, 3];
        // SAFETY: the load reads the whole of a static, and `_isa` proves that the CPU has NEON.
        unsafe {
            Self(vcgtq_u32(vdupq_n_u32(n.min(Self::LANES) as u32), vld1q_u32(LANES.as_ptr())))
        }
    }

    #[inline(always)]
    unsafe fn compress_store<const K: usize>(
        vectors: [Self; K],
        keep: Self,
        to: [*mut u32; K],
    ) -> usize {
        // Over the kept lanes, these words add up to the mask in the low four bits and the number
        // of lanes above it.
        static LANE_BITS: [u32; 4] = [0x11, 0x12, 0x14, 0x18];
        // SAFETY: each load reads the whole of a static or of a table entry. The mask proves that
        // the CPU has NEON.
        let (bits, bytes) = unsafe {
            let bits = vaddvq_u32(vandq_u32(keep.0, vld1q_u32(LANE_BITS.as_ptr()))) as usize;
            (bits, vld1q_u8(KEPT_BYTES[bits & 15].0.as_ptr()))
        };
        for (vector, to) in vectors.into_iter().zip(to) {
            // SAFETY: the vector proves that the CPU has NEON. The caller guarantees space for four
            // words.
            unsafe {
                let kept = vqtbl1q_u8(vreinterpretq_u8_u32(vector.0), bytes);
                vst1q_u32(to, vreinterpretq_u32_u8(kept));
            }
        }
        bits >> 4
    }

    safe_intrinsics! {
        fn and(self, other: Self) -> Self { Self(vandq_u32(self.0, other.0)) }

        fn or(self, other: Self) -> Self { Self(vorrq_u32(self.0, other.0)) }

        fn and_not(self, other: Self) -> Self { Self(vbicq_u32(self.0, other.0)) }

        fn shl1(self) -> Self { Self(vaddq_u32(self.0, self.0)) }

        fn shr1(self) -> Self { Self(vshrq_n_u32::<1>(self.0)) }

        fn clear_lowest(self) -> Self {
            Self(vandq_u32(self.0, vsubq_u32(self.0, vdupq_n_u32(1))))
        }

        fn is_zero(self) -> Self { Self(vceqzq_u32(self.0)) }

        fn not_zero(self) -> Self { Self(vtstq_u32(self.0, self.0)) }

        // VTST returns the lanes that have a bit in common, so its result is inverted.
        fn disjoint(self, other: Self) -> Self {
            Self(vmvnq_u32(vtstq_u32(self.0, other.0)))
        }

        fn and_where(self, mask: Self, other: Self) -> Self {
            Self(vandq_u32(self.0, vornq_u32(other.0, mask.0)))
        }
    }
}

/// A vector of 512 bits in four registers.
#[derive(Clone, Copy)]
pub(crate) struct NeonBits([uint8x16_t; 4]);

// SAFETY: these are four registers of 128 bits.
unsafe impl Bits512 for NeonBits {
    type Sum = ByteCounts;

    safe_intrinsics! {
        fn and(self, other: Self) -> Self {
            let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
            Self([vandq_u8(a, e), vandq_u8(b, f), vandq_u8(c, g), vandq_u8(d, h)])
        }
    }
}

/// Running sum, computed with the instruction that counts the set bits of each byte.
#[derive(Clone, Copy)]
pub(crate) struct ByteCounts(uint64x2_t);

impl BitSum<NeonBits> for ByteCounts {
    #[inline(always)]
    fn new(_: NeonBits) -> Self {
        // SAFETY: the vector proves that the CPU has NEON.
        Self(unsafe { vdupq_n_u64(0) })
    }

    safe_intrinsics! {
        fn add(self, bits: [NeonBits; 8]) -> Self {
            // Each byte of the sum over eight vectors is at most 64, so it cannot overflow before
            // pairs are added.
            let mut pairs = vdupq_n_u16(0);
            for quarter in 0..4 {
                let mut counts = vdupq_n_u8(0);
                for bits in bits {
                    counts = vaddq_u8(counts, vcntq_u8(bits.0[quarter]));
                }
                pairs = vpadalq_u8(pairs, counts);
            }
            Self(vpadalq_u32(self.0, vpaddlq_u16(pairs)))
        }

        fn total(self) -> u64 { vaddvq_u64(self.0) }
    }
}
