//! One word as a vector of one lane.

use super::portable::ArrayBits;
use super::{InstructionSet, LaneMask, Task, U32s};

/// No vectors: a word at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scalar;

// SAFETY: words and arrays ask nothing of the CPU.
unsafe impl InstructionSet for Scalar {
    type Words = u32;
    type Bits = ArrayBits;

    #[inline(always)]
    fn call<T: Task>(self, task: T) -> T::Output {
        task.run(self)
    }
}

impl LaneMask for bool {
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
        u32::from(self)
    }
}

impl U32s for u32 {
    const LANES: usize = 1;
    type Mask = bool;
    type Array = [u32; 1];

    #[inline(always)]
    unsafe fn splat(word: u32) -> Self {
        word
    }
    #[inline(always)]
    unsafe fn first(n: usize) -> bool {
        n > 0
    }
    #[inline(always)]
    unsafe fn load(from: *const u32) -> Self {
        // SAFETY: readable, by the caller's promise.
        unsafe { from.read() }
    }
    #[inline(always)]
    unsafe fn load_u16(from: *const u16) -> Self {
        // SAFETY: readable, by the caller's promise.
        u32::from(unsafe { from.read() })
    }
    #[inline(always)]
    unsafe fn compress_store<const K: usize>(vectors: [Self; K], _keep: bool, to: [*mut u32; K]) {
        // A dropped word is written too: the caller's count does not move, so the next one overwrites it.
        for (word, to) in vectors.into_iter().zip(to) {
            // SAFETY: writable, by the caller's promise.
            unsafe { to.write(word) };
        }
    }
    #[inline(always)]
    fn to_array(self) -> [u32; 1] {
        [self]
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self & other
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self | other
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self ^ other
    }
    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        self & !other
    }
    #[inline(always)]
    fn shl1(self) -> Self {
        self << 1
    }
    #[inline(always)]
    fn shr1(self) -> Self {
        self >> 1
    }
    #[inline(always)]
    fn clear_lowest(self) -> Self {
        self & self.wrapping_sub(1)
    }
    #[inline(always)]
    fn is_zero(self) -> bool {
        self == 0
    }
    #[inline(always)]
    fn not_zero(self) -> bool {
        self != 0
    }
    #[inline(always)]
    fn disjoint(self, other: Self) -> bool {
        self & other == 0
    }
    #[inline(always)]
    fn and_where(self, mask: bool, other: Self) -> Self {
        self & (other | u32::from(!mask).wrapping_neg())
    }
}
