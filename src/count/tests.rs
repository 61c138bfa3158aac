//! Helpers for the tests of counting.

use super::Plan;
use crate::board::Board;
use crate::engine::Engine;

/// Returns the plan of the `bitboard` engine for an empty board.
pub(crate) fn plan(n: u32) -> Plan {
    Plan::new(Board::new(n).unwrap(), Engine::Bitboard).unwrap()
}
