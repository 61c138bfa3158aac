//! Growable lists of patterns, padded for use with vectors.

use std::marker::PhantomData;
use std::ops::Range;

use crate::engine::Stopped;
use crate::engine::simd::{Aligned, InstructionSet, U32s};

/// Number of words that may be read and written past the end of a list. This is the size of the
/// widest vector.
pub(crate) const PAD: usize = 16;

/// Number of patterns in a block. Blocks are always read as a whole.
pub(crate) const BLOCK: usize = 512;

/// Number of words in a cache line.
const LINE: usize = 16;

/// Number of cache lines from which words count as large.
const LARGE: usize = (4 << 20) / 64;

/// Words aligned to 64 bytes and allocated in whole blocks.
///
/// The words are stored in an ordinary `Vec`, and the first few are skipped for alignment. This
/// allows the allocator to move whole pages when the vector grows. An aligned allocation would be
/// copied each time.
#[derive(Debug, Default)]
pub(crate) struct AlignedWords {
    words: Vec<u32>,
    /// Index of the first aligned word.
    first: usize,
    lines: usize,
}

impl AlignedWords {
    /// Grows to at least `n` words, rounded up to whole blocks. New words have unspecified values.
    fn grow(&mut self, n: usize) -> Result<(), Stopped> {
        let enough = n.div_ceil(LINE);
        if enough <= self.lines {
            return Ok(());
        }
        // Allocate a little more, so that a growing list is rarely moved. Moving a large one only
        // remaps its pages.
        let more = if self.lines < LARGE { self.lines / 4 } else { self.lines / 16 };
        let more = enough.max(self.lines + more);
        self.resize(more.next_multiple_of(BLOCK / LINE))
    }

    fn resize(&mut self, lines: usize) -> Result<(), Stopped> {
        let words = LINE * (lines + 1);
        let more = words.saturating_sub(self.words.len());
        let asked = (more * size_of::<u32>()) as u64;
        let reserved = self.words.try_reserve_exact(more);
        reserved.map_err(|_| Stopped::OutOfMemory { asked })?;
        self.words.resize(words, 0);
        let first = self.words.as_ptr().align_offset(size_of::<Aligned<[u32; LINE]>>());
        assert!(first < LINE, "a vector of words can be aligned");
        if first != self.first {
            let old = self.first..self.first + LINE * self.lines;
            self.words.copy_within(old, first);
        }
        (self.first, self.lines) = (first, lines);
        Ok(())
    }

    /// Copies the first `n` words.
    fn first(&self, n: usize) -> Result<Self, Stopped> {
        let mut copy = Self::default();
        if n > 0 {
            copy.resize(n.div_ceil(LINE))?;
            copy.words_mut()[..n].copy_from_slice(&self.words()[..n]);
        }
        Ok(copy)
    }

    /// Returns the words as cache lines.
    pub(crate) fn lines(&self) -> &[Aligned<[u32; LINE]>] {
        // SAFETY: any sixteen words are a valid line. No words are left over, because `resize`
        // aligned the first one.
        unsafe { self.words().align_to() }.1
    }

    #[inline(always)]
    pub(crate) fn words(&self) -> &[u32] {
        &self.words[self.first..][..LINE * self.lines]
    }

    #[inline(always)]
    pub(crate) fn words_mut(&mut self) -> &mut [u32] {
        &mut self.words[self.first..][..LINE * self.lines]
    }
}

/// A list of patterns. The low words are stored in one array and, if patterns have more than 32
/// bits, the high words in another. Loops over lists are generic over a constant `WIDE`, which
/// enables the high words.
///
/// A new list must be [resized](Self::resize) before it is used. From then on, the capacity exceeds
/// `len` by at least [`PAD`], so that whole vectors can be read and written at the end.
#[derive(Debug, Default)]
pub(crate) struct List {
    low: AlignedWords,
    high: AlignedWords,
    len: usize,
    wide: bool,
}

impl List {
    /// Whether patterns have more than 32 bits.
    #[inline(always)]
    pub(crate) fn is_wide(&self) -> bool {
        self.wide
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Reserves capacity for a total of `n` patterns plus [`PAD`], rounded up to whole blocks.
    #[inline(never)]
    pub(crate) fn reserve(&mut self, n: usize) -> Result<(), Stopped> {
        self.low.grow(n + PAD)?;
        if self.wide { self.high.grow(n + PAD) } else { Ok(()) }
    }

    /// Copies the list without its unused capacity. The high words are copied only if `wide` is
    /// set.
    pub(crate) fn exact_copy(&self, wide: bool) -> Result<Self, Stopped> {
        let words = self.len + PAD;
        let high = if wide { words } else { 0 };
        Ok(Self { low: self.low.first(words)?, high: self.high.first(high)?, len: self.len, wide })
    }

    /// Returns the size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        4 * (self.low.words().len() + self.high.words().len())
    }

    /// Returns the low words, including the padding.
    pub(crate) fn low(&self) -> &AlignedWords {
        &self.low
    }

    /// Returns the high words, including the padding.
    pub(crate) fn high(&self) -> &AlignedWords {
        &self.high
    }

    /// Returns the low and high words of a range of patterns. The high words are unspecified unless
    /// `WIDE` is set.
    #[inline(always)]
    pub(crate) fn words<const WIDE: bool>(&self, range: Range<usize>) -> (&[u32], &[u32]) {
        let low = &self.low.words()[range.clone()];
        (low, if WIDE { &self.high.words()[range] } else { low })
    }

    #[inline]
    pub(crate) fn get(&self, i: usize) -> u64 {
        assert!(i < self.len);
        let high = if self.wide { self.high.words()[i] } else { 0 };
        together((self.low.words()[i], high))
    }

    /// Counts the patterns that have exactly the `required` bits among those in the mask `bits`.
    pub(crate) fn count(&self, bits: u64, required: u64) -> usize {
        let has = |&i: &usize| self.get(i) & bits == required;
        (0..self.len).filter(has).count()
    }

    /// Returns a read-only view of a range of patterns.
    #[inline(always)]
    pub(crate) fn patterns<const WIDE: bool>(&self, range: Range<usize>) -> Patterns<'_, WIDE> {
        let (low, high) = self.words::<WIDE>(range.start..range.end + PAD);
        // SAFETY: both word slices are `PAD` words longer than the range.
        unsafe { Patterns::new(low.as_ptr(), high.as_ptr(), range.len()) }
    }

    /// Sets the number of patterns, and whether they have more than 32 bits. New patterns have
    /// unspecified bits.
    pub(crate) fn resize(&mut self, len: usize, wide: bool) -> Result<(), Stopped> {
        self.wide = wide;
        self.reserve(len)?;
        self.len = len;
        Ok(())
    }

    /// Returns the low words and the high words for writing. The high words of narrow patterns are
    /// an empty slice.
    pub(crate) fn words_mut(&mut self) -> [&mut [u32]; 2] {
        let Self { low, high, len, wide } = self;
        let high_len = if *wide { *len } else { 0 };
        [&mut low.words_mut()[..*len], &mut high.words_mut()[..high_len]]
    }

    /// Returns a writer that appends patterns.
    #[inline(always)]
    pub(crate) fn end<const WIDE: bool>(&mut self) -> End<'_, WIDE> {
        End {
            low: self.low.words_mut().as_mut_ptr(),
            high: self.high.words_mut().as_mut_ptr(),
            len: self.len,
            capacity: self.capacity::<WIDE>(),
            list: self,
        }
    }

    /// Returns the number of patterns for which there is capacity, not counting [`PAD`].
    #[inline(always)]
    fn capacity<const WIDE: bool>(&self) -> usize {
        let low = self.low.words().len();
        let words = if WIDE { low.min(self.high.words().len()) } else { low };
        assert!(words >= PAD, "the list was resized");
        words - PAD
    }
}

/// Read-only view of patterns: low words and, if `WIDE` is set, high words, each followed by
/// [`PAD`] more words.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patterns<'a, const WIDE: bool> {
    low: *const u32,
    high: *const u32,
    len: usize,
    words: PhantomData<&'a u32>,
}

impl<'a, const WIDE: bool> Patterns<'a, WIDE> {
    /// Creates a view from pointers to the words.
    ///
    /// # Safety
    ///
    /// `low` must be valid for reading `len` + [`PAD`] words during `'a`, and so must `high` if
    /// `WIDE` is set.
    #[inline(always)]
    pub(crate) unsafe fn new(low: *const u32, high: *const u32, len: usize) -> Self {
        let words = PhantomData;
        Self { low, high, len, words }
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns the low word and the high word of a pattern. The high word is 0 unless `WIDE` is
    /// set.
    #[inline(always)]
    pub(crate) fn get(&self, i: usize) -> (u32, u32) {
        assert!(i < self.len);
        // SAFETY: `i` is less than `len`, and each pointer that is read is valid for `len` words.
        unsafe {
            let high = if WIDE { *self.high.add(i) } else { 0 };
            (*self.low.add(i), high)
        }
    }

    /// Iterates over the patterns.
    #[inline(always)]
    pub(crate) fn iter(self) -> impl Iterator<Item = u64> + use<'a, WIDE> {
        (0..self.len).map(move |i| together(self.get(i)))
    }

    /// Iterates over the patterns, one vector at a time.
    #[inline(always)]
    pub(crate) fn vectors<I: InstructionSet>(self, isa: I) -> Vectors<'a, I, WIDE> {
        Vectors { isa, left: self }
    }
}

/// Iterator over patterns, one vector at a time. An item consists of the low words, the high words,
/// which are unspecified unless `WIDE` is set, and the lanes that contain patterns. The other lanes
/// contain padding.
pub(crate) struct Vectors<'a, I, const WIDE: bool> {
    isa: I,
    left: Patterns<'a, WIDE>,
}

impl<I: InstructionSet, const WIDE: bool> Iterator for Vectors<'_, I, WIDE> {
    type Item = (I::Words, I::Words, <I::Words as U32s>::Mask);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        const { assert!(I::Words::LANES <= PAD) };
        let Self { isa, left } = self;
        let Patterns { low, high, len, .. } = *left;
        if len == 0 {
            return None;
        }
        left.low = low.wrapping_add(I::Words::LANES);
        left.high = high.wrapping_add(I::Words::LANES);
        left.len = len.saturating_sub(I::Words::LANES);
        // SAFETY: there is at least one pattern, followed by `PAD` words, and a vector has at most
        // `PAD` words.
        let (low, high) = unsafe {
            let low = &*low.cast();
            (low, if WIDE { &*high.cast() } else { low })
        };
        Some((isa.load(low), isa.load(high), isa.first(len)))
    }
}

/// A writer that appends patterns to a list. They are committed by [`finish`](Self::finish).
pub(crate) struct End<'a, const WIDE: bool> {
    list: &'a mut List,
    /// Pointers to the list's words.
    low: *mut u32,
    high: *mut u32,
    len: usize,
    /// Number of patterns for which there is capacity.
    capacity: usize,
}

impl<const WIDE: bool> End<'_, WIDE> {
    /// Returns the number of patterns in the list, including those not yet committed.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Reserves capacity for `n` more patterns.
    #[inline(always)]
    pub(crate) fn reserve(&mut self, n: usize) -> Result<(), Stopped> {
        if self.len + n > self.capacity {
            self.list.reserve(self.len + n)?;
            self.low = self.list.low.words_mut().as_mut_ptr();
            self.high = self.list.high.words_mut().as_mut_ptr();
            self.capacity = self.list.capacity::<WIDE>();
        }
        Ok(())
    }

    /// Appends the patterns in those lanes of a vector that are set in `keep`. Panics if the
    /// capacity was already exceeded.
    #[inline(always)]
    pub(crate) fn append<V: U32s>(&mut self, (low, high): (V, V), keep: V::Mask) {
        const { assert!(V::LANES <= PAD) };
        assert!(self.len <= self.capacity);
        // SAFETY: both arrays have at least `capacity` + `PAD` words, and a vector has at most
        // `PAD` words.
        unsafe {
            let to = [self.low.add(self.len), self.high.wrapping_add(self.len)];
            self.len += if WIDE {
                V::compress_store([low, high], keep, to)
            } else {
                V::compress_store([low], keep, [to[0]])
            };
        }
    }

    /// Commits the appended patterns to the list.
    #[inline(always)]
    pub(crate) fn finish(self) {
        assert!(self.len <= self.capacity);
        self.list.len = self.len;
    }
}

#[cfg(test)]
impl List {
    pub(crate) fn push_all(&mut self, patterns: &[u64]) {
        for pattern in patterns {
            self.reserve(self.len + 1).unwrap();
            self.low.words_mut()[self.len] = *pattern as u32;
            if self.wide {
                self.high.words_mut()[self.len] = (pattern >> 32) as u32;
            }
            self.len += 1;
        }
    }

    pub(crate) fn iter<const WIDE: bool>(&self) -> impl Iterator<Item = u64> + '_ {
        self.patterns::<WIDE>(0..self.len).iter()
    }
}

/// One range of queries, which are west patterns, for each weight class.
pub(crate) type Ranges = [Range<usize>; 3];

/// Combines the low word and the high word of a pattern.
pub(crate) fn together((low, high): (u32, u32)) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_without_memory_have_no_lines() {
        assert!(AlignedWords::default().lines().is_empty());
    }
}
