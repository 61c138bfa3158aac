//! Sets of rows or columns as words of bits.

/// Rows to a word. Boards up to this size have a word for each column, and are what searches are fast on.
pub(super) const WORD: u32 = u64::BITS;

/// The lowest bit that is set.
#[inline]
pub(super) fn first(words: &[u64]) -> Option<u32> {
    let i = words.iter().position(|&word| word != 0)?;
    Some(WORD * i as u32 + words[i].trailing_zeros())
}

/// The bits that are set, from the lowest.
#[inline]
pub(super) fn ones(words: &[u64]) -> impl Iterator<Item = u32> + Clone + '_ {
    (0..).zip(words).flat_map(|(i, &word)| {
        let rests = std::iter::successors(Some(word), |word| Some(word & word.wrapping_sub(1)));
        let rests = rests.take_while(|&word| word != 0);
        rests.map(move |word| WORD * i + word.trailing_zeros())
    })
}
