//! The plan of a count: its subproblems, in a fixed order that depends on the board and the engine alone.

use std::fmt;
use std::sync::Arc;

use super::engine::{Engine, EngineError};
use super::{bitboard, torus};
use crate::board::Board;

/// Changes whenever a subproblem of some plan changes its place or its meaning, so that results of an older program are
/// not mixed with those of a newer one.
pub const PLAN_VERSION: u32 = 1;

/// All subproblems of one board and engine, in a fixed order.
///
/// Nothing of the machine is in a plan: threads, kernel and the finer cuts made to feed many threads never change which
/// subproblems there are, what each contributes, or the plan's [`Fingerprint`]. That is what lets a count go on elsewhere.
///
/// ```
/// use queens::{Board, Engine, Plan};
///
/// let plan = Plan::new(Board::new(8)?, Engine::Bitboard)?;
/// assert_eq!(plan.len(), 21); // of the 42 ways to place two queens in two columns, one of each mirror pair
/// assert_eq!(plan.fingerprint().to_string().split('-').next(), Some("n8"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    board: Board,
    subproblems: Subproblems,
}

/// The subproblems of each engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Subproblems {
    Bitboard(Arc<[bitboard::Subproblem]>),
    Torus(Arc<[torus::Subproblem]>),
}

impl Plan {
    /// The plan to count `board` with `engine`.
    ///
    /// # Errors
    ///
    /// [`EngineError::Size`] if the engine does not do boards of that size.
    pub fn new(board: Board, engine: Engine) -> Result<Self, EngineError> {
        let n = board.n();
        if !engine.sizes().contains(&n) {
            return Err(EngineError::Size { engine, n });
        }
        let subproblems = match engine {
            Engine::Bitboard if board.is_torus() => {
                Subproblems::Torus(torus::subproblems(&board).into())
            }
            Engine::Bitboard => Subproblems::Bitboard(bitboard::subproblems(&board).into()),
        };
        Ok(Self { board, subproblems })
    }

    /// The board that is counted.
    #[must_use]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The engine that the subproblems are cut for.
    #[must_use]
    pub fn engine(&self) -> Engine {
        match self.subproblems {
            Subproblems::Bitboard(_) | Subproblems::Torus(_) => Engine::Bitboard,
        }
    }

    /// Number of subproblems.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.subproblems {
            Subproblems::Bitboard(list) => list.len(),
            Subproblems::Torus(list) => list.len(),
        }
    }

    /// Whether there is nothing to count, as for N = 2, where no two queens fit the first two columns.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn subproblems(&self) -> &Subproblems {
        &self.subproblems
    }

    /// The estimated work of each subproblem, in units that mean something only within the plan; none is zero.
    #[must_use]
    pub fn weights(&self) -> Vec<f64> {
        match &self.subproblems {
            Subproblems::Bitboard(list) => list
                .iter()
                .map(|subproblem| bitboard::estimate(&self.board, subproblem))
                .collect(),
            Subproblems::Torus(list) => list
                .iter()
                .map(|subproblem| torus::estimate(&self.board, subproblem))
                .collect(),
        }
    }

    /// Nodes of the plain search that belong to no subproblem, mirror images among them.
    pub(crate) fn nodes_above(&self) -> u64 {
        match &self.subproblems {
            Subproblems::Bitboard(_) => bitboard::nodes_above(&self.board),
            // Its kernel counts no nodes.
            Subproblems::Torus(_) => 0,
        }
    }

    /// What tells this plan from every other.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        let mut hash = crc32fast::Hasher::new();
        for rows in self.board.blocked() {
            hash.update(&rows.to_le_bytes());
        }
        match &self.subproblems {
            Subproblems::Bitboard(list) => {
                for bitboard::Subproblem { position, weight } in list.iter() {
                    for word in [position.rows, position.up, position.down, *weight] {
                        hash.update(&word.to_le_bytes());
                    }
                }
            }
            Subproblems::Torus(list) => {
                // Marked squares may leave both kinds of board the same subproblems.
                hash.update(b"torus");
                for torus::Subproblem { position, weight } in list.iter() {
                    for word in [position.rows, position.up, position.down, *weight] {
                        hash.update(&word.to_le_bytes());
                    }
                }
            }
        }
        let (n, engine) = (self.board.n(), self.engine());
        let checksum = hash.finalize();
        Fingerprint(format!("n{n}-{engine}-v{PLAN_VERSION}-{checksum:08x}"))
    }
}

/// A short text that two plans share only if they are the same: N, engine, plan version, and a checksum of the closed
/// squares, of every subproblem, and of whether diagonals wrap around.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(String);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn plan(n: u32) -> Plan {
        Plan::new(Board::new(n).unwrap(), Engine::Bitboard).unwrap()
    }

    #[test]
    fn a_fingerprint_tells_plans_apart() {
        let mut seen: HashSet<_> = (0..=32).map(|n| plan(n).fingerprint()).collect();
        assert_eq!(seen.len(), 33);
        let mut board = Board::new(8).unwrap();
        board.block(3, 3).unwrap();
        assert!(seen.insert(Plan::new(board, Engine::Bitboard).unwrap().fingerprint()));
        assert!(!seen.insert(plan(8).fingerprint()));
    }

    #[test]
    fn a_torus_has_a_plan_of_its_own() {
        for n in 0..=32 {
            let torus = Plan::new(Board::torus(n).unwrap(), Engine::Bitboard).unwrap();
            assert_ne!(torus.fingerprint(), plan(n).fingerprint(), "N = {n}");
            assert_eq!(torus.weights().len(), torus.len());
        }
    }

    #[test]
    fn every_subproblem_weighs_something() {
        for n in 0..=32 {
            let plan = plan(n);
            assert_eq!(plan.weights().len(), plan.len());
            assert!(plan.weights().iter().all(|&weight| weight > 0.0), "N = {n}");
        }
    }
}
