//! Verification of totals.

use std::fmt;

use super::classes::Classes;
use super::error::{CountError, Mismatch};
use super::plan::Plan;
use crate::board::Board;
use crate::engine::CancelToken;
use crate::known;

/// Result of verifying a total.
#[derive(Debug, Clone, PartialEq, Eq, strum::IntoStaticStr)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
#[strum(serialize_all = "lowercase")]
#[non_exhaustive]
pub enum Check {
    /// The total equals the published value.
    Verified {
        /// Source of the published value.
        source: &'static str,
    },
    /// There is no published value, but the total is congruent modulo 8 to the number of solutions
    /// unchanged by a half turn.
    Consistent {
        /// Reciprocal of the fraction of wrong totals that would also pass, given the symmetry that
        /// the engine imposes.
        one_in: u32,
    },
    /// The total could not be verified.
    Unverified {
        /// Reason.
        reason: &'static str,
    },
}

impl Check {
    /// Returns `verified`, `consistent` or `unverified`.
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

/// Returns the result of the check that the solutions of a fully symmetric board can be classified.
///
/// Solutions without symmetry come in groups of eight. The total is therefore equal, modulo 8, to
/// the number of solutions unchanged by a half turn, which a separate search counts. If all of the
/// engine's results are multiples of a weight w, so is the error in a wrong total, and a fraction w
/// / 8 of all wrong totals passes.
fn of_classes(plan: &Plan) -> Check {
    let one_in = 8 / plan.cut.usual_weight();
    if one_in > 1 && plan.board().n() >= 2 {
        return Check::Consistent { one_in };
    }
    let reason =
        "no value is published, and the engine's own symmetry already implies the check modulo 8";
    Check::Unverified { reason }
}

/// Returns the published number of solutions of a board and its source, if any.
pub(super) fn published(board: &Board) -> Option<(u128, &'static str)> {
    match board.has_constraints() {
        true => None,
        false => Some((known::values(board.n())?.solutions, known::SOLUTIONS_SOURCE)),
    }
}

/// Checks the total of a plan against the published value. If there is none and the board is fully
/// symmetric, counts the symmetric solutions on `threads` threads and checks the total against
/// them, unless cancelled.
///
/// Returns [`CountError::Mismatch`] or [`CountError::Contradiction`] if the total is wrong, and
/// [`CountError::Pool`] if the threads cannot be started.
pub(crate) fn check_total(
    plan: &Plan,
    total: u128,
    threads: usize,
    cancel: &CancelToken,
) -> Result<(Check, Option<Classes>), CountError> {
    let board = plan.board();
    if let Some(published @ (_, source)) = published(board) {
        Mismatch::expect_equal(board.n(), total, published)?;
        return Ok((Check::Verified { source }, None));
    }
    if board.n() >= 2 && board.has_all_symmetries() {
        match Classes::count(board, total, threads, cancel) {
            Err(CountError::Cancelled) => {}
            classes => return Ok((of_classes(plan), Some(classes?))),
        }
    }
    let reason = match board.has_constraints() {
        true => "no values are published for boards with blocked squares or preplaced queens",
        false => "no value is published for this N",
    };
    Ok((Check::Unverified { reason }, None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Engine, Symmetry};

    /// The published values pass the check, and so does the fraction of wrong totals that the
    /// result reports.
    #[test]
    fn symmetry_rejects_the_stated_fraction_of_wrong_totals() {
        for (symmetry, weight) in [(Symmetry::None, 1), (Symmetry::Mirror, 2)] {
            for n in 2..=27 {
                let board = Board::new(n).unwrap();
                let plan = Plan::with_symmetry(board, Engine::Bitboard, Some(symmetry)).unwrap();
                let row = known::values(n).unwrap();
                let (half_turn, quarter_turn) = (row.half_turn as u64, row.quarter_turn as u64);
                let check = |total| Classes::new(n, total, half_turn, quarter_turn);
                let consistent = of_classes(&plan);
                assert_eq!(consistent.label(), "consistent");
                assert_eq!(check(row.solutions).unwrap().fundamental(), row.fundamental);
                let wrong = (1..=400).map(|error| check(row.solutions + weight * error));
                let passed = wrong.filter(Result::is_ok).count();
                let Check::Consistent { one_in } = consistent else { unreachable!() };
                assert_eq!(passed, 400 / one_in as usize, "N = {n}");
            }
        }
    }

    /// Most counts of subproblems are multiples of an engine's usual weight, and so are most
    /// errors. Many are not multiples of twice the weight, which would let fewer wrong totals pass.
    #[test]
    fn most_counts_are_multiples_of_the_usual_weight() {
        for (engine, symmetry) in [
            (Engine::Bitboard, Some(Symmetry::None)),
            (Engine::Bitboard, Some(Symmetry::Mirror)),
            (Engine::Join, None),
        ] {
            for sizes in [[12, 14], [13, 15]] {
                let (mut counts, mut weight) = (Vec::new(), 1);
                for n in sizes {
                    let board = Board::new(n).unwrap();
                    let plan = Plan::with_symmetry(board, engine, symmetry).unwrap();
                    let solver = plan.solver(engine.fastest_kernel(), 1).unwrap();
                    let mut worker = solver.worker();
                    counts.extend((0..plan.len()).map(|index| worker.try_count(index).unwrap()));
                    weight = u64::from(plan.cut.usual_weight());
                }
                counts.retain(|&count| count > 0);
                let share = |divisor| {
                    let multiples = counts.iter().filter(|count| count.is_multiple_of(divisor));
                    multiples.count() as f64 / counts.len() as f64
                };
                let (usual, twice) = (share(weight), share(2 * weight));
                let case = format!("{engine}, {symmetry:?}, {sizes:?}: {usual} and {twice}");
                assert!(usual > 0.8 && twice < 0.75, "{case}");
            }
        }
    }
}
