//! Tests that kill or interrupt the program, damage its files, or run several instances
//! concurrently.

mod checkpoint;
mod shards;

use queens::known;
use queens::{Board, Engine};

/// Returns the published number of solutions.
fn published(n: u32) -> String {
    known::values(n).unwrap().solutions.to_string()
}

/// Returns the engines that can count ordinary boards.
fn engines() -> Vec<Engine> {
    Engine::all_for(&Board::new(8).unwrap()).collect()
}
