//! Search trees that grow as the search goes on.

use std::time::Duration;

use queens::Board;
use queens::names::Named;
use queens_search::page::tree_data;
use queens_search::tree::{MAX_DRAWN, Tree};
use queens_search::{Limits, Propagation, Search, Step, Strategy, Value, Variable};
use wasm_bindgen::prelude::*;
use web_time::Instant;

use super::{Task, board};

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
        let (board, strategy) = (board(task)?, task.strategy().parse()?);
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

/// Returns the strategies that a search can have: those with a name, and all choices.
#[wasm_bindgen]
pub fn strategies() -> Vec<String> {
    let mut names: Vec<_> = Strategy::NAMES.iter().map(ToString::to_string).collect();
    for (propagation, variable) in product(Propagation::NAMES, Variable::NAMES) {
        names.extend(Value::NAMES.iter().map(|value| format!("{variable},{value},{propagation}")));
    }
    let board = Board::new(1).expect("a board of one square");
    let limits = Limits::default;
    let is_valid = |name: &String| {
        name.parse().is_ok_and(|strategy| Search::new(&board, strategy, limits()).is_ok())
    };
    names.retain(is_valid);
    names
}

fn product<'a>(
    outer: &'a [&'a str],
    inner: &'a [&'a str],
) -> impl Iterator<Item = (&'a str, &'a str)> {
    outer.iter().flat_map(|one| inner.iter().map(|other| (*one, *other)))
}

/// Says what a strategy does.
#[wasm_bindgen]
pub fn meaning(strategy: &str) -> Result<String, JsError> {
    let Strategy { variable, value, propagation, .. } = strategy.parse()?;
    let variable = match variable {
        Variable::First => "the leftmost column",
        Variable::Smallest => "the column with the fewest squares left",
        Variable::SmallestLowestMin => {
            "the column with the fewest squares left, of equals that with the highest first one"
        }
        _ => "the column with the fewest squares left, of equals that with the highest last one",
    };
    let value = match value {
        Value::Min => "its topmost square",
        Value::Middle => "its square nearest to the middle between the first and the last one",
        Value::Median => "the median of its squares",
        _ => "its bottommost square",
    };
    let propagation = match propagation {
        Propagation::None { by_loop: true } => "each square is compared with all earlier queens",
        Propagation::None { .. } => "attacks on each square are looked up in tables",
        Propagation::Value => {
            "a queen removes the squares that it attacks, and a column with one left gets its queen"
        }
        _ => {
            "a queen removes the squares that it attacks, and those that would leave other columns \
            too few rows or diagonals"
        }
    };
    Ok(format!("takes {variable} and {value}; {propagation}"))
}
