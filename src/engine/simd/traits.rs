//! Traits that an instruction set implements.

/// Code that runs with an instruction set. Implementations are `#[inline(always)]`, and so is every function that takes
/// vectors.
pub(crate) trait Task {
    type Output;

    /// Runs the task. `isa` creates the first vectors. The `join` engine sets `WIDE` for patterns of more than 32 bits.
    fn run<I: InstructionSet, const WIDE: bool>(self, isa: I) -> Self::Output;
}

/// An instruction set and its vector types. A value proves that the CPU has the instruction set, so creating the first
/// vectors of a computation is safe.
///
/// # Safety
///
/// A value must only be created if the CPU has all features that `Words` and `Bits` require.
pub(crate) unsafe trait InstructionSet: Copy {
    /// Vectors of words.
    type Words: U32s;
    /// 512 bits.
    type Bits: Bits512;

    /// Whether [`extract`](Self::extract) is fast.
    const EXTRACTS: bool = false;

    /// Extracts the bits of `word` in a mask (PEXT). Must not be called unless [`EXTRACTS`](Self::EXTRACTS) is set.
    #[inline(always)]
    fn extract(self, _word: u64, _mask: u64) -> u64 {
        unreachable!("bits are only extracted where it is fast")
    }

    /// Runs a task compiled for this instruction set. The default is the baseline of the compilation target.
    #[inline(always)]
    fn call<T: Task, const WIDE: bool>(self, task: T) -> T::Output {
        task.run::<Self, WIDE>(self)
    }

    /// Returns a vector with `word` in every lane.
    #[inline(always)]
    fn splat(self, word: u32) -> Self::Words {
        Self::Words::splat(self, word)
    }

    /// Returns the mask of the first `n` lanes, or of all lanes if there are fewer.
    #[inline(always)]
    fn first(self, n: usize) -> <Self::Words as U32s>::Mask {
        Self::Words::first(self, n)
    }

    /// Loads a vector of words.
    #[inline(always)]
    fn load(self, words: &<Self::Words as U32s>::Array) -> Self::Words {
        Self::Words::load(self, words)
    }

    /// Loads the bits of a row.
    #[inline(always)]
    fn bits(self, row: &Row) -> Self::Bits {
        Self::Bits::load(self, row)
    }

    /// Computes the bit planes of 512 words. Bit j of plane b is set if bit b of word j is clear.
    #[inline(always)]
    fn planes(self, words: &[Aligned<[u32; 16]>; 32], planes: &mut [Row; 32]) {
        Self::Bits::planes(self, words, planes)
    }
}

/// A mask over lanes.
pub(crate) trait LaneMask: Copy {
    /// Lanes that are set in both masks.
    fn and(self, other: Self) -> Self;
    /// Number of set lanes.
    fn count(self) -> u32;
}

/// A vector of `LANES` unsigned 32-bit words.
///
/// A value proves that the CPU has the instructions of the type. The first value is created from an [`InstructionSet`],
/// and every other operation takes a value.
pub(crate) trait U32s: Copy {
    /// Number of words in a vector.
    const LANES: usize;
    /// Mask over the lanes.
    type Mask: LaneMask;
    /// Array of the words of a vector.
    type Array: IntoIterator<Item = u32>;

    fn splat(isa: impl InstructionSet<Words = Self>, word: u32) -> Self;
    fn first(isa: impl InstructionSet<Words = Self>, n: usize) -> Self::Mask;
    fn load(isa: impl InstructionSet<Words = Self>, words: &Self::Array) -> Self;

    /// Compresses the lanes set in `keep` of each vector and stores them at the pointer with the same index. Returns
    /// the number of lanes kept.
    ///
    /// # Safety
    /// Each pointer must be valid for writing `LANES` words. Words after the kept ones get unspecified values.
    unsafe fn compress_store<const K: usize>(
        vectors: [Self; K],
        keep: Self::Mask,
        to: [*mut u32; K],
    ) -> usize;

    fn to_array(self) -> Self::Array;
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
    /// Clears the lowest set bit of each lane: `self & (self - 1)`.
    fn clear_lowest(self) -> Self;
    /// Lanes that are zero.
    fn is_zero(self) -> Self::Mask;
    /// Lanes that are not zero.
    fn not_zero(self) -> Self::Mask;
    /// Lanes that have no bit in common with the same lane of `other`.
    #[inline(always)]
    fn disjoint(self, other: Self) -> Self::Mask {
        self.and(other).is_zero()
    }
    /// `self & other` in the lanes set in `mask`, `self` in all others.
    fn and_where(self, mask: Self::Mask, other: Self) -> Self;
}

/// 64-byte aligned storage.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Aligned<T>(pub(crate) T);

/// 512 bits in memory.
pub(crate) type Row = Aligned<[u64; 8]>;

impl Row {
    /// All bits clear.
    pub(crate) const EMPTY: Self = Self([0; 8]);
    /// All bits set.
    pub(crate) const FULL: Self = Self([!0; 8]);
}

/// 512 bits, one per pattern of a block. As with [`U32s`], a value proves that the CPU has the instructions.
pub(crate) trait Bits512: Copy {
    /// Running sum of population counts.
    type Sum: BitSum<Self>;

    /// Loads the bits of a row.
    fn load(isa: impl InstructionSet<Bits = Self>, row: &Row) -> Self;

    /// Computes the bit planes of 512 words. Bit j of plane b is set if bit b of word j is clear.
    fn planes(
        isa: impl InstructionSet<Bits = Self>,
        words: &[Aligned<[u32; 16]>; 32],
        planes: &mut [Row; 32],
    );

    /// Stores the bits in a row.
    fn store(self, row: &mut Row);
    /// `self & other`
    fn and(self, other: Self) -> Self;
}

/// Running sum of the population counts of vectors.
pub(crate) trait BitSum<B>: Copy {
    /// Creates an empty sum. `zero` must have no bit set.
    fn new(zero: B) -> Self;
    /// Adds the population counts of eight vectors.
    fn add(self, bits: [B; 8]) -> Self;
    fn total(self) -> u64;
}
