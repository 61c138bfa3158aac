//! A search step by step: as boards for people, as a JSON object to a line for programs.

use std::fmt::Write as _;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use serde_json::{Value, json};

use super::human;
use queens::solve::{Branch, Cause, Search, Step};
use queens::{Board, Square};

/// A way to write the steps of a search down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TraceFormat {
    /// Boards for people.
    Boards {
        /// Chess pieces and crosses instead of letters.
        unicode: bool,
        /// What a step changed in colours, as terminals understand them.
        colours: bool,
    },
    /// A JSON object for each step, one to a line.
    Json,
}

/// Writes a search down while it is walked.
///
/// ```
/// use queens::Board;
/// use queens_cli::report::{TraceFormat, TraceWriter};
/// use queens::solve::{Limits, Search, Step, Strategy};
///
/// let board = Board::new(4)?;
/// let mut search = Search::new(&board, Strategy::FirstUnbound, Limits::default())?;
/// let (unicode, colours) = (false, false);
/// let mut writer = TraceWriter::new(TraceFormat::Boards { unicode, colours }, &board);
/// let mut out = Vec::new();
/// while writer.steps() < 3 {
///     let step = search.step();
///     writer.step(&mut out, &search, &step)?;
/// }
/// let text = String::from_utf8(out)?;
/// assert!(text.contains("Step 2: queen a4\nQ x x x\nx x . .\nx . x .\nx . . x\n"));
/// assert!(text.ends_with("failure: column 3 has no row left\n\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct TraceWriter<'a> {
    format: TraceFormat,
    board: &'a Board,
    /// Nodes written.
    steps: u64,
    /// The numbers of the choices from the root to the node.
    path: Vec<u64>,
}

/// What there is to see of a square.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sight {
    /// A queen of a branch.
    Queen,
    /// A queen that propagation placed, or that was preplaced.
    Placed,
    Free,
    Blocked,
    Gone(Cause),
}

impl Sight {
    /// As text with chess pieces, as plain text, and what it stands for.
    fn sign(self) -> (char, char) {
        match self {
            Self::Queen => ('♛', 'Q'),
            Self::Placed => ('♕', 'q'),
            Self::Free => ('·', '.'),
            Self::Blocked => ('▒', '#'),
            Self::Gone(Cause::Branch) => ('−', '-'),
            Self::Gone(Cause::AllDifferent(_)) => ('∘', 'o'),
            Self::Gone(_) => ('×', 'x'),
        }
    }
}

impl<'a> TraceWriter<'a> {
    /// A writer for searches of `board`.
    #[must_use]
    pub fn new(format: TraceFormat, board: &'a Board) -> Self {
        Self {
            format,
            board,
            steps: 0,
            path: Vec::new(),
        }
    }

    /// The nodes that have been written.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Writes what the signs stand for.
    ///
    /// # Errors
    ///
    /// I/O errors of `out`.
    pub fn begin(&self, out: &mut dyn Write) -> io::Result<()> {
        let TraceFormat::Boards { unicode, .. } = self.format else {
            return Ok(());
        };
        let lines = queens::solve::Lines::Rows;
        let signs = [
            (Sight::Queen, "queen of a branch"),
            (Sight::Placed, "queen that propagation placed"),
            (Sight::Free, "free"),
            (Sight::Gone(Cause::Tested), "attacked"),
            (
                Sight::Gone(Cause::AllDifferent(lines)),
                "taken by an all-different constraint",
            ),
            (Sight::Gone(Cause::Branch), "tried before"),
            (Sight::Blocked, "blocked"),
        ];
        let has_blocked = self.board.has_constraints();
        let signs = signs
            .iter()
            .filter(|(sight, _)| has_blocked || *sight != Sight::Blocked);
        let signs = signs.map(|&(sight, words)| {
            let (piece, letter) = sight.sign();
            format!("{} {words}", if unicode { piece } else { letter })
        });
        writeln!(out, "{}\n", signs.collect::<Vec<_>>().join(", "))
    }

    /// Writes the node that the last step of the search reached, if it reached one.
    ///
    /// # Errors
    ///
    /// I/O errors of `out`.
    pub fn step(&mut self, out: &mut dyn Write, search: &Search, step: &Step) -> io::Result<()> {
        let branch = match step {
            Step::Choice(branch) | Step::Failure(branch, _) | Step::Solution(branch, _) => *branch,
            Step::Up => {
                self.path.pop();
                return Ok(());
            }
            Step::Limit(_) | Step::End => return Ok(()),
        };
        self.steps += 1;
        // The second branch of a choice is taken when the search has come back to it.
        let back_to = self.path.last().copied();
        let back_to = back_to.filter(|_| branch.is_some_and(|branch| !branch.queen));
        if let Step::Choice(_) = step {
            self.path.push(self.steps);
        }
        match self.format {
            TraceFormat::Boards { unicode, colours } => {
                let text = Boards {
                    writer: self,
                    search,
                    unicode,
                    colours,
                };
                out.write_all(text.node(branch, back_to, step).as_bytes())
            }
            TraceFormat::Json => writeln!(out, "{}", self.json(search, branch, back_to, step)),
        }
    }

    fn json(
        &self,
        search: &Search,
        branch: Option<Branch>,
        back_to: Option<u64>,
        step: &Step,
    ) -> Value {
        let n = self.board.n();
        let square = |square: Square| json!({"square": square.name(n), "column": square.column, "row": square.row});
        let removed = search.removed().map(|removal| {
            let mut value = square(removal.square);
            value["cause"] = removal.cause.name(n).into();
            value
        });
        let free: Vec<Vec<u32>> = (0..n)
            .map(|column| search.free_rows(column).collect())
            .collect();
        let mut value = json!({
            "step": self.steps,
            "depth": search.depth(),
            "back_to": back_to,
            "branch": branch.map(|branch| {
                let mut value = square(branch.square);
                value["queen"] = branch.queen.into();
                value
            }),
            "queens": search.queens().iter().copied().map(square).collect::<Vec<_>>(),
            "new_queens": search.new_queens().iter().copied().map(square).collect::<Vec<_>>(),
            "removed": removed.collect::<Vec<_>>(),
            "free_rows": free,
        });
        match step {
            Step::Failure(_, failure) => {
                value["node"] = "failure".into();
                value["failure"] = failure.to_string().into();
            }
            Step::Solution(_, placement) => {
                value["node"] = "solution".into();
                value["rows"] = placement.rows().into();
            }
            _ => {
                value["node"] = "choice".into();
                value["choice"] = search.choice().map(square).into();
            }
        }
        let found = search.statistics();
        value["branches"] = found.branches.into();
        value["failures"] = found.failures.into();
        value["solutions"] = found.solutions.into();
        value
    }
}

/// A node as boards show it.
struct Boards<'a> {
    writer: &'a TraceWriter<'a>,
    search: &'a Search,
    unicode: bool,
    colours: bool,
}

impl Boards<'_> {
    fn node(&self, branch: Option<Branch>, back_to: Option<u64>, step: &Step) -> String {
        let n = self.writer.board.n();
        let mut text = format!("Step {}: ", human::integer(self.writer.steps.into()));
        if let Some(back_to) = back_to {
            let _ = write!(text, "back to step {}, ", human::integer(back_to.into()));
        }
        let words = branch.map(|Branch { square, queen }| {
            let no = if queen { "" } else { "no " };
            format!("{no}queen {}", square.name(n))
        });
        let _ = writeln!(text, "{}", words.as_deref().unwrap_or("start"));
        self.board(&mut text);
        let chosen = usize::from(branch.is_some_and(|branch| branch.queen));
        let placed = &self.search.new_queens()[chosen..];
        if !placed.is_empty() {
            let names: Vec<_> = placed.iter().map(|queen| queen.name(n)).collect();
            let _ = writeln!(text, "propagation places {}", names.join(" "));
        }
        let found = self.search.statistics();
        let (colour, end) = match step {
            Step::Failure(_, failure) => (AnsiColor::Red, format!("failure: {failure}")),
            Step::Solution(..) => {
                let number = human::integer(found.solutions.into());
                (AnsiColor::Green, format!("solution {number}"))
            }
            _ => {
                let next = self.search.choice().map(|square| square.name(n));
                (
                    AnsiColor::Blue,
                    format!("choice: {}", next.unwrap_or_default()),
                )
            }
        };
        self.paint(&mut text, colour.on_default(), &end);
        text.push_str("\n\n");
        text
    }

    /// Rows from the top.
    fn board(&self, text: &mut String) {
        let n = self.writer.board.n();
        let mut sights = vec![Sight::Free; n as usize * n as usize];
        let at = |square: Square| square.row as usize * n as usize + square.column as usize;
        let mut is_new = vec![false; sights.len()];
        let board = self.writer.board;
        let squares = (0..n).flat_map(|column| (0..n).map(move |row| Square::new(column, row)));
        for square in squares.filter(|&square| !board.allows(square)) {
            sights[at(square)] = Sight::Gone(Cause::Tested);
        }
        for square in board.blocked_squares() {
            sights[at(square)] = Sight::Blocked;
        }
        for removal in self.search.all_removed() {
            sights[at(removal.square)] = Sight::Gone(removal.cause);
        }
        for removal in self.search.removed() {
            is_new[at(removal.square)] = true;
        }
        let new = self.search.new_queens();
        for &queen in self.search.queens() {
            // A queen leaves nothing of its own column either.
            for row in (0..n).map(|row| at(Square::new(queen.column, row))) {
                if sights[row] == Sight::Free {
                    sights[row] = Sight::Gone(Cause::Queen(queen));
                    is_new[row] = new.contains(&queen);
                }
            }
            sights[at(queen)] = Sight::Placed;
            is_new[at(queen)] = new.contains(&queen);
        }
        for branch in self.search.path().filter(|branch| branch.queen) {
            sights[at(branch.square)] = Sight::Queen;
        }
        for (i, (sight, is_new)) in sights.iter().zip(is_new).enumerate() {
            let (piece, letter) = sight.sign();
            let sign = if self.unicode { piece } else { letter };
            let style = match sight {
                Sight::Queen | Sight::Placed if is_new => AnsiColor::Green.on_default().bold(),
                Sight::Gone(_) if is_new => AnsiColor::Red.on_default(),
                Sight::Gone(_) => Style::new().dimmed(),
                _ => Style::new(),
            };
            self.paint(text, style, &sign.to_string());
            text.push(if (i + 1) % n as usize == 0 { '\n' } else { ' ' });
        }
    }

    fn paint(&self, text: &mut String, style: Style, words: &str) {
        let _ = match self.colours {
            true => write!(text, "{style}{words}{style:#}"),
            false => write!(text, "{words}"),
        };
    }
}
