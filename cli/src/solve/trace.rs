//! Traces: the steps of a search, written as boards or as JSON Lines.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use serde::Serialize;

use super::BoardFormat;
use crate::human;
use queens::solve::{Branch, Cause, Lines, Propagation, Removal, Search, Step, Strategy};
use queens::{Board, Square};

/// A writer for the steps of a search. They are written as boards, or as JSON Lines with
/// [`BoardFormat::Json`].
///
/// ```
/// use queens::Board;
/// use queens_cli::solve::{BoardFormat, TraceWriter};
/// use queens::solve::{Limits, Search, Step, Strategy};
///
/// let board = Board::new(4)?;
/// let mut search = Search::new(&board, Strategy::FIRST_UNBOUND, Limits::default())?;
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
    steps: u64,
    /// Choices from the root to the current node, each with its step number and the marks on its
    /// board, row by row.
    path: Vec<(u64, Vec<Mark>)>,
}

/// Symbol of a square, with the colour of the lines whose constraint removed the square.
type Mark = (char, AnsiColor);

/// JSON report of a step.
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
    node: Reached<'a>,
}

/// Node reached by a step.
#[derive(Serialize)]
#[serde(tag = "node", rename_all = "lowercase")]
enum Reached<'a> {
    Choice { choice: Option<Named> },
    Failure { failure: String },
    Solution { rows: &'a [u32] },
}

/// Square, with its name in chess notation.
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
    /// `Some(true)` if the choice splits a domain, otherwise omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    split: Option<bool>,
}

/// Square removed by a step.
#[derive(Serialize)]
struct Removed {
    #[serde(flatten)]
    square: Named,
    cause: String,
    along: Option<&'static str>,
}

/// ASCII symbols for squares, with their Unicode equivalents and their meanings.
const SYMBOLS: [(char, char, &str); 11] = [
    ('Q', '♛', "queen placed by a branch"),
    ('q', '♕', "queen placed by propagation"),
    ('.', '·', "free"),
    ('-', '─', "attacked along a row"),
    ('/', '╱', "along a rising diagonal"),
    ('\\', '╲', "along a falling diagonal"),
    ('|', '│', "along a column"),
    ('o', '∘', "removed by an all-different constraint"),
    ('x', '×', "already tried or split off"),
    ('P', '♔', "preplaced queen"),
    ('#', '▒', "blocked"),
];

impl<'a> TraceWriter<'a> {
    /// Creates a writer for searches on `board`. With `colours`, terminal escape sequences
    /// highlight the changes.
    #[must_use]
    pub fn new(format: BoardFormat, colours: bool, board: &'a Board) -> Self {
        Self { format, colours, board, steps: 0, path: Vec::new() }
    }

    /// Returns the number of nodes written.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Writes the legend and, if the search tests squares with look-up tables, the diagonal number
    /// of each square.
    ///
    /// # Errors
    ///
    /// Returns any I/O error from writing to `out`.
    pub fn begin(&self, out: &mut dyn Write, strategy: Strategy) -> io::Result<()> {
        if self.format == BoardFormat::Json {
            return Ok(());
        }
        // On a torus, diagonals wrap around and these numbers do not apply.
        let has_tables = strategy.propagation == Propagation::None { by_loop: false };
        if has_tables && !self.board.is_torus() {
            out.write_all(diagonals(self.board.n()).as_bytes())?;
        }
        let shown = SYMBOLS.len() - 2 * usize::from(!self.board.has_constraints());
        let meaning = |&(symbol, _, what): &(char, char, &str)| {
            format!("{} {what}", self.shown(mark(symbol), true))
        };
        let symbols = SYMBOLS[..shown].iter().map(meaning);
        let symbols = symbols.collect::<Vec<_>>().join(", ");
        let names = "Squares are named as in chess: a1 is at the bottom left.";
        writeln!(out, "{symbols}\n{names}\n")
    }

    /// Writes the node that `step` reached, if any. `step` must be the last step of `search`.
    ///
    /// # Errors
    ///
    /// Returns any I/O error from writing to `out`.
    pub fn step(&mut self, out: &mut dyn Write, search: &Search, step: &Step) -> io::Result<()> {
        out.write_all(self.texts(search, step, true)?.concat().as_bytes())
    }

    /// Returns the node that `step` reached as a text per board, or as a JSON report. Boards that
    /// are not shown need not be drawn.
    pub(super) fn texts(
        &mut self,
        search: &Search,
        step: &Step,
        is_shown: bool,
    ) -> io::Result<Vec<String>> {
        match step {
            Step::Choice | Step::Failure(_) | Step::Solution(_) => {}
            Step::Limit(_) | Step::End => return Ok(Vec::new()),
            Step::Up => {
                self.path.pop();
                return Ok(Vec::new());
            }
        }
        self.steps += 1;
        let above = self.path.last().map(|(_, marks)| marks.clone());
        let mut marks = above.unwrap_or_else(|| self.initial_marks());
        let texts = match self.format {
            BoardFormat::Json => vec![serde_json::to_string(&self.report(search, step))? + "\n"],
            _ => self.boards(&mut marks, search, step, is_shown),
        };
        if let Step::Choice = step {
            self.path.push((self.steps, marks));
        }
        Ok(texts)
    }

    /// Returns the step number of the parent choice if `branch` is its second branch.
    fn back_to(&self, branch: Option<Branch>) -> Option<u64> {
        branch.filter(|branch| !branch.queen)?;
        self.path.last().map(|&(number, _)| number)
    }

    fn report<'s>(&self, search: &Search, step: &'s Step) -> StepReport<'s> {
        let (n, branch) = (self.board.n(), search.branch());
        let square = |square: Square| Named {
            square: square.name(n),
            column: square.column,
            row: square.row,
        };
        // A preplaced queen is on the board even before the search reaches its column.
        let is_pending = |queen: &Square| !search.queens().contains(queen);
        let pending = self.board.queens().filter(is_pending);
        let queens = pending.chain(search.queens().iter().copied());
        let removed = search.removed().map(|removal| Removed {
            square: square(removal.square),
            cause: removal.cause.name(n),
            along: match self.mark(search, removal).0 {
                '-' => Some("row"),
                '/' => Some("rising diagonal"),
                '\\' => Some("falling diagonal"),
                _ => None,
            },
        });
        let free_rows = (0..n).map(|column| search.free_rows(column).collect());
        let found = search.statistics();
        StepReport {
            step: self.steps,
            depth: search.depth(),
            back_to: self.back_to(branch),
            branch: branch.map(|branch| BranchReport {
                square: square(branch.square),
                queen: branch.queen,
                split: branch.split.then_some(true),
            }),
            queens: queens.map(square).collect(),
            new_queens: search.new_queens().iter().copied().map(square).collect(),
            removed: removed.collect(),
            free_rows: free_rows.collect(),
            branches: found.branches,
            failures: found.failures,
            solutions: found.solutions,
            node: match step {
                Step::Failure(why) => Reached::Failure { failure: why.to_string() },
                Step::Solution(found) => Reached::Solution { rows: found.rows() },
                _ => Reached::Choice { choice: search.choice().map(square) },
            },
        }
    }

    /// Draws the board after the branch, and again after each queen placed by propagation. On
    /// entry, `marks` is the board of the parent choice; on return, it is the board of this node.
    fn boards(
        &self,
        marks: &mut [Mark],
        search: &Search,
        step: &Step,
        is_shown: bool,
    ) -> Vec<String> {
        let (n, branch) = (self.board.n(), search.branch());
        let at = |square: Square| (square.row * n + square.column) as usize;
        let number = |number: u64| human::integer(number.into());
        let mut text = format!("Step {}: ", number(self.steps));
        if let Some(step) = self.back_to(branch) {
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
        let mut boards = Vec::new();
        for (i, placed) in std::iter::once(chosen).chain(forced.chunks(1)).enumerate() {
            let last = marks.to_vec();
            for &queen in placed {
                let column = marks.iter_mut().skip(queen.column as usize);
                let free = column.step_by(n as usize).filter(|mark| mark.0 == '.');
                free.for_each(|free| *free = mark('|'));
                if marks[at(queen)].0 != 'P' {
                    marks[at(queen)] = mark(if i == 0 { 'Q' } else { 'q' });
                }
            }
            let is_later = |removal: &Removal| matches!(removal.cause, Cause::Queen(queen) if forced[i..].contains(&queen));
            while let Some(removal) = removed.next_if(|removal| !is_later(removal)) {
                marks[at(removal.square)] = self.mark(search, removal);
            }
            if i > 0 {
                text += &format!("propagation places {}\n", placed[0].name(n));
            }
            if is_shown {
                text += &self.drawn(&last, marks);
            }
            boards.push(std::mem::take(&mut text));
        }
        let (colour, end) = match step {
            Step::Failure(failure) => (AnsiColor::Red, format!("failure: {failure}")),
            Step::Solution(_) => {
                let solution = number(search.statistics().solutions);
                (AnsiColor::Green, format!("solution {solution}"))
            }
            _ => {
                let choice = search.choice().map(|square| square.name(n));
                let end = "choice: ".to_owned() + &choice.unwrap_or_default();
                (AnsiColor::Blue, end)
            }
        };
        let end = self.painted(colour.on_default(), &end) + "\n\n";
        boards.last_mut().expect("a board after the branch").push_str(&end);
        boards
    }

    /// Returns the board before the search, one mark per square.
    fn initial_marks(&self) -> Vec<Mark> {
        let (board, n) = (self.board, self.board.n());
        let squares = (0..n).flat_map(|row| (0..n).map(move |column| Square::new(column, row)));
        let symbol = |square| {
            if board.has_queen(square) {
                'P'
            } else if board.allows(square) {
                '.'
            } else if board.is_blocked(square) {
                '#'
            } else {
                self.attack_symbol(board.queens(), square)
            }
        };
        squares.map(symbol).map(mark).collect()
    }

    /// Returns the mark that shows why a square was removed.
    fn mark(&self, search: &Search, Removal { square, cause }: Removal) -> Mark {
        mark(match cause {
            Cause::Branch => 'x',
            Cause::AllDifferent(Lines::Rows) => return ('o', mark('-').1),
            Cause::AllDifferent(Lines::Rising) => return ('o', mark('/').1),
            Cause::AllDifferent(Lines::Falling) => return ('o', mark('\\').1),
            Cause::Queen(queen) => self.attack_symbol([queen].into_iter(), square),
            Cause::Tested => self.attack_symbol(search.queens().iter().copied(), square),
        })
    }

    /// Finds the first of `queens` that attacks a square, and returns the symbol for the line
    /// between them.
    fn attack_symbol(&self, mut queens: impl Iterator<Item = Square>, square: Square) -> char {
        let (n, torus) = (self.board.n(), self.board.is_torus());
        let queen = queens.find(|&queen| self.board.attacks(queen, square));
        let queen = queen.expect("a square that is neither free nor blocked is attacked");
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

    /// Draws a board. Marks that do not differ from `last` are dimmed.
    fn drawn(&self, last: &[Mark], marks: &[Mark]) -> String {
        let mut text = String::new();
        for (i, (last, mark)) in (1..).zip(last.iter().zip(marks)) {
            text += &self.shown(*mark, mark != last);
            text.push(if i % self.board.n() == 0 { '\n' } else { ' ' });
        }
        text
    }

    /// Returns a mark in the character set of the format.
    fn shown(&self, (symbol, colour): Mark, is_new: bool) -> String {
        let shown = match SYMBOLS.iter().find(|(ascii, ..)| *ascii == symbol) {
            Some(&(_, unicode, _)) if self.format == BoardFormat::Unicode => unicode,
            _ => symbol,
        };
        let style = match symbol {
            'Q' | 'q' if is_new => colour.on_default().bold(),
            'Q' | 'q' | 'P' | '.' | '#' => Style::new(),
            _ if is_new => colour.on_default(),
            _ => colour.on_default().dimmed(),
        };
        self.painted(style, &shown.to_string())
    }

    /// Applies a style to a string. Returns the string unchanged if colours are disabled.
    fn painted(&self, style: Style, text: &str) -> String {
        if self.colours { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }
}

/// Returns a symbol in the colour of its meaning.
fn mark(symbol: char) -> Mark {
    let colour = match symbol {
        'Q' | 'q' => AnsiColor::Green,
        '-' => AnsiColor::Yellow,
        '/' => AnsiColor::Cyan,
        '\\' => AnsiColor::Magenta,
        'x' => AnsiColor::Red,
        _ => AnsiColor::White,
    };
    (symbol, colour)
}

/// Returns the two tables, as in textbook programs, that map each square to the numbers of its
/// diagonals.
fn diagonals(n: u32) -> String {
    let last = n.saturating_sub(1);
    let width = (2 * last).to_string().len();
    let line = |row: u32, diagonal: fn(u32, u32) -> u32| {
        let cells = (0..n).map(|column| format!("{:width$}", diagonal(row, column)));
        cells.collect::<Vec<_>>().join(" ")
    };
    let mut text = "Diagonal numbers, with zero-based rows from the top: ".to_owned()
        + &format!("slashCode is row + column, backslashCode is row - column + {last}\n\n");
    for row in 0..n {
        let rising = line(row, |row, column| row + column);
        let falling = line(row + last, |row, column| row - column);
        text += &format!("{rising}     {falling}\n");
    }
    text + "\n"
}
