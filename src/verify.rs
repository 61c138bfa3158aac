//! What can be checked about a total, and how much the check says.

use std::fmt;

use serde::Serialize;
use thiserror::Error;

use crate::board::Board;
use crate::count::engine::Engine;
use crate::known::{self, known};
use crate::solve::classes::{Classes, Contradiction, Symmetric};

/// How a total was checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "result", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Check {
    /// It equals the published value.
    Verified {
        /// Where that value is published.
        source: &'static str,
    },
    /// No value is published, but an identity holds that the engine does not impose.
    Consistent {
        /// The identity.
        identity: &'static str,
        /// Of so many wrong totals, one would pass: what the engine imposes is left out.
        one_in: u32,
    },
    /// Nothing could be checked.
    Unverified {
        /// Why not.
        reason: &'static str,
    },
}

impl Check {
    /// One word: `verified`, `consistent` or `unverified`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Verified { .. } => "verified",
            Self::Consistent { .. } => "consistent",
            Self::Unverified { .. } => "unverified",
        }
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Verified { source } => write!(f, "verified: equals {source}"),
            Self::Consistent { identity, one_in } => write!(
                f,
                "consistent: {identity} (so would one wrong total in {one_in})"
            ),
            Self::Unverified { reason } => write!(f, "unverified: {reason}"),
        }
    }
}

/// A total that contradicts a published value. Which of the two is wrong, the program cannot say; it never prints such
/// a total as a result.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "the count for N = {n} came to {total}, but {source_name} has {published}: one of them is wrong, and no total is reported"
)]
pub struct Mismatch {
    /// Board size.
    pub n: u32,
    /// What was counted.
    pub total: u128,
    /// What is published.
    pub published: u128,
    /// Where.
    pub source_name: &'static str,
}

/// The identity that [`check_by_symmetry`] looks at.
const ORBITS: &str = "equals the number of half-turn solutions modulo 8";

/// Checks a total against the solutions that turns leave unchanged, on a board that all eight symmetries leave as it is.
///
/// Solutions without symmetry come in eights, so Q and the number H of those unchanged by the half turn, which was
/// counted by a search of its own, are equal modulo 8. How much that says depends on what the engine imposes: if every
/// number that it adds up carries a weight w, a wrong total is off by a multiple of w, and of the 8 / w remainders that
/// it can have modulo 8 one passes. Where w is 8, nothing was checked.
///
/// # Errors
///
/// [`Contradiction`] if the numbers cannot be those of one board.
pub fn check_by_symmetry(
    engine: Engine,
    n: u32,
    total: u128,
    symmetric: Symmetric,
) -> Result<(Check, Classes), Contradiction> {
    let classes = Classes::new(n, total, symmetric)?;
    let one_in = 8 / least_weight(engine);
    let identity = ORBITS;
    let check = if one_in > 1 && n >= 2 {
        Check::Consistent { identity, one_in }
    } else {
        let reason = "nothing is published, and the engine imposes what could be checked";
        Check::Unverified { reason }
    };
    Ok((check, classes))
}

/// The weight with which an engine counts every solution of a board that is its own mirror image, at the least.
fn least_weight(engine: Engine) -> u32 {
    match engine {
        // Mirror images are counted, not looked for: evenness is imposed.
        Engine::Bitboard => 2,
    }
}

/// Checks counted symmetric solutions of the empty board against what is published, if anything is.
///
/// # Errors
///
/// [`Mismatch`] if they are not the published ones.
pub fn check_symmetric(n: u32, symmetric: Symmetric) -> Result<(), Mismatch> {
    let Some(row) = known(n) else {
        return Ok(());
    };
    let pairs = [
        (symmetric.half_turn, row.half_turn, "OEIS A032522"),
        (symmetric.quarter_turn, row.quarter_turn, "OEIS A033148"),
    ];
    for (counted, published, source_name) in pairs {
        let total = u128::from(counted);
        if total != published {
            return Err(Mismatch {
                n,
                total,
                published,
                source_name,
            });
        }
    }
    Ok(())
}

/// Checks the total of a board against what is published.
///
/// ```
/// use queens::{Board, verify};
///
/// assert_eq!(verify::check(&Board::new(8)?, 92)?.word(), "verified");
/// assert!(verify::check(&Board::new(8)?, 93).is_err());
/// assert_eq!(verify::check(&Board::new(28)?, 1)?.word(), "unverified");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`Mismatch`] if the total is not the published one.
pub fn check(board: &Board, total: u128) -> Result<Check, Mismatch> {
    let n = board.n();
    if board.has_marks() {
        let reason = "nothing is published for a board with marked squares";
        return Ok(Check::Unverified { reason });
    }
    let (published, source) = if board.is_torus() {
        (known::torus_solutions(n), known::TORUS_SOURCE)
    } else {
        (known(n).map(|row| row.solutions), known::SOLUTIONS_SOURCE)
    };
    match published {
        Some(published) if published == total => Ok(Check::Verified { source }),
        Some(published) => Err(Mismatch {
            n,
            total,
            published,
            source_name: source,
        }),
        None => Ok(Check::Unverified {
            reason: "no value is published for this N",
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Published numbers pass, and of the totals that mirror halving lets through three in four do not.
    #[test]
    fn symmetry_finds_three_wrong_totals_in_four() {
        for n in 2..=27 {
            let row = known(n).unwrap();
            let symmetric = Symmetric {
                half_turn: u64::try_from(row.half_turn).unwrap(),
                quarter_turn: u64::try_from(row.quarter_turn).unwrap(),
            };
            let check = |total| check_by_symmetry(Engine::Bitboard, n, total, symmetric);
            let (consistent, classes) = check(row.solutions).unwrap();
            assert_eq!(consistent.word(), "consistent");
            assert_eq!(classes.fundamental(), row.fundamental);
            let even_errors = (1..=400).map(|error| check(row.solutions + 2 * error));
            let passed = even_errors.filter(Result::is_ok).count();
            let Check::Consistent { one_in, .. } = consistent else {
                unreachable!()
            };
            assert_eq!(passed, 400 / one_in as usize, "N = {n}");
        }
    }

    #[test]
    fn symmetric_counts_are_checked_too() {
        let right = Symmetric {
            half_turn: 4,
            quarter_turn: 0,
        };
        let wrong = Symmetric {
            half_turn: 8,
            quarter_turn: 0,
        };
        assert_eq!(check_symmetric(8, right), Ok(()));
        assert!(check_symmetric(8, wrong).is_err());
        assert_eq!(check_symmetric(28, wrong), Ok(()));
    }
}
