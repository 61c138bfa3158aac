//! Search trees that grow as they are explored. The script keeps the nodes; they are computed here.

use std::error::Error;
use std::str::FromStr;
use std::time::Duration;

use queens::Board;
use queens_search::{Cause, Limits, Search, Statistics, Step, Strategy};
use wasm_bindgen::prelude::*;
use web_time::Instant;

use super::number;

/// A search at the node with some path. A path has an item per branch: whether it is the first one.
struct Walker {
    search: Search,
    path: Vec<bool>,
}

impl Walker {
    /// Returns to the parent, and says whether the branch to the node is the first one.
    fn ascend(&mut self) -> bool {
        self.search.ascend();
        self.path.pop().expect("the root has no parent")
    }

    /// Goes to a node, and returns the statistics from before its branch. A path from the script
    /// has a digit per branch: 0 for the first one.
    fn go_to(&mut self, path: &str) -> Statistics {
        let path: Vec<_> = path.bytes().map(|digit| digit == b'0').collect();
        let shared = path.iter().zip(&self.path).take_while(|(one, other)| one == other).count();
        // The last branch is always taken again.
        while self.path.len() > shared.min(path.len().saturating_sub(1)) {
            self.ascend();
        }
        let mut before = self.search.statistics();
        for &is_first in &path[self.path.len()..] {
            before = self.search.statistics();
            self.path.push(is_first);
            self.search.descend(is_first);
        }
        before
    }
}

/// A node that has been explored.
struct Row {
    parent: usize,
    branch: String,
    kind: char,
    detail: String,
    /// Statistics from before the node's branch, and from after it, or after its subtree if folded.
    before: Statistics,
    after: Statistics,
}

/// A search tree. One search computes states, the other one explores.
#[wasm_bindgen]
pub struct Explorer {
    n: u32,
    viewer: Walker,
    walker: Walker,
    /// Nodes of the current exploration in search order, and the index of the walker's node.
    rows: Vec<Row>,
    at: usize,
    is_paused: bool,
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
        let search = || Search::new(&board, strategy, Limits::default());
        let [mut viewer, mut walker] =
            [search()?, search()?].map(|search| Walker { search, path: Vec::new() });
        viewer.search.step();
        let step = walker.search.step();
        let mut explorer = Self { n, viewer, walker, rows: Vec::new(), at: 0, is_paused: false };
        explorer.push(&step, Statistics::default());
        Ok(explorer)
    }

    /// Explores the subtree of the choice with this path. The goal is to `open` only the choice, to
    /// reach a `solution` or `failure`, to explore `all`, or to explore it `unfolded`; without
    /// solutions, subtrees are folded once they are left if the goal is a solution or all.
    ///
    /// Pauses after some time and returns nothing; then the same call continues. Ends once there
    /// are more than `most` nodes. Returns JSON with the end of the exploration (`found`, `full` or
    /// `end`) and the nodes, of which the first is the choice itself.
    pub fn explore(&mut self, path: &str, goal: &str, most: usize, ms: u32) -> Option<String> {
        if !std::mem::take(&mut self.is_paused) {
            self.rows.clear();
            let before = self.walker.go_to(path);
            self.push(&Step::Choice, before);
        }
        let folds = matches!(goal, "solution" | "all");
        let end = Instant::now() + Duration::from_millis(ms.into());
        let ended = loop {
            if !self.advance(folds) {
                break "end";
            }
            match (goal, self.rows[self.at].kind) {
                ("open", _) | ("solution", 's') | ("failure", 'f') => break "found",
                _ if self.rows.len() > most => break "full",
                _ => self.is_paused = Instant::now() > end,
            }
            if self.is_paused {
                return None;
            }
        };
        let found = self.rows.len() - 1;
        // Children come in pairs.
        while self.at > 0 {
            if self.leave() {
                self.take(false);
                self.leave();
            }
        }
        let rows: Vec<_> = self.rows.iter().map(row).collect();
        Some(format!(r#"{{"ended":"{ended}","found":{found},"rows":[{}]}}"#, rows.join(",")))
    }

    /// Returns the root as JSON.
    pub fn root(&self) -> String {
        row(&self.rows[0])
    }

    /// Returns the queens placed by propagation and the removed squares of a node as JSON, each
    /// after its cause: the queen that attacks it, or a negative code.
    pub fn state(&mut self, path: &str) -> String {
        self.viewer.go_to(path);
        let (n, search) = (self.n, &self.viewer.search);
        let placed = search.propagated_queens().iter().map(|&queen| number(queen, n));
        let removed = search.removed().map(|removal| {
            let cause = match removal.cause {
                Cause::Queen(queen) => i64::from(number(queen, n)),
                Cause::Branch => -1,
                Cause::Tested => -2,
                Cause::AllDifferent(lines) => -3 - lines as i64,
            };
            format!("[{cause},{}]", number(removal.square, n))
        });
        let removed: Vec<_> = removed.collect();
        format!("[{:?},[{}]]", placed.collect::<Vec<_>>(), removed.join(","))
    }
}

impl Explorer {
    /// Appends the node that the walker has just reached, as a child of the last one.
    fn push(&mut self, step: &Step, before: Statistics) {
        let (n, search) = (self.n, &self.walker.search);
        let branch = search.branch().map(|branch| match branch.queen {
            true => number(branch.square, n).to_string(),
            false => format!("-{}", 1 + number(branch.square, n)),
        });
        let (kind, detail) = match step {
            Step::Failure(failure) => ('f', Some(format!("{:?}", failure.to_string()))),
            Step::Solution(_) => ('s', None),
            _ => ('o', search.choice().map(|choice| number(choice, n).to_string())),
        };
        let [branch, detail] = [branch, detail].map(|text| text.unwrap_or("null".to_owned()));
        let (parent, after) = (self.at, search.statistics());
        self.at = self.rows.len();
        self.rows.push(Row { parent, branch, kind, detail, before, after });
    }

    /// Takes a branch.
    fn take(&mut self, is_first: bool) {
        let before = self.walker.search.statistics();
        self.walker.path.push(is_first);
        let step = self.walker.search.descend(is_first);
        self.push(&step, before);
    }

    /// Returns to the parent, and says whether the branch to the node is the first one.
    fn leave(&mut self) -> bool {
        self.at = self.rows[self.at].parent;
        self.walker.ascend()
    }

    /// Goes to the next node in search order, if the subtree has any. If `folds` is set, folds
    /// nodes without solutions when it leaves them.
    fn advance(&mut self, folds: bool) -> bool {
        if self.rows[self.at].kind == 'o' {
            self.rows[self.at].kind = 'c';
            self.take(true);
            return true;
        }
        while self.at > 0 {
            if self.leave() {
                self.take(false);
                return true;
            }
            let (now, row) = (self.walker.search.statistics(), &mut self.rows[self.at]);
            // The root stays open.
            if folds && now.solutions == row.before.solutions && !self.walker.path.is_empty() {
                let failures = now.failures - row.before.failures;
                (row.kind, row.detail, row.after) = ('x', failures.to_string(), now);
                self.rows.truncate(self.at + 1);
            }
        }
        false
    }
}

fn set<T: FromStr<Err: Error>>(setting: &mut T, name: &str) -> Result<(), JsError> {
    if !name.is_empty() {
        *setting = name.parse()?;
    }
    Ok(())
}

/// Returns a node in the form that the drawing reads.
fn row(Row { parent, branch, kind, detail, before, after }: &Row) -> String {
    let (tests, lookups) = (after.tests - before.tests, after.lookups - before.lookups);
    format!(r#"[{parent},{branch},"{kind}",null,null,{detail},{tests},{lookups}]"#)
}
