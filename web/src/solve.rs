//! Solutions of a board with queens and blocked squares, one after the other.

use std::time::Duration;

use queens::{Board, Placement};
use queens_search::Solutions;
use queens_search::{Limits, Restarts, Source};
use wasm_bindgen::prelude::*;
use web_time::Instant;

use super::{board, number};

/// Largest board whose solutions are listed in lexicographic order. On larger boards, the first
/// one can take minutes, so they are searched with restarts.
const MAX_LISTED: u32 = 20;

/// Number of solutions up to which all are listed to know how many there are.
const MAX_KEPT: usize = 100_000;

/// A board and the solutions found so far.
#[wasm_bindgen]
pub struct Puzzle {
    board: Board,
    source: Source,
    /// Whether only the first solution of each symmetry class is listed.
    fundamental: bool,
    found: Vec<Placement>,
}

#[wasm_bindgen]
impl Puzzle {
    /// If `fundamental` is set, lists only the first solution of each symmetry class, unless the
    /// board is large.
    #[wasm_bindgen(constructor)]
    pub fn new(task: &str, fundamental: bool) -> Result<Self, JsError> {
        let board = board(task)?;
        let is_listed = board.n() <= MAX_LISTED;
        let source = match is_listed {
            true => Source::Enumerated(Solutions::new(&board)?),
            false => Source::Restarts(Box::new(Restarts::new(&board, 0, Limits::default())?)),
        };
        Ok(Self { board, source, fundamental: fundamental && is_listed, found: Vec::new() })
    }

    /// Returns a solution by its index, as squares, or `undefined` if there are not so many.
    pub fn solution(&mut self, index: usize) -> Result<Option<Vec<u32>>, JsError> {
        while self.found.len() <= index {
            let Some(solution) = self.source.next() else {
                return match self.source.limit() {
                    Some(_) => Err(JsError::new("the search gave up, so it is not complete")),
                    None => Ok(None),
                };
            };
            if !self.fundamental || self.board.is_first_of_class(&solution) {
                self.found.push(solution);
            }
        }
        let n = self.board.n();
        Ok(Some(self.found[index].squares().map(|square| number(square, n)).collect()))
    }

    /// Returns the number of listed solutions, if all of them are listed within some milliseconds
    /// and they are not too many to keep.
    pub fn total(&mut self, ms: u32) -> Result<Option<usize>, JsError> {
        let end = Instant::now() + Duration::from_millis(ms.into());
        let is_listed = matches!(self.source, Source::Enumerated(_));
        while is_listed && self.found.len() < MAX_KEPT && Instant::now() < end {
            if self.solution(self.found.len())?.is_none() {
                return Ok(Some(self.found.len()));
            }
        }
        Ok(None)
    }
}
