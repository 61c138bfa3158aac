//! Steps of a search as JSON, from which Python makes dictionaries.

use queens::{Board, Square};
use queens_search::{Search, Step};
use serde_json::{Value, json};

/// Recorder of the first steps of a search.
pub(crate) struct Steps<'a> {
    board: &'a Board,
    most: usize,
    records: Vec<Value>,
    /// Numbers of the steps of the choices from the root to the current node.
    path: Vec<usize>,
}

impl<'a> Steps<'a> {
    /// Creates a recorder of up to `most` steps of a search on `board`.
    pub(crate) fn new(board: &'a Board, most: usize) -> Self {
        Self { board, most, records: Vec::new(), path: Vec::new() }
    }

    /// Returns the steps as an array.
    pub(crate) fn to_json(&self) -> String {
        json!(self.records).to_string()
    }

    /// Records the node that `step` reached, if any. `step` must be the step that `search` has just
    /// taken.
    pub(crate) fn record(&mut self, search: &Search, step: &Step) {
        if self.records.len() == self.most {
            return;
        }
        let (node, name, detail) = match step {
            Step::Choice => {
                let square = search.choice().map(|square| self.square(square));
                ("choice", "choice", json!(square))
            }
            Step::Failure(failure) => ("failure", "failure", json!(failure.to_string())),
            Step::Solution(solution) => ("solution", "rows", json!(solution.rows())),
            Step::Up => {
                self.path.pop();
                return;
            }
            Step::Limit(_) | Step::End => return,
        };
        let mut record = self.state(search);
        record["node"] = json!(node);
        record[name] = detail;
        self.records.push(record);
        if let Step::Choice = step {
            self.path.push(self.records.len());
        }
    }

    /// Returns the board and the figures after a step.
    fn state(&self, search: &Search) -> Value {
        let (n, branch) = (self.board.n(), search.branch());
        let squares = |squares: &mut dyn Iterator<Item = Square>| -> Value {
            squares.map(|square| self.square(square)).collect()
        };
        // A preplaced queen is on the board even before the search reaches its column.
        let pending = self.board.queens().filter(|queen| !search.queens().contains(queen));
        let removed = search.removed().map(|removal| {
            let mut record = self.square(removal.square);
            record["cause"] = json!(removal.cause.name(n));
            record
        });
        let free_rows = (0..n).map(|column| search.free_rows(column).collect::<Vec<_>>());
        let found = search.statistics();
        // The second branch of a choice excludes its square.
        let back_to = branch.filter(|branch| !branch.queen).and_then(|_| self.path.last());
        let mut record = json!({
            "step": self.records.len() + 1,
            "depth": search.depth(),
            "back_to": back_to,
            "branch": branch.map(|branch| self.square(branch.square)),
            "queens": squares(&mut pending.chain(search.queens().iter().copied())),
            "new_queens": squares(&mut search.new_queens().iter().copied()),
            "removed": removed.collect::<Value>(),
            "free_rows": free_rows.collect::<Vec<_>>(),
            "branches": found.branches,
            "failures": found.failures,
            "solutions": found.solutions,
        });
        if let Some(branch) = branch {
            record["branch"]["queen"] = json!(branch.queen);
        }
        record
    }

    fn square(&self, square: Square) -> Value {
        json!({ "square": square.name(self.board.n()), "column": square.column, "row": square.row })
    }
}
