//! A search step by step: as boards for people, as a JSON object to a line for programs.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use serde_json::{Value, json};

use super::document::fields;
use super::human;
use queens::solve::{Branch, Cause, Lines, Search, Step};
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
        let all_different = Cause::AllDifferent(Lines::Rows);
        let mut signs = vec![
            (Sight::Queen, "queen of a branch"),
            (Sight::Placed, "queen that propagation placed"),
            (Sight::Free, "free"),
            (Sight::Gone(Cause::Tested), "attacked"),
            (
                Sight::Gone(all_different),
                "taken by an all-different constraint",
            ),
            (Sight::Gone(Cause::Branch), "tried before"),
        ];
        if self.board.has_constraints() {
            signs.push((Sight::Blocked, "blocked"));
        }
        let signs = signs
            .iter()
            .map(|(sight, words)| format!("{} {words}", sight.sign(unicode)));
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
        let node = Node {
            board: self.board,
            search,
            step,
            number: self.steps,
            branch,
            back_to,
        };
        match self.format {
            TraceFormat::Boards { unicode, colours } => {
                out.write_all(node.text(unicode, colours).as_bytes())
            }
            TraceFormat::Json => writeln!(out, "{}", node.json()),
        }
    }
}

/// A node that a step of a search reached.
struct Node<'a> {
    board: &'a Board,
    search: &'a Search,
    step: &'a Step,
    /// The number of the step.
    number: u64,
    branch: Option<Branch>,
    /// The step whose second branch this is.
    back_to: Option<u64>,
}

impl Node<'_> {
    fn json(&self) -> Value {
        let (n, search) = (self.board.n(), self.search);
        let square = |square: Square| json!({"square": square.name(n), "column": square.column, "row": square.row});
        let squares = |list: &[Square]| list.iter().copied().map(square).collect::<Vec<_>>();
        let mut branch = self.branch.map(|branch| square(branch.square));
        if let (Some(value), Some(branch)) = (&mut branch, self.branch) {
            value["queen"] = branch.queen.into();
        }
        let mut removed = Vec::new();
        for removal in search.removed() {
            let mut value = square(removal.square);
            value["cause"] = removal.cause.name(n).into();
            removed.push(value);
        }
        let free = (0..n).map(|column| search.free_rows(column).collect());
        let free: Vec<Vec<u32>> = free.collect();
        let mut all = fields(json!({
            "step": self.number,
            "depth": search.depth(),
            "back_to": self.back_to,
            "branch": branch,
            "queens": squares(search.queens()),
            "new_queens": squares(search.new_queens()),
            "removed": removed,
            "free_rows": free,
        }));
        all.extend(fields(match self.step {
            Step::Failure(_, why) => json!({"node": "failure", "failure": why.to_string()}),
            Step::Solution(_, found) => json!({"node": "solution", "rows": found.rows()}),
            _ => json!({"node": "choice", "choice": search.choice().map(square)}),
        }));
        let found = search.statistics();
        all.extend(fields(json!({
            "branches": found.branches,
            "failures": found.failures,
            "solutions": found.solutions,
        })));
        all.into()
    }

    fn text(&self, unicode: bool, colours: bool) -> String {
        let (n, search) = (self.board.n(), self.search);
        let number = |number: u64| human::integer(number.into());
        let mut text = format!("Step {}: ", number(self.number));
        if let Some(back_to) = self.back_to {
            text += &format!("back to step {}, ", number(back_to));
        }
        text += &match self.branch {
            Some(branch) if branch.queen => format!("queen {}\n", branch.square.name(n)),
            Some(branch) => format!("no queen {}\n", branch.square.name(n)),
            None => "start\n".to_owned(),
        };
        for (i, (sight, is_new)) in self.sights().into_iter().enumerate() {
            let style = match sight {
                Sight::Queen | Sight::Placed if is_new => AnsiColor::Green.on_default().bold(),
                Sight::Gone(_) if is_new => AnsiColor::Red.on_default(),
                Sight::Gone(_) => Style::new().dimmed(),
                _ => Style::new(),
            };
            text += &painted(colours, style, &sight.sign(unicode).to_string());
            text.push(if (i + 1) % n as usize == 0 { '\n' } else { ' ' });
        }
        let chosen = usize::from(self.branch.is_some_and(|branch| branch.queen));
        let placed = search.new_queens()[chosen..].iter();
        let placed: Vec<_> = placed.map(|queen| queen.name(n)).collect();
        if !placed.is_empty() {
            text += &format!("propagation places {}\n", placed.join(" "));
        }
        let (colour, end) = match self.step {
            Step::Failure(_, failure) => (AnsiColor::Red, format!("failure: {failure}")),
            Step::Solution(..) => {
                let solution = number(search.statistics().solutions);
                (AnsiColor::Green, format!("solution {solution}"))
            }
            _ => {
                let next = search.choice().map(|square| square.name(n));
                (
                    AnsiColor::Blue,
                    format!("choice: {}", next.unwrap_or_default()),
                )
            }
        };
        text + &painted(colours, colour.on_default(), &end) + "\n\n"
    }

    /// The squares row by row from the top, and whether the node changed them.
    fn sights(&self) -> Vec<(Sight, bool)> {
        let (board, search, n) = (self.board, self.search, self.board.n());
        let mut sights = vec![(Sight::Free, false); n as usize * n as usize];
        let at = |square: Square| square.row as usize * n as usize + square.column as usize;
        let squares = (0..n).flat_map(|column| (0..n).map(move |row| Square::new(column, row)));
        for square in squares.filter(|&square| !board.allows(square)) {
            sights[at(square)].0 = Sight::Gone(Cause::Tested);
        }
        for square in board.blocked_squares() {
            sights[at(square)].0 = Sight::Blocked;
        }
        for removal in search.all_removed() {
            sights[at(removal.square)].0 = Sight::Gone(removal.cause);
        }
        for removal in search.removed() {
            sights[at(removal.square)].1 = true;
        }
        for &queen in search.queens() {
            let is_new = search.new_queens().contains(&queen);
            // A queen leaves nothing of its own column either.
            for row in (0..n).map(|row| at(Square::new(queen.column, row))) {
                if sights[row].0 == Sight::Free {
                    sights[row] = (Sight::Gone(Cause::Queen(queen)), is_new);
                }
            }
            sights[at(queen)] = (Sight::Placed, is_new);
        }
        for branch in search.path().filter(|branch| branch.queen) {
            sights[at(branch.square)].0 = Sight::Queen;
        }
        sights
    }
}

/// A text in a style, where there are colours.
fn painted(colours: bool, style: Style, text: &str) -> String {
    match colours {
        true => format!("{style}{text}{style:#}"),
        false => text.to_owned(),
    }
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
    /// Its sign, a chess piece or a letter.
    fn sign(self, unicode: bool) -> char {
        let (piece, letter) = match self {
            Self::Queen => ('♛', 'Q'),
            Self::Placed => ('♕', 'q'),
            Self::Free => ('·', '.'),
            Self::Blocked => ('▒', '#'),
            Self::Gone(Cause::Branch) => ('−', '-'),
            Self::Gone(Cause::AllDifferent(_)) => ('∘', 'o'),
            Self::Gone(_) => ('×', 'x'),
        };
        if unicode { piece } else { letter }
    }
}
