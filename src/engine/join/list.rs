//! Growing lists of patterns, as the vector code likes them.

use std::marker::PhantomData;
use std::ops::Range;

use crate::engine::Stopped;
use crate::engine::simd::{Aligned, InstructionSet, U32s};

/// How many words past the end of a list may be read and written: a vector of the widest kind.
pub(crate) const PAD: usize = 16;

/// Patterns in a block, which is read whole.
pub(crate) const BLOCK: usize = 512;

/// Words in a cache line.
const LINE: usize = 16;

/// Words aligned to 64 bytes, in whole blocks.
///
/// They are plain words of which the first few are left out, so that the allocator may move whole pages when they grow:
/// memory that has to be aligned is copied each time.
#[derive(Debug, Default)]
pub(crate) struct AlignedWords {
    words: Vec<u32>,
    /// Where the aligned ones begin.
    first: usize,
    lines: usize,
}

impl AlignedWords {
    /// Makes sure that there are `n`, in whole blocks; new ones are nothing in particular.
    fn grow(&mut self, n: usize) -> Result<(), Stopped> {
        let enough = n.div_ceil(LINE);
        if enough <= self.lines {
            return Ok(());
        }
        // A little more, so that a list that grows is seldom moved.
        let more = enough.max(self.lines + self.lines / 4);
        self.resize(more.next_multiple_of(BLOCK / LINE))
    }

    fn resize(&mut self, lines: usize) -> Result<(), Stopped> {
        let words = LINE * (lines + 1);
        let more = words.saturating_sub(self.words.len());
        let asked = (more * size_of::<u32>()) as u64;
        let reserved = self.words.try_reserve_exact(more);
        reserved.map_err(|_| Stopped::OutOfMemory { asked })?;
        self.words.resize(words, 0);
        let first = self
            .words
            .as_ptr()
            .align_offset(size_of::<Aligned<[u32; LINE]>>());
        assert!(first < LINE, "a vector of words can be aligned");
        if first != self.first {
            let old = self.first..self.first + LINE * self.lines;
            self.words.copy_within(old, first);
        }
        (self.first, self.lines) = (first, lines);
        Ok(())
    }

    /// A copy of the first `n`.
    fn first(&self, n: usize) -> Result<Self, Stopped> {
        let mut copy = Self::default();
        if n > 0 {
            copy.resize(n.div_ceil(LINE))?;
            copy.words_mut()[..n].copy_from_slice(&self.words()[..n]);
        }
        Ok(copy)
    }

    /// The words, cache line by cache line.
    pub(crate) fn lines(&self) -> &[Aligned<[u32; LINE]>] {
        // SAFETY: any sixteen words are a line. All words belong to one, since `resize` aligned the first.
        unsafe { self.words().align_to() }.1
    }

    /// The words.
    #[inline(always)]
    pub(crate) fn words(&self) -> &[u32] {
        &self.words[self.first..][..LINE * self.lines]
    }

    /// The words, to be written.
    #[inline(always)]
    pub(crate) fn words_mut(&mut self) -> &mut [u32] {
        &mut self.words[self.first..][..LINE * self.lines]
    }
}

/// A list of patterns: their low words and, where patterns have more than 32 bits, their high words. Loops over lists
/// have a constant `WIDE` for the latter.
///
/// Its capacity is always [`PAD`] more than `len` patterns, so whole vectors can be read and written at the end.
#[derive(Debug)]
pub(crate) struct List {
    low: AlignedWords,
    high: AlignedWords,
    len: usize,
    wide: bool,
}

impl List {
    /// An empty list, of patterns of more than 32 bits if `wide`.
    pub(crate) fn new(wide: bool) -> Self {
        let mut list = Self {
            low: AlignedWords::default(),
            high: AlignedWords::default(),
            len: 0,
            wide,
        };
        list.reserve(0).expect("there is memory for a block");
        list
    }

    /// Whether patterns have more than 32 bits.
    #[inline(always)]
    pub(crate) fn is_wide(&self) -> bool {
        self.wide
    }

    /// How many patterns.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Forgets all patterns but the first `len`, and keeps the memory.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Makes room for `n` patterns in all, and [`PAD`] more, in whole blocks.
    #[inline(never)]
    pub(crate) fn reserve(&mut self, n: usize) -> Result<(), Stopped> {
        self.low.grow(n + PAD)?;
        if self.wide {
            self.high.grow(n + PAD)
        } else {
            Ok(())
        }
    }

    /// The list of one pattern without bits.
    pub(crate) fn of_nothing() -> Result<Self, Stopped> {
        let mut list = Self::new(true);
        list.reserve(1)?;
        list.len = 1;
        Ok(list)
    }

    /// A copy that has no room for more, with high words if `wide`.
    pub(crate) fn exact_copy(&self, wide: bool) -> Result<Self, Stopped> {
        let words = self.len + PAD;
        let high = if wide { words } else { 0 };
        Ok(Self {
            low: self.low.first(words)?,
            high: self.high.first(high)?,
            len: self.len,
            wide,
        })
    }

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> usize {
        4 * (self.low.words().len() + self.high.words().len())
    }

    /// Low words, and the unused ones behind them.
    pub(crate) fn low(&self) -> &AlignedWords {
        &self.low
    }

    /// High words, and the unused ones behind them.
    pub(crate) fn high(&self) -> &AlignedWords {
        &self.high
    }

    /// The low and the high words of a range of patterns. The latter are nothing in particular unless `WIDE`.
    #[inline(always)]
    pub(crate) fn words<const WIDE: bool>(&self, range: Range<usize>) -> (&[u32], &[u32]) {
        let low = &self.low.words()[range.clone()];
        (low, if WIDE { &self.high.words()[range] } else { low })
    }

    /// One pattern.
    #[inline]
    pub(crate) fn get(&self, i: usize) -> u64 {
        assert!(i < self.len);
        let high = if self.wide { self.high.words()[i] } else { 0 };
        together((self.low.words()[i], high))
    }

    /// How many patterns have, of some bits, exactly those in `having`.
    pub(crate) fn count(&self, bits: u64, having: u64) -> usize {
        let has = |&i: &usize| self.get(i) & bits == having;
        (0..self.len).filter(has).count()
    }

    /// A range of patterns, a vector at a time.
    #[inline(always)]
    pub(crate) fn patterns<const WIDE: bool>(&self, range: Range<usize>) -> Patterns<'_, WIDE> {
        let (low, high) = self.words::<WIDE>(range.start..range.end + PAD);
        // SAFETY: both are `PAD` words longer than the range.
        unsafe { Patterns::new(low.as_ptr(), high.as_ptr(), range.len()) }
    }

    /// Sets the number of patterns. New ones have unspecified bits.
    pub(crate) fn resize(&mut self, len: usize) -> Result<(), Stopped> {
        self.reserve(len)?;
        self.len = len;
        Ok(())
    }

    /// The low words and, of wide patterns, the high words.
    pub(crate) fn words_mut(&mut self) -> [&mut [u32]; 2] {
        let Self {
            low,
            high,
            len,
            wide,
        } = self;
        let high_len = if *wide { *len } else { 0 };
        [
            &mut low.words_mut()[..*len],
            &mut high.words_mut()[..high_len],
        ]
    }

    /// The end of the list, where patterns are appended.
    #[inline(always)]
    pub(crate) fn end<const WIDE: bool>(&mut self) -> End<'_, WIDE> {
        End {
            low: self.low.words_mut().as_mut_ptr(),
            high: self.high.words_mut().as_mut_ptr(),
            len: self.len,
            room: self.room::<WIDE>(),
            list: self,
        }
    }

    /// How many patterns there is room for, with [`PAD`] more behind them.
    #[inline(always)]
    fn room<const WIDE: bool>(&self) -> usize {
        let low = self.low.words().len();
        let words = if WIDE {
            low.min(self.high.words().len())
        } else {
            low
        };
        words - PAD
    }
}

/// Patterns to be read: low words and, if `WIDE`, high words, with [`PAD`] more of each behind them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patterns<'a, const WIDE: bool> {
    low: *const u32,
    high: *const u32,
    len: usize,
    words: PhantomData<&'a u32>,
}

impl<'a, const WIDE: bool> Patterns<'a, WIDE> {
    /// The patterns with these words.
    ///
    /// # Safety
    ///
    /// From `low` on, and from `high` on if `WIDE`, `len` and [`PAD`] words are readable while `'a` lasts.
    #[inline(always)]
    pub(crate) unsafe fn new(low: *const u32, high: *const u32, len: usize) -> Self {
        let words = PhantomData;
        Self {
            low,
            high,
            len,
            words,
        }
    }

    /// How many.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Low and high word of one. The latter is 0 unless `WIDE`.
    #[inline(always)]
    pub(crate) fn get(&self, i: usize) -> (u32, u32) {
        assert!(i < self.len);
        // SAFETY: there are `len` of either word that is read.
        unsafe {
            let high = if WIDE { *self.high.add(i) } else { 0 };
            (*self.low.add(i), high)
        }
    }

    /// All of them, a vector at a time.
    #[inline(always)]
    pub(crate) fn vectors<I: InstructionSet>(self, isa: I) -> Vectors<'a, I, WIDE> {
        let left = self;
        Vectors { isa, left }
    }
}

/// Patterns, a vector at a time.
pub(crate) struct Vectors<'a, I, const WIDE: bool> {
    isa: I,
    left: Patterns<'a, WIDE>,
}

impl<'a, I: InstructionSet, const WIDE: bool> Iterator for Vectors<'a, I, WIDE> {
    type Item = Vector<'a, I, WIDE>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if self.left.len == 0 {
            return None;
        }
        let vector = Vector {
            isa: self.isa,
            from: self.left,
        };
        self.left.low = self.left.low.wrapping_add(I::Words::LANES);
        self.left.high = self.left.high.wrapping_add(I::Words::LANES);
        self.left.len = self.left.len.saturating_sub(I::Words::LANES);
        Some(vector)
    }
}

/// A vector of patterns, not yet read.
pub(crate) struct Vector<'a, I, const WIDE: bool> {
    isa: I,
    /// The patterns from the first of the vector on: one at least.
    from: Patterns<'a, WIDE>,
}

impl<I: InstructionSet, const WIDE: bool> Vector<'_, I, WIDE> {
    /// The lanes that are patterns; in the others is what lies behind the last one.
    #[inline(always)]
    pub(crate) fn lanes(&self) -> <I::Words as U32s>::Mask {
        self.isa.first(self.from.len)
    }

    /// Low words and high words. The latter are nothing in particular unless `WIDE`.
    #[inline(always)]
    pub(crate) fn load(&self) -> (I::Words, I::Words) {
        const { assert!(I::Words::LANES <= PAD) };
        // SAFETY: there is a pattern, with `PAD` words behind it, and a vector has no more.
        let (low, high) = unsafe {
            let low = &*self.from.low.cast();
            (low, if WIDE { &*self.from.high.cast() } else { low })
        };
        (self.isa.load(low), self.isa.load(high))
    }
}

/// The end of a list, where patterns are appended. They belong to the list when that [is said](Self::finish).
pub(crate) struct End<'a, const WIDE: bool> {
    list: &'a mut List,
    /// Where the list's words are.
    low: *mut u32,
    high: *mut u32,
    len: usize,
    /// How many patterns there is room for.
    room: usize,
}

impl<const WIDE: bool> End<'_, WIDE> {
    /// How many patterns there are, those of the list included.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Makes room for `n` more patterns.
    #[inline(always)]
    pub(crate) fn reserve(&mut self, n: usize) -> Result<(), Stopped> {
        if self.len + n > self.room {
            self.list.reserve(self.len + n)?;
            self.low = self.list.low.words_mut().as_mut_ptr();
            self.high = self.list.high.words_mut().as_mut_ptr();
            self.room = self.list.room::<WIDE>();
        }
        Ok(())
    }

    /// Appends those patterns of a vector that are in `keep`.
    ///
    /// # Panics
    ///
    /// If more had been appended before than room was made for.
    #[inline(always)]
    pub(crate) fn append<V: U32s>(&mut self, (low, high): (V, V), keep: V::Mask) {
        const { assert!(V::LANES <= PAD) };
        assert!(self.len <= self.room);
        // SAFETY: of either word there is room for `PAD` more than `room`, and a vector has no more.
        unsafe {
            let to = [self.low.add(self.len), self.high.wrapping_add(self.len)];
            self.len += if WIDE {
                V::compress_store([low, high], keep, to)
            } else {
                V::compress_store([low], keep, [to[0]])
            };
        }
    }

    /// Makes what was appended part of the list.
    #[inline(always)]
    pub(crate) fn finish(self) {
        assert!(self.len <= self.room);
        self.list.len = self.len;
    }
}

#[cfg(test)]
impl List {
    /// Appends patterns.
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

    /// The patterns.
    pub(crate) fn iter<const WIDE: bool>(&self) -> impl Iterator<Item = u64> + '_ {
        let patterns = self.patterns::<WIDE>(0..self.len);
        (0..self.len).map(move |i| together(patterns.get(i)))
    }
}

/// The bits of a pattern's low and high word.
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
