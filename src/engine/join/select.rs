//! Vectorized passes that sort, partition and filter lists of patterns.

use std::ops::Range;

use super::list::{End, List, PAD};
use crate::engine::Stopped;
use crate::engine::simd::{Blocks, InstructionSet, LaneMask, Task, U32s};

/// The queries: west patterns in three weight classes.
#[derive(Debug)]
pub(crate) struct Queries {
    /// All patterns, grouped by weight class.
    pub(crate) list: List,
    /// Scratch list for partitions.
    pub(crate) other: List,
    /// Start of each weight class, followed by the end of the last one.
    pub(crate) bounds: Vec<usize>,
}

impl Queries {
    /// Creates an empty collection. If `wide` is set, patterns have more than 32 bits.
    pub(crate) fn new(wide: bool) -> Self {
        Self { list: List::new(wide), other: List::new(wide), bounds: vec![0; 4] }
    }

    /// Returns the range of each weight class.
    pub(crate) fn ranges(&self) -> Ranges {
        [0, 1, 2].map(|weight| self.bounds[weight]..self.bounds[weight + 1])
    }

    /// Returns all queries.
    pub(crate) fn all(&self) -> Chosen<'_> {
        self.chosen(false, self.ranges())
    }

    /// Returns the queries in the given ranges of the list, or of the scratch list if `other` is
    /// set.
    pub(crate) fn chosen(&self, other: bool, ranges: Ranges) -> Chosen<'_> {
        let list = if other { &self.other } else { &self.list };
        Chosen { list, ranges }
    }

    /// Partitions the queries in the given ranges by a bit, and writes them to the same ranges of
    /// the other list. Queries with the bit come first. Returns the ranges of queries with the bit
    /// and of those without it.
    pub(crate) fn partition(
        &mut self,
        isa: Blocks,
        bit: u8,
        from_other: bool,
        ranges: &Ranges,
    ) -> Result<[Ranges; 2], Stopped> {
        let (from, to) = match from_other {
            false => (&self.list, &mut self.other),
            true => (&self.other, &mut self.list),
        };
        let [mut with, mut without] = [ranges.clone(), ranges.clone()];
        for (with, without) in with.iter_mut().zip(&mut without) {
            let middle = partition(isa, bit, from, with.clone(), to)?;
            (with.end, without.start) = (middle, middle);
        }
        Ok([with, without])
    }
}

/// One range of queries for each weight class.
pub(crate) type Ranges = [Range<usize>; 3];

/// Queries selected from a list.
#[derive(Debug, Clone)]
pub(crate) struct Chosen<'a> {
    pub(crate) list: &'a List,
    pub(crate) ranges: Ranges,
}

impl Chosen<'_> {
    pub(crate) fn len(&self) -> usize {
        self.ranges.iter().map(ExactSizeIterator::len).sum()
    }
}

/// Partitions a range stably by a bit, and writes the result to the same indices of another list.
/// Patterns with the bit come first. Returns the index of the first pattern without it.
fn partition(
    isa: Blocks,
    bit: u8,
    from: &List,
    range: Range<usize>,
    to: &mut List,
) -> Result<usize, Stopped> {
    to.resize(from.len())?;
    let task = Partition { bit, from, range, to };
    Ok(isa.run(from.is_wide(), task))
}

struct Partition<'a> {
    bit: u8,
    from: &'a List,
    range: Range<usize>,
    to: &'a mut List,
}

impl Task for Partition<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<I: InstructionSet, const WIDE: bool>(self, isa: I) -> usize {
        let Self { bit, from, range, to } = self;
        let lanes = I::Words::LANES;
        let is_high = WIDE && bit >= 32;
        let bit = isa.splat(1 << (bit % 32));
        let full = range.start..range.end - range.len() % lanes;
        let tail = full.end..range.end;
        let mut with_bit = 0;
        for vector in from.patterns::<WIDE>(full.clone()).vectors(isa) {
            let (low, high) = vector.load();
            let word = if is_high { high } else { low };
            with_bit += word.and(bit).not_zero().count() as usize;
        }
        for vector in from.patterns::<WIDE>(tail).vectors(isa) {
            let (low, high) = vector.load();
            let word = if is_high { high } else { low };
            with_bit += word.and(bit).not_zero().and(vector.lanes()).count() as usize;
        }
        let middle = range.start + with_bit;
        let mut to = to.words_mut();
        let (mut first, mut second) = (range.start, middle);
        let mut at = range.start;
        assert!(middle <= range.end && range.end <= to[0].len());
        assert!(!WIDE || to[0].len() == to[1].len());
        // Write whole vectors as long as both sides have space for one.
        for vector in from.patterns::<WIDE>(full).vectors(isa) {
            if first + lanes > middle || second + lanes > range.end {
                break;
            }
            let (low, high) = vector.load();
            let word = if is_high { high } else { low };
            let [has, lacks] = [word.and(bit).not_zero(), word.disjoint(bit)];
            for (to_index, keep) in [(&mut first, has), (&mut second, lacks)] {
                // SAFETY: both indices plus `LANES` are at most `range.end`, which is at most the
                // number of words.
                *to_index += unsafe {
                    let [to_low, to_high] = &mut to;
                    let to_low = to_low.as_mut_ptr().add(*to_index);
                    if WIDE {
                        let to_high = to_high.as_mut_ptr().add(*to_index);
                        I::Words::compress_store([low, high], keep, [to_low, to_high])
                    } else {
                        I::Words::compress_store([low], keep, [to_low])
                    }
                };
            }
            at += lanes;
        }
        for vector in from.patterns::<WIDE>(at..range.end).vectors(isa) {
            let (low, high) = vector.load();
            let word = if is_high { high } else { low };
            let has = word.and(bit).not_zero().and(vector.lanes());
            let lacks = word.disjoint(bit).and(vector.lanes());
            first += put::<I, WIDE>((low, high), has, &mut to, first..middle);
            second += put::<I, WIDE>((low, high), lacks, &mut to, second..range.end);
        }
        middle
    }
}

/// Writes the patterns in those lanes of a vector that are set in `keep` to the start of a range,
/// without writing beyond its end. Returns the number of patterns written.
#[inline(always)]
fn put<I: InstructionSet, const WIDE: bool>(
    (low, high): (I::Words, I::Words),
    keep: <I::Words as U32s>::Mask,
    [to_low, to_high]: &mut [&mut [u32]; 2],
    range: Range<usize>,
) -> usize {
    let lanes = I::Words::LANES;
    if range.len() >= lanes {
        let to_low = to_low[range.start..][..lanes].as_mut_ptr();
        // SAFETY: the slices have `LANES` words.
        unsafe {
            if WIDE {
                let to_high = to_high[range.start..][..lanes].as_mut_ptr();
                I::Words::compress_store([low, high], keep, [to_low, to_high])
            } else {
                I::Words::compress_store([low], keep, [to_low])
            }
        }
    } else {
        let mut kept = [[0; PAD]; 2];
        let [kept_low, kept_high] = &mut kept;
        // SAFETY: a vector has at most `PAD` words.
        let n = unsafe {
            I::Words::compress_store(
                [low, high],
                keep,
                [kept_low.as_mut_ptr(), kept_high.as_mut_ptr()],
            )
        };
        to_low[range.start..][..n].copy_from_slice(&kept_low[..n]);
        if WIDE {
            to_high[range.start..][..n].copy_from_slice(&kept_high[..n]);
        }
        n
    }
}

/// Number of patterns that fit in the L2 cache together with a sorted copy.
const CACHED: usize = 1 << 16;

/// Sorts patterns stably by the given bits, where the first bit is the most significant one.
/// Patterns with a bit come before those without it. `spare` is a scratch buffer.
pub(crate) fn sort(
    isa: Blocks,
    bits: &[u8],
    list: &mut List,
    spare: &mut List,
) -> Result<(), Stopped> {
    sort_range(isa, bits, 0..list.len(), list, spare)?;
    if bits.len() % 2 == 1 {
        std::mem::swap(list, spare);
    }
    Ok(())
}

/// Sorts a range. The pass for each bit moves the patterns from one list to the other.
fn sort_range<'a>(
    isa: Blocks,
    bits: &[u8],
    range: Range<usize>,
    mut list: &'a mut List,
    mut other: &'a mut List,
) -> Result<(), Stopped> {
    if range.len() <= CACHED {
        // Radix sort with the least significant digit first: partition stably by each bit, starting
        // with the last.
        for &bit in bits.iter().rev() {
            partition(isa, bit, list, range.clone(), other)?;
            std::mem::swap(&mut list, &mut other);
        }
    } else if let Some((&bit, bits)) = bits.split_first() {
        let middle = partition(isa, bit, list, range.clone(), other)?;
        for half in [range.start..middle, middle..range.end] {
            sort_range(isa, bits, half, other, list)?;
        }
    }
    Ok(())
}

/// Copies the patterns of a range that have none of the given bits. Their order is preserved.
pub(crate) fn exclude(
    isa: Blocks,
    from: &List,
    range: Range<usize>,
    bits: u64,
    to: &mut List,
) -> Result<(), Stopped> {
    to.truncate(0);
    let task = Exclude { from, range, bits, to };
    isa.run(from.is_wide(), task)
}

/// Copies the queries that have none of the given bits.
pub(crate) fn filter(
    isa: Blocks,
    from: &Chosen<'_>,
    bits: u64,
    to: &mut Queries,
) -> Result<(), Stopped> {
    isa.run(from.list.is_wide(), Filter { from, bits, to })
}

struct Filter<'a> {
    from: &'a Chosen<'a>,
    bits: u64,
    to: &'a mut Queries,
}

impl Task for Filter<'_> {
    type Output = Result<(), Stopped>;

    #[inline(always)]
    fn run<I: InstructionSet, const WIDE: bool>(self, isa: I) -> Result<(), Stopped> {
        let Self { from, bits, to } = self;
        to.list.truncate(0);
        to.bounds.clear();
        to.bounds.push(0);
        let mut end = to.list.end::<WIDE>();
        for range in &from.ranges {
            append(isa, from.list, range.clone(), bits, &mut end)?;
            to.bounds.push(end.len());
        }
        end.finish();
        Ok(())
    }
}

struct Exclude<'a> {
    from: &'a List,
    range: Range<usize>,
    bits: u64,
    to: &'a mut List,
}

impl Task for Exclude<'_> {
    type Output = Result<(), Stopped>;

    #[inline(always)]
    fn run<I: InstructionSet, const WIDE: bool>(self, isa: I) -> Result<(), Stopped> {
        let mut end = self.to.end::<WIDE>();
        append(isa, self.from, self.range, self.bits, &mut end)?;
        end.finish();
        Ok(())
    }
}

/// Number of patterns for which capacity is reserved at a time. It is not known in advance how many
/// of them will be kept. Reserving for each vector would take a fifth longer.
const CHUNK: usize = 1 << 14;

/// Appends the patterns of a range that have none of the given bits.
#[inline(always)]
fn append<I: InstructionSet, const WIDE: bool>(
    isa: I,
    from: &List,
    range: Range<usize>,
    bits: u64,
    end: &mut End<'_, WIDE>,
) -> Result<(), Stopped> {
    let (low_bits, high_bits) = (isa.splat(bits as u32), isa.splat((bits >> 32) as u32));
    for at in range.clone().step_by(CHUNK) {
        let chunk = at..range.end.min(at + CHUNK);
        end.reserve(chunk.len())?;
        let full = chunk.end - chunk.len() % I::Words::LANES;
        for vector in from.patterns::<WIDE>(at..full).vectors(isa) {
            let patterns = vector.load();
            let mut keep = patterns.0.disjoint(low_bits);
            if WIDE {
                keep = keep.and(patterns.1.disjoint(high_bits));
            }
            end.append(patterns, keep);
        }
        for vector in from.patterns::<WIDE>(full..chunk.end).vectors(isa) {
            let patterns = vector.load();
            let mut keep = patterns.0.disjoint(low_bits);
            if WIDE {
                keep = keep.and(patterns.1.disjoint(high_bits));
            }
            end.append(patterns, keep.and(vector.lanes()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::choice::Kernel;

    /// Covers short and long lists, with bits in both words.
    #[test]
    fn sorting_is_stable_and_by_the_first_bit_first() {
        let bits = [40, 3, 31, 32, 33, 0, 59, 7, 20, 21, 41];
        for len in [0, 1, 1000, 3 * CACHED] {
            let mut random = fastrand::Rng::with_seed(1);
            let mut patterns: Vec<_> = (0..len).map(|_| random.u64(..)).collect();
            let mut list = List::new(true);
            list.push_all(&patterns);
            let isa = Blocks::detect(Kernel::Portable).unwrap();
            sort(isa, &bits, &mut list, &mut List::new(true)).unwrap();
            patterns.sort_by_key(|pattern| bits.map(|bit| pattern >> bit & 1 == 0));
            assert!(list.iter::<true>().eq(patterns), "{len}");
        }
    }
}
