//! Interface between the library and the scripts of the web page.
//!
//! Everything is counted, added and verified here. The scripts only distribute work and display
//! results, so numbers of solutions reach them as strings.

mod count;
mod explore;
mod solve;

use queens::{Board, Count, Square};
use wasm_bindgen::prelude::*;

/// Lets panics throw their message, since a trap has none.
#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|panic| wasm_bindgen::throw_str(&panic.to_string())));
}

/// Version of the library, and compiler that built it.
#[wasm_bindgen]
pub fn build() -> Vec<String> {
    vec![env!("CARGO_PKG_VERSION").to_owned(), env!("QUEENS_COMPILER").to_owned()]
}

/// Returns the total of a count, its check in a word and in a sentence, and the engine.
fn described(Count { total, check, method, .. }: &Count) -> Vec<String> {
    vec![total.to_string(), check.label().to_owned(), check.to_string(), method.engine.to_string()]
}

/// Creates a board. Squares are given as `column * n + row`.
fn board(n: u32, queens: &[u32], blocked: &[u32]) -> Result<Board, JsError> {
    let mut board = Board::new(n)?;
    queens.iter().try_for_each(|&queen| board.place(square(queen, n)))?;
    blocked.iter().try_for_each(|&blocked| board.block(square(blocked, n)))?;
    Ok(board)
}

fn square(number: u32, n: u32) -> Square {
    Square::new(number / n, number % n)
}

fn number(square: Square, n: u32) -> u32 {
    square.column * n + square.row
}
