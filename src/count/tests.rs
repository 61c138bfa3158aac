//! Helpers for the tests of counting.

use super::{Plan, Symmetric};
use crate::board::Board;
use crate::engine::Engine;

/// Returns the plan of the `bitboard` engine for an empty board.
pub(crate) fn plan(n: u32) -> Plan {
    Plan::new(Board::new(n).unwrap(), Engine::Bitboard).unwrap()
}

pub(crate) fn symmetric(half_turn: u64, quarter_turn: u64) -> Symmetric {
    Symmetric { half_turn, quarter_turn }
}
