//! The program, under stress: killed, interrupted, given damaged files, run twice at once.

mod checkpoint;
mod shards;

use queens::known::known;
use queens::{Board, Engine};

/// The published number of solutions.
fn published(n: u32) -> String {
    known(n).unwrap().solutions.to_string()
}

/// The engines that count ordinary boards.
fn engines() -> Vec<Engine> {
    Engine::all_for(&Board::new(8).unwrap()).collect()
}
