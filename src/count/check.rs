//! What can be checked about a total, and how much the check says.

use std::fmt;

use super::classes::{Classes, Symmetric};
use super::error::{Contradiction, CountError, Mismatch};
use super::plan::Plan;
use crate::board::Board;
use crate::engine::CancelToken;
use crate::known::{self, known};

/// How a total was checked.
#[derive(Debug, Clone, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
#[non_exhaustive]
pub enum Check {
    /// It equals the published value.
    Verified {
        /// Where that value is published.
        source: &'static str,
    },
    /// No value is published, but the total equals the number of half-turn solutions modulo 8, as far as the engine
    /// does not impose that.
    Consistent {
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
    pub fn label(&self) -> &'static str {
        self.into()
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Verified { source } => write!(f, "verified: equals {source}"),
            Self::Consistent { one_in } => write!(
                f,
                "consistent: equals the number of half-turn solutions modulo 8 (1 in {one_in} wrong totals would also pass)"
            ),
            Self::Unverified { reason } => write!(f, "unverified: {reason}"),
        }
    }
}

/// Checks the total of a plan, whose board all eight symmetries leave as it is, against the solutions that turns leave
/// unchanged, and sorts the solutions by symmetry.
///
/// Solutions without symmetry come in eights, so Q and the number H of those unchanged by the half turn, which was
/// counted by a search of its own, are equal modulo 8. How much that says depends on what the engine imposes: where all
/// that it adds up carries a weight w, a wrong total is off by a multiple of w, and one in 8 / w passes. Where w is 8,
/// nothing was checked.
///
/// # Errors
///
/// [`Contradiction`] if the numbers cannot be those of one board.
fn check_by_symmetry(
    plan: &Plan,
    total: u128,
    symmetric: Symmetric,
) -> Result<(Check, Classes), Contradiction> {
    let n = plan.board().n();
    let classes = Classes::new(n, total, symmetric)?;
    let one_in = 8 / plan.cut().imposed_weight();
    let check = if one_in > 1 && n >= 2 {
        Check::Consistent { one_in }
    } else {
        let reason =
            "nothing is published, and the engine's own symmetry implies all that could be checked";
        Check::Unverified { reason }
    };
    Ok((check, classes))
}

/// An error if a total is not the published one.
pub(super) fn expect(
    n: u32,
    total: u128,
    published: u128,
    source_name: &'static str,
) -> Result<(), Mismatch> {
    match total == published {
        true => Ok(()),
        false => Err(Mismatch {
            n,
            total,
            published,
            source_name,
        }),
    }
}

/// Checks the total of a board against what is published.
///
/// # Errors
///
/// [`Mismatch`] if the total is not the published one.
pub(crate) fn check(board: &Board, total: u128) -> Result<Check, Mismatch> {
    if board.has_constraints() {
        let reason = "nothing is published for a board with blocked squares or preplaced queens";
        return Ok(Check::Unverified { reason });
    }
    let Some((published, source)) = published(board) else {
        let reason = "no value is published for this N";
        return Ok(Check::Unverified { reason });
    };
    expect(board.n(), total, published, source)?;
    Ok(Check::Verified { source })
}

/// The number of solutions that is published for a board, and where, if any is.
pub(crate) fn published(board: &Board) -> Option<(u128, &'static str)> {
    let n = board.n();
    if board.has_constraints() {
        None
    } else if board.is_torus() {
        Some((known::torus_solutions(n)?, known::TORUS_SOURCE))
    } else {
        Some((known(n)?.solutions, known::SOLUTIONS_SOURCE))
    }
}

/// Checks the total of a plan against what is published or else, where the board allows it, against the solutions that
/// turns leave unchanged, which are counted for it on `threads` threads; when cancelled, it leaves them out.
///
/// # Errors
///
/// [`CountError::Mismatch`] or [`CountError::Contradiction`] if the total is found to be wrong, [`CountError::Pool`] if
/// the threads could not be started.
pub(crate) fn check_total(
    plan: &Plan,
    total: u128,
    threads: usize,
    cancel: &CancelToken,
) -> Result<(Check, Option<Classes>), CountError> {
    let board = plan.board();
    let check = check(board, total)?;
    let symmetric = board.n() >= 2 && board.has_all_symmetries() && !board.is_torus();
    if matches!(check, Check::Verified { .. }) || !symmetric {
        return Ok((check, None));
    }
    let counted = Symmetric::count(board, threads, cancel)?;
    // Without them the total is whole; all that is missing is what would have been said about it.
    let Some(symmetric) = counted else {
        return Ok((check, None));
    };
    let (check, classes) = check_by_symmetry(plan, total, symmetric)?;
    Ok((check, Some(classes)))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{plan, symmetric};
    use super::*;
    use crate::engine::{Engine, Symmetry};

    /// Published numbers pass, and of the wrong totals that the engine's symmetry lets through, as many as is said.
    #[test]
    fn symmetry_finds_the_part_of_wrong_totals_that_it_says() {
        for (way, weight) in [(Symmetry::None, 1), (Symmetry::Mirror, 2)] {
            for n in 2..=27 {
                let board = Board::new(n).unwrap();
                let plan = Plan::with_symmetry(board, Engine::Bitboard, Some(way)).unwrap();
                let row = known(n).unwrap();
                let symmetric = symmetric(row.half_turn as u64, row.quarter_turn as u64);
                let check = |total| check_by_symmetry(&plan, total, symmetric);
                let (consistent, classes) = check(row.solutions).unwrap();
                assert_eq!(consistent.label(), "consistent");
                assert_eq!(classes.fundamental(), row.fundamental);
                let wrong = (1..=400).map(|error| check(row.solutions + weight * error));
                let passed = wrong.filter(Result::is_ok).count();
                let Check::Consistent { one_in } = consistent else {
                    unreachable!()
                };
                assert_eq!(passed, 400 / one_in as usize, "N = {n}");
            }
        }
    }

    #[test]
    fn what_the_engine_imposes_is_no_check() {
        let (check, classes) = check_by_symmetry(&plan(8), 92, symmetric(4, 0)).unwrap();
        assert_eq!((check.label(), classes.fundamental()), ("unverified", 12));
    }

    #[test]
    fn symmetric_counts_are_checked_too() {
        let wrong = symmetric(8, 0);
        assert_eq!(symmetric(4, 0).check_published(8), Ok(()));
        assert!(wrong.check_published(8).is_err());
        assert_eq!(wrong.check_published(28), Ok(()));
    }
}
