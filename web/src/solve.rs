//! Solutions of a board with queens and blocked squares, one after the other.

use std::time::Duration;

use queens::{Board, Counter, Placement, Square};
use queens_search::{FailureCause, Limits, Restarts, Search, Solutions, Source, Step, Strategy};
use wasm_bindgen::prelude::*;
use web_time::Instant;

use super::{Task, board, number};

/// Largest board whose solutions are listed in lexicographic order. On larger boards, the first
/// one can take minutes, so they are searched with restarts.
const MAX_LISTED: u32 = 20;

/// Number of solutions up to which all are listed to know how many there are.
const MAX_KEPT: usize = 100_000;

/// Largest board whose solutions are counted after each change.
const MAX_COUNTED: u32 = 12;

/// Branches after which the search on a large board gives up, for all solutions together.
const MAX_SEARCHED: u64 = 10_000_000;

/// Maximum number of branches of [`dead_end`], so that the page answers at once.
const MAX_BRANCHES: u64 = 100_000;

/// Returns the reason why a board has no solution, as the end of a sentence. Returns nothing if the
/// board has a solution, or if a short search does not find out.
fn dead_end(board: &Board) -> Result<Option<String>, JsError> {
    let n = board.n();
    let is_lost = |line: &dyn Fn(u32) -> Square| !(0..n).any(|i| board.allows(line(i)));
    let column = (0..n).find(|&column| is_lost(&|row| Square::new(column, row)));
    let row = (0..n).find(|&row| is_lost(&|column| Square::new(column, row)));
    let limits = Limits { branches: Some(MAX_BRANCHES), ..Limits::default() };
    let mut search = Search::new(board, Strategy::FIRST_FAIL, limits)?;
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

/// Returns the queens of a task that attack a square.
fn attackers(task: &Task, square: Square) -> impl Iterator<Item = Square> {
    let n = task.n();
    let queens = task.queens().into_iter().map(move |queen| Square::new(queen / n, queen % n));
    queens.filter(move |queen| *queen != square && queen.attacks(square))
}

/// Returns the squares that queens attack.
#[wasm_bindgen]
pub fn attacked(task: &Task) -> Vec<u32> {
    let n = task.n();
    let is_attacked =
        |number: &u32| attackers(task, Square::new(number / n, number % n)).next().is_some();
    (0..n * n).filter(is_attacked).collect()
}

/// Says why no queen can stand on a square, or how many solutions have a queen there, if the board
/// is small.
#[wasm_bindgen]
pub fn explain(task: &Task, number: u32) -> Result<String, JsError> {
    let n = task.n();
    let square = Square::new(number / n, number % n);
    let attackers = attackers(task, square).map(|queen| {
        let line = match queen {
            Square { column, .. } if column == square.column => "column",
            Square { row, .. } if row == square.row => "row",
            _ => "diagonal",
        };
        format!("{} (same {line})", queen.name(n))
    });
    let (name, attackers) = (square.name(n), attackers.collect::<Vec<_>>().join(" and "));
    if !attackers.is_empty() {
        return Ok(format!("{name} is attacked by {attackers}."));
    } else if task.blocked().contains(&number) {
        return Ok(format!("{name} is blocked."));
    } else if n > MAX_COUNTED || task.queens().contains(&number) {
        return Ok(String::new());
    }
    let Ok(mut board) = board(task) else { return Ok(String::new()) };
    board.place(square)?;
    Ok(match Counter::on(board.clone()).threads(1).run()?.total {
        0 => {
            let reason = dead_end(&board)?.unwrap_or_else(|| "there is no solution.".to_owned());
            format!("{name} is free, but with a queen there, {reason}")
        }
        1 => format!("{name} is free, and one solution has a queen there."),
        total => format!("{name} is free, and {} solutions have a queen there.", grouped(total)),
    })
}

/// Returns what is known about a board: a word or number, what it means, a sentence, and the number
/// of solutions or an empty text. `total` and `check` are those of a count, if there is one; small
/// boards are counted.
#[wasm_bindgen]
pub fn verdict(
    task: &Task,
    total: Option<String>,
    check: Option<String>,
) -> Result<Vec<String>, JsError> {
    let n = task.n();
    let queens = task.queens();
    let texts = |texts: [&str; 4]| Ok(texts.map(str::to_owned).to_vec());
    let is_attacked =
        |queen: &&u32| attackers(task, Square::new(*queen / n, *queen % n)).count() > 0;
    if let Some(&queen) = queens.iter().rev().find(is_attacked) {
        return texts(["Attacked", "", &explain(task, queen)?, "0"]);
    } else if queens.len() == n as usize {
        return texts(["Solved!", "", "No queen attacks another.", "1"]);
    }
    let board = board(task)?;
    let kinds = [(queens.len(), "queen"), (task.blocked().len(), "blocked square")];
    let kinds = kinds.iter().filter(|(number, _)| *number > 0).map(|(number, kind)| match number {
        1 => format!("this {kind}"),
        _ => format!("these {kind}s"),
    });
    let kinds = kinds.collect::<Vec<_>>().join(" and ");
    if let Some(reason) = dead_end(&board)?.filter(|_| !kinds.is_empty()) {
        return texts(["0", "solutions left", &format!("With {kinds}, {reason}"), "0"]);
    }
    let counted = match (total, check) {
        (Some(total), Some(check)) => Some((total.parse()?, check)),
        _ if n <= MAX_COUNTED => {
            let count = Counter::on(board).threads(1).run()?;
            Some((count.total, count.check.to_string()))
        }
        _ => None,
    };
    let Some((total, check)) = counted else {
        let placed = format!("of {n} queen{} placed", if n == 1 { "" } else { "s" });
        return texts([&queens.len().to_string(), &placed, "", ""]);
    };
    let things = if total == 1 { "solution" } else { "solutions" };
    let (word, total) = (grouped(total), total.to_string());
    match &*kinds {
        "" => texts([&word, things, &check, &total]),
        _ => texts([&word, &format!("{things} left"), &format!("with {kinds}."), &total]),
    }
}

/// Formats a number with separators.
fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join(",")
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
    pub fn new(task: &Task, fundamental: bool) -> Result<Self, JsError> {
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
