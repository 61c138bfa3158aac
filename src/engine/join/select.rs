//! Passes over lists of patterns that sort them or pick some out, a vector at a time.

use std::ops::Range;

use super::list::{End, List};
use crate::engine::Stopped;
use crate::engine::simd::{Blocks, InstructionSet, LaneMask, Task, U32s};

/// West patterns of three weights.
#[derive(Debug)]
pub(crate) struct Queries {
    /// All patterns, by weight classes.
    pub(crate) list: List,
    /// Where those begin, for each weight class, that agree on the bits by which these are [sorted](sort), and at last
    /// where all end.
    pub(crate) bounds: Vec<usize>,
}

impl Queries {
    /// No queries, of more than 32 bits if `wide`.
    pub(crate) fn new(wide: bool) -> Self {
        Self {
            list: List::new(wide),
            bounds: Vec::new(),
        }
    }

    /// Forgets all weight classes but the first.
    pub(crate) fn keep_first(&mut self) {
        let end = self.bounds[self.classes()];
        self.list.truncate(end);
        self.bounds
            .iter_mut()
            .for_each(|bound| *bound = end.min(*bound));
    }

    /// Classes into which those of one weight are sorted.
    pub(crate) fn classes(&self) -> usize {
        (self.bounds.len() - 1) / 3
    }

    /// All of them.
    pub(crate) fn all(&self) -> Chosen<'_> {
        self.chosen(0..self.classes())
    }

    /// Those of some of the classes into which they are sorted.
    pub(crate) fn chosen(&self, classes: Range<usize>) -> Chosen<'_> {
        let range = |weight| {
            let of = |class| self.bounds[weight * self.classes() + class];
            of(classes.start)..of(classes.end)
        };
        Chosen {
            list: &self.list,
            ranges: [0, 1, 2].map(range),
        }
    }
}

/// Some queries: a range of each weight class.
#[derive(Debug, Clone)]
pub(crate) struct Chosen<'a> {
    pub(crate) list: &'a List,
    pub(crate) ranges: [Range<usize>; 3],
}

impl Chosen<'_> {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.ranges.iter().map(ExactSizeIterator::len).sum()
    }
}

/// Of the patterns that are split into classes by some bits, the first of them above the others, those bits that a
/// class has. Of two classes the one that has a bit comes before the one that lacks it: class 0 has them all.
pub(crate) fn having(bits: &[u8], class: usize) -> u64 {
    let bits = bits.iter().rev().enumerate();
    bits.fold(0, |having, (i, bit)| {
        having | u64::from(class >> i & 1 == 0) << bit
    })
}

/// Patterns from which on a list no longer fits the caches, so that it is memory that takes the time. (8 bits of
/// 100,000 patterns took 3.8 ns a pattern bit by bit and 4.3 as a digit, of a million 12 and 5.5, of 30 million 27 and
/// 9.)
const LONG: usize = 1 << 20;

/// Sorts patterns by some bits, the first above the others: those that have a bit come before those that lack it.
/// `spare` is memory to work with.
pub(crate) fn sort(
    isa: Blocks,
    bits: &[u8],
    list: &mut List,
    spare: &mut List,
) -> Result<(), Stopped> {
    // The least bits first: those that are equal by the later ones stay in their order.
    if list.is_wide() && list.len() >= LONG {
        for digit in bits.rchunks(DIGIT) {
            sort_by_digit(digit, list, spare)?;
        }
    } else {
        for &bit in bits.iter().rev() {
            spare.truncate(0);
            spare.reserve(list.len() + STRETCH.min(list.len()))?;
            for having in [1 << bit, 0] {
                append(isa, list, 0..list.len(), (1 << bit, having), spare)?;
            }
            std::mem::swap(list, spare);
        }
    }
    Ok(())
}

/// Bits of a digit at most.
const DIGIT: usize = 8;

/// Sorts wide patterns by a digit of some bits, the first above the others; equal ones keep their order. Each pattern
/// is put in its place by itself.
fn sort_by_digit(bits: &[u8], list: &mut List, spare: &mut List) -> Result<(), Stopped> {
    /// Patterns whose digits are found together.
    const STRETCH: usize = 1 << 12;
    let stretches = (0..list.len()).step_by(STRETCH);
    let stretches = stretches.map(|at| list.words::<true>(at..list.len().min(at + STRETCH)));
    let mut digits = [0; STRETCH];
    let mut find = |(low, high): (&[u32], &[u32])| {
        digits.fill(0);
        for bit in bits {
            let words = if *bit < 32 { low } else { high };
            for (digit, word) in digits.iter_mut().zip(words) {
                *digit = *digit << 1 | u8::from(word >> (bit % 32) & 1 == 0);
            }
        }
        digits
    };
    // How many there are of each digit, and then where the next of each belongs.
    let mut places = [0; 1 << DIGIT];
    for words in stretches.clone() {
        for &digit in &find(words)[..words.0.len()] {
            places[usize::from(digit)] += 1;
        }
    }
    let mut before = 0;
    for place in &mut places {
        (*place, before) = (before, before + *place);
    }
    let [to_low, to_high] = spare.become_long(list.len())?;
    for words in stretches {
        for ((&digit, &low), &high) in find(words).iter().zip(words.0).zip(words.1) {
            let place = &mut places[usize::from(digit)];
            (to_low[*place], to_high[*place]) = (low, high);
            *place += 1;
        }
    }
    std::mem::swap(list, spare);
    Ok(())
}

/// Copies queries to `to`, by the [classes](having) into which some bits split them.
pub(crate) fn split(
    isa: Blocks,
    bits: &[u8],
    from: &Chosen<'_>,
    to: &mut Queries,
) -> Result<(), Stopped> {
    to.list.truncate(0);
    to.list.reserve(from.len() + STRETCH.min(from.len()))?;
    to.bounds.clear();
    let all = having(bits, 0);
    for range in &from.ranges {
        for class in 0..1usize << bits.len() {
            to.bounds.push(to.list.len());
            let having = having(bits, class);
            append(isa, from.list, range.clone(), (all, having), &mut to.list)?;
        }
    }
    to.bounds.push(to.list.len());
    Ok(())
}

/// Copies to `to` the patterns that have none of some bits, in the same order.
pub(crate) fn lacking(isa: Blocks, from: &List, bits: u64, to: &mut List) -> Result<(), Stopped> {
    to.truncate(0);
    append(isa, from, 0..from.len(), (bits, 0), to)
}

/// Copies to `to` the queries that have none of some bits.
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
            append_to(isa, from.list, range.clone(), (bits, 0), &mut end)?;
            to.bounds.push(end.len());
        }
        end.finish();
        Ok(())
    }
}

/// Appends the patterns of a range that have, of some bits, exactly those of the second mask.
fn append(
    isa: Blocks,
    from: &List,
    range: Range<usize>,
    bits: (u64, u64),
    to: &mut List,
) -> Result<(), Stopped> {
    let task = Append {
        from,
        range,
        bits,
        to,
    };
    isa.run(from.is_wide(), task)
}

struct Append<'a> {
    from: &'a List,
    range: Range<usize>,
    bits: (u64, u64),
    to: &'a mut List,
}

impl Task for Append<'_> {
    type Output = Result<(), Stopped>;

    #[inline(always)]
    fn run<I: InstructionSet, const WIDE: bool>(self, isa: I) -> Result<(), Stopped> {
        let mut end = self.to.end::<WIDE>();
        append_to(isa, self.from, self.range, self.bits, &mut end)?;
        end.finish();
        Ok(())
    }
}

/// Room is made for so many patterns at a time, since nobody knows how many will be left of all. (To make it for each
/// vector costs a fifth more time.)
const STRETCH: usize = 1 << 14;

/// [`append`] in the loops of an instruction set.
#[inline(always)]
fn append_to<I: InstructionSet, const WIDE: bool>(
    isa: I,
    from: &List,
    range: Range<usize>,
    (bits, having): (u64, u64),
    end: &mut End<'_, WIDE>,
) -> Result<(), Stopped> {
    let (low_bits, high_bits) = (isa.splat(bits as u32), isa.splat((bits >> 32) as u32));
    let low_having = isa.splat(having as u32);
    let high_having = isa.splat((having >> 32) as u32);
    for at in range.clone().step_by(STRETCH) {
        let stretch = at..range.end.min(at + STRETCH);
        end.reserve(stretch.len())?;
        for vector in from.patterns::<WIDE>(stretch).vectors(isa) {
            let patterns = vector.load();
            let mut keep = patterns.0.xor(low_having).disjoint(low_bits);
            if WIDE {
                keep = keep.and(patterns.1.xor(high_having).disjoint(high_bits));
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

    /// Long lists and short ones, by more bits than a digit has.
    #[test]
    fn sorting_is_stable_and_by_the_first_bit_first() {
        let bits = [40, 3, 31, 32, 33, 0, 59, 7, 20, 21, 41];
        for len in [0, 1, 1000, LONG + 5] {
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
