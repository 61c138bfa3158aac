//! Interface between the library and the scripts of the web page.
//!
//! Everything is counted, added and verified here. The scripts only distribute work and display
//! results, so numbers of solutions reach them as strings.

mod count;
mod explore;
mod solve;

use std::error::Error;
use std::str::FromStr;

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

#[wasm_bindgen]
extern "C" {
    /// A board and how to count or search it: an object of the scripts with these fields. Squares
    /// are numbers, and missing names stand for the library's choice.
    pub type Task;
    #[wasm_bindgen(method, getter)]
    fn n(this: &Task) -> u32;
    #[wasm_bindgen(method, getter)]
    fn queens(this: &Task) -> Vec<u32>;
    #[wasm_bindgen(method, getter)]
    fn blocked(this: &Task) -> Vec<u32>;
    #[wasm_bindgen(method, getter)]
    fn engine(this: &Task) -> Option<String>;
    #[wasm_bindgen(method, getter)]
    fn kernel(this: &Task) -> Option<String>;
    #[wasm_bindgen(method, getter)]
    fn strategy(this: &Task) -> String;
}

/// Returns the board of a task.
fn board(task: &Task) -> Result<Board, JsError> {
    let mut board = Board::new(task.n())?;
    let square = |number| Square::new(number / task.n(), number % task.n());
    task.queens().into_iter().try_for_each(|number| board.place(square(number)))?;
    task.blocked().into_iter().try_for_each(|number| board.block(square(number)))?;
    Ok(board)
}

/// Parses a name, if there is one.
fn parsed<T: FromStr<Err: Error>>(name: Option<String>) -> Result<Option<T>, JsError> {
    Ok(name.map(|name| name.parse()).transpose()?)
}

/// Returns the milliseconds that the OR-Tools guide publishes for all solutions, if they are more
/// than 0.
#[wasm_bindgen]
pub fn guide(n: u32) -> Option<u32> {
    queens::known::or_tools(n).filter(|&time| time > 0).map(|time| time as u32)
}

/// Returns the SVG definitions of the shapes on boards.
#[wasm_bindgen]
pub fn shapes() -> String {
    queens_search::page::shapes()
}

/// Returns the number of a square with a name, if it is on the board.
#[wasm_bindgen]
pub fn square(name: &str, n: u32) -> Option<u32> {
    Square::parse(name, n).ok().map(|square| number(square, n))
}

/// Returns the number that the scripts use for a square.
fn number(square: Square, n: u32) -> u32 {
    square.column * n + square.row
}
