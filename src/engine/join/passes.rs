//! Vectorized passes that sort, partition and filter lists of patterns.

use std::ops::Range;

use super::list::{List, PAD, Ranges, Vector};
use crate::engine::interruption::Interruption;
use crate::engine::simd::{InstructionSet, Isa, LaneMask, task};

/// Partitions each range as [`partition_range`] does. Returns the ranges of patterns with the bit
/// and of those without it.
pub(crate) fn partition(
    isa: Isa,
    bit: u8,
    from: &List,
    ranges: &Ranges,
    to: &mut List,
) -> Result<[Ranges; 2], Interruption> {
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
    ) -> Result<usize, Interruption>, W = from.width() => {
        to.resize(from.len(), from.width())?;
        // Vectors are written as a whole, so the words after the range are restored in the end.
        let after = to.words::<W>(range.end..range.end + PAD);
        let after = after.map(|words| <[u32; PAD]>::try_from(words).expect("as many as `PAD`"));
        let mut end = to.end_at::<W>(range.start);
        let mut middle = range.start;
        for has in [true, false] {
            middle = end.len();
            let mut left = from.patterns::<W>(range.clone());
            while let Some((vector, lanes)) = left.next(isa) {
                end.append(vector, vector.lanes_of(isa, bit, has).and(lanes));
            }
        }
        to.overwrite(range.end, after);
        Ok(middle)
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
) -> Result<(), Interruption> {
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
) -> Result<(), Interruption> {
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
            list.resize(0, 2).unwrap();
            list.push_all(&patterns);
            let isa = Isa::detect(KERNELS[0]).unwrap();
            sort(isa, &bits, &mut list, &mut List::default()).unwrap();
            patterns.sort_by_key(|pattern| bits.map(|bit| pattern >> bit & 1 == 0));
            assert!(list.iter::<2>().eq(patterns), "{len}");
        }
    }
}
