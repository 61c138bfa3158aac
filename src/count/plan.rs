//! The plan of a count: its subproblems, in a fixed order that depends on the board and the engine alone.

use std::fmt;

use thiserror::Error;

use super::error::CountError;
use crate::board::{Board, Square};
use crate::engine::{Cut, Engine, EngineError, Kernel, Options, Solver, Symmetry};
use crate::machine::Threads;

/// Changes whenever a subproblem of some plan changes its index or its meaning, so that results of an older program are
/// not mixed with those of a newer one.
const PLAN_VERSION: u32 = 5;

/// Identity of a plan: the board as it was given, and the way it is cut into subproblems. Results add up only if their
/// plans are equal in all of it.
///
/// ```
/// use queens::{Board, Engine, Plan};
///
/// let plan = Plan::new(Board::torus(7)?, Engine::Bitboard)?;
/// assert_eq!(plan.id().to_string(), "the 7 x 7 torus, engine bitboard, symmetry translation, plan version 5");
/// assert_ne!(plan.id(), Plan::new(Board::new(7)?, Engine::Bitboard)?.id());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "store", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "store", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct PlanId {
    /// Version of the order and the meaning of subproblems.
    pub version: u32,
    /// Board size N.
    pub n: u32,
    /// Whether the diagonals wrap around.
    pub torus: bool,
    /// Squares of the preplaced queens, from left to right.
    pub queens: Vec<String>,
    /// Squares that were blocked, column by column. Those that preplaced queens attack are not added.
    pub blocked: Vec<String>,
    /// Engine that the subproblems are cut for.
    pub engine: Engine,
    /// Symmetry that engine bitboard uses; `None` for engine join, which has its own.
    pub symmetry: Option<Symmetry>,
}

impl PlanId {
    fn new(board: &Board, engine: Engine, cut: &Cut) -> Self {
        let name = |square: Square| square.name(board.n());
        Self {
            version: PLAN_VERSION,
            n: board.n(),
            torus: board.is_torus(),
            queens: board.queens().map(name).collect(),
            blocked: board.blocked_squares().map(name).collect(),
            engine,
            symmetry: match cut {
                Cut::Bitboard(cut) => Some(cut.symmetry()),
                Cut::Join(_) => None,
            },
        }
    }

    /// Builds the plan. Its identity differs from this one if another version of the program wrote it.
    ///
    /// # Errors
    ///
    /// [`CountError::Board`] or [`CountError::Engine`] if there is no such board or plan.
    pub fn plan(&self) -> Result<Plan, CountError> {
        let new = if self.torus { Board::torus } else { Board::new };
        let mut board = new(self.n)?;
        for name in &self.queens {
            board.place(Square::parse(name, self.n)?)?;
        }
        for name in &self.blocked {
            board.block(Square::parse(name, self.n)?)?;
        }
        Ok(Plan::with_symmetry(board, self.engine, self.symmetry)?)
    }

    /// Short text to display: N, engine, symmetry, plan version, and 128 bits of the SHA-256 of the identity in words.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let symmetry = self.symmetry.map(|symmetry| format!("-{symmetry}"));
        format!(
            "n{}-{}{}-v{}-{}",
            self.n,
            self.engine,
            symmetry.unwrap_or_default(),
            self.version,
            digest(&self.to_string())
        )
    }

    /// First difference from another identity: the one of this, and the one of the other.
    pub(crate) fn difference(&self, other: &Self) -> [String; 2] {
        if (self.n, self.torus) != (other.n, other.torus) {
            return [self, other].map(Self::board);
        }
        for (kind, ours, theirs) in [
            ("a queen on", &self.queens, &other.queens),
            ("a block on", &self.blocked, &other.blocked),
        ] {
            let only =
                |a: &[String], b: &[String]| a.iter().find(|name| !b.contains(name)).cloned();
            if let Some(name) = only(ours, theirs) {
                return [format!("a board with {kind} {name}"), "one without".into()];
            } else if let Some(name) = only(theirs, ours) {
                return [
                    format!("a board without {kind} {name}"),
                    "one with it".into(),
                ];
            }
        }
        [self, other].map(Self::method)
    }

    fn board(&self) -> String {
        let (n, kind) = (self.n, if self.torus { "torus" } else { "board" });
        let mut text = format!("the {n} x {n} {kind}");
        if !self.queens.is_empty() {
            text += &format!(" with queens on {}", self.queens.join(", "));
        }
        if !self.blocked.is_empty() {
            text += &format!(" with {} blocked", self.blocked.join(", "));
        }
        text
    }

    fn method(&self) -> String {
        let (engine, version) = (self.engine, self.version);
        let symmetry = self.symmetry.map_or("of its own", Symmetry::name);
        format!("engine {engine}, symmetry {symmetry}, plan version {version}")
    }
}

/// Every fact of the identity, so that two identities with the same text are equal.
impl fmt::Display for PlanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.board(), self.method())
    }
}

/// First 128 bits of the SHA-256 of a text, in hexadecimal digits.
pub(crate) fn digest(text: &str) -> String {
    let hash = hmac_sha256::Hash::hash(text.as_bytes());
    let bytes = hash.first_chunk().expect("32 bytes");
    format!("{:032x}", u128::from_be_bytes(*bytes))
}

/// All subproblems of one board and engine, in a fixed order.
///
/// Nothing of the machine is in a plan: threads and kernel never change which subproblems there are, what each
/// contributes, or the plan's [identity](Self::id). So a count can be resumed elsewhere.
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
    cut: Cut,
    id: PlanId,
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
        let id = PlanId::new(&board, engine, &cut);
        Ok(Self { board, cut, id })
    }

    /// The plan's identity, which is equal for equal plans alone.
    #[must_use]
    pub fn id(&self) -> &PlanId {
        &self.id
    }

    /// The board that is counted.
    #[must_use]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The engine that the subproblems are cut for.
    #[must_use]
    pub fn engine(&self) -> Engine {
        self.id.engine
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

    /// The places of the subproblems that make up one shard: every so many-th, since neighbours take about equally
    /// long.
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
        (shard.index..self.len()).step_by(shard.of)
    }

    /// Whether a shard has subproblem `index`.
    pub(crate) fn is_in(&self, shard: Shard, index: usize) -> bool {
        index < self.len() && index % shard.of == shard.index
    }

    pub(super) fn cut(&self) -> &Cut {
        &self.cut
    }

    /// How many neighbours a thread best takes at a time where `len` subproblems are left for some threads: fewer than
    /// have something in common if there would be too few such runs to be spread evenly, or to keep all threads busy to
    /// the end.
    pub(super) fn run_length(&self, len: usize, threads: usize) -> usize {
        (len / (16 * threads).max(256)).clamp(1, self.cut.run_length())
    }

    /// The symmetry that engine bitboard uses; `None` for engine join, which has its own.
    #[must_use]
    pub fn symmetry(&self) -> Option<Symmetry> {
        self.id.symmetry
    }

    /// Bytes of memory, about, that a count with this many threads takes where it may take `at_most`: more than that if
    /// it cannot do with as much.
    #[must_use]
    pub fn memory(&self, threads: usize, at_most: u64) -> u64 {
        self.cut.memory(threads, at_most)
    }

    /// Makes the plan ready for `kernel`, to be counted by `threads` workers.
    ///
    /// # Errors
    ///
    /// [`CountError::Engine`] if the plan's engine has no such kernel or this CPU cannot run it,
    /// [`CountError::Threads`] if their number is out of range.
    pub fn solver(&self, kernel: Kernel, threads: usize) -> Result<Solver, CountError> {
        let kernel = self.engine().choose_kernel(&self.board, Some(kernel))?;
        let options = Options::new(kernel, Threads::exactly(threads)?);
        Ok(self.cut.solver(&options))
    }

    /// Short text that stands for the plan's identity: see [`PlanId::fingerprint`].
    #[must_use]
    pub fn fingerprint(&self) -> String {
        self.id.fingerprint()
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

#[cfg(test)]
mod tests {
    use super::super::tests::plan;
    use super::*;
    use std::collections::HashSet;

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

    /// The hashes are those of `sha256sum`.
    #[test]
    fn an_identity_has_every_fact_of_the_plan() {
        let check = |board: &Board, engine, text: &str, fingerprint: &str| {
            let plan = Plan::new(board.clone(), engine).unwrap();
            assert_eq!(plan.id().to_string(), text);
            assert_eq!(plan.fingerprint(), fingerprint);
            let again = plan.id().plan().unwrap();
            assert_eq!((again.id(), again.board()), (plan.id(), board));
        };
        check(
            &Board::new(8).unwrap(),
            Engine::Bitboard,
            "the 8 x 8 board, engine bitboard, symmetry eightfold, plan version 5",
            "n8-bitboard-eightfold-v5-5882d8cc6af682c3e0d9caac883ecd5c",
        );
        let mut torus = Board::torus(7).unwrap();
        torus.place(Square::parse("c3", 7).unwrap()).unwrap();
        for square in ["c1", "b7"] {
            torus.block(Square::parse(square, 7).unwrap()).unwrap();
        }
        check(
            &torus,
            Engine::Bitboard,
            "the 7 x 7 torus with queens on c3 with b7, c1 blocked, engine bitboard, symmetry none, plan version 5",
            "n7-bitboard-none-v5-ad4f8a2301f1a48a67cae94a397a953a",
        );
        check(
            &Board::new(17).unwrap(),
            Engine::Join,
            "the 17 x 17 board, engine join, symmetry of its own, plan version 5",
            "n17-join-v5-f19032583541d303202f62095d58457b",
        );
    }

    /// Saved files index subproblems by these prefixes: a change of the order needs another plan version.
    #[test]
    fn subproblems_are_the_prefixes_of_two_queens_in_order() {
        for n in 4..=8 {
            let board = Board::new(n).unwrap();
            let plan = Plan::with_symmetry(board, Engine::Bitboard, Some(Symmetry::None)).unwrap();
            let solver = plan.solver(Kernel::Reference, 1).unwrap();
            let mut worker = solver.worker();
            let counts = (0..plan.len()).map(|index| worker.count(index));
            let solutions: Vec<_> = crate::solutions(n).unwrap().collect();
            let prefixes = (0..n).flat_map(|first| (0..n).map(move |second| [first, second]));
            let expected = prefixes.filter(|[a, b]| a.abs_diff(*b) > 1).map(|prefix| {
                let begins = |rows: &[u32]| rows.starts_with(&prefix);
                solutions.iter().filter(|one| begins(one.rows())).count() as u64
            });
            assert!(counts.eq(expected), "N = {n}");
        }
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
