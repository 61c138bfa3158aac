//! One solution of an empty board, written down rather than searched for.
//!
//! The construction is due to E. Pauls (Das Maximalproblem der Damen auf dem Schachbrete, Deutsche Schachzeitung 29,
//! 1874) and was found again by E. J. Hoffman, J. C. Loessi and R. C. Moore (Constructions for the Solution of the m
//! Queens Problem, Mathematics Magazine 42, 1969); B. Bernhardsson gives it in the form used here (Explicit Solutions
//! to the n-Queens Problem for all n, ACM SIGART Bulletin 2, 1991). For the torus the queens go in knight's moves,
//! which G. Pólya showed to be possible exactly where N has no factor in common with 6 (in W. Ahrens, Mathematische
//! Unterhaltungen und Spiele, 1921).

use crate::board::Placement;
use crate::known::torus_is_solvable;

/// A solution of the empty board of size `n`, in time proportional to `n`; none for N = 2 and N = 3, which have none.
///
/// ```
/// assert!(queens::solve::construct(1_000).unwrap().is_solution());
/// assert!(queens::solve::construct(3).is_none());
/// ```
#[must_use]
pub fn construct(n: u32) -> Option<Placement> {
    if n == 2 || n == 3 {
        return None;
    }
    let mut rows = even(n - n % 2);
    // The constructions for even boards leave the falling long diagonal free, so a corner can be added to it.
    if n % 2 == 1 {
        rows.push(n - 1);
    }
    Some(Placement::from_permutation(rows))
}

/// A solution of an even board, with no queen on the falling long diagonal.
fn even(n: u32) -> Vec<u32> {
    let half = n / 2;
    let mut rows = vec![0; n as usize];
    for j in 0..half {
        if n % 6 != 2 {
            // Two runs of knight's moves: over the odd rows in the left half, over the even ones in the right.
            rows[j as usize] = 2 * j + 1;
            rows[(half + j) as usize] = 2 * j;
        } else {
            // A run of knight's moves that wraps around, and the same turned by a half.
            let row = (2 * j + half - 1) % n;
            rows[j as usize] = row;
            rows[(n - 1 - j) as usize] = n - 1 - row;
        }
    }
    rows
}

/// A solution of the empty torus of size `n`, or none where N has a factor in common with 6: then there is none.
///
/// ```
/// assert!(queens::solve::construct_torus(7).unwrap().is_torus_solution());
/// assert!(queens::solve::construct_torus(9).is_none());
/// ```
#[must_use]
pub fn construct_torus(n: u32) -> Option<Placement> {
    let row = |column: u64| (2 * column % u64::from(n)) as u32;
    let rows = || (0..u64::from(n)).map(row).collect();
    torus_is_solvable(n).then(|| Placement::from_permutation(rows()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_has_a_solution_but_two_and_three() {
        let sizes = (0..=2_000).chain([9_999, 99_998, 100_001, 999_998, 999_999, 1_000_000]);
        for n in sizes {
            match construct(n) {
                Some(placement) => assert!(placement.n() == n && placement.is_solution(), "{n}"),
                None => assert!(n == 2 || n == 3, "{n}"),
            }
        }
    }

    #[test]
    fn the_torus_has_one_where_six_has_no_common_factor() {
        for n in 1..=1_000 {
            let solution = construct_torus(n);
            assert_eq!(solution.is_some(), n % 2 == 1 && n % 3 != 0, "{n}");
            let is_right = |p: Placement| p.n() == n && p.is_torus_solution();
            assert!(solution.is_none_or(is_right), "{n}");
        }
        assert!(construct_torus(0).unwrap().rows().is_empty());
    }
}
