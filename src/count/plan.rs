//! The plan of a count: its subproblems, in a fixed order that depends on the board and the engine alone.

use std::fmt;
use std::sync::Arc;

use thiserror::Error;

use crate::board::Board;
use crate::engine::bitboard::{self, Symmetry};
use crate::engine::join;
use crate::engine::torus;
use crate::engine::{Engine, EngineError};

/// Changes whenever a subproblem of some plan changes its place or its meaning, so that results of an older program are
/// not mixed with those of a newer one.
pub const PLAN_VERSION: u32 = 2;

/// All subproblems of one board and engine, in a fixed order.
///
/// Nothing of the machine is in a plan: threads, kernel and the finer cuts made to feed many threads never change which
/// subproblems there are, what each contributes, or the plan's [`Fingerprint`]. That is what lets a count go on elsewhere.
///
/// ```
/// use queens::{Board, Engine, Plan};
///
/// let plan = Plan::new(Board::new(8)?, Engine::Bitboard)?;
/// assert_eq!(plan.len(), 21); // of the 42 ways to place queens in the first two columns, one of each mirror pair
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
    Bitboard {
        symmetry: Symmetry,
        list: Arc<[bitboard::Subproblem]>,
    },
    Join(Arc<[join::RowSet]>),
    Torus(Arc<[torus::Subproblem]>),
}

impl Plan {
    /// The plan to count `board` with `engine`, with as much symmetry as the board allows.
    ///
    /// # Errors
    ///
    /// [`EngineError::Size`] if the engine does not do boards of that size, [`EngineError::Marked`] if it does not do boards
    /// with marked squares.
    pub fn new(board: Board, engine: Engine) -> Result<Self, EngineError> {
        Self::with_symmetry(board, engine, None)
    }

    /// The plan to count `board` with `engine`, with this much symmetry or, where it is `None`, as much as the board
    /// allows.
    ///
    /// # Errors
    ///
    /// Those of [`new`](Self::new), [`EngineError::Symmetry`] if the board does not allow that much, and
    /// [`EngineError::NoSymmetry`] if the engine knows no such choice.
    pub fn with_symmetry(
        board: Board,
        engine: Engine,
        symmetry: Option<Symmetry>,
    ) -> Result<Self, EngineError> {
        let n = board.n();
        if !engine.sizes().contains(&n) {
            return Err(EngineError::Size { engine, n });
        }
        let subproblems = match engine {
            Engine::Bitboard if board.is_torus() => match symmetry {
                None => Subproblems::Torus(torus::subproblems(&board).into()),
                Some(symmetry) => return Err(EngineError::Symmetry { symmetry }),
            },
            Engine::Bitboard => {
                let symmetry = symmetry.unwrap_or(Symmetry::of(&board));
                if !symmetry.fits(&board) {
                    return Err(EngineError::Symmetry { symmetry });
                }
                let list = bitboard::subproblems(&board, symmetry).into();
                Subproblems::Bitboard { symmetry, list }
            }
            Engine::Join if !board.is_open() => return Err(EngineError::Marked { engine }),
            Engine::Join if symmetry.is_some() => return Err(EngineError::NoSymmetry { engine }),
            Engine::Join => Subproblems::Join(join::row_sets(n as usize).into()),
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
            Subproblems::Bitboard { .. } | Subproblems::Torus(_) => Engine::Bitboard,
            Subproblems::Join(_) => Engine::Join,
        }
    }

    /// Number of subproblems.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.subproblems {
            Subproblems::Bitboard { list, .. } => list.len(),
            Subproblems::Join(list) => list.len(),
            Subproblems::Torus(list) => list.len(),
        }
    }

    /// Whether there is nothing to count, as for N = 2, where no two queens fit the first two columns.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The places of the subproblems that make up one shard: every so many-th, since neighbours take about equally long.
    ///
    /// ```
    /// use queens::{Board, Engine, Plan, Shard};
    ///
    /// let plan = Plan::new(Board::new(8)?, Engine::Bitboard)?;
    /// let shard = Shard::new(3, 9)?;
    /// assert_eq!(plan.shard(shard).collect::<Vec<_>>(), [3, 12]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn shard(&self, shard: Shard) -> impl ExactSizeIterator<Item = usize> + use<> {
        (shard.index.min(self.len())..self.len()).step_by(shard.of)
    }

    pub(crate) fn subproblems(&self) -> &Subproblems {
        &self.subproblems
    }

    /// The estimated work of each subproblem, in units that mean something only within the plan; none is zero.
    #[must_use]
    pub fn weights(&self) -> Vec<f64> {
        match &self.subproblems {
            Subproblems::Bitboard { symmetry, list } => list
                .iter()
                .map(|&subproblem| bitboard::estimate(&self.board, *symmetry, subproblem))
                .collect(),
            Subproblems::Join(list) => {
                let n = self.board.n() as usize;
                list.iter().map(|set| set.estimate(n)).collect()
            }
            Subproblems::Torus(list) => list
                .iter()
                .map(|subproblem| torus::estimate(&self.board, subproblem))
                .collect(),
        }
    }

    /// The symmetry that the bitboard engine uses; `None` for other engines and on a torus, which have their own.
    #[must_use]
    pub fn symmetry(&self) -> Option<Symmetry> {
        match self.subproblems {
            Subproblems::Bitboard { symmetry, .. } => Some(symmetry),
            Subproblems::Join(_) => None,
            Subproblems::Torus(_) => None,
        }
    }

    /// Nodes of the plain search that belong to no subproblem, mirror images among them; `None` where the subproblems do
    /// not make up the plain search.
    pub(crate) fn nodes_above(&self) -> Option<u64> {
        match self.subproblems {
            Subproblems::Bitboard { symmetry, .. } => {
                (symmetry != Symmetry::Eightfold).then(|| bitboard::nodes_above(&self.board))
            }
            Subproblems::Join(_) | Subproblems::Torus(_) => None,
        }
    }

    /// Bytes of memory that a count with this many threads will need, more or less: tables that all share, and what each
    /// thread works on.
    #[must_use]
    pub fn memory(&self, threads: usize) -> u64 {
        match &self.subproblems {
            // States of every column, a few hundred KiB a thread.
            Subproblems::Bitboard { .. } => (threads as u64) << 20,
            Subproblems::Join(_) => join::Tables::memory(self.board.n() as usize, threads),
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
        let way = match &self.subproblems {
            Subproblems::Bitboard { symmetry, list } => {
                for bitboard::Subproblem { queens } in list.iter() {
                    let (a, b) = queens.unwrap_or((u32::MAX, u32::MAX));
                    hash.update(&a.to_le_bytes());
                    hash.update(&b.to_le_bytes());
                }
                format!("bitboard-{symmetry}")
            }
            Subproblems::Join(list) => {
                for set in list.iter() {
                    hash.update(&set.rows.to_le_bytes());
                }
                "join".to_owned()
            }
            Subproblems::Torus(list) => {
                for torus::Subproblem { position, weight } in list.iter() {
                    for word in [position.rows, position.up, position.down, *weight] {
                        hash.update(&word.to_le_bytes());
                    }
                }
                "bitboard-torus".to_owned()
            }
        };
        let (n, checksum) = (self.board.n(), hash.finalize());
        Fingerprint(format!("n{n}-{way}-v{PLAN_VERSION}-{checksum:08x}"))
    }
}

/// One of equal parts of a plan: what one task on a cluster takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shard {
    index: usize,
    of: usize,
}

/// A shard that there is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("there is no shard {index} of {of} (accepted: 0 to one below the number of shards)")]
pub struct ShardError {
    index: usize,
    of: usize,
}

impl Shard {
    /// Shard number `index`, from 0, of `of` shards.
    ///
    /// # Errors
    ///
    /// [`ShardError`] if there are not as many.
    pub fn new(index: usize, of: usize) -> Result<Self, ShardError> {
        if index < of {
            Ok(Self { index, of })
        } else {
            Err(ShardError { index, of })
        }
    }

    /// Its number, from 0.
    #[must_use]
    pub fn index(self) -> usize {
        self.index
    }

    /// The number of shards in all.
    #[must_use]
    pub fn of(self) -> usize {
        self.of
    }
}

/// A short text that two plans share only if they are the same: N, engine, symmetry, plan version, and a checksum of the
/// closed squares and of every subproblem.
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
        board.block(crate::Square::new(3, 3)).unwrap();
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
        for symmetry in Symmetry::ALL {
            let board = Board::torus(8).unwrap();
            assert!(Plan::with_symmetry(board, Engine::Bitboard, Some(symmetry)).is_err());
        }
    }

    #[test]
    fn shards_hold_every_subproblem_once() {
        let plan = plan(9);
        for of in 1..=plan.len() + 1 {
            let shards = (0..of).map(|index| plan.shard(Shard::new(index, of).unwrap()));
            let lengths: Vec<_> = shards.clone().map(|shard| shard.len()).collect();
            let spread = lengths.iter().max().unwrap() - lengths.iter().min().unwrap();
            assert!(spread <= 1, "{lengths:?}");
            let mut all: Vec<_> = shards.flatten().collect();
            all.sort_unstable();
            assert_eq!(all, (0..plan.len()).collect::<Vec<_>>());
        }
        assert!(Shard::new(9, 9).is_err());
        assert!(Shard::new(0, 0).is_err());
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
