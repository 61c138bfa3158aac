//! WebAssembly vectors of four lanes. There is no compress instruction, so a table provides a byte
//! shuffle for each mask.

use std::arch::wasm32::*;

use super::carry_save::{CarrySave, CarrySaveBits};
use super::{Bits512, InstructionSet, KEPT_BYTES, LaneMask, U32s};

/// WebAssembly with 128-bit vectors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wasm;

// SAFETY: this file is compiled only for targets with 128-bit vectors, and a module that uses them
// is rejected elsewhere.
unsafe impl InstructionSet for Wasm {
    type Words = WasmU32s;
    type Bits = WasmBits;
}

/// A vector of four words. In a lane mask, a word is all ones if its lane is set and zero
/// otherwise.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WasmU32s(v128);

impl LaneMask for WasmU32s {
    inlined! {
        fn and(self, other: Self) -> Self { Self(v128_and(self.0, other.0)) }

        fn count(self) -> u32 { u32::from(i32x4_bitmask(self.0)).count_ones() }
    }
}

// SAFETY: a vector of 128 bits consists of four words.
unsafe impl U32s for WasmU32s {
    const LANES: usize = 4;
    type Mask = Self;

    inlined! {
        fn splat(_: impl InstructionSet<Words = Self>, word: u32) -> Self {
            Self(u32x4_splat(word))
        }

        fn first(_: impl InstructionSet<Words = Self>, n: usize) -> Self {
            let n = n.min(Self::LANES) as u32;
            Self(u32x4_gt(u32x4_splat(n), u32x4(0, 1, 2, 3)))
        }
    }

    #[inline(always)]
    unsafe fn compress_store<const K: usize>(
        vectors: [Self; K],
        keep: Self,
        to: [*mut u32; K],
    ) -> usize {
        let bits = i32x4_bitmask(keep.0);
        // SAFETY: the table has an entry for each mask of four lanes.
        let bytes = unsafe { v128_load(KEPT_BYTES[bits as usize & 15].0.as_ptr().cast()) };
        for (vector, to) in vectors.into_iter().zip(to) {
            // SAFETY: the caller guarantees space for four words.
            unsafe { v128_store(to.cast(), i8x16_swizzle(vector.0, bytes)) };
        }
        bits.count_ones() as usize
    }

    inlined! {
        fn and(self, other: Self) -> Self { Self(v128_and(self.0, other.0)) }

        fn or(self, other: Self) -> Self { Self(v128_or(self.0, other.0)) }

        fn and_not(self, other: Self) -> Self { Self(v128_andnot(self.0, other.0)) }

        fn shl1(self) -> Self { Self(i32x4_add(self.0, self.0)) }

        fn shr1(self) -> Self { Self(u32x4_shr(self.0, 1)) }

        fn clear_lowest(self) -> Self {
            Self(v128_and(self.0, i32x4_add(self.0, u32x4_splat(!0))))
        }

        fn is_zero(self) -> Self { Self(i32x4_eq(self.0, u32x4_splat(0))) }

        fn not_zero(self) -> Self { Self(i32x4_ne(self.0, u32x4_splat(0))) }

        fn and_where(self, mask: Self, other: Self) -> Self {
            Self(v128_andnot(self.0, v128_andnot(mask.0, other.0)))
        }
    }
}

/// A vector of 512 bits in four registers.
#[derive(Clone, Copy)]
pub(crate) struct WasmBits([v128; 4]);

impl WasmBits {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(v128, v128) -> v128) -> Self {
        let ([a, b, c, d], [e, g, h, i]) = (self.0, other.0);
        Self([f(a, e), f(b, g), f(c, h), f(d, i)])
    }
}

// SAFETY: these are four vectors of 128 bits.
unsafe impl Bits512 for WasmBits {
    type Sum = CarrySave<Self>;

    inlined! {
        fn and(self, other: Self) -> Self { self.zip(other, |a, b| v128_and(a, b)) }
    }
}

impl CarrySaveBits for WasmBits {
    inlined! {
        fn or(self, other: Self) -> Self { self.zip(other, |a, b| v128_or(a, b)) }

        fn xor(self, other: Self) -> Self { self.zip(other, |a, b| v128_xor(a, b)) }

        fn count(self, sums: Self) -> Self {
            self.zip(sums, |bits, sums| {
                let pairs = u16x8_extadd_pairwise_u8x16(i8x16_popcnt(bits));
                let halves = u32x4_extadd_pairwise_u16x8(pairs);
                let low = v128_and(halves, u64x2_splat(u32::MAX.into()));
                i64x2_add(sums, i64x2_add(low, u64x2_shr(halves, 32)))
            })
        }
    }
}
