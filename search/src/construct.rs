//! Explicit solutions of empty boards, constructed without a search.
//!
//! The construction is due to E. Pauls (Das Maximalproblem der Damen auf dem Schachbrete, Deutsche
//! Schachzeitung 29, 1874). E. J. Hoffman, J. C. Loessi and R. C. Moore rediscovered it
//! (Constructions for the Solution of the m Queens Problem, Mathematics Magazine 42, 1969). The
//! form used here is from B. Bernhardsson (Explicit Solutions to the n-Queens Problem for all n,
//! ACM SIGART Bulletin 2, 1991).

use queens::board::Placement;

/// Returns a solution of the empty board of size `n` in O(`n`) time, or `None` for N = 2 and N = 3,
/// which have none.
///
/// ```
/// assert!(queens_search::construct(1_000).unwrap().is_solution());
/// assert!(queens_search::construct(3).is_none());
/// ```
#[must_use]
pub fn construct(n: u32) -> Option<Placement> {
    if n == 2 || n == 3 {
        return None;
    }
    let mut rows = even(n - n % 2);
    // The solution for even N leaves the falling long diagonal unoccupied, so odd N has room for a
    // queen in the corner.
    if n % 2 == 1 {
        rows.push(n - 1);
    }
    Some(Placement::from_permutation(rows))
}

/// Returns a solution for even `n` with no queen on the falling long diagonal.
fn even(n: u32) -> Vec<u32> {
    let half = n / 2;
    let mut rows = vec![0; n as usize];
    for j in 0..half {
        if n % 6 != 2 {
            // Knight's moves run through the odd rows in the left half and through the even rows in
            // the right half.
            rows[j as usize] = 2 * j + 1;
            rows[(half + j) as usize] = 2 * j;
        } else {
            // Knight's moves fill the left half and wrap around. The right half is the left one
            // rotated by 180 degrees.
            let row = (2 * j + half - 1) % n;
            rows[j as usize] = row;
            rows[(n - 1 - j) as usize] = n - 1 - row;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_except_two_and_three_has_a_solution() {
        let sizes = (0..=2_000).chain([9_999, 99_998, 100_001, 999_998, 999_999, 1_000_000]);
        for n in sizes {
            match construct(n) {
                Some(placement) => assert!(placement.n() == n && placement.is_solution(), "{n}"),
                None => assert!(n == 2 || n == 3, "{n}"),
            }
        }
    }
}
