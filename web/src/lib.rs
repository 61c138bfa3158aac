//! Interface between the library and the scripts of the web page.
//!
//! Everything is counted, added and verified here. The scripts only distribute work and display
//! results, so numbers of solutions reach them as strings.

mod count;
mod explore;
mod solve;

use queens::{Board, Check, Engine, Square};
use wasm_bindgen::prelude::*;

/// Lets panics throw their message, since a trap has none.
#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|panic| wasm_bindgen::throw_str(&panic.to_string())));
}

/// Returns the total of a count, its check in a word and in a sentence, and the engine.
fn described(total: u128, check: &Check, engine: Engine) -> Vec<String> {
    vec![total.to_string(), check.label().to_owned(), check.to_string(), engine.to_string()]
}

/// Returns the board of a task, such as `8|a1 c2|h8|join|wasm`: N, queens, blocked squares, and the
/// names of an engine and a kernel. Empty names stand for the library's choice.
fn board(task: &str) -> Result<Board, JsError> {
    let parts: Vec<_> = task.split('|').collect();
    let board = Board::new(parts[0].parse()?)?.with_queens(parts[1].split_whitespace())?;
    Ok(board.with_blocked(parts[2].split_whitespace())?)
}

/// Returns the number that the scripts use for a square.
fn number(square: Square, n: u32) -> u32 {
    square.column * n + square.row
}
