//! Search trees that grow as the search goes on.

use std::time::Duration;

use queens::Board;
use queens_search::page::tree_data;
use queens_search::tree::{MAX_DRAWN, Tree};
use queens_search::{Limits, Propagation, Search, Step, Strategy};
use wasm_bindgen::prelude::*;
use web_time::Instant;

use super::{Task, board, parsed};

/// Steps between two looks at the clock.
const STEPS: u32 = 256;

/// A search, and the tree of what it has met.
#[wasm_bindgen]
pub struct Explorer {
    board: Board,
    search: Search,
    tree: Tree,
    has_ended: bool,
}

#[wasm_bindgen]
impl Explorer {
    #[wasm_bindgen(constructor)]
    pub fn new(task: &Task) -> Result<Self, JsError> {
        let (board, strategy) = (board(task)?, strategy(task)?);
        let search = Search::new(&board, strategy, Limits::default())?;
        Ok(Self { board, search, tree: Tree::new(MAX_DRAWN), has_ended: false })
    }

    /// Searches for the next solution that has room in the tree, or to the end. Pauses after some
    /// milliseconds and returns false; then the same call continues. Gives up after a number of
    /// branches in all.
    pub fn search(&mut self, to_end: bool, most: f64, ms: u32) -> bool {
        let end = Instant::now() + Duration::from_millis(ms.into());
        while !self.has_ended && (self.search.statistics().branches as f64) < most {
            for _ in 0..STEPS {
                let step = self.search.step();
                self.tree.record(&self.search, &step);
                self.has_ended = step == Step::End;
                let is_goal = matches!(step, Step::Solution(_)) || self.tree.left_out() > 0;
                if self.has_ended || (is_goal && !to_end) {
                    return true;
                }
            }
            if Instant::now() > end {
                return false;
            }
        }
        true
    }

    /// Whether the tree grows if the search goes on.
    pub fn grows(&self) -> bool {
        !self.has_ended && self.tree.left_out() == 0
    }

    /// Whether the whole tree has been searched.
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Returns the numbers of branches, failures, solutions, tests and lookups so far.
    pub fn statistics(&self) -> Vec<f64> {
        let found = self.search.statistics();
        let numbers = [found.branches, found.failures, found.solutions, found.tests, found.lookups];
        numbers.map(|number| number as f64).to_vec()
    }

    /// Returns what the script draws, as JSON.
    pub fn data(&self) -> String {
        tree_data(&self.tree, &self.board)
    }
}

/// Returns the strategy of a task: a preset with some of its choices replaced.
fn strategy(task: &Task) -> Result<Strategy, JsError> {
    let mut strategy: Strategy = task.strategy().parse()?;
    strategy.variable = parsed(task.variable())?.unwrap_or(strategy.variable);
    strategy.value = parsed(task.value())?.unwrap_or(strategy.value);
    strategy.propagation = match parsed(task.propagation())? {
        Some(Propagation::None { .. }) if strategy.propagation == Strategy::NAIVE.propagation => {
            strategy.propagation
        }
        Some(_) if strategy.propagation == Strategy::NAIVE.propagation => {
            return Err(JsError::new("'naive' does not propagate (accepted: any other strategy)"));
        }
        wanted => wanted.unwrap_or(strategy.propagation),
    };
    Ok(strategy)
}

/// Whether a search can have the strategy of a task.
#[wasm_bindgen]
pub fn is_strategy(task: &Task) -> bool {
    let limits = Limits::default();
    let board = Board::new(1).expect("a board of one square");
    strategy(task).is_ok_and(|strategy| Search::new(&board, strategy, limits).is_ok())
}
