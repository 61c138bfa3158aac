//! Boards with queens and blocked squares: attacked squares, solutions and their number.

use queens::{Board, Counter, Placement};
use queens_search::Solutions;
use queens_search::{Limits, Restarts, Source};
use wasm_bindgen::prelude::*;

use super::{board, described, number, square};

/// Largest board whose solutions are listed in lexicographic order. On larger boards, the first
/// one can take minutes, so they are searched with restarts.
const MAX_LISTED: u32 = 20;

/// Returns which of the squares are attacked by one of the queens, and which queens attack each
/// other, as two lists separated by `n * n`.
#[wasm_bindgen]
pub fn attacks(n: u32, queens: &[u32]) -> Vec<u32> {
    let attack = |queen, at| square(queen, n).attacks(square(at, n));
    let is_attacked = |&at: &u32| queens.iter().any(|&queen| attack(queen, at));
    let attacked = (0..n * n).filter(|at| !queens.contains(at) && is_attacked(at));
    let conflicts = queens.iter().copied().filter(is_attacked);
    attacked.chain([n * n]).chain(conflicts).collect()
}

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
    pub fn new(
        n: u32,
        queens: &[u32],
        blocked: &[u32],
        fundamental: bool,
    ) -> Result<Self, JsError> {
        let board = board(n, queens, blocked)?;
        let is_listed = n <= MAX_LISTED;
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

    /// Counts all solutions. Returns the number and its check.
    pub fn count(&self) -> Result<Vec<String>, JsError> {
        Ok(described(&Counter::on(self.board.clone()).threads(1).run()?))
    }
}
