//! A search step by step: as boards for people, as a JSON object to a line for programs.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use serde::Serialize;

use super::BoardFormat;
use crate::human;
use queens::solve::{Branch, Cause, Removal, Search, Step};
use queens::{Board, Square};

/// Writes a search down while it is walked, [`BoardFormat::Json`] or boards.
///
/// ```
/// use queens::Board;
/// use queens_cli::solve::{BoardFormat, TraceWriter};
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
    /// The choices from the root to the node: their numbers, and the signs of their squares, row by row from the top.
    path: Vec<(u64, Vec<char>)>,
}

/// A step as JSON.
#[derive(Serialize)]
struct StepReport<'a> {
    step: u64,
    depth: usize,
    back_to: Option<u64>,
    branch: Option<BranchReport>,
    queens: Vec<Named>,
    new_queens: Vec<Named>,
    removed: Vec<Removed>,
    free_rows: Vec<Vec<u32>>,
    branches: u64,
    failures: u64,
    solutions: u64,
    #[serde(flatten)]
    node: Node<'a>,
}

/// The node that a step reached.
#[derive(Serialize)]
#[serde(tag = "node", rename_all = "lowercase")]
enum Node<'a> {
    Choice { choice: Option<Named> },
    Failure { failure: String },
    Solution { rows: &'a [u32] },
}

/// A square with its name.
#[derive(Serialize)]
struct Named {
    square: String,
    column: u32,
    row: u32,
}

#[derive(Serialize)]
struct BranchReport {
    #[serde(flatten)]
    square: Named,
    queen: bool,
    /// Present where a domain is split.
    #[serde(skip_serializing_if = "Option::is_none")]
    split: Option<bool>,
}

/// A square that a step removed.
#[derive(Serialize)]
struct Removed {
    #[serde(flatten)]
    square: Named,
    cause: String,
    along: Option<&'static str>,
}

/// The sign of a square, the one that chess pieces and lines have in its place, and what both stand for.
const SIGNS: [(char, char, &str); 11] = [
    ('Q', '♛', "queen of a branch"),
    ('q', '♕', "queen that propagation placed"),
    ('.', '·', "free"),
    ('-', '─', "attacked along a row"),
    ('/', '╱', "along a rising diagonal"),
    ('\\', '╲', "along a falling diagonal"),
    ('|', '│', "along a column"),
    ('o', '∘', "taken by an all-different constraint"),
    ('x', '×', "tried before or split off"),
    ('P', '♔', "preplaced queen"),
    ('#', '▒', "blocked"),
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
        let shown = SIGNS.len() - 2 * usize::from(!self.board.has_constraints());
        let signs = SIGNS[..shown].iter();
        let signs = signs.map(|(sign, _, what)| format!("{} {what}", self.shown(*sign)));
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
        let is_node = match step {
            Step::Choice(_) | Step::Failure(..) | Step::Solution(..) => true,
            Step::Up => {
                self.path.pop();
                false
            }
            Step::Limit(_) | Step::End => false,
        };
        if !is_node {
            return Ok(());
        }
        self.steps += 1;
        let above = self.path.last().map(|(_, signs)| signs.clone());
        let mut signs = above.unwrap_or_else(|| self.start());
        if self.format == BoardFormat::Json {
            writeln!(
                out,
                "{}",
                serde_json::to_string(&self.report(search, step))?
            )?;
        } else {
            out.write_all(self.boards(&mut signs, search, step).as_bytes())?;
        }
        if let Step::Choice(_) = step {
            self.path.push((self.steps, signs));
        }
        Ok(())
    }

    /// The branch to the node and, if it is the second one of a choice, the number of the choice that the search came
    /// back to.
    fn branch(&self, search: &Search) -> (Option<Branch>, Option<u64>) {
        let branch = search.path().last();
        let second = branch.filter(|branch| !branch.queen);
        let back_to = second.and_then(|_| self.path.last());
        (branch, back_to.map(|&(number, _)| number))
    }

    fn report<'s>(&self, search: &Search, step: &'s Step) -> StepReport<'s> {
        let (n, (branch, back_to)) = (self.board.n(), self.branch(search));
        let square = |square: Square| Named {
            square: square.name(n),
            column: square.column,
            row: square.row,
        };
        // A preplaced queen is on the board before the search comes to its column.
        let is_preplaced = |queen: &Square| !search.queens().contains(queen);
        let queens = self.board.queens().filter(is_preplaced);
        let found = search.statistics();
        StepReport {
            step: self.steps,
            depth: search.depth(),
            back_to,
            branch: branch.map(|branch| BranchReport {
                square: square(branch.square),
                queen: branch.queen,
                split: branch.split.then_some(true),
            }),
            queens: queens
                .chain(search.queens().iter().copied())
                .map(square)
                .collect(),
            new_queens: search.new_queens().iter().copied().map(square).collect(),
            removed: search
                .removed()
                .map(|removal| Removed {
                    square: square(removal.square),
                    cause: removal.cause.name(n),
                    along: match self.sign(search, removal) {
                        '-' => Some("row"),
                        '/' => Some("rising diagonal"),
                        '\\' => Some("falling diagonal"),
                        _ => None,
                    },
                })
                .collect(),
            free_rows: (0..n)
                .map(|column| search.free_rows(column).collect())
                .collect(),
            branches: found.branches,
            failures: found.failures,
            solutions: found.solutions,
            node: match step {
                Step::Failure(_, why) => Node::Failure {
                    failure: why.to_string(),
                },
                Step::Solution(_, found) => Node::Solution { rows: found.rows() },
                _ => Node::Choice {
                    choice: search.choice().map(square),
                },
            },
        }
    }

    /// The node as boards: after its branch, and after each queen that propagation placed. `signs` are those of the
    /// choice above it, and become its own.
    fn boards(&self, signs: &mut [char], search: &Search, step: &Step) -> String {
        let (n, (branch, back_to)) = (self.board.n(), self.branch(search));
        let at = |square: Square| (square.row * n + square.column) as usize;
        let number = |number: u64| human::integer(number.into());
        let mut text = format!("Step {}: ", number(self.steps));
        if let Some(step) = back_to {
            text += &format!("back to step {}, ", number(step));
        }
        text += &match branch {
            Some(branch) if branch.split || branch.queen => format!("queen {}\n", branch.name(n)),
            Some(branch) => format!("no queen {}\n", branch.square.name(n)),
            None => "start\n".to_owned(),
        };

        let chosen = usize::from(branch.is_some_and(Branch::places_queen));
        let (chosen, forced) = search.new_queens().split_at(chosen);
        let mut removed = search.removed().peekable();
        for (i, placed) in std::iter::once(chosen).chain(forced.chunks(1)).enumerate() {
            let last = signs.to_vec();
            for &queen in placed {
                // It leaves nothing of its own column either.
                for row in (0..n).map(|row| at(Square::new(queen.column, row))) {
                    if signs[row] == '.' {
                        signs[row] = '|';
                    }
                }
                if signs[at(queen)] != 'P' {
                    signs[at(queen)] = if i == 0 { 'Q' } else { 'q' };
                }
            }
            let is_later = |removal: &Removal| matches!(removal.cause, Cause::Queen(queen) if forced[i..].contains(&queen));
            while let Some(removal) = removed.next_if(|removal| !is_later(removal)) {
                signs[at(removal.square)] = self.sign(search, removal);
            }
            if i > 0 {
                text += &format!("propagation places {}\n", placed[0].name(n));
            }
            text += &self.drawn(&last, signs);
        }
        let (colour, end) = match step {
            Step::Failure(_, failure) => (AnsiColor::Red, format!("failure: {failure}")),
            Step::Solution(..) => {
                let solution = number(search.statistics().solutions);
                (AnsiColor::Green, format!("solution {solution}"))
            }
            _ => {
                let choice = search.choice().map(|square| square.name(n));
                let end = "choice: ".to_owned() + &choice.unwrap_or_default();
                (AnsiColor::Blue, end)
            }
        };
        text + &self.painted(colour.on_default(), &end) + "\n\n"
    }

    /// The signs before the search.
    fn start(&self) -> Vec<char> {
        let (board, n) = (self.board, self.board.n());
        let squares = (0..n).flat_map(|row| (0..n).map(move |column| Square::new(column, row)));
        let blocked: Vec<_> = board.blocked_squares().collect();
        let sign = |square| {
            if board.has_queen(square) {
                'P'
            } else if board.allows(square) {
                '.'
            } else if blocked.contains(&square) {
                '#'
            } else {
                self.attacked(board.queens(), square)
            }
        };
        squares.map(sign).collect()
    }

    /// Why a square was removed.
    fn sign(&self, search: &Search, Removal { square, cause }: Removal) -> char {
        match cause {
            Cause::Branch => 'x',
            Cause::AllDifferent(_) => 'o',
            Cause::Queen(queen) => self.attacked([queen].into_iter(), square),
            Cause::Tested => self.attacked(search.queens().iter().copied(), square),
        }
    }

    /// Along what the first of these queens that does attacks a square.
    fn attacked(&self, mut queens: impl Iterator<Item = Square>, square: Square) -> char {
        let (n, torus) = (self.board.n(), self.board.is_torus());
        let queen = queens.find(|queen| queen.attacks(square, n, torus));
        let queen = queen.expect("what is neither free nor blocked is attacked");
        let lines = if torus { n } else { 2 * n };
        if queen.column == square.column {
            '|'
        } else if queen.row == square.row {
            '-'
        } else if (queen.column + queen.row) % lines == (square.column + square.row) % lines {
            '/'
        } else {
            '\\'
        }
    }

    /// A board with its signs, in which what is new since the last one has a colour.
    fn drawn(&self, last: &[char], signs: &[char]) -> String {
        let mut text = String::new();
        for (i, (last, sign)) in (1..).zip(last.iter().zip(signs)) {
            let style = match sign {
                'Q' | 'q' if sign != last => AnsiColor::Green.on_default().bold(),
                'Q' | 'q' | 'P' | '.' | '#' => Style::new(),
                _ if sign != last => AnsiColor::Red.on_default(),
                _ => Style::new().dimmed(),
            };
            text += &self.painted(style, &self.shown(*sign).to_string());
            text.push(if i % self.board.n() == 0 { '\n' } else { ' ' });
        }
        text
    }

    /// A sign as the format has it.
    fn shown(&self, sign: char) -> char {
        let mut signs = SIGNS.iter().filter(|_| self.format == BoardFormat::Unicode);
        signs
            .find(|known| known.0 == sign)
            .map_or(sign, |known| known.1)
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
