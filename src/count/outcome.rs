//! What a count came to.

use std::time::Duration;

use super::classes::Classes;
use super::double_check::DoubleCheck;
use super::ledger::Resumed;
use super::verify::Check;
use crate::board::Board;
use crate::engine::{Engine, Kernel, Stats, Symmetry};
use crate::machine::Threads;

/// An exact total, how it was checked, and how fast it was.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Count {
    /// The board that was counted.
    pub board: Board,
    /// The number of solutions.
    pub total: u128,
    /// How the total was checked.
    pub check: Check,
    /// The solutions by symmetry, where they were counted to check the total.
    pub classes: Option<Classes>,
    /// What was counted twice, where that was asked for; all of it agreed.
    pub double_check: Option<DoubleCheck>,
    /// What earlier runs had done, where this one resumed them.
    pub resumed: Option<Resumed>,
    /// Wall time of the whole count, tables and threads included; earlier runs too, but not what was counted twice.
    pub elapsed: Duration,
    /// The engine that counted.
    pub engine: Engine,
    /// The kernel that counted.
    pub kernel: Kernel,
    /// The symmetry that engine bitboard used; `None` for other engines, which have their own.
    pub symmetry: Option<Symmetry>,
    /// What engine join did, if it was asked to keep statistics.
    pub stats: Option<Stats>,
    /// The threads that counted, and why that many.
    pub threads: Threads,
    /// Nodes of the plain search, mirror images among them; only kernel `reference` of engine bitboard counts them, and not
    /// with eightfold symmetry.
    pub nodes: Option<u128>,
}

impl Count {
    /// Board size N.
    #[must_use]
    pub fn n(&self) -> u32 {
        self.board.n()
    }

    /// Solutions per second of wall time.
    #[must_use]
    pub fn solutions_per_second(&self) -> f64 {
        self.total as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }
}

/// What one shard came to.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ShardCount {
    /// Solutions, weights of symmetry included.
    pub solutions: u128,
    /// Number of subproblems in the shard.
    pub subproblems: usize,
    /// What was counted twice, where that was asked for; all of it agreed.
    pub double_check: Option<DoubleCheck>,
    /// Wall time of all of it, what was counted twice included.
    pub elapsed: Duration,
    /// The kernel that counted.
    pub kernel: Kernel,
    /// What engine join did, if it was asked to keep statistics.
    pub stats: Option<Stats>,
    /// The threads that counted.
    pub threads: Threads,
}
