//! Conflict-weighted search with restarts, for boards with many blocked squares.
//!
//! Each column and each row needs a queen. The search branches on the one with the smallest ratio
//! of free squares to weight. A column or row that runs out of free squares gains weight, so the
//! search soon begins with the constraints that are hardest to satisfy: dom/wdeg (F. Boussemart, F.
//! Hemery, C. Lecoutre, L. Sais, Boosting Systematic Search by Weighting Constraints, ECAI 2004).
//! Restarts keep the weights.
//!
//! Free squares are kept in a list per line, because these lists are short on such boards.

use fastrand::Rng;

use super::{Search, Step};
use crate::board::{Board, Placement, Square};

/// Number of failures before the first restart. Each later restart waits for 1.3 times as many, so
/// the whole tree is eventually explored.
const PATIENCE: u64 = 100;

#[derive(Debug)]
pub(in crate::solve) struct Weighted {
    rng: Rng,
    /// Squares that are neither blocked nor attacked by a preplaced queen.
    squares: Vec<Square>,
    /// Column, row, rising diagonal and falling diagonal of each square, as indices into `on`.
    lines: Vec<[u32; 4]>,
    /// Squares on each line: the columns, then the rows, then the diagonals.
    on: Vec<Vec<u32>>,
    is_free: Vec<bool>,
    /// For each column and row: number of free squares, weight, and whether it has a queen.
    sizes: Vec<u32>,
    weights: Vec<f64>,
    has_queen: Vec<bool>,
    /// Columns and rows that have been reduced to one square.
    single: Vec<u32>,
    queens: Vec<u32>,
    /// Trail of removed squares.
    removed: Vec<u32>,
    choices: Vec<Choice>,
    /// Whether propagation has found no failure at the current node.
    is_consistent: bool,
    patience: u64,
    /// Number of failures at which to restart.
    restart_at: u64,
}

/// A choice whose first branch is being explored, and the lengths of `queens` and `removed` before.
#[derive(Debug, Clone, Copy)]
struct Choice {
    square: u32,
    queens: usize,
    removed: usize,
}

impl Weighted {
    #[inline(never)]
    pub(in crate::solve) fn new(board: &Board, search: &Search, seed: u64) -> Self {
        let n = board.n();
        let (mut squares, mut lines) = (Vec::new(), Vec::new());
        let mut on = vec![Vec::new(); 6 * n as usize];
        for square in (0..n * n).map(|i| Square::new(i / n, i % n)) {
            if board.allows(square) {
                let [row, rising, falling] = search.domains.lines(square).map(|line| line as u32);
                let through = [square.column, n + row, 2 * n + rising, 4 * n + falling];
                for line in through {
                    on[line as usize].push(squares.len() as u32);
                }
                squares.push(square);
                lines.push(through);
            }
        }
        let needy = 2 * n as usize;
        let sizes: Vec<_> = on[..needy].iter().map(|squares| squares.len() as u32).collect();
        let mut new = Self {
            rng: Rng::with_seed(seed),
            is_free: vec![true; squares.len()],
            squares,
            lines,
            on,
            single: (0..2 * n).filter(|&line| sizes[line as usize] == 1).collect(),
            is_consistent: !sizes.contains(&0),
            sizes,
            weights: vec![1.0; needy],
            has_queen: vec![false; needy],
            queens: Vec::new(),
            removed: Vec::new(),
            choices: Vec::new(),
            patience: PATIENCE,
            restart_at: search.statistics.failures + PATIENCE,
        };
        new.is_consistent = new.is_consistent && new.propagate();
        new
    }

    /// Returns the next solution, which may have been found before the last restart. Returns `None`
    /// after the whole tree, or if a limit was reached. The search provides limits and statistics.
    pub(in crate::solve) fn next(&mut self, search: &mut Search) -> Option<Placement> {
        if search.limit().is_some() {
            return None;
        }
        loop {
            let failures = search.statistics.failures;
            if !self.is_consistent && failures >= self.restart_at && !self.choices.is_empty() {
                self.undo(self.choices[0]);
                self.choices.clear();
                self.is_consistent = true;
                self.patience += self.patience * 3 / 10;
                self.restart_at = failures + self.patience;
            }
            let is_first = self.is_consistent;
            let square = if !is_first {
                let Some(choice) = self.choices.pop() else {
                    search.last = Some(Step::End);
                    return None;
                };
                self.undo(choice);
                choice.square
            } else if let Some(square) = self.choose() {
                let (queens, removed) = (self.queens.len(), self.removed.len());
                self.choices.push(Choice { square, queens, removed });
                square
            } else {
                self.is_consistent = false; // to continue behind the solution
                let mut rows = vec![0; self.sizes.len() / 2];
                for &queen in &self.queens {
                    let Square { column, row } = self.squares[queen as usize];
                    rows[column as usize] = row;
                }
                return Some(Placement::from_permutation(rows));
            };
            if let Err(limit) = search.limits.check_branch(search.statistics.branches) {
                search.last = Some(Step::Limit(limit));
                return None;
            }
            search.statistics.branches += 1;
            let is_possible = if is_first { self.place(square) } else { self.remove(square) };
            self.is_consistent = is_possible && self.propagate();
            search.statistics.failures += u64::from(!self.is_consistent);
        }
    }

    /// Returns the square to branch on, unless all queens are placed: on the chosen column or row,
    /// the square that restricts the others least.
    fn choose(&mut self) -> Option<u32> {
        let lines = (0..self.sizes.len()).filter(|&line| !self.has_queen[line]);
        let ratio = |&line: &usize| f64::from(self.sizes[line]) / self.weights[line];
        let line = lines.min_by(|one, other| ratio(one).total_cmp(&ratio(other)))?;
        let (mut best, mut least) = (None, f64::INFINITY);
        for &square in self.on[line].iter().filter(|&&square| self.is_free[square as usize]) {
            // Small random differences break ties.
            let cost = self.cost(square) * (1.0 + 1e-3 * self.rng.f64());
            if cost < least {
                (best, least) = (Some(square), cost);
            }
        }
        best
    }

    /// Returns a measure of how much a queen on a square restricts the other columns and rows: the
    /// fewer free squares these have, the more the loss of one counts.
    fn cost(&self, square: u32) -> f64 {
        let lines = &self.lines[square as usize];
        let attacked = lines.iter().flat_map(|&line| &self.on[line as usize]);
        let free = attacked.filter(|&&other| other != square && self.is_free[other as usize]);
        let restricted = free.flat_map(|&other| &self.lines[other as usize][..2]);
        let sizes = restricted.map(|line| match lines.contains(line) {
            true => f64::INFINITY,
            false => f64::from(self.sizes[*line as usize]),
        });
        sizes.map(|size| 1.0 / (size * size)).sum()
    }

    /// Places the queens of columns and rows with one free square. Returns false on a failure.
    fn propagate(&mut self) -> bool {
        while let Some(line) = self.single.pop() {
            let mut squares = self.on[line as usize].iter();
            let square = squares.find(|&&square| self.is_free[square as usize]);
            let square = *square.expect("a square is left");
            if !self.has_queen[line as usize] && !self.place(square) {
                return false;
            }
        }
        true
    }

    /// Places a queen and removes the squares that it attacks. Returns false on a failure.
    fn place(&mut self, queen: u32) -> bool {
        self.queens.push(queen);
        let lines = self.lines[queen as usize];
        lines[..2].iter().for_each(|&line| self.has_queen[line as usize] = true);
        lines.iter().all(|&line| {
            let squares = std::mem::take(&mut self.on[line as usize]);
            let is_possible = squares.iter().all(|&square| square == queen || self.remove(square));
            self.on[line as usize] = squares;
            is_possible
        })
    }

    /// Removes a square, if it is free. Returns false if a column or row without a queen has no
    /// free square left.
    fn remove(&mut self, square: u32) -> bool {
        if !std::mem::replace(&mut self.is_free[square as usize], false) {
            return true;
        }
        self.removed.push(square);
        let mut is_possible = true;
        for &line in &self.lines[square as usize][..2] {
            let size = &mut self.sizes[line as usize];
            *size -= 1;
            match *size {
                _ if self.has_queen[line as usize] => {}
                0 => {
                    self.weights[line as usize] += 1.0;
                    is_possible = false;
                }
                1 => self.single.push(line),
                _ => {}
            }
        }
        is_possible
    }

    fn undo(&mut self, choice: Choice) {
        for queen in self.queens.drain(choice.queens..) {
            for &line in &self.lines[queen as usize][..2] {
                self.has_queen[line as usize] = false;
            }
        }
        for square in self.removed.drain(choice.removed..) {
            self.is_free[square as usize] = true;
            for &line in &self.lines[square as usize][..2] {
                self.sizes[line as usize] += 1;
            }
        }
        self.single.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::{Limit, Limits, Solutions, Strategy};

    /// Searches the whole board.
    fn search(board: &Board, limits: Limits) -> (Vec<Placement>, Option<Limit>) {
        let mut search = Search::new(board, Strategy::FIRST_FAIL, limits).unwrap();
        let mut weighted = Weighted::new(board, &search, 1);
        let mut found: Vec<_> = std::iter::from_fn(|| weighted.next(&mut search)).collect();
        found.sort();
        found.dedup(); // a restart may find a solution again
        (found, search.limit())
    }

    #[test]
    fn random_boards_have_the_solutions_of_the_enumeration() {
        let mut rng = Rng::with_seed(1);
        let (mut solvable, mut unsolvable) = (0, 0);
        for i in 0..600 {
            let n = rng.u32(1..=10);
            let mut board = if i % 3 == 0 { Board::torus(n) } else { Board::new(n) }.unwrap();
            if i % 5 == 0 {
                board.place(Square::new(rng.u32(..n), rng.u32(..n))).unwrap();
            }
            let density = rng.f64();
            for square in (0..n * n).map(|i| Square::new(i / n, i % n)) {
                if rng.f64() < density {
                    let _ = board.block(square); // a square with a queen cannot be blocked
                }
            }
            let all: Vec<_> = Solutions::new(&board).unwrap().collect();
            *if all.is_empty() { &mut unsolvable } else { &mut solvable } += 1;
            assert_eq!(search(&board, Limits::default()), (all, None), "{board:?}");
        }
        assert!(solvable > 100 && unsolvable > 100, "{solvable} and {unsolvable}");
    }

    /// Seven rows have free squares in only six columns. The other rows are hardly restricted.
    #[test]
    fn a_board_with_too_few_columns_for_some_rows_is_refuted() {
        let mut board = Board::new(40).unwrap();
        for square in (0..40 * 40).map(|i| Square::new(i / 40, i % 40)) {
            if square.row % 6 == 0 && square.column % 7 != 0 {
                board.block(square).unwrap();
            }
        }
        assert_eq!(search(&board, Limits::default()), (vec![], None));
        let limits = Limits { branches: Some(10), ..Limits::default() };
        assert_eq!(search(&board, limits), (vec![], Some(Limit::Branches)));
    }
}
