//! A trace of a search: every step, as a board.

use std::io::{self, Write};

use queens::{Board, Square};

use crate::{Branch, Cause, Propagation, Removal, Search, Step, Strategy};

/// A writer for the steps of a search, each with its board.
///
/// ```
/// use queens::Board;
/// use queens_search::{Limits, Search, Step, Strategy, TraceWriter};
///
/// let board = Board::new(4)?;
/// let mut search = Search::new(&board, Strategy::FIRST_UNBOUND, Limits::default())?;
/// let mut writer = TraceWriter::new(&board);
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
    board: &'a Board,
    steps: u64,
    /// Choices from the root to the current node, each with its step number and the symbols on its
    /// board, row by row.
    path: Vec<(u64, Vec<char>)>,
}

/// Symbols for squares, with their meanings.
const SYMBOLS: [(char, &str); 11] = [
    ('Q', "queen placed by a branch"),
    ('q', "queen placed by propagation"),
    ('.', "free"),
    ('-', "attacked along a row"),
    ('/', "along a rising diagonal"),
    ('\\', "along a falling diagonal"),
    ('|', "along a column"),
    ('o', "removed by an all-different constraint"),
    ('x', "already tried"),
    ('P', "preplaced queen"),
    ('#', "blocked"),
];

impl<'a> TraceWriter<'a> {
    /// Creates a writer for searches on `board`.
    #[must_use]
    pub fn new(board: &'a Board) -> Self {
        Self { board, steps: 0, path: Vec::new() }
    }

    /// Returns the number of steps written.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Writes the constraint model and the legend.
    ///
    /// # Errors
    ///
    /// Returns any I/O error from writing to `out`.
    pub fn begin(&self, out: &mut dyn Write, strategy: Strategy) -> io::Result<()> {
        let n = self.board.n();
        let constraints = match strategy.propagation {
            Propagation::Bounds => {
                "all-different(xi), all-different(xi + i), all-different(xi - i)"
            }
            _ => "xi != xj, xi + i != xj + j, xi - i != xj - j, for all i < j",
        };
        writeln!(
            out,
            "variables: xi, the row of the queen in column i, counted from the top, N = {n}\n\
             domains: the free squares of the column\n\
             constraints: {constraints}\n\
             search: {}\n",
            strategy.described()
        )?;
        let shown = SYMBOLS.len() - 2 * usize::from(!self.board.has_constraints());
        let symbols = SYMBOLS[..shown].iter().map(|(symbol, what)| format!("{symbol} {what}"));
        let names = "Squares are named as in chess: a1 is at the bottom left.";
        writeln!(out, "{}\n{names}\n", symbols.collect::<Vec<_>>().join(", "))
    }

    /// Writes the node that `step` reached, if any. `step` must be the step that `search` has just
    /// taken.
    ///
    /// # Errors
    ///
    /// Returns any I/O error from writing to `out`.
    pub fn step(&mut self, out: &mut dyn Write, search: &Search, step: &Step) -> io::Result<()> {
        match step {
            Step::Choice | Step::Failure(_) | Step::Solution(_) => {}
            Step::Limit(_) | Step::End => return Ok(()),
            Step::Up => {
                self.path.pop();
                return Ok(());
            }
        }
        self.steps += 1;
        let above = self.path.last().map(|(_, squares)| squares.clone());
        let mut squares = above.unwrap_or_else(|| self.initial_symbols());
        self.mark_changes(&mut squares, search);
        let text = self.drawn(&squares, search, step);
        if let Step::Choice = step {
            self.path.push((self.steps, squares));
        }
        writeln!(out, "{text}")
    }

    /// Returns the step number of the choice to which the search went back, if `branch` is that
    /// choice's second branch.
    fn back_to(&self, branch: Option<Branch>) -> Option<u64> {
        branch.filter(|branch| !branch.queen)?;
        self.path.last().map(|&(number, _)| number)
    }

    /// Marks the queens that a step placed, the rest of their columns, and the squares that the
    /// step removed.
    fn mark_changes(&self, squares: &mut [char], search: &Search) {
        let n = self.board.n();
        let at = |square: Square| (square.row * n + square.column) as usize;
        for removal in search.removed() {
            squares[at(removal.square)] = self.symbol(search, removal);
        }
        for queen in search.new_queens() {
            let column = squares.iter_mut().skip(queen.column as usize).step_by(n as usize);
            column.filter(|symbol| **symbol == '.').for_each(|symbol| *symbol = '|');
            let symbol = &mut squares[at(*queen)];
            if *symbol != 'P' {
                *symbol = if search.propagated_queens().contains(queen) { 'q' } else { 'Q' };
            }
        }
    }

    /// Returns a step as text: its number and branch, the board, and the node that it reached.
    fn drawn(&self, squares: &[char], search: &Search, step: &Step) -> String {
        let (n, branch) = (self.board.n(), search.branch());
        let mut text = format!("Step {}: ", self.steps);
        if let Some(step) = self.back_to(branch) {
            text += &format!("back to step {}, ", step);
        }
        text += &match branch {
            Some(Branch { square, queen: true }) => format!("queen {}\n", square.name(n)),
            Some(Branch { square, .. }) => format!("no queen {}\n", square.name(n)),
            None => "start\n".to_owned(),
        };
        for (i, symbol) in (1..).zip(squares) {
            text.push(*symbol);
            text.push(if i % n == 0 { '\n' } else { ' ' });
        }
        let placed = search.propagated_queens().iter().map(|queen| queen.name(n));
        let placed: Vec<_> = placed.collect();
        if !placed.is_empty() {
            text += &format!("propagation places {}\n", placed.join(", "));
        }
        text += &match step {
            Step::Failure(failure) => format!("failure: {failure}\n"),
            Step::Solution(_) => {
                format!("solution {}\n", search.statistics().solutions)
            }
            _ => {
                let choice = search.choice().map(|square| square.name(n));
                format!("choice: {}\n", choice.unwrap_or_default())
            }
        };
        text
    }

    /// Returns the board before the search, one symbol per square.
    fn initial_symbols(&self) -> Vec<char> {
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
        squares.map(symbol).collect()
    }

    /// Returns the symbol that shows why a square was removed.
    fn symbol(&self, search: &Search, Removal { square, cause }: Removal) -> char {
        match cause {
            Cause::Branch => 'x',
            Cause::AllDifferent(_) => 'o',
            Cause::Queen(queen) => self.attack_symbol([queen].into_iter(), square),
            Cause::Tested => self.attack_symbol(search.queens().iter().copied(), square),
        }
    }

    /// Finds the first of `queens` that attacks a square, and returns the symbol for the line
    /// between them.
    fn attack_symbol(&self, mut queens: impl Iterator<Item = Square>, square: Square) -> char {
        let queen = queens.find(|queen| queen.attacks(square));
        let queen = queen.expect("a square that is neither free nor blocked is attacked");
        if queen.column == square.column {
            '|'
        } else if queen.row == square.row {
            '-'
        } else if queen.column + queen.row == square.column + square.row {
            '/'
        } else {
            '\\'
        }
    }
}
