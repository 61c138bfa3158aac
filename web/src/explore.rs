//! Search trees that grow as they are explored. The script keeps the nodes; they are computed here.

use std::error::Error;
use std::str::FromStr;
use std::time::Duration;

use queens::solve::{Branch, Cause, Limits, Search, Statistics, Step, Strategy};
use wasm_bindgen::prelude::*;
use web_time::Instant;

use super::{board, number};

/// A search at the node with some path. A path has an item per branch: whether it is the first one.
struct Walker {
    search: Search,
    path: Vec<bool>,
}

impl Walker {
    fn descend(&mut self, is_first: bool) -> Step {
        self.path.push(is_first);
        self.search.descend(is_first)
    }

    /// Returns to the parent, and says whether the branch to the node is the first one.
    fn ascend(&mut self) -> bool {
        self.search.ascend();
        self.path.pop().expect("the root has no parent")
    }

    /// Numbers of branches, failures, solutions, tests and lookups so far.
    fn numbers(&self) -> [u64; 5] {
        let Statistics { branches, failures, solutions, tests, lookups } = self.search.statistics();
        [branches, failures, solutions, tests, lookups]
    }

    /// Goes to a node, and returns the numbers from before its branch. A path from the script has a
    /// digit per branch: 0 for the first one.
    fn go_to(&mut self, path: &str) -> [u64; 5] {
        let path: Vec<_> = path.bytes().map(|digit| digit == b'0').collect();
        let shared = path.iter().zip(&self.path).take_while(|(one, other)| one == other).count();
        // The last branch is always taken again.
        while self.path.len() > shared.min(path.len().saturating_sub(1)) {
            self.ascend();
        }
        let mut before = self.numbers();
        for &is_first in &path[self.path.len()..] {
            before = self.numbers();
            self.descend(is_first);
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
    /// Numbers from before the node's branch, of the node alone, and of its subtree if folded.
    before: [u64; 5],
    own: [u64; 5],
    inside: Option<[u64; 5]>,
}

/// A search tree. One search computes states, the other one explores.
#[wasm_bindgen]
pub struct Explorer {
    n: u32,
    viewer: Walker,
    walker: Walker,
    /// Nodes of the current exploration in search order, and those on the path to its last node.
    rows: Vec<Row>,
    stack: Vec<usize>,
}

#[wasm_bindgen]
impl Explorer {
    /// Empty names select the choices of the preset.
    #[wasm_bindgen(constructor)]
    pub fn new(n: u32, torus: bool, names: Vec<String>) -> Result<Self, JsError> {
        let board = board(n, torus, &[], &[])?;
        let mut strategy: Strategy = names[0].parse()?;
        match (strategy, &*names[3]) {
            (Strategy::NAIVE, "" | "none") => {}
            (Strategy::NAIVE, _) => {
                let why = "'naive' does not propagate (accepted: any other strategy, or propagation none)";
                return Err(JsError::new(why));
            }
            (_, name) => set(&mut strategy.propagation, name)?,
        }
        set(&mut strategy.variable, &names[1])?;
        set(&mut strategy.value, &names[2])?;
        if strategy.is_random() {
            let reason = "random choices depend on all earlier nodes, so they cannot be explored";
            return Err(JsError::new(reason));
        }
        let walker = || -> Result<_, JsError> {
            let search = Search::new(&board, strategy, Limits::default())?;
            Ok(Walker { search, path: Vec::new() })
        };
        let (viewer, walker) = (walker()?, walker()?);
        let mut explorer = Self { n, viewer, walker, rows: Vec::new(), stack: Vec::new() };
        explorer.viewer.search.step();
        let step = explorer.walker.search.step();
        explorer.push(0, &step, [0; 5]);
        explorer.stack.clear();
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
        if self.stack.is_empty() {
            self.rows.clear();
            let before = self.walker.go_to(path);
            self.push(0, &Step::Choice, before);
        }
        let folds = matches!(goal, "solution" | "all");
        let end = Instant::now() + Duration::from_millis(ms.into());
        let ended = loop {
            if !self.advance(folds) {
                break "end";
            }
            match (goal, self.rows[self.rows.len() - 1].kind) {
                ("open", _) | ("solution", 's') | ("failure", 'f') => break "found",
                _ if self.rows.len() > most => break "full",
                _ if Instant::now() > end => return None,
                _ => {}
            }
        };
        let found = self.rows.len() - 1;
        // Children come in pairs.
        while self.stack.len() > 1 {
            self.stack.pop();
            if self.walker.ascend() {
                self.take(false);
                self.stack.pop();
                self.walker.ascend();
            }
        }
        self.stack.clear();
        let rows: Vec<_> = self.rows.iter().map(row).collect();
        Some(format!(r#"{{"ended":"{ended}","found":{found},"rows":[{}]}}"#, rows.join(",")))
    }

    /// Returns the root as JSON.
    pub fn root(&self) -> String {
        row(&self.rows[0])
    }

    /// Returns the queens placed by propagation and the removed squares of a node, as JSON.
    pub fn state(&mut self, path: &str) -> String {
        self.viewer.go_to(path);
        let (n, search) = (self.n, &self.viewer.search);
        let chosen = usize::from(search.branch().is_some_and(Branch::places_queen));
        let placed = search.new_queens()[chosen..].iter().map(|&queen| number(queen, n));
        let mut removed = Vec::<Vec<i64>>::new();
        for removal in search.removed() {
            let square = number(removal.square, n).into();
            let cause = match removal.cause {
                Cause::Queen(queen) => number(queen, n).into(),
                Cause::Branch => -1,
                Cause::Tested => -2,
                Cause::AllDifferent(lines) => -3 - lines as i64,
            };
            match removed.last_mut() {
                Some(list) if list[0] == cause => list.push(square),
                _ => removed.push(vec![cause, square]),
            }
        }
        format!("[{:?},{removed:?}]", placed.collect::<Vec<_>>())
    }
}

impl Explorer {
    /// Appends the node that the walker has just reached.
    fn push(&mut self, parent: usize, step: &Step, before: [u64; 5]) {
        let (n, search) = (self.n, &self.walker.search);
        let branch = search.branch().map(|branch| match branch.queen {
            _ if branch.split => format!("{:?}", branch.name(n)),
            true => number(branch.square, n).to_string(),
            false => format!("-{}", 1 + number(branch.square, n)),
        });
        let (kind, detail) = match step {
            Step::Failure(failure) => ('f', Some(format!("{:?}", failure.to_string()))),
            Step::Solution(_) => ('s', None),
            _ => ('o', search.choice().map(|choice| number(choice, n).to_string())),
        };
        self.stack.push(self.rows.len());
        let own = difference(self.walker.numbers(), before);
        let [branch, detail] = [branch, detail].map(|text| text.unwrap_or("null".to_owned()));
        self.rows.push(Row { parent, branch, kind, detail, before, own, inside: None });
    }

    /// Takes a branch of the last node on the stack.
    fn take(&mut self, is_first: bool) {
        let (parent, before) = (self.stack[self.stack.len() - 1], self.walker.numbers());
        let step = self.walker.descend(is_first);
        self.push(parent, &step, before);
    }

    /// Goes to the next node in search order, if the subtree has any. If `folds` is set, folds nodes
    /// without solutions when it leaves them.
    fn advance(&mut self, folds: bool) -> bool {
        let last = self.stack[self.stack.len() - 1];
        if self.rows[last].kind == 'o' {
            self.rows[last].kind = 'c';
            self.take(true);
            return true;
        }
        while self.stack.len() > 1 {
            self.stack.pop();
            if self.walker.ascend() {
                self.take(false);
                return true;
            }
            let node = self.stack[self.stack.len() - 1];
            let inside = difference(self.walker.numbers(), self.rows[node].before);
            // Solutions are counted third. The root stays open.
            if folds && inside[2] == 0 && !self.walker.path.is_empty() {
                self.rows.truncate(node + 1);
                let row = &mut self.rows[node];
                (row.kind, row.detail, row.inside) = ('x', inside[1].to_string(), Some(inside));
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

fn difference(all: [u64; 5], before: [u64; 5]) -> [u64; 5] {
    std::array::from_fn(|i| all[i] - before[i])
}

/// Returns a node in the form that the drawing reads.
fn row(row: &Row) -> String {
    let Row { parent, branch, kind, detail, inside, own, .. } = row;
    let inside = inside.map_or("null".to_owned(), |inside| format!("{inside:?}"));
    format!(r#"[{parent},{branch},"{kind}",null,null,{detail},{inside},{own:?}]"#)
}
