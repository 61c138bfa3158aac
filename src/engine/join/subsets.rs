//! Subsets of a given size as bit masks, and their ranks in ascending order.

/// Returns all subsets of `size` elements out of the first `n`, in ascending order. `n` must be at
/// most 31. Gosper's hack computes the next mask with the same number of bits (Beeler, Gosper and
/// Schroeppel, HAKMEM, 1972, item 175).
pub(crate) fn subsets(n: usize, size: usize) -> impl Iterator<Item = u32> {
    let next = |&set: &u32| {
        let lowest = set & set.wrapping_neg();
        let carried = set + lowest;
        // The empty set has no successor.
        ((set ^ carried) >> 2).checked_div(lowest).map(|rest| carried | rest)
    };
    std::iter::successors(Some((1 << size) - 1), next).take_while(move |set| set >> n == 0)
}

/// Returns the binomial coefficient "`n` choose `size`" for `n` up to 32.
pub(crate) fn choose(n: usize, size: usize) -> usize {
    /// Pascal's triangle. With this table, finding a row set by its rank takes only a few
    /// additions.
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

/// Returns the number of sets of `size` elements whose masks are less than `below`.
pub(crate) fn subsets_before(below: u32, size: usize) -> usize {
    let (mut before, mut left) = (0, below);
    for size in (0..=size).rev() {
        let Some(bit) = left.checked_ilog2() else {
            break;
        };
        // Count the sets that agree with `below` above this bit and do not have the bit.
        before += choose(bit as usize, size);
        left ^= 1 << bit;
    }
    before
}

/// Returns the subset of `size` elements out of the first `n` that has rank `before`.
pub(crate) fn subset(n: usize, mut size: usize, mut before: usize) -> u32 {
    let mut set = 0;
    for bit in (0..n).rev() {
        let absent = choose(bit, size);
        if size > 0 && before >= absent {
            (set, size, before) = (set | 1 << bit, size - 1, before - absent);
        }
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subsets_and_ranks_match_brute_force() {
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
