//! The vector operations that the kernels need, one file per instruction set.
//!
//! An algorithm is written once, generic over [`U32s`] or [`InstructionSet`], in `#[inline(always)]` functions. It is
//! reached only through a thin wrapper that carries `#[target_feature]`, so that every operation here becomes one
//! instruction of the loop.
//!
//! A closure is a function of its own and does not inherit the wrapper's target features. Where the compiler does not
//! inline it before it looks at the features, every vector operation inside becomes a call, at ten to twenty times the
//! cost: loops over vectors are written out, and handed to nothing that takes a closure.
//!
//! | file | type | lanes | for |
//! | --- | --- | --- | --- |
//! | [`scalar`] | `u32` | 1 | any CPU; the same algorithm, a state at a time |
//! | [`portable`] | `[u32; 8]` | 8 | any CPU; written for the compiler to vectorise |
//! | `avx2` | `__m256i` | 8 | x86-64 with AVX2, BMI2 and POPCNT |
//! | `avx512` | `__m512i` | 16 | x86-64 with AVX-512 F |
//!
//! Beside words, all but the scalar one have [`Bits512`], and the three with it are an [`InstructionSet`] each, whose
//! values prove that the CPU has it. `avx512`'s asks for some more of AVX-512 than its words do.

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
    /// Lanes set in the first and not in the second.
    fn and_not(self, other: Self) -> Self;
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

    /// The `LANES` 16-bit words from `from` on, widened.
    ///
    /// # Safety
    /// As for [`splat`](Self::splat), and all `LANES` 16-bit words are readable.
    unsafe fn load_u16(from: *const u16) -> Self;

    /// The first `n` lanes, or all where there are no more.
    ///
    /// # Safety
    /// As for [`splat`](Self::splat).
    unsafe fn first(n: usize) -> Self::Mask;

    /// `self & other`
    fn and(self, other: Self) -> Self;
    /// `self | other`
    fn or(self, other: Self) -> Self;
    /// `self ^ other`
    fn xor(self, other: Self) -> Self;
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
    /// Lanes that have no bit in common with `other`'s.
    fn disjoint(self, other: Self) -> Self::Mask;
    /// The bits that all lanes have.
    fn reduce_and(self) -> u32;
    /// The bits that any lane has.
    fn reduce_or(self) -> u32;
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

/// 512 bits, one for each pattern of a block.
pub trait Bits512: Copy {
    /// Adds up numbers of set bits.
    type Tally: Copy;

    /// No bits.
    ///
    /// # Safety
    /// The CPU has the instruction set of this type.
    unsafe fn zero() -> Self;
    /// The bits at `from`.
    ///
    /// # Safety
    /// As for [`zero`](Self::zero), and 64 bytes are readable from `from` on, which is aligned to 64.
    unsafe fn load(from: *const u64) -> Self;
    /// Writes the bits to `to`.
    ///
    /// # Safety
    /// 64 bytes may be overwritten from `to` on, which is aligned to 64.
    unsafe fn store(self, to: *mut u64);
    /// `self & other`
    fn and(self, other: Self) -> Self;

    /// A tally of nothing.
    ///
    /// # Safety
    /// As for [`zero`](Self::zero).
    unsafe fn tally() -> Self::Tally;
    /// Adds the set bits of eight vectors to a tally.
    fn add(tally: Self::Tally, bits: [Self; 8]) -> Self::Tally;
    /// What was added.
    fn total(tally: Self::Tally) -> u64;

    /// The bit planes of 512 words: bit j of plane b is set where word j lacks bit b.
    ///
    /// # Safety
    /// As for [`zero`](Self::zero); 512 words are readable from `words` on, 32 times 64 bytes may be overwritten from
    /// `planes` on, and both are aligned to 64 bytes.
    unsafe fn planes(words: *const u32, planes: *mut u64);
}

/// An instruction set, with the vectors to use with it. A value proves that the CPU has it, so that the first vector of
/// a computation can be made without further promises.
///
/// # Safety
///
/// Values can be made only where the CPU has all that `Words` and `Bits` ask for.
pub unsafe trait InstructionSet: Copy {
    /// Vectors of words.
    type Words: U32s;
    /// 512 bits.
    type Bits: Bits512;

    /// `word` in every lane.
    #[inline(always)]
    fn splat(self, word: u32) -> Self::Words {
        // SAFETY: a value of this type proves that the CPU has it.
        unsafe { Self::Words::splat(word) }
    }

    /// The first `n` lanes, or all where there are no more.
    #[inline(always)]
    fn first(self, n: usize) -> <Self::Words as U32s>::Mask {
        // SAFETY: as for `splat`.
        unsafe { Self::Words::first(n) }
    }

    /// 512 zeros.
    #[inline(always)]
    fn no_bits(self) -> Self::Bits {
        // SAFETY: as for `splat`.
        unsafe { Self::Bits::zero() }
    }

    /// A tally of nothing.
    #[inline(always)]
    fn tally(self) -> <Self::Bits as Bits512>::Tally {
        // SAFETY: as for `splat`.
        unsafe { Self::Bits::tally() }
    }
}
