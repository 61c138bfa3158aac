//! The plan of a count: its subproblems, in a fixed order that depends on the board and the engine alone.

use thiserror::Error;

use crate::board::Board;
use crate::engine::{Cut, Engine, EngineError, Symmetry};

/// Changes whenever a subproblem of some plan changes its place or its meaning, so that results of an older program are
/// not mixed with those of a newer one.
pub(crate) const PLAN_VERSION: u32 = 4;

/// All subproblems of one board and engine, in a fixed order.
///
/// Nothing of the machine is in a plan: threads and kernel never change which subproblems there are, what each contributes, or
/// the plan's [fingerprint](Self::fingerprint). So a count can be resumed elsewhere.
///
/// ```
/// use queens::{Board, Engine, Plan};
///
/// let plan = Plan::new(Board::new(8)?, Engine::Bitboard)?;
/// assert_eq!(plan.len(), 21); // of the 42 ways to place queens in the first two columns, one of each mirror pair
/// assert_eq!(plan.fingerprint().split('-').next(), Some("n8"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Plan {
    board: Board,
    engine: Engine,
    cut: Cut,
    fingerprint: String,
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
        let cut = Cut::new(&board, engine, symmetry)?;
        let fingerprint = fingerprint(&board, &cut);
        Ok(Self {
            board,
            engine,
            cut,
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
        self.cut.len()
    }

    /// Whether there is nothing to count, as for N = 2, where no two queens fit the first two columns.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The places of the subproblems that make up one shard: every so many-th, since neighbours take about equally long. From
    /// N = 26 on subproblems of engine join that stem from one row set stay together.
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
    pub fn shard(&self, shard: Shard) -> impl ExactSizeIterator<Item = usize> + Clone + use<> {
        let (len, place) = self.places(shard);
        (0..len).map(place)
    }

    /// The number of subproblems of a shard, and where in the plan each is.
    pub(super) fn places(&self, shard: Shard) -> (usize, impl Fn(usize) -> usize + Clone + use<>) {
        let (group, Shard { index, of }) = (self.cut.group(), shard);
        let groups = (self.len() / group).saturating_sub(index).div_ceil(of);
        let place = move |number| (index + number / group * of) * group + number % group;
        (groups * group, place)
    }

    /// Whether a shard has subproblem `index`.
    pub(crate) fn is_in(&self, shard: Shard, index: usize) -> bool {
        index < self.len() && index / self.cut.group() % shard.of == shard.index
    }

    pub(super) fn cut(&self) -> &Cut {
        &self.cut
    }

    /// How many neighbours a thread best takes at a time where `len` subproblems are left for some threads: fewer than have
    /// something in common if there would be too few such runs to be spread evenly, or to keep all threads busy to the end.
    pub(super) fn run_length(&self, len: usize, threads: usize) -> usize {
        let (group, longest) = (self.cut.group(), self.cut.run_length());
        let run = (len / (16 * threads).max(256)).clamp(1, longest);
        match len / group >= 4 * threads {
            true => run.next_multiple_of(group),
            false => run,
        }
    }

    /// The symmetry that engine bitboard uses; `None` for engine join, which has its own.
    #[must_use]
    pub fn symmetry(&self) -> Option<Symmetry> {
        match &self.cut {
            Cut::Bitboard(cut) => Some(cut.symmetry()),
            Cut::Join(_) => None,
        }
    }

    /// Nodes of the plain search that belong to no subproblem, mirror images among them; `None` where the subproblems do
    /// not make up the plain search.
    pub(super) fn nodes_above(&self) -> Option<u64> {
        match &self.cut {
            Cut::Bitboard(cut) => cut.nodes_above(),
            Cut::Join(_) => None,
        }
    }

    /// Bytes of memory, about, that a count with this many threads takes where it may take `at_most`: more than that if it
    /// cannot do with as much.
    #[must_use]
    pub fn memory(&self, threads: usize, at_most: u64) -> u64 {
        self.cut.memory(threads, at_most)
    }

    /// What tells this plan from every other: a short text of N, engine, symmetry, plan version, and a checksum of the blocked
    /// squares and of every subproblem.
    #[must_use]
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
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

fn fingerprint(board: &Board, cut: &Cut) -> String {
    let mut checksum = crc32fast::Hasher::new();
    for rows in board.blocked() {
        checksum.update(&rows.to_le_bytes());
    }
    cut.hash(&mut checksum);
    let (n, name, checksum) = (board.n(), cut.name(), checksum.finalize());
    format!("n{n}-{name}-v{PLAN_VERSION}-{checksum:08x}")
}

#[cfg(test)]
mod tests {
    use super::super::tests::plan;
    use super::*;
    use crate::board::Square;
    use std::collections::HashSet;

    #[test]
    fn a_fingerprint_tells_plans_apart() {
        let mut seen: HashSet<_> = (0..=32).map(|n| plan(n).fingerprint().to_owned()).collect();
        assert_eq!(seen.len(), 33);
        let mut board = Board::new(8).unwrap();
        board.block(Square::new(3, 3)).unwrap();
        let blocked = Plan::new(board, Engine::Bitboard).unwrap();
        assert!(seen.insert(blocked.fingerprint().to_owned()));
        assert!(!seen.insert(plan(8).fingerprint().to_owned()));
    }

    /// Saved files hold fingerprints: they stay as long as the plan version does.
    #[test]
    fn fingerprints_are_those_of_saved_files() {
        use Engine::{Bitboard, Join};
        let check = |board: &Board, engine, symmetry, expected| {
            let plan = Plan::with_symmetry(board.clone(), engine, symmetry).unwrap();
            assert_eq!(plan.fingerprint(), expected);
        };
        let mut eight = Board::new(8).unwrap();
        check(&eight, Bitboard, None, "n8-bitboard-eightfold-v4-beb02fbc");
        let mirror = Some(Symmetry::Mirror);
        check(&eight, Bitboard, mirror, "n8-bitboard-mirror-v4-beb02fbc");
        eight.place(Square::new(2, 3)).unwrap();
        eight.block(Square::new(0, 7)).unwrap();
        check(&eight, Bitboard, None, "n8-bitboard-none-v4-2c93693c");
        let seventeen = Board::new(17).unwrap();
        check(&seventeen, Join, None, "n17-join-v4-c2a8fa9d");
        let torus = Board::torus(7).unwrap();
        check(
            &torus,
            Bitboard,
            None,
            "n7-bitboard-translation-v4-c8858ddf",
        );
    }

    #[test]
    fn shards_hold_every_subproblem_once() {
        let plan = plan(9);
        for of in 1..=plan.len() + 1 {
            let shards = (0..of).map(|index| Shard::new(index, of).unwrap());
            let mut all = Vec::new();
            for shard in shards {
                let places: Vec<_> = plan.shard(shard).collect();
                assert!(places.len().abs_diff(plan.len() / of) <= 1);
                assert!((0..plan.len()).all(|i| plan.is_in(shard, i) == places.contains(&i)));
                all.extend(places);
            }
            all.sort_unstable();
            assert_eq!(all, (0..plan.len()).collect::<Vec<_>>());
        }
        assert!(Shard::new(9, 9).is_err());
        assert!(Shard::new(0, 0).is_err());
    }

    /// What is made from one row set stays in one shard.
    #[test]
    fn shards_take_whole_groups() {
        let plan = Plan::new(Board::new(27).unwrap(), Engine::Join).unwrap();
        let (group, shard) = (plan.cut.group(), Shard::new(2, 5).unwrap());
        assert!(group > 1);
        let places: Vec<_> = plan.shard(shard).take(20 * group).collect();
        let expected =
            (0..20).flat_map(|number| (0..group).map(move |i| (2 + 5 * number) * group + i));
        assert_eq!(places, expected.collect::<Vec<_>>());
        assert!(places.iter().all(|&index| plan.is_in(shard, index)));
        assert!(!plan.is_in(shard, 0));
        let sum: usize = (0..5)
            .map(|index| plan.shard(Shard::new(index, 5).unwrap()).len())
            .sum();
        assert_eq!(sum, plan.len());
    }

    #[test]
    fn every_subproblem_weighs_something() {
        for n in 0..=24 {
            let plan = plan(n);
            assert!(
                (0..plan.len()).all(|index| plan.cut.weight(index) > 0.0),
                "N = {n}"
            );
        }
    }
}
