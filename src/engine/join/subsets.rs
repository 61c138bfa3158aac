//! Sets of a size, as masks, in the order of the masks.

/// All sets of `size` of the first `n` (at most 31), by Gosper's hack: the next mask with as many bits (Beeler, Gosper and
/// Schroeppel, HAKMEM, 1972, item 175).
pub(crate) fn subsets(n: usize, size: usize) -> impl Iterator<Item = u32> {
    let next = |&set: &u32| {
        let lowest = set & set.wrapping_neg();
        let carried = set + lowest;
        // Of the empty set there is no next one.
        ((set ^ carried) >> 2)
            .checked_div(lowest)
            .map(|rest| carried | rest)
    };
    std::iter::successors(Some((1 << size) - 1), next).take_while(move |set| set >> n == 0)
}

#[cfg(test)]
mod tests {
    use super::subsets;

    #[test]
    fn are_all_of_their_size() {
        for n in 0..=8 {
            for size in 0..=n {
                let all = (0..1u32 << n).filter(|set| set.count_ones() as usize == size);
                assert!(subsets(n, size).eq(all), "{size} of {n}");
            }
        }
    }
}
