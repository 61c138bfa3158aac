//! The vector operations that the kernels need, one file per instruction set.
//!
//! An algorithm is written once, generic over [`U32s`], in `#[inline(always)]` functions. It is reached only through a
//! thin wrapper that carries `#[target_feature]`, so that every operation here becomes one instruction of the loop.
//!
//! | file | type | lanes | for |
//! | --- | --- | --- | --- |
//! | [`scalar`] | `u32` | 1 | any CPU; the same algorithm, a state at a time |
//! | [`portable`] | `[u32; 8]` | 8 | any CPU; written for the compiler to vectorise |
//! | `avx2` | `__m256i` | 8 | x86-64 with AVX2, BMI2 and POPCNT |
//! | `avx512` | `__m512i` | 16 | x86-64 with AVX-512 F |

#[cfg(target_arch = "x86_64")]
pub mod avx2;
#[cfg(target_arch = "x86_64")]
pub mod avx512;
pub mod portable;
pub mod scalar;

/// A verdict per lane.
pub trait LaneMask: Copy {
    /// Lanes set in both.
    fn and(self, other: Self) -> Self;
    /// Number of lanes set.
    fn count(self) -> u32;
}

/// A vector of `LANES` unsigned 32-bit words.
///
/// Values of an implementing type are only ever made where the CPU has the instruction set: [`splat`](Self::splat) and
/// [`load`](Self::load), the two ways to make the first one, are unsafe for that reason, and every other operation
/// takes a value that proves it.
pub trait U32s: Copy {
    /// Words in a vector.
    const LANES: usize;
    /// A verdict per lane.
    type Mask: LaneMask;

    /// `word` in every lane.
    ///
    /// # Safety
    /// The CPU has the instruction set of this type.
    unsafe fn splat(word: u32) -> Self;

    /// The `LANES` words from `from` on.
    ///
    /// # Safety
    /// As for [`splat`](Self::splat), and all `LANES` words are readable.
    unsafe fn load(from: *const u32) -> Self;

    /// `self & other`
    fn and(self, other: Self) -> Self;
    /// `self | other`
    fn or(self, other: Self) -> Self;
    /// `self & !other`
    fn and_not(self, other: Self) -> Self;
    /// `self << 1`
    fn shl1(self) -> Self;
    /// `self >> 1`
    fn shr1(self) -> Self;
    /// Each lane without its lowest set bit: `self & (self - 1)`.
    fn clear_lowest(self) -> Self;
    /// Lanes that are zero.
    fn is_zero(self) -> Self::Mask;
    /// Lanes that are not zero.
    fn not_zero(self) -> Self::Mask;
    /// `self` in the lanes not set in `mask`, `self & other` in the lanes set.
    fn and_where(self, mask: Self::Mask, other: Self) -> Self;

    /// Packs the lanes set in `keep` of each vector together and writes them from the matching pointer on.
    ///
    /// # Safety
    /// From each pointer on, `LANES` words may be overwritten: the words after the kept ones get unspecified values.
    unsafe fn compress_store<const K: usize>(
        vectors: [Self; K],
        keep: Self::Mask,
        to: [*mut u32; K],
    );
}
