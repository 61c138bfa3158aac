//! Vectorized passes that sort, partition and filter lists of patterns.

use std::ops::Range;

use super::list::{List, Ranges, Vector};
use crate::engine::interruption::Interruption;
use crate::engine::simd::{InstructionSet, Isa, LaneMask, U32s, task};

task! {
    /// Partitions each range stably by a bit. Patterns with the bit are moved to another list,
    /// which they replace. The others move up to the start of the range. Returns the ranges of
    /// patterns with the bit and of those without it.
    pub(crate) fn partition(
        isa, bit: u8, list: &mut List, ranges: &Ranges, to: &mut List
    ) -> Result<[Ranges; 2], Interruption>, W = list.width() => {
        to.resize(0, list.width())?;
        let mut end = to.end::<W>();
        let [mut with, mut without] = [ranges.clone(), ranges.clone()];
        for (with, without) in with.iter_mut().zip(&mut without) {
            let Range { start: mut at, end: last } = *without;
            with.start = end.len();
            // A vector is written as a whole, but only after at least as many vectors have been
            // read, so it does not overwrite patterns that are still to be read. At the end of the
            // range, it can extend beyond the range. The words there are restored.
            let mut start = list.end_at::<W>(at);
            let after = start.get(isa, last);
            while at < last {
                let chunk = last.min(at + CHUNK);
                end.reserve(chunk - at)?;
                while at < chunk {
                    let (vector, lanes) = (start.get(isa, at), isa.first(last - at));
                    end.append(vector, vector.lanes_of(isa, bit, true).and(lanes));
                    start.append(vector, vector.lanes_of(isa, bit, false).and(lanes));
                    at += I::Words::LANES;
                }
            }
            (with.end, without.end) = (end.len(), start.len());
            list.end_at::<W>(last).append(after, isa.first(I::Words::LANES));
        }
        end.finish();
        Ok([with, without])
    }
}

/// Number of patterns that fit in the L2 cache together with a sorted copy.
const CACHED: usize = 1 << 16;

/// Sorts a range of patterns stably by the given bits, where the first bit is the most significant
/// one. Patterns with a bit come after those without it. `spare` is a scratch buffer.
pub(crate) fn sort(
    isa: Isa,
    bits: &[u8],
    range: Range<usize>,
    list: &mut List,
    spare: &mut List,
) -> Result<(), Interruption> {
    // Radix sort. In the cache, the least significant digit comes first: partition stably by each
    // bit, starting with the last. Otherwise, partition by the first bit, and sort both halves.
    let first = if range.len() <= CACHED { usize::MAX } else { 1 };
    let (now, later) = bits.split_at(bits.len().min(first));
    let mut middle = range.end;
    for &bit in now.iter().rev() {
        let [_, [without, ..]] = partition(isa, bit, list, &[range.clone(), 0..0, 0..0], spare)?;
        middle = without.end;
        list.overwrite(middle, spare);
    }
    if !later.is_empty() {
        for half in [range.start..middle, middle..range.end] {
            sort(isa, later, half, list, spare)?;
        }
    }
    Ok(())
}

/// Number of patterns for which capacity is reserved at a time. It is not known in advance how many
/// of them will be kept. Reserving for each vector would take a fifth longer.
const CHUNK: usize = 1 << 14;

task! {
    /// Copies those patterns of the given ranges that have none of the given bits. Their order is
    /// preserved. Returns the range of the copies from each range.
    pub(crate) fn filter(
        isa, from: &List, ranges: &Ranges, bits: u64, to: &mut List
    ) -> Result<Ranges, Interruption>, W = from.width() => {
        to.resize(0, from.width())?;
        let bits = Vector::splat(isa, bits);
        let mut end = to.end::<W>();
        let mut copies = ranges.clone();
        for (range, copy) in ranges.iter().zip(&mut copies) {
            copy.start = end.len();
            for at in range.clone().step_by(CHUNK) {
                let mut left = from.patterns::<W>(at..range.end.min(at + CHUNK));
                end.reserve(left.len())?;
                while let Some((vector, lanes)) = left.next(isa) {
                    end.append(vector, vector.disjoint(bits).and(lanes));
                }
            }
            copy.end = end.len();
        }
        end.finish();
        Ok(copies)
    }
}
