//! Plans, which split a count into subproblems in an order that depends only on the board, engine
//! and symmetry.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::order::stride_order;
use crate::board::Board;
use crate::engine::{Engine, EngineError, Subproblems, Symmetry};

/// Version of the order and definition of the subproblems. It changes when older results become
/// incompatible.
const PLAN_VERSION: u32 = 6;

/// Identity of a plan, which consists of the board as given and the way it is split into
/// subproblems. Results can be added up only if their plans have equal identities.
///
/// ```
/// use queens::{Board, Engine, Plan};
///
/// let plan = Plan::new(Board::new(7)?, Engine::Bitboard)?;
/// let id = "the 7 x 7 board, engine bitboard, symmetry eightfold, plan version 6";
/// assert_eq!(plan.id().to_string(), id);
/// assert_ne!(plan.id(), Plan::new(Board::new(8)?, Engine::Bitboard)?.id());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PlanId {
    /// Version of the order and definition of the subproblems.
    pub version: u32,
    /// The board.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub board: Board,
    /// Engine that counts the subproblems.
    pub engine: Engine,
    /// Symmetry used by the `bitboard` engine, or `None` for the `join` engine, which always uses
    /// its own.
    pub symmetry: Option<Symmetry>,
}

impl PlanId {
    /// Builds the plan. Its identity is different if another version of the program created this
    /// one.
    ///
    /// # Errors
    ///
    /// Returns an error if the engine cannot count the board with this symmetry.
    pub fn plan(&self) -> Result<Plan, EngineError> {
        Plan::with_symmetry(self.board.clone(), self.engine, self.symmetry)
    }

    /// Describes the first difference between two identities, as it is in `self` and in `other`.
    pub(crate) fn difference(&self, other: &Self) -> [String; 2] {
        match self.board == other.board {
            false => [self, other].map(|id| format!("the {}", id.board)),
            true => [self, other].map(Self::method),
        }
    }

    fn method(&self) -> String {
        let (engine, version) = (self.engine, self.version);
        let symmetry = self.symmetry.map_or("of its own", Symmetry::name);
        format!("engine {engine}, symmetry {symmetry}, plan version {version}")
    }
}

/// Writes all fields, so two identities with the same string are equal.
impl fmt::Display for PlanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the {}, {}", self.board, self.method())
    }
}

/// All subproblems of one board and engine, in a fixed order.
///
/// A plan is independent of the machine. The number of threads and the choice of kernel never
/// affect the subproblems, their results or the plan's [identity](Self::id), so a count can be
/// resumed on another machine.
///
/// ```
/// use queens::{Board, Engine, Plan};
///
/// let plan = Plan::new(Board::new(8)?, Engine::Bitboard)?;
/// // Half of the 42 ways to fill the first two columns: one of each mirror-image pair.
/// assert_eq!(plan.len(), 21);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(into = "PlanId"))]
pub struct Plan {
    pub(super) subproblems: Subproblems,
    id: PlanId,
}

impl From<Plan> for PlanId {
    fn from(plan: Plan) -> Self {
        plan.id
    }
}

impl Plan {
    /// Creates a plan that uses as much symmetry as the board allows.
    ///
    /// # Errors
    ///
    /// Returns an error if the engine cannot count the board.
    pub fn new(board: Board, engine: Engine) -> Result<Self, EngineError> {
        Self::with_symmetry(board, engine, None)
    }

    /// Creates a plan that uses the given symmetry or, if `symmetry` is `None`, as much as the
    /// board allows.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`new`](Self::new). Also returns [`EngineError::Symmetry`] if the
    /// board lacks the symmetry, and [`EngineError::NoSymmetry`] if the engine offers no choice of
    /// symmetry.
    pub fn with_symmetry(
        board: Board,
        engine: Engine,
        symmetry: Option<Symmetry>,
    ) -> Result<Self, EngineError> {
        let subproblems = Subproblems::new(&board, engine, symmetry)?;
        let id = PlanId {
            version: PLAN_VERSION,
            board,
            engine,
            symmetry: match &subproblems {
                Subproblems::Bitboard(subproblems) => Some(subproblems.symmetry()),
                Subproblems::Join(_) => None,
            },
        };
        Ok(Self { subproblems, id })
    }

    /// Returns the identity of the plan.
    #[must_use]
    pub fn id(&self) -> &PlanId {
        &self.id
    }

    /// Returns the board.
    #[must_use]
    pub fn board(&self) -> &Board {
        &self.id.board
    }

    /// Returns the engine.
    #[must_use]
    pub fn engine(&self) -> Engine {
        self.id.engine
    }

    /// Returns the number of subproblems.
    #[must_use]
    pub fn len(&self) -> usize {
        self.subproblems.len()
    }

    /// Whether the plan has no subproblems. For N = 2, no two queens fit in the first two columns.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the indices of a shard's subproblems, evenly spaced so that all shards take about
    /// the same time.
    ///
    /// ```
    /// use queens::{Board, Engine, Plan, Shard};
    ///
    /// let plan = Plan::new(Board::new(8)?, Engine::Bitboard)?;
    /// let shard = Shard::new(4, 9)?;
    /// assert_eq!(plan.shard(shard).collect::<Vec<_>>(), [3, 12]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn shard(&self, shard: Shard) -> impl ExactSizeIterator<Item = usize> + Clone + use<> {
        (shard.number - 1..self.len()).step_by(shard.of)
    }

    /// Returns all subproblems of a shard in stretches, each to be counted by one of `threads`
    /// threads. Stretches are ordered so that the completed ones are evenly distributed over the
    /// plan at any moment. Their running times thus predict those of the rest.
    ///
    /// ```
    /// use queens::{Board, Engine, Plan, Shard};
    ///
    /// let plan = Plan::new(Board::new(8)?, Engine::Bitboard)?;
    /// let mut all: Vec<_> = plan.stretches(Shard::WHOLE, 2).flatten().collect();
    /// all.sort_unstable();
    /// assert!(all.into_iter().eq(0..plan.len()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stretches(
        &self,
        shard: Shard,
        threads: usize,
    ) -> impl Iterator<Item = impl Iterator<Item = usize> + use<>> + Clone + use<> {
        let len = self.shard(shard).len();
        // Consecutive subproblems share work, but there must be enough stretches to distribute them
        // evenly and to keep all threads busy until the end.
        let length = (len / (16 * threads).max(256)).clamp(1, self.subproblems.stretch_len());
        let index = move |position: usize| shard.number - 1 + position * shard.of;
        stride_order(len, length).map(move |positions| positions.map(index))
    }

    /// Returns the approximate memory use in bytes, given a target of `max_bytes`. The result
    /// exceeds the target if the count cannot run within it.
    #[must_use]
    pub fn memory(&self, threads: usize, max_bytes: u64) -> u64 {
        self.subproblems.memory(threads, max_bytes)
    }
}

/// One of several subsets of a plan that have nearly equal sizes. It is written K/M: number K of M
/// shards, counted from 1.
///
/// ```
/// use queens::Shard;
///
/// let shard: Shard = "3/1000".parse()?;
/// assert_eq!((shard, shard.to_string()), (Shard::new(3, 1000)?, "3/1000".to_owned()));
/// # Ok::<(), queens::ShardError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shard {
    number: usize,
    of: usize,
}

/// Error for text or numbers that are not a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("accepted: K/M, such as 3/1000, with K from 1 to M and M up to 4294967295")]
pub struct ShardError;

impl Shard {
    /// The whole plan, which is shard 1/1.
    pub const WHOLE: Self = Self { number: 1, of: 1 };

    /// Creates shard `number` of `of` shards, counted from 1.
    ///
    /// # Errors
    ///
    /// Returns an error unless `number` is from 1 to `of`.
    pub fn new(number: usize, of: usize) -> Result<Self, ShardError> {
        if (1..=of).contains(&number) { Ok(Self { number, of }) } else { Err(ShardError) }
    }

    /// Returns the number of the shard, from 1 to [`of`](Self::of).
    #[must_use]
    pub fn number(self) -> usize {
        self.number
    }

    /// Returns the total number of shards.
    #[must_use]
    pub fn of(self) -> usize {
        self.of
    }

    /// Returns `shard 3/1000` or `the whole plan`.
    pub(crate) fn describe(self) -> String {
        match self {
            Self::WHOLE => "the whole plan".to_owned(),
            shard => format!("shard {shard}"),
        }
    }

    /// Whether a subproblem belongs to the shard. Shards take turns, so that each has subproblems
    /// from all over the plan.
    #[must_use]
    pub fn contains(self, index: usize) -> bool {
        index % self.of == self.number - 1
    }

    /// Returns the number of subproblems in the shard of a plan with `len` subproblems.
    pub(super) fn len(self, len: usize) -> usize {
        len.saturating_sub(self.number - 1).div_ceil(self.of)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        // Standard integers also parse with a plus sign.
        let number = |text: &str| text.parse::<u32>().ok().filter(|_| !text.starts_with('+'));
        let (number, of) =
            text.split_once('/').and_then(|(k, m)| number(k).zip(number(m))).ok_or(ShardError)?;
        Self::new(number as usize, of as usize)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::board::tests::solutions;
    use crate::count::Ledger;
    use crate::engine::Kernel;

    /// Returns the plan of the `bitboard` engine for an empty board.
    pub(crate) fn plan(n: u32) -> Plan {
        Plan::new(Board::new(n).unwrap(), Engine::Bitboard).unwrap()
    }

    #[test]
    fn identities_describe_the_whole_plan() {
        let (empty, others) =
            (|n| Board::new(n).unwrap(), "c1 blocked, engine bitboard, symmetry none");
        let board = empty(7).with_queens(["c3"]).unwrap().with_blocked(["c1", "b7"]).unwrap();
        for (board, engine, text) in [
            (empty(8), Engine::Bitboard, "the 8 x 8 board, engine bitboard, symmetry eightfold"),
            (
                board,
                Engine::Bitboard,
                &format!("the 7 x 7 board with queens on c3 with b7, {others}"),
            ),
            (
                empty(6).with_blocked(["c1", "c6"]).unwrap(),
                Engine::Bitboard,
                "the 6 x 6 board with c6, c1 blocked, engine bitboard, symmetry mirror",
            ),
            (empty(17), Engine::Join, "the 17 x 17 board, engine join, symmetry of its own"),
        ] {
            let plan = Plan::new(board.clone(), engine).unwrap();
            assert_eq!(plan.id().to_string(), format!("{text}, plan version 6"));
            let again = plan.id().plan().unwrap();
            assert_eq!((again.id(), again.board()), (plan.id(), &board));
        }
    }

    /// Saved files depend on this order, so changing it requires a new plan version.
    #[test]
    fn subproblems_are_prefixes_of_two_queens_in_order() {
        for n in 4..=8 {
            let board = Board::new(n).unwrap();
            let plan = Plan::with_symmetry(board, Engine::Bitboard, Some(Symmetry::None)).unwrap();
            let solver = plan.solver(Kernel::Reference, 1).unwrap();
            let mut worker = solver.worker();
            let counts = (0..plan.len()).map(|index| worker.try_count(index).unwrap());
            let solutions = solutions(plan.board());
            let prefixes = (0..n).flat_map(|first| (0..n).map(move |second| [first, second]));
            let expected = prefixes.filter(|[a, b]| a.abs_diff(*b) > 1).map(|prefix| {
                let begins = |rows: &[u32]| rows.starts_with(&prefix);
                solutions.iter().filter(|one| begins(one.rows())).count() as u64
            });
            assert!(counts.eq(expected), "N = {n}");
        }
    }

    /// A saved index must mean the same subproblem, so whoever changes this hash (FNV-1a, of the
    /// number of subproblems and of 1,000 of them for each N) changes the version, too.
    #[test]
    fn a_plan_changes_only_with_its_version() {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut add = |bytes: &[u8]| {
            for &byte in bytes {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
            }
        };
        for engine in [Engine::Bitboard, Engine::Join] {
            for n in engine.sizes() {
                let plan = Plan::new(Board::new(n).unwrap(), engine).unwrap();
                add(&(plan.len() as u64).to_le_bytes());
                for index in (0..plan.len()).step_by(plan.len().div_ceil(1_000).max(1)) {
                    add(&plan.subproblems.fixed_rows(index));
                }
            }
        }
        assert_eq!((PLAN_VERSION, hash), (6, 0xdbd6_3259_4250_d7a4));
    }

    #[test]
    fn shards_and_their_ledgers_partition_the_plan() {
        let plan = plan(9);
        for of in 1..=plan.len() + 1 {
            let mut all = Vec::new();
            for number in 1..=of {
                let shard = Shard::new(number, of).unwrap();
                let mut ledger = Ledger::new(&plan, shard);
                let accepted = (0..=plan.len()).filter(|&index| ledger.enter(index, 1).is_ok());
                let accepted: Vec<_> = accepted.collect();
                assert!(plan.shard(shard).eq(accepted.iter().copied()) && ledger.is_complete());
                assert!(accepted.len().abs_diff(plan.len() / of) <= 1);
                all.extend(accepted);
            }
            all.sort_unstable();
            assert_eq!(all, (0..plan.len()).collect::<Vec<_>>());
        }
        assert!(Shard::new(9, 9).is_ok());
    }

    /// Enough for the rest of a count to be like what is done, and for each thread to have work.
    #[test]
    fn a_plan_has_many_stretches() {
        let plan = Plan::new(Board::new(17).unwrap(), Engine::Join).unwrap();
        for (threads, least) in [(1, 256), (16, 256), (100, 1600)] {
            assert!(plan.stretches(Shard::WHOLE, threads).count() >= least);
        }
    }
}
