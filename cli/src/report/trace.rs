//! A search step by step: as boards for people, as a JSON object to a line for programs.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use serde_json::{Value, json};

use super::{BoardFormat, human};
use queens::solve::{Branch, Cause, Removal, Search, Step};
use queens::{Board, Square};

/// Writes a search down while it is walked, [`BoardFormat::Json`] or boards.
///
/// ```
/// use queens::Board;
/// use queens_cli::report::{BoardFormat, TraceWriter};
/// use queens::solve::{Limits, Search, Step, Strategy};
///
/// let board = Board::new(4)?;
/// let mut search = Search::new(&board, Strategy::FirstUnbound, Limits::default())?;
/// let mut writer = TraceWriter::new(BoardFormat::Board, false, &board);
/// let mut out = Vec::new();
/// while writer.steps() < 3 {
///     let step = search.step();
///     writer.step(&mut out, &search, &step)?;
/// }
/// let text = String::from_utf8(out)?;
/// assert!(text.contains("Step 2: queen a4\nQ - - -\n| \\ . .\n| . \\ .\n| . . \\\n"));
/// assert!(text.ends_with("failure: column c has no free square\n\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct TraceWriter<'a> {
    format: BoardFormat,
    colours: bool,
    board: &'a Board,
    /// Nodes written.
    steps: u64,
    /// The numbers of the choices from the root to the node.
    path: Vec<u64>,
}

/// What there is to see of a square, in the order of [`SIGNS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sight {
    Queen,
    Placed,
    Free,
    Row,
    Rising,
    Falling,
    Column,
    AllDifferent,
    Tried,
    Blocked,
}

/// The signs of each, a letter and a chess piece or a line, and what they stand for.
const SIGNS: [[&str; 3]; 10] = [
    ["Q", "♛", "queen of a branch"],
    ["q", "♕", "queen that propagation placed"],
    [".", "·", "free"],
    ["-", "─", "attacked along a row"],
    ["/", "╱", "along a rising diagonal"],
    ["\\", "╲", "along a falling diagonal"],
    ["|", "│", "along a column"],
    ["o", "∘", "taken by an all-different constraint"],
    ["x", "×", "tried before"],
    ["#", "▒", "blocked"],
];

impl<'a> TraceWriter<'a> {
    /// A writer for searches of `board`; what a step changed has `colours` as terminals understand them.
    #[must_use]
    pub fn new(format: BoardFormat, colours: bool, board: &'a Board) -> Self {
        Self {
            format,
            colours,
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
        if self.format == BoardFormat::Json {
            return Ok(());
        }
        let shown = SIGNS.len() - usize::from(!self.board.has_constraints());
        let signs = SIGNS[..shown].iter();
        let signs = signs.map(|signs| format!("{} {}", signs[self.column()], signs[2]));
        let signs = signs.collect::<Vec<_>>().join(", ");
        let names = "Squares have their names from chess: a1 is at the bottom left.";
        writeln!(out, "{signs}\n{names}\n")
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
        if self.format == BoardFormat::Json {
            writeln!(out, "{}", self.json(search, step, branch, back_to))
        } else {
            out.write_all(self.boards(search, step, branch, back_to).as_bytes())
        }
    }

    fn json(
        &self,
        search: &Search,
        step: &Step,
        branch: Option<Branch>,
        back_to: Option<u64>,
    ) -> Value {
        let n = self.board.n();
        let square = |square: Square| json!({"square": square.name(n), "column": square.column, "row": square.row});
        let squares = |list: &[Square]| list.iter().copied().map(square).collect::<Vec<_>>();
        let branch = branch.map(|branch| {
            let mut value = square(branch.square);
            value["queen"] = branch.queen.into();
            value
        });
        let removed = search.removed().map(|removal| {
            let mut value = square(removal.square);
            value["cause"] = removal.cause.name(n).into();
            value["along"] = match self.sight(search, removal) {
                Sight::Row => "row".into(),
                Sight::Rising => "rising diagonal".into(),
                Sight::Falling => "falling diagonal".into(),
                _ => Value::Null,
            };
            value
        });
        let free = (0..n).map(|column| search.free_rows(column).collect());
        let free: Vec<Vec<u32>> = free.collect();
        let found = search.statistics();
        let mut all = json!({
            "step": self.steps,
            "depth": search.depth(),
            "back_to": back_to,
            "branch": branch,
            "queens": squares(search.queens()),
            "new_queens": squares(search.new_queens()),
            "removed": removed.collect::<Vec<_>>(),
            "free_rows": free,
            "branches": found.branches,
            "failures": found.failures,
            "solutions": found.solutions,
        });
        let (node, name, value) = match step {
            Step::Failure(_, why) => ("failure", "failure", json!(why.to_string())),
            Step::Solution(_, found) => ("solution", "rows", json!(found.rows())),
            _ => ("choice", "choice", json!(search.choice().map(square))),
        };
        all["node"] = node.into();
        all[name] = value;
        all
    }

    /// The node as boards: after its branch, and after each queen that propagation placed.
    fn boards(
        &self,
        search: &Search,
        step: &Step,
        branch: Option<Branch>,
        back_to: Option<u64>,
    ) -> String {
        let n = self.board.n();
        let number = |number: u64| human::integer(number.into());
        let mut text = format!("Step {}: ", number(self.steps));
        if let Some(step) = back_to {
            text += &format!("back to step {}, no ", number(step));
        }
        text += &match branch {
            Some(branch) => format!("queen {}\n", branch.square.name(n)),
            None => "start\n".to_owned(),
        };

        let chosen = usize::from(branch.is_some_and(|branch| branch.queen));
        let (queens, new) = (search.queens(), search.new_queens());
        let (chosen, forced) = new.split_at(chosen);
        let removed: Vec<_> = search.all_removed().collect();
        let (before, mut removed) = removed.split_at(removed.len() - search.removed().count());
        let mut sights = self.sights();
        let earlier = &queens[..queens.len() - new.len()];
        self.change(&mut sights, search, earlier, before);
        for (i, placed) in std::iter::once(chosen).chain(forced.chunks(1)).enumerate() {
            let last = sights.clone();
            let is_later = |removal: &Removal| matches!(removal.cause, Cause::Queen(queen) if forced[i..].contains(&queen));
            let now = removed.iter().position(is_later).unwrap_or(removed.len());
            self.change(&mut sights, search, placed, &removed[..now]);
            removed = &removed[now..];
            if i > 0 {
                text += &format!("propagation places {}\n", placed[0].name(n));
            }
            text += &self.drawn(&last, &sights);
        }
        let (colour, end) = match step {
            Step::Failure(_, failure) => (AnsiColor::Red, format!("failure: {failure}")),
            Step::Solution(..) => {
                let solution = number(search.statistics().solutions);
                (AnsiColor::Green, format!("solution {solution}"))
            }
            _ => {
                let choice = search.choice().map(|square| square.name(n));
                (
                    AnsiColor::Blue,
                    "choice: ".to_owned() + &choice.unwrap_or_default(),
                )
            }
        };
        text + &self.painted(colour.on_default(), &end) + "\n\n"
    }

    /// The squares before the search, row by row from the top.
    fn sights(&self) -> Vec<Sight> {
        let (board, n) = (self.board, self.board.n());
        let squares = (0..n).flat_map(|row| (0..n).map(move |column| Square::new(column, row)));
        let blocked: Vec<_> = board.blocked_squares().collect();
        let sight = |square| {
            if board.allows(square) {
                Sight::Free
            } else if blocked.binary_search(&square).is_ok() {
                Sight::Blocked
            } else {
                self.attacked(board.queens(), square)
            }
        };
        squares.map(sight).collect()
    }

    /// Places queens and removes squares.
    fn change(
        &self,
        sights: &mut [Sight],
        search: &Search,
        queens: &[Square],
        removed: &[Removal],
    ) {
        let n = self.board.n();
        let at = |square: Square| (square.row * n + square.column) as usize;
        for &queen in queens {
            // A queen leaves nothing of its own column either.
            for row in (0..n).map(|row| at(Square::new(queen.column, row))) {
                if sights[row] == Sight::Free {
                    sights[row] = Sight::Column;
                }
            }
            let mut branches = search.path().filter(|branch| branch.queen);
            sights[at(queen)] = match branches.any(|branch| branch.square == queen) {
                true => Sight::Queen,
                false => Sight::Placed,
            };
        }
        for &removal in removed {
            sights[at(removal.square)] = self.sight(search, removal);
        }
    }

    /// Why a square was removed.
    fn sight(&self, search: &Search, Removal { square, cause }: Removal) -> Sight {
        match cause {
            Cause::Branch => Sight::Tried,
            Cause::AllDifferent(_) => Sight::AllDifferent,
            Cause::Queen(queen) => self.attacked([queen].into_iter(), square),
            Cause::Tested => self.attacked(search.queens().iter().copied(), square),
        }
    }

    /// Along what the first of these queens that does attacks a square.
    fn attacked(&self, mut queens: impl Iterator<Item = Square>, square: Square) -> Sight {
        let (n, torus) = (self.board.n(), self.board.is_torus());
        let queen = queens.find(|queen| queen.attacks(square, n, torus));
        let queen = queen.expect("what is neither free nor blocked is attacked");
        let lines = if torus { n } else { 2 * n };
        if queen.column == square.column {
            Sight::Column
        } else if queen.row == square.row {
            Sight::Row
        } else if (queen.column + queen.row) % lines == (square.column + square.row) % lines {
            Sight::Rising
        } else {
            Sight::Falling
        }
    }

    /// A board with its signs, in which what is new since the last one has a colour.
    fn drawn(&self, last: &[Sight], sights: &[Sight]) -> String {
        let mut text = String::new();
        for (i, (last, sight)) in (1..).zip(last.iter().zip(sights)) {
            let style = match sight {
                Sight::Queen | Sight::Placed if sight != last => {
                    AnsiColor::Green.on_default().bold()
                }
                Sight::Queen | Sight::Placed | Sight::Free | Sight::Blocked => Style::new(),
                _ if sight != last => AnsiColor::Red.on_default(),
                _ => Style::new().dimmed(),
            };
            text += &self.painted(style, SIGNS[*sight as usize][self.column()]);
            text.push(if i % self.board.n() == 0 { '\n' } else { ' ' });
        }
        text
    }

    /// Which of the signs are shown.
    fn column(&self) -> usize {
        usize::from(self.format == BoardFormat::Unicode)
    }

    /// A text in a style, where there are colours.
    fn painted(&self, style: Style, text: &str) -> String {
        if self.colours {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }
}
