//! Traits for instruction sets and their vectors.

use std::mem::transmute_copy;

use super::portable;

/// Code that can be compiled for several instruction sets. Implementations of [`run`](Self::run)
/// should be `#[inline(always)]`, and so should all functions that take vectors.
pub(crate) trait Task {
    type Output;

    /// Runs the task, which creates its first vectors from `isa`.
    fn run<I: InstructionSet>(self, isa: I) -> Self::Output;
}

/// An instruction set and its vector types. The existence of a value proves that the CPU supports
/// the instruction set, so creating vectors from the value is safe.
///
/// # Safety
///
/// Values must only be created on CPUs that have all features required by `Words` and `Bits`.
pub(crate) unsafe trait InstructionSet: Copy {
    /// Vector of 32-bit words.
    type Words: U32s;
    /// Vector of 512 bits.
    type Bits: Bits512;

    /// Whether [`extract`](Self::extract) is implemented and fast.
    #[inline(always)]
    fn has_fast_pext(self) -> bool {
        false
    }

    /// Returns the bits of `word` selected by `mask`, packed into the low bits (PEXT). Panics if it
    /// is not implemented.
    #[inline(always)]
    fn extract(self, _word: u64, _mask: u64) -> u64 {
        unreachable!("bits are only extracted where `has_fast_pext` is true")
    }

    /// Runs a task in code compiled for this instruction set. The default implementation uses the
    /// baseline of the compilation target.
    #[inline(always)]
    fn call<T: Task>(self, task: T) -> T::Output {
        task.run(self)
    }

    /// Returns a vector with `word` in every lane.
    #[inline(always)]
    fn splat(self, word: u32) -> Self::Words {
        Self::Words::splat(self, word)
    }

    /// Returns a mask of the first `n` lanes, or of all lanes if there are fewer than `n`.
    #[inline(always)]
    fn first(self, n: usize) -> Mask<Self> {
        Self::Words::first(self, n)
    }

    /// Loads a vector of words, which need not be aligned.
    ///
    /// # Safety
    ///
    /// `words` must be valid for reading [`LANES`](U32s::LANES) words.
    #[inline(always)]
    unsafe fn load(self, words: *const u32) -> Self::Words {
        const { assert!(size_of::<Self::Words>() == size_of::<u32>() * Self::Words::LANES) };
        // SAFETY: a vector consists of its words, as implementations of `U32s` guarantee, and the
        // caller guarantees that they can be read. `self` proves that the CPU has the vector's
        // instructions.
        unsafe { words.cast::<Self::Words>().read_unaligned() }
    }

    /// Loads the bits of a row.
    #[inline(always)]
    fn bits(self, row: &Row) -> Self::Bits {
        const { assert!(size_of::<Self::Bits>() == size_of::<Row>()) };
        // SAFETY: both consist of the same bits, as implementations of `Bits512` guarantee, and
        // `self` proves that the CPU has the vector's instructions.
        unsafe { transmute_copy(row) }
    }
}

/// Mask that selects lanes of an instruction set's vectors of words.
pub(crate) type Mask<I> = <<I as InstructionSet>::Words as U32s>::Mask;

/// A mask that selects lanes of a vector.
pub(crate) trait LaneMask: Copy {
    /// Returns the lanes that are set in both masks.
    fn and(self, other: Self) -> Self;
    /// Returns the number of set lanes.
    fn count(self) -> u32;
}

/// A vector of `LANES` unsigned 32-bit words.
///
/// The existence of a value proves that the CPU supports the instruction set. Values are created
/// from an [`InstructionSet`] or from other vectors.
///
/// # Safety
///
/// A vector must consist of its words in order, without padding and with all bit patterns valid.
pub(crate) unsafe trait U32s: Copy {
    /// Number of words in a vector.
    const LANES: usize;
    /// Mask that selects lanes.
    type Mask: LaneMask;

    fn splat(isa: impl InstructionSet<Words = Self>, word: u32) -> Self;
    fn first(isa: impl InstructionSet<Words = Self>, n: usize) -> Self::Mask;

    /// Packs the lanes of each vector that are set in `keep`, and stores them at the pointer with
    /// the same index. Returns the number of lanes kept.
    ///
    /// # Safety
    /// Each pointer must be valid for writes of `LANES` words. Words after the kept lanes get
    /// unspecified values.
    unsafe fn compress_store<const K: usize>(
        vectors: [Self; K],
        keep: Self::Mask,
        to: [*mut u32; K],
    ) -> usize;

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
    /// Moves the given bits of each lane to the right by `BY`. The other bits stay where they are.
    #[inline(always)]
    fn move_right<const BY: usize>(self, bits: Self) -> Self {
        let mut moved = self.and(bits);
        // The compiler turns these into a single shift.
        for _ in 0..BY {
            moved = moved.shr1();
        }
        self.and_not(bits).or(moved)
    }
    /// Clears the lowest set bit of each lane: `self & (self - 1)`.
    fn clear_lowest(self) -> Self;
    /// Returns the lanes that are zero.
    fn is_zero(self) -> Self::Mask;
    /// Returns the lanes that are not zero.
    fn not_zero(self) -> Self::Mask;
    /// Returns the lanes that have no bit in common with the same lane of `other`.
    #[inline(always)]
    fn disjoint(self, other: Self) -> Self::Mask {
        self.and(other).is_zero()
    }
    /// Computes `self & other` in the lanes set in `mask`, and keeps `self` in all other lanes.
    fn and_where(self, mask: Self::Mask, other: Self) -> Self;
}

/// 64-byte aligned storage.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Aligned<T>(pub(crate) T);

/// A row of 512 bits in memory.
pub(crate) type Row = Aligned<[u64; 8]>;

impl Row {
    /// A row with all bits clear.
    pub(crate) const EMPTY: Self = Self([0; 8]);
    /// A row with all bits set.
    pub(crate) const FULL: Self = Self([!0; 8]);
}

/// A vector of 512 bits, one per pattern of a block. As with [`U32s`], the existence of a value
/// proves that the CPU supports the instruction set.
///
/// # Safety
///
/// A vector must consist of 512 bits, which are all valid in any combination, in the order of
/// [`Row`].
pub(crate) unsafe trait Bits512: Copy {
    /// Running sum of population counts.
    type Sum: BitSum<Self>;

    /// Computes the inverted bit planes of the `open` bits of 512 words. Bit j of plane b is set if
    /// bit b of word j is clear. Other planes get unspecified values.
    #[inline(always)]
    fn planes(
        _isa: impl InstructionSet<Bits = Self>,
        words: &[Aligned<[u32; 16]>; 32],
        _open: u32,
        planes: &mut [Row; 32],
    ) {
        portable::planes(words, planes);
    }

    /// Stores the bits in a row.
    #[inline(always)]
    fn store(self, row: &mut Row) {
        const { assert!(size_of::<Self>() == size_of::<Row>()) };
        // SAFETY: implementations guarantee that both consist of the same bits.
        *row = unsafe { transmute_copy(&self) };
    }
    /// `self & other`
    fn and(self, other: Self) -> Self;
}

/// Running sum of the population counts of vectors.
pub(crate) trait BitSum<B>: Copy {
    /// Creates an empty sum. All bits of `zero` must be clear.
    fn new(zero: B) -> Self;
    /// Adds the population counts of eight vectors.
    fn add(self, bits: [B; 8]) -> Self;
    fn total(self) -> u64;
}
