//! Vectorized passes that sort, partition and filter lists of patterns.

use std::ops::Range;

use super::list::{End, List, PAD, Ranges};
use crate::engine::Stopped;
use crate::engine::simd::{InstructionSet, Isa, LaneMask, U32s, task};

/// Partitions each range as [`partition_range`] does. Returns the ranges of patterns with the bit
/// and of those without it.
pub(crate) fn partition(
    isa: Isa,
    bit: u8,
    from: &List,
    ranges: &Ranges,
    to: &mut List,
) -> Result<[Ranges; 2], Stopped> {
    let [mut with, mut without] = [ranges.clone(), ranges.clone()];
    for (with, without) in with.iter_mut().zip(&mut without) {
        let middle = partition_range(isa, bit, from, with.clone(), to)?;
        (with.end, without.start) = (middle, middle);
    }
    Ok([with, without])
}

task! {
    /// Partitions a range stably by a bit, and writes the result to the same indices of another
    /// list. Patterns with the bit come first. Returns the index of the first pattern without it.
    fn partition_range(
        isa, bit: u8, from: &List, range: Range<usize>, to: &mut List
    ) -> Result<usize, Stopped>, WIDE = from.is_wide() => {
        to.resize(from.len(), from.is_wide())?;
        let width = I::Words::LANES;
        let is_high = WIDE && bit >= 32;
        let full = range.start..range.end - range.len() % width;
        let has_bit = |pattern: &u64| pattern >> bit & 1 == 1;
        let tail = from.patterns::<WIDE>(full.end..range.end).iter();
        let mut with_bit = tail.filter(has_bit).count();
        let bit = isa.splat(1 << (bit % 32));
        for (low, high, _) in from.patterns::<WIDE>(full.clone()).vectors(isa) {
            let word = if is_high { high } else { low };
            with_bit += word.and(bit).not_zero().count() as usize;
        }
        let middle = range.start + with_bit;
        let mut to = to.words_mut();
        let (mut first, mut second) = (range.start, middle);
        let mut at = range.start;
        assert!(middle <= range.end && range.end <= to[0].len());
        assert!(!WIDE || to[0].len() == to[1].len());
        // Write whole vectors as long as both sides have space for one.
        for (low, high, _) in from.patterns::<WIDE>(full).vectors(isa) {
            if first + width > middle || second + width > range.end {
                break;
            }
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
            at += width;
        }
        for (low, high, lanes) in from.patterns::<WIDE>(at..range.end).vectors(isa) {
            let word = if is_high { high } else { low };
            let has = word.and(bit).not_zero().and(lanes);
            let lacks = word.disjoint(bit).and(lanes);
            first += put::<I, WIDE>((low, high), has, &mut to, first..middle);
            second += put::<I, WIDE>((low, high), lacks, &mut to, second..range.end);
        }
        Ok(middle)
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
    isa: Isa,
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
    isa: Isa,
    bits: &[u8],
    range: Range<usize>,
    mut list: &'a mut List,
    mut other: &'a mut List,
) -> Result<(), Stopped> {
    if range.len() <= CACHED {
        // Radix sort with the least significant digit first: partition stably by each bit, starting
        // with the last.
        for &bit in bits.iter().rev() {
            partition_range(isa, bit, list, range.clone(), other)?;
            std::mem::swap(&mut list, &mut other);
        }
    } else if let Some((&bit, bits)) = bits.split_first() {
        let middle = partition_range(isa, bit, list, range.clone(), other)?;
        for half in [range.start..middle, middle..range.end] {
            sort_range(isa, bits, half, other, list)?;
        }
    }
    Ok(())
}

task! {
    /// Copies those patterns of the given ranges that have none of the given bits. Their order is
    /// preserved. Returns the range of the copies from each range.
    pub(crate) fn filter(
        isa, from: &List, ranges: &Ranges, bits: u64, to: &mut List
    ) -> Result<Ranges, Stopped>, WIDE = from.is_wide() => {
        to.resize(0, from.is_wide())?;
        let mut end = to.end::<WIDE>();
        let mut copies = ranges.clone();
        for range in &mut copies {
            let start = end.len();
            append(isa, from, range.clone(), bits, &mut end)?;
            *range = start..end.len();
        }
        end.finish();
        Ok(copies)
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
        for (low, high, _) in from.patterns::<WIDE>(at..full).vectors(isa) {
            let mut keep = low.disjoint(low_bits);
            if WIDE {
                keep = keep.and(high.disjoint(high_bits));
            }
            end.append((low, high), keep);
        }
        for (low, high, lanes) in from.patterns::<WIDE>(full..chunk.end).vectors(isa) {
            let mut keep = low.disjoint(low_bits).and(lanes);
            if WIDE {
                keep = keep.and(high.disjoint(high_bits));
            }
            end.append((low, high), keep);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::join::KERNELS;

    /// Covers short and long lists, with bits in both words.
    #[test]
    fn sorting_is_stable_and_by_the_first_bit_first() {
        let bits = [40, 3, 31, 32, 33, 0, 59, 7, 20, 21, 41];
        for len in [0, 1, 1000, 3 * CACHED] {
            let mut random = fastrand::Rng::with_seed(1);
            let mut patterns: Vec<_> = (0..len).map(|_| random.u64(..)).collect();
            let mut list = List::default();
            list.resize(0, true).unwrap();
            list.push_all(&patterns);
            let isa = Isa::of_blocks(KERNELS[0]).unwrap();
            sort(isa, &bits, &mut list, &mut List::default()).unwrap();
            patterns.sort_by_key(|pattern| bits.map(|bit| pattern >> bit & 1 == 0));
            assert!(list.iter::<true>().eq(patterns), "{len}");
        }
    }
}
