//! The plan of a count: its subproblems, in a fixed order that depends on the board and the engine alone.

use std::fmt;
use std::sync::Arc;

use thiserror::Error;

use crate::board::Board;
use crate::engine::algorithm::Subproblems;
use crate::engine::{Engine, EngineError, Symmetry};

/// Changes whenever a subproblem of some plan changes its place or its meaning, so that results of an older program are
/// not mixed with those of a newer one.
pub(crate) const PLAN_VERSION: u32 = 3;

/// All subproblems of one board and engine, in a fixed order.
///
/// Nothing of the machine is in a plan: threads, kernel and the finer cuts made to feed many threads never change which
/// subproblems there are, what each contributes, or the plan's [`Fingerprint`]. So a count can be resumed elsewhere.
///
/// ```
/// use queens::{Board, Engine, Plan};
///
/// let plan = Plan::new(Board::new(8)?, Engine::Bitboard)?;
/// assert_eq!(plan.len(), 21); // of the 42 ways to place queens in the first two columns, one of each mirror pair
/// assert_eq!(plan.fingerprint().to_string().split('-').next(), Some("n8"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Plan {
    board: Board,
    engine: Engine,
    subproblems: Arc<dyn Subproblems>,
    fingerprint: Fingerprint,
}

impl Plan {
    /// The plan to count `board` with `engine`, with as much symmetry as the board allows.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if the engine does not count such a board.
    pub fn new(board: Board, engine: Engine) -> Result<Self, EngineError> {
        Self::with_symmetry(board, engine, None)
    }

    /// The plan to count `board` with `engine`, with this much symmetry or, where it is `None`, as much as the board
    /// allows.
    ///
    /// # Errors
    ///
    /// Those of [`new`](Self::new), [`EngineError::Symmetry`] if the board does not allow that much, and
    /// [`EngineError::NoSymmetry`] if the engine offers no such choice.
    pub fn with_symmetry(
        board: Board,
        engine: Engine,
        symmetry: Option<Symmetry>,
    ) -> Result<Self, EngineError> {
        let subproblems = engine.cut(&board, symmetry)?;
        let fingerprint = Fingerprint::of(&board, &*subproblems);
        Ok(Self {
            board,
            engine,
            subproblems,
            fingerprint,
        })
    }

    /// The board that is counted.
    #[must_use]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The engine that the subproblems are cut for.
    #[must_use]
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// Number of subproblems.
    #[must_use]
    pub fn len(&self) -> usize {
        self.subproblems.len()
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

    /// The rows that the queens of the east half use in subproblem `index` of engine join, bit r for row r; `None` for other
    /// engines. The subproblem stands for its image upside down too.
    ///
    /// # Panics
    ///
    /// If the plan has no subproblem `index`.
    #[must_use]
    pub fn east_rows(&self, index: usize) -> Option<u32> {
        self.subproblems.east_rows(index)
    }

    pub(crate) fn subproblems(&self) -> &dyn Subproblems {
        &*self.subproblems
    }

    /// The estimated work of a subproblem, in units that mean something only within the plan; never zero.
    pub(super) fn weight(&self, index: usize) -> f64 {
        self.subproblems.weight(index)
    }

    /// How many neighbours are best counted one after the other.
    pub(super) fn run_length(&self) -> usize {
        self.subproblems.run_length()
    }

    /// The symmetry that engine bitboard uses; `None` for other engines, which have their own.
    #[must_use]
    pub fn symmetry(&self) -> Option<Symmetry> {
        self.subproblems.symmetry()
    }

    /// Nodes of the plain search that belong to no subproblem, mirror images among them; `None` where the subproblems do
    /// not make up the plain search.
    pub(super) fn nodes_above(&self) -> Option<u64> {
        self.subproblems.nodes_above()
    }

    /// Bytes of memory, about, that a count with this many threads takes where it may take `at_most`: more than that if it
    /// cannot do with as much.
    #[must_use]
    pub fn memory(&self, threads: usize, at_most: u64) -> u64 {
        self.subproblems.memory(threads, at_most)
    }

    /// What tells this plan from every other.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint.clone()
    }
}

/// One of equal parts of a plan: what one task on a cluster takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shard {
    index: usize,
    of: usize,
}

/// A shard number out of range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("shard {index} is out of range (accepted: 0 to {})", of.saturating_sub(1))]
pub struct ShardError {
    index: usize,
    of: usize,
}

impl Shard {
    /// The only one of one: the whole plan.
    pub const WHOLE: Self = Self { index: 0, of: 1 };

    /// Shard number `index`, from 0, of `of` shards.
    ///
    /// # Errors
    ///
    /// [`ShardError`] if `index` is not below `of`.
    pub fn new(index: usize, of: usize) -> Result<Self, ShardError> {
        if index < of {
            Ok(Self { index, of })
        } else {
            Err(ShardError { index, of })
        }
    }

    /// The place in the plan of its subproblem number `number`.
    pub(super) fn place(self, number: usize) -> usize {
        self.index + number * self.of
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
/// blocked squares and of every subproblem.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct Fingerprint(String);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl Fingerprint {
    fn of(board: &Board, subproblems: &dyn Subproblems) -> Self {
        let mut checksum = crc32fast::Hasher::new();
        for rows in board.blocked() {
            checksum.update(&rows.to_le_bytes());
        }
        subproblems.hash(&mut checksum);
        let (n, name, checksum) = (board.n(), subproblems.name(), checksum.finalize());
        Self(format!("n{n}-{name}-v{PLAN_VERSION}-{checksum:08x}"))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::board::Square;
    use std::collections::HashSet;

    /// The plan of engine `bitboard`.
    pub(crate) fn plan(n: u32) -> Plan {
        Plan::new(Board::new(n).unwrap(), Engine::Bitboard).unwrap()
    }

    #[test]
    fn a_fingerprint_tells_plans_apart() {
        let mut seen: HashSet<_> = (0..=32).map(|n| plan(n).fingerprint()).collect();
        assert_eq!(seen.len(), 33);
        let mut board = Board::new(8).unwrap();
        board.block(Square::new(3, 3)).unwrap();
        let blocked = Plan::new(board, Engine::Bitboard).unwrap();
        assert!(seen.insert(blocked.fingerprint()));
        assert!(!seen.insert(plan(8).fingerprint()));
    }

    /// Saved files hold fingerprints: they stay as long as the plan version does.
    #[test]
    fn fingerprints_are_those_of_saved_files() {
        use Engine::{Bitboard, Join};
        let check = |board: &Board, engine, symmetry, expected| {
            let plan = Plan::with_symmetry(board.clone(), engine, symmetry).unwrap();
            assert_eq!(plan.fingerprint().to_string(), expected);
        };
        let mut eight = Board::new(8).unwrap();
        check(&eight, Bitboard, None, "n8-bitboard-eightfold-v3-beb02fbc");
        let mirror = Some(Symmetry::Mirror);
        check(&eight, Bitboard, mirror, "n8-bitboard-mirror-v3-beb02fbc");
        eight.place(Square::new(2, 3)).unwrap();
        eight.block(Square::new(0, 7)).unwrap();
        check(&eight, Bitboard, None, "n8-bitboard-none-v3-2c93693c");
        let seventeen = Board::new(17).unwrap();
        check(&seventeen, Join, None, "n17-join-v3-c2a8fa9d");
        let torus = Board::torus(7).unwrap();
        check(
            &torus,
            Bitboard,
            None,
            "n7-bitboard-translation-v3-c8858ddf",
        );
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
        for n in 0..=24 {
            let plan = plan(n);
            assert!(
                (0..plan.len()).all(|index| plan.weight(index) > 0.0),
                "N = {n}"
            );
        }
    }
}
