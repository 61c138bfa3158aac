//! What an instruction set offers.

/// Code that runs with an instruction set. Implementations are `#[inline(always)]`, and so is all that they call with
/// vectors.
pub(crate) trait Task {
    /// Result of the task.
    type Output;

    /// Runs the task. `isa` makes the first vectors. Engine `join` sets `WIDE` for patterns of more than 32 bits.
    fn run<I: InstructionSet, const WIDE: bool>(self, isa: I) -> Self::Output;
}

/// An instruction set, with the vectors to use with it. A value proves that the CPU has it, so that the first vectors
/// of a computation can be made without further promises.
///
/// # Safety
///
/// Values can be made only where the CPU has all that `Words` and `Bits` ask for.
pub(crate) unsafe trait InstructionSet: Copy {
    /// Vectors of words.
    type Words: U32s;
    /// 512 bits.
    type Bits: Bits512;

    /// Whether [`deposit`](Self::deposit) is fast.
    const DEPOSITS: bool = false;

    /// The bits of `word` that `from` names, deposited from the lowest on at the places that `to` names. Not to be
    /// asked for where it is not fast.
    #[inline(always)]
    fn deposit(self, _word: u64, _from: u64, _to: u64) -> u64 {
        unreachable!("nothing is deposited where it takes many instructions")
    }

    /// Runs a task compiled for this instruction set: one that every CPU has which the program is compiled for, unless
    /// said otherwise.
    #[inline(always)]
    fn call<T: Task, const WIDE: bool>(self, task: T) -> T::Output {
        task.run::<Self, WIDE>(self)
    }

    /// `word` in every lane.
    #[inline(always)]
    fn splat(self, word: u32) -> Self::Words {
        Self::Words::splat(self, word)
    }

    /// The first `n` lanes, or all where there are no more.
    #[inline(always)]
    fn first(self, n: usize) -> <Self::Words as U32s>::Mask {
        Self::Words::first(self, n)
    }

    /// A vector of these words.
    #[inline(always)]
    fn load(self, words: &<Self::Words as U32s>::Array) -> Self::Words {
        Self::Words::load(self, words)
    }

    /// The bits of a row.
    #[inline(always)]
    fn bits(self, row: &Row) -> Self::Bits {
        Self::Bits::load(self, row)
    }

    /// The bit planes of 512 words: bit j of plane b is set where word j lacks bit b.
    #[inline(always)]
    fn planes(self, words: &[Aligned<[u32; 16]>; 32], planes: &mut [Row; 32]) {
        Self::Bits::planes(self, words, planes)
    }
}

/// A verdict per lane.
pub(crate) trait LaneMask: Copy {
    /// Lanes set in both.
    fn and(self, other: Self) -> Self;
    /// Number of lanes set.
    fn count(self) -> u32;
}

/// A vector of `LANES` unsigned 32-bit words.
///
/// Values exist only where the CPU has the instructions of the type: the first one is made of an [`InstructionSet`],
/// which proves it, and every other operation takes a value.
pub(crate) trait U32s: Copy {
    /// Words in a vector.
    const LANES: usize;
    /// A verdict per lane.
    type Mask: LaneMask;
    /// The words of a vector.
    type Array: IntoIterator<Item = u32>;

    /// `word` in every lane.
    fn splat(isa: impl InstructionSet<Words = Self>, word: u32) -> Self;
    /// The first `n` lanes, or all where there are no more.
    fn first(isa: impl InstructionSet<Words = Self>, n: usize) -> Self::Mask;
    /// These words.
    fn load(isa: impl InstructionSet<Words = Self>, words: &Self::Array) -> Self;

    /// Packs the lanes set in `keep` of each vector together and writes them from the matching pointer on. Returns
    /// how many lanes these are.
    ///
    /// # Safety
    /// From each pointer on, `LANES` words may be overwritten: the words after the kept ones get unspecified values.
    unsafe fn compress_store<const K: usize>(
        vectors: [Self; K],
        keep: Self::Mask,
        to: [*mut u32; K],
    ) -> usize;

    /// The words.
    fn to_array(self) -> Self::Array;
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
    #[inline(always)]
    fn disjoint(self, other: Self) -> Self::Mask {
        self.and(other).is_zero()
    }
    /// `self` in the lanes not set in `mask`, `self & other` in the lanes set.
    fn and_where(self, mask: Self::Mask, other: Self) -> Self;
}

/// What vectors of 64 bytes like to be read from and written to.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Aligned<T>(pub(crate) T);

/// 512 bits in memory.
pub(crate) type Row = Aligned<[u64; 8]>;

impl Row {
    /// No bits.
    pub(crate) const EMPTY: Self = Self([0; 8]);
    /// All bits.
    pub(crate) const FULL: Self = Self([!0; 8]);
}

/// 512 bits, one for each pattern of a block. As with [`U32s`], a value proves that the CPU has the instructions.
pub(crate) trait Bits512: Copy {
    /// Adds up numbers of set bits.
    type Sum: BitSum<Self>;

    /// The bits of a row.
    fn load(isa: impl InstructionSet<Bits = Self>, row: &Row) -> Self;

    /// The bit planes of 512 words: bit j of plane b is set where word j lacks bit b.
    fn planes(
        isa: impl InstructionSet<Bits = Self>,
        words: &[Aligned<[u32; 16]>; 32],
        planes: &mut [Row; 32],
    );

    /// Writes the bits to a row.
    fn store(self, row: &mut Row);
    /// `self & other`
    fn and(self, other: Self) -> Self;
}

/// Adds up the numbers of set bits of vectors.
pub(crate) trait BitSum<B>: Copy {
    /// The sum of nothing. `zero` has no bit set.
    fn new(zero: B) -> Self;
    /// The sum with the set bits of eight vectors added.
    fn add(self, bits: [B; 8]) -> Self;
    /// What was added.
    fn total(self) -> u64;
}
