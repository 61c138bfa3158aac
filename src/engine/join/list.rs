//! Growable lists of patterns, padded for use with vectors.

use std::marker::PhantomData;
use std::ops::Range;

use crate::engine::interruption::Interruption;
use crate::engine::simd::{Aligned, InstructionSet, LaneMask, Mask, U32s};

/// Number of words that may be read and written past the end of a list. This is the size of the
/// widest vector.
pub(crate) const PAD: usize = 16;

/// Number of patterns in a block. Blocks are always read as a whole.
pub(crate) const BLOCK: usize = 512;

/// Number of words in a cache line.
const LINE: usize = 16;

/// Size, in cache lines, from which a list grows by a sixteenth instead of a quarter.
const LARGE: usize = (4 << 20) / 64;

/// Words aligned to 64 bytes and allocated in whole cache lines.
///
/// The words are stored in an ordinary `Vec`, and the first few are skipped for alignment. This
/// allows the allocator to move whole pages when the vector grows. An aligned allocation would be
/// copied each time.
#[derive(Debug, Default)]
struct AlignedWords {
    words: Vec<u32>,
    /// Index of the first aligned word.
    first: usize,
    lines: usize,
}

impl AlignedWords {
    /// Grows to at least `n` words, rounded up to whole blocks. New words have unspecified values.
    fn grow(&mut self, n: usize) -> Result<(), Interruption> {
        let enough = n.div_ceil(LINE);
        if enough <= self.lines {
            return Ok(());
        }
        // Grow by more than is needed, so that a list is rarely moved. For a large list, a
        // sixteenth is enough, because moving it only remaps its pages.
        let more = if self.lines < LARGE { self.lines / 4 } else { self.lines / 16 };
        let more = enough.max(self.lines + more);
        self.resize(more.next_multiple_of(BLOCK / LINE))
    }

    fn resize(&mut self, lines: usize) -> Result<(), Interruption> {
        let words = LINE * (lines + 1);
        let more = words.saturating_sub(self.words.len());
        let asked = (more * size_of::<u32>()) as u64;
        let reserved = self.words.try_reserve_exact(more);
        reserved.map_err(|_| Interruption::OutOfMemory { asked })?;
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

    /// Returns the words as cache lines.
    fn lines(&self) -> &[Aligned<[u32; LINE]>] {
        // SAFETY: any sixteen words are a valid line. No words are left over, because `resize`
        // aligned the first one.
        unsafe { self.words().align_to() }.1
    }

    #[inline(always)]
    fn words(&self) -> &[u32] {
        &self.words[self.first..][..LINE * self.lines]
    }

    #[inline(always)]
    fn words_mut(&mut self) -> &mut [u32] {
        &mut self.words[self.first..][..LINE * self.lines]
    }
}

/// A list of patterns. The low words are stored in one array and, if patterns have more than 32
/// bits, the high words in another. Loops over lists are generic over a constant `W`, the number of
/// words of a pattern that they use.
///
/// A new list must be [resized](Self::resize) before it is used. From then on, the capacity exceeds
/// `len` by at least [`PAD`], so that whole vectors can be read and written at the end.
#[derive(Debug, Default)]
pub(crate) struct List {
    /// The low words and the high words.
    words: [AlignedWords; 2],
    /// Number of words of a pattern.
    width: usize,
    len: usize,
}

impl List {
    /// Returns the number of words of a pattern: 1 up to 32 bits, or else 2.
    #[inline(always)]
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Reserves capacity for a total of `n` patterns plus [`PAD`], rounded up to whole blocks.
    #[inline(never)]
    pub(crate) fn reserve(&mut self, n: usize) -> Result<(), Interruption> {
        self.words[..self.width].iter_mut().try_for_each(|words| words.grow(n + PAD))
    }

    /// Copies the first `width` words of each pattern, with no capacity beyond [`PAD`], rounded up
    /// to a cache line.
    pub(crate) fn exact_copy(&self, width: usize) -> Result<Self, Interruption> {
        let mut copy = Self { width, len: self.len, ..Self::default() };
        for (copy, words) in copy.words[..width].iter_mut().zip(&self.words) {
            let n = self.len + PAD;
            copy.resize(n.div_ceil(LINE))?;
            copy.words_mut()[..n].copy_from_slice(&words.words()[..n]);
        }
        Ok(copy)
    }

    /// Returns the size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.words.iter().map(|words| size_of_val(words.words())).sum()
    }

    /// Returns the cache lines of each array, low words first, including the padding.
    pub(crate) fn lines(&self) -> [&[Aligned<[u32; LINE]>]; 2] {
        self.words.each_ref().map(AlignedWords::lines)
    }

    /// Returns the words of a range of patterns.
    #[inline(always)]
    pub(crate) fn words<const W: usize>(&self, range: Range<usize>) -> [&[u32]; W] {
        std::array::from_fn(|i| &self.words[i].words()[range.clone()])
    }

    /// Counts the patterns with `pattern & bits == required`. The list must have two words per
    /// pattern.
    pub(crate) fn count(&self, bits: u64, required: u64) -> usize {
        let patterns = self.patterns::<2>(0..self.len).iter();
        patterns.filter(|pattern| pattern & bits == required).count()
    }

    /// Returns a read-only view of a range of patterns.
    #[inline(always)]
    pub(crate) fn patterns<const W: usize>(&self, range: Range<usize>) -> Patterns<'_, W> {
        let words = self.words::<W>(range.start..range.end + PAD);
        // SAFETY: the word slices are `PAD` words longer than the range.
        unsafe { Patterns::new(words.map(<[u32]>::as_ptr), range.len()) }
    }

    /// Sets the number of patterns and the number of their words. New patterns have unspecified
    /// bits.
    pub(crate) fn resize(&mut self, len: usize, width: usize) -> Result<(), Interruption> {
        self.width = width;
        self.reserve(len)?;
        self.len = len;
        Ok(())
    }

    /// Overwrites patterns from an index on with those of another list.
    pub(crate) fn overwrite(&mut self, at: usize, from: &Self) {
        for (to, words) in self.words[..self.width].iter_mut().zip(&from.words) {
            to.words_mut()[at..][..from.len].copy_from_slice(&words.words()[..from.len]);
        }
    }

    /// Returns a writer that appends patterns.
    #[inline(always)]
    pub(crate) fn end<const W: usize>(&mut self) -> ListWriter<'_, W> {
        self.end_at(self.len)
    }

    /// Returns a writer that overwrites patterns from the given index on.
    #[inline(always)]
    pub(crate) fn end_at<const W: usize>(&mut self, len: usize) -> ListWriter<'_, W> {
        let mut end = ListWriter { list: self, words: [std::ptr::null_mut(); W], len, capacity: 0 };
        end.update();
        end
    }
}

/// Read-only view of patterns: `W` arrays of words, each followed by [`PAD`] more words.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patterns<'a, const W: usize> {
    words: [*const u32; W],
    len: usize,
    list: PhantomData<&'a List>,
}

impl<'a, const W: usize> Patterns<'a, W> {
    /// Creates a view from pointers to the words.
    ///
    /// # Safety
    ///
    /// Each pointer must be valid for reading `len` + [`PAD`] words during `'a`.
    #[inline(always)]
    pub(crate) unsafe fn new(words: [*const u32; W], len: usize) -> Self {
        Self { words, len, list: PhantomData }
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns the first `W` words of a pattern.
    #[inline(always)]
    pub(crate) fn get(&self, i: usize) -> u64 {
        assert!(i < self.len);
        let mut pattern = 0;
        for word in 0..W {
            // SAFETY: `i` is less than `len`, and each pointer is valid for `len` words.
            pattern |= u64::from(unsafe { *self.words[word].add(i) }) << (32 * word);
        }
        pattern
    }

    /// Iterates over the patterns.
    #[inline(always)]
    pub(crate) fn iter(self) -> impl Iterator<Item = u64> + use<'a, W> {
        (0..self.len).map(move |i| self.get(i))
    }

    /// Removes the first vector of patterns and returns it, with the lanes that contain patterns.
    /// The other lanes contain padding.
    #[inline(always)]
    pub(crate) fn next<I: InstructionSet>(
        &mut self,
        isa: I,
    ) -> Option<(Vector<I::Words, W>, Mask<I>)> {
        if self.len == 0 {
            return None;
        }
        let lanes = isa.first(self.len);
        // SAFETY: there is at least one pattern, followed by `PAD` words.
        let vector = unsafe { Vector::load(isa, self.words) };
        self.words = self.words.map(|words| words.wrapping_add(I::Words::LANES));
        self.len = self.len.saturating_sub(I::Words::LANES);
        Some((vector, lanes))
    }
}

/// A vector of patterns: `W` vectors of words, low words first.
#[derive(Clone, Copy)]
pub(crate) struct Vector<V, const W: usize>(pub(crate) [V; W]);

impl<V: U32s, const W: usize> Vector<V, W> {
    /// Returns a vector with a pattern in every lane.
    #[inline(always)]
    pub(crate) fn splat(isa: impl InstructionSet<Words = V>, pattern: u64) -> Self {
        let mut words = [isa.splat(pattern as u32); W];
        if W == 2 {
            words[1] = isa.splat((pattern >> 32) as u32);
        }
        Self(words)
    }

    /// Loads a vector of patterns.
    ///
    /// # Safety
    ///
    /// Each pointer must be valid for reading [`PAD`] words.
    #[inline(always)]
    unsafe fn load(isa: impl InstructionSet<Words = V>, words: [*const u32; W]) -> Self {
        const { assert!(V::LANES <= PAD) };
        // SAFETY: the caller guarantees it, and a vector has at most `PAD` words.
        unsafe {
            let mut vector = [isa.load(words[0]); W];
            if W == 2 {
                vector[1] = isa.load(words[1]);
            }
            Self(vector)
        }
    }

    /// `self & other`
    #[inline(always)]
    pub(crate) fn and(mut self, other: Self) -> Self {
        for word in 0..W {
            self.0[word] = self.0[word].and(other.0[word]);
        }
        self
    }

    /// `self | other`
    #[inline(always)]
    pub(crate) fn or(mut self, other: Self) -> Self {
        for word in 0..W {
            self.0[word] = self.0[word].or(other.0[word]);
        }
        self
    }

    /// Returns the lanes in which two patterns are disjoint.
    #[inline(always)]
    pub(crate) fn disjoint(self, other: Self) -> V::Mask {
        let mut lanes = self.0[0].disjoint(other.0[0]);
        if W == 2 {
            lanes = self.0[1].disjoint(other.0[1]).and(lanes);
        }
        lanes
    }

    /// Returns the lanes whose pattern has the bit or, if `has` is false, lacks it.
    #[inline(always)]
    pub(crate) fn lanes_of(
        self,
        isa: impl InstructionSet<Words = V>,
        bit: u8,
        has: bool,
    ) -> V::Mask {
        let word = if bit < 32 { self.0[0] } else { self.0[W - 1] };
        let bit = isa.splat(1 << (bit % 32));
        if has { word.and(bit).not_zero() } else { word.disjoint(bit) }
    }
}

/// A writer that appends patterns to a list. They are committed by [`finish`](Self::finish).
pub(crate) struct ListWriter<'a, const W: usize> {
    list: &'a mut List,
    /// Pointers to the list's words.
    words: [*mut u32; W],
    len: usize,
    /// Number of patterns for which there is capacity, not counting [`PAD`].
    capacity: usize,
}

impl<const W: usize> ListWriter<'_, W> {
    /// Returns the number of patterns in the list, including those not yet committed.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Reserves capacity for `n` more patterns.
    #[inline(always)]
    pub(crate) fn reserve(&mut self, n: usize) -> Result<(), Interruption> {
        if self.len + n > self.capacity {
            self.list.reserve(self.len + n)?;
            self.update();
        }
        Ok(())
    }

    /// Updates the pointers and the capacity after the list has grown.
    #[inline(always)]
    fn update(&mut self) {
        self.capacity = usize::MAX;
        for (to, words) in self.words.iter_mut().zip(&mut self.list.words) {
            let words = words.words_mut();
            assert!(words.len() >= PAD, "the list was resized");
            self.capacity = self.capacity.min(words.len() - PAD);
            *to = words.as_mut_ptr();
        }
    }

    /// Returns the vector at an index of the list. Panics if the index exceeds the capacity.
    #[inline(always)]
    pub(crate) fn get<I: InstructionSet>(&self, isa: I, at: usize) -> Vector<I::Words, W> {
        assert!(at <= self.capacity);
        // SAFETY: each array has at least `capacity` + `PAD` words.
        unsafe { Vector::load(isa, self.words.map(|words| words.add(at).cast_const())) }
    }

    /// Appends the patterns in those lanes of a vector that are set in `keep`. Panics if the
    /// capacity was already exceeded.
    #[inline(always)]
    pub(crate) fn append<V: U32s>(&mut self, vector: Vector<V, W>, keep: V::Mask) {
        const { assert!(V::LANES <= PAD) };
        assert!(self.len <= self.capacity);
        // SAFETY: each array has at least `capacity` + `PAD` words, and a vector has at most `PAD`
        // words.
        unsafe {
            let to = self.words.map(|words| words.add(self.len));
            self.len += V::compress_store(vector.0, keep, to);
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
            for (i, words) in self.words[..self.width].iter_mut().enumerate() {
                words.words_mut()[self.len] = (pattern >> (32 * i)) as u32;
            }
            self.len += 1;
        }
    }
}

/// Three ranges of queries (west patterns), one per symmetry weight (see
/// [`symmetry`](super::symmetry)).
pub(crate) type Ranges = [Range<usize>; 3];

/// Returns the number of patterns in all of the given ranges.
pub(crate) fn total_len(ranges: &Ranges) -> usize {
    ranges.iter().map(ExactSizeIterator::len).sum()
}
