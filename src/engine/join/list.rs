//! Growing lists of patterns, as the vector code likes them.

use super::quadrant::PAD;
use crate::engine::simd::{LaneMask, U32s};

/// One cache line.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
struct Line([u32; 16]);

/// Words aligned to 64 bytes.
#[derive(Debug, Default)]
pub struct Words(Vec<Line>);

impl Words {
    /// `n` zeros or more.
    pub fn new(n: usize) -> Self {
        Self(vec![Line([0; 16]); n.div_ceil(16)])
    }

    /// Makes sure that there are `n`.
    pub fn grow(&mut self, n: usize) {
        if n > self.capacity() {
            self.0
                .resize(n.next_power_of_two().div_ceil(16), Line([0; 16]));
        }
    }

    /// How many words there are.
    pub fn capacity(&self) -> usize {
        16 * self.0.len()
    }

    /// Where they begin.
    pub fn as_ptr(&self) -> *const u32 {
        self.0.as_ptr().cast()
    }

    /// Where they begin.
    pub fn as_mut_ptr(&mut self) -> *mut u32 {
        self.0.as_mut_ptr().cast()
    }
}

/// A list of patterns: their low words and, where patterns have more than 32 bits, their high words.
///
/// There is always room for [`PAD`] more than `len` patterns, so whole vectors may be read and written at the end.
#[derive(Debug)]
pub struct List {
    low: Words,
    high: Words,
    len: usize,
}

impl Default for List {
    fn default() -> Self {
        Self {
            low: Words::new(PAD),
            high: Words::new(PAD),
            len: 0,
        }
    }
}

impl List {
    /// How many patterns.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Forgets the patterns and keeps the memory.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Makes room for `n` more patterns.
    #[inline(always)]
    pub fn reserve<const WIDE: bool>(&mut self, n: usize) {
        let needed = self.len + n + PAD;
        if needed > self.low.capacity() {
            self.low.grow(needed);
        }
        if WIDE && needed > self.high.capacity() {
            self.high.grow(needed);
        }
    }

    /// Low and high words. The latter are to be read and written only where patterns have more than 32 bits.
    #[inline(always)]
    pub fn words(&self) -> (*const u32, *const u32) {
        (self.low.as_ptr(), self.high.as_ptr())
    }

    /// Low and high words to write to.
    #[inline(always)]
    pub fn words_mut(&mut self) -> (*mut u32, *mut u32) {
        (self.low.as_mut_ptr(), self.high.as_mut_ptr())
    }

    /// Takes the first `len` words for the list.
    ///
    /// # Safety
    ///
    /// There is room for `len` patterns and [`PAD`] more, and the first `len` have been written.
    #[inline(always)]
    pub unsafe fn set_len(&mut self, len: usize) {
        debug_assert!(len + PAD <= self.low.capacity());
        self.len = len;
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        4 * (self.low.capacity() + self.high.capacity())
    }
}

#[cfg(test)]
impl List {
    /// Appends a pattern.
    pub fn push(&mut self, pattern: u64) {
        self.reserve::<true>(1);
        let (low, high) = self.words_mut();
        // SAFETY: room was made for both words.
        unsafe {
            low.add(self.len).write(pattern as u32);
            high.add(self.len).write((pattern >> 32) as u32);
        }
        self.len += 1;
    }

    /// The patterns.
    pub fn iter<const WIDE: bool>(&self) -> impl Iterator<Item = u64> + '_ {
        let (low, high) = self.words();
        (0..self.len).map(move |i| {
            // SAFETY: both have `len` words.
            unsafe {
                u64::from(low.add(i).read())
                    | if WIDE {
                        u64::from(high.add(i).read()) << 32
                    } else {
                        0
                    }
            }
        })
    }
}

/// A vector of patterns, low words and high words, from the `at`-th of a list on. The high words are nothing in
/// particular unless `WIDE`.
///
/// # Safety
///
/// A vector is readable from there on, of both unless not `WIDE`, and the CPU has `V`'s instruction set.
#[inline(always)]
pub unsafe fn load<V: U32s, const WIDE: bool>(
    (low, high): (*const u32, *const u32),
    at: usize,
) -> (V, V) {
    // SAFETY: by the caller's promise.
    unsafe {
        let low = V::load(low.add(at));
        (low, if WIDE { V::load(high.add(at)) } else { low })
    }
}

/// Writes those patterns of a vector that are in `keep` from the `at`-th place of a list on, and says how many they are.
///
/// # Safety
///
/// A vector may be overwritten from there on, of both unless not `WIDE`.
#[inline(always)]
pub unsafe fn store<V: U32s, const WIDE: bool>(
    (low, high): (V, V),
    keep: V::Mask,
    (to_low, to_high): (*mut u32, *mut u32),
    at: usize,
) -> usize {
    // SAFETY: by the caller's promise.
    unsafe {
        if WIDE {
            V::compress_store([low, high], keep, [to_low.add(at), to_high.add(at)]);
        } else {
            V::compress_store([low], keep, [to_low.add(at)]);
        }
    }
    keep.count() as usize
}
