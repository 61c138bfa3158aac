//! Search trees that grow as the search goes on.

use std::error::Error;
use std::str::FromStr;
use std::time::Duration;

use queens::Board;
use queens_search::page::tree_data;
use queens_search::tree::{MAX_DRAWN, Tree};
use queens_search::{Limits, Search, Step, Strategy};
use wasm_bindgen::prelude::*;
use web_time::Instant;

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
    /// Empty names select the choices of the preset.
    #[wasm_bindgen(constructor)]
    pub fn new(n: u32, names: Vec<String>) -> Result<Self, JsError> {
        let board = Board::new(n)?;
        let mut strategy: Strategy = names[0].parse()?;
        if strategy != Strategy::NAIVE {
            set(&mut strategy.propagation, &names[3])?;
        } else if !matches!(&*names[3], "" | "none") {
            return Err(JsError::new("'naive' does not propagate (accepted: any other strategy)"));
        }
        set(&mut strategy.variable, &names[1])?;
        set(&mut strategy.value, &names[2])?;
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

fn set<T: FromStr<Err: Error>>(setting: &mut T, name: &str) -> Result<(), JsError> {
    if !name.is_empty() {
        *setting = name.parse()?;
    }
    Ok(())
}
