//! Solutions of a board with queens and blocked squares, one after the other.

use std::time::Duration;

use queens::{Board, Placement, Square};
use queens_search::{FailureCause, Limits, Restarts, Search, Solutions, Source, Step, Strategy};
use wasm_bindgen::prelude::*;
use web_time::Instant;

use super::{board, number};

/// Largest board whose solutions are listed in lexicographic order. On larger boards, the first
/// one can take minutes, so they are searched with restarts.
const MAX_LISTED: u32 = 20;

/// Number of solutions up to which all are listed to know how many there are.
const MAX_KEPT: usize = 100_000;

/// Branches after which the search on a large board gives up, for all solutions together.
const MAX_SEARCHED: u64 = 10_000_000;

/// Branches that [`dead_end`] takes at most, so that the page answers at once.
const MAX_BRANCHES: u64 = 100_000;

/// Returns the reason why a board has no solution, as the end of a sentence. Returns nothing if the
/// board has a solution, or if a short search does not find out.
#[wasm_bindgen]
pub fn dead_end(task: &str) -> Result<Option<String>, JsError> {
    let board = board(task)?;
    let n = board.n();
    let is_lost = |line: &dyn Fn(u32) -> Square| !(0..n).any(|i| board.allows(line(i)));
    let column = (0..n).find(|&column| is_lost(&|row| Square::new(column, row)));
    let row = (0..n).find(|&row| is_lost(&|column| Square::new(column, row)));
    let limits = Limits { branches: Some(MAX_BRANCHES), ..Limits::default() };
    let mut search = Search::new(&board, Strategy::FIRST_FAIL, limits)?;
    let first = search.step();
    let new = search.queens().iter().filter(|queen| !board.queens().any(|own| own == **queen));
    let new: Vec<_> = new.map(|queen| queen.name(n)).collect();
    Ok(Some(match (first, column, row) {
        (_, Some(column), _) => {
            let name = Square::new(column, 0).column_name();
            format!("every square of column {name} is attacked or blocked.")
        }
        (_, _, Some(row)) => format!("every square of row {} is attacked or blocked.", n - row),
        (Step::Failure(FailureCause::TooFew(_)), ..) => {
            "two columns have to share a row.".to_owned()
        }
        (Step::Failure(failure), ..) => {
            format!("queens must go to {}, and then {failure}.", new.join(", then "))
        }
        (Step::Choice, ..) if search.next().is_none() && search.limit().is_none() => {
            let failures = search.statistics().failures;
            format!("every way to go on fails: a search meets {failures} dead ends.")
        }
        _ => return Ok(None),
    }))
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
    pub fn new(task: &str, fundamental: bool) -> Result<Self, JsError> {
        let board = board(task)?;
        let is_listed = board.n() <= MAX_LISTED;
        let source = match is_listed {
            true => Source::Enumerated(Solutions::new(&board)?),
            false => {
                let limits = Limits { branches: Some(MAX_SEARCHED), ..Limits::default() };
                Source::Restarts(Box::new(Restarts::new(&board, 0, limits)?))
            }
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
