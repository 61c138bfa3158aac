//! Sets of a size, as masks, in the order of the masks, and how many there are.

/// All sets of `size` of the first `n` (at most 31), by Gosper's hack: the next mask with as many bits (Beeler, Gosper
/// and Schroeppel, HAKMEM, 1972, item 175).
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

/// How many sets of `size` of `n` (at most 32) there are.
pub(crate) fn choose(n: usize, size: usize) -> usize {
    /// Pascal's triangle: row sets are found by rank in the time of a few additions.
    const WAYS: [[u32; 33]; 33] = {
        let mut ways = [[0; 33]; 33];
        let mut n = 0;
        while n <= 32 {
            ways[n][0] = 1;
            let mut size = 1;
            while size <= n {
                ways[n][size] = ways[n - 1][size - 1] + ways[n - 1][size];
                size += 1;
            }
            n += 1;
        }
        ways
    };
    if size > n { 0 } else { WAYS[n][size] as usize }
}

/// How many sets of `size` have a lesser mask than `below`.
pub(crate) fn subsets_before(below: u32, size: usize) -> usize {
    let (mut before, mut left) = (0, below);
    for size in (0..=size).rev() {
        let Some(bit) = left.checked_ilog2() else {
            break;
        };
        // Those that agree so far and lack this element.
        before += choose(bit as usize, size);
        left ^= 1 << bit;
    }
    before
}

/// The set of `size` of the first `n` of which so many have a lesser mask.
pub(crate) fn subset(n: usize, mut size: usize, mut before: usize) -> u32 {
    let mut set = 0;
    for bit in (0..n).rev() {
        let lacking = choose(bit, size);
        if size > 0 && before >= lacking {
            (set, size, before) = (set | 1 << bit, size - 1, before - lacking);
        }
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn are_all_of_their_size() {
        for n in 0..=8 {
            for size in 0..=n {
                let all = (0..1u32 << n).filter(|set| set.count_ones() as usize == size);
                assert!(subsets(n, size).eq(all.clone()), "{size} of {n}");
                assert_eq!(choose(n, size), all.clone().count(), "{size} of {n}");
                for (before, set) in all.enumerate() {
                    assert_eq!(subset(n, size, before), set);
                    assert_eq!(subsets_before(set, size), before);
                    assert_eq!(subsets_before(set + 1, size), before + 1);
                }
            }
        }
    }
}
