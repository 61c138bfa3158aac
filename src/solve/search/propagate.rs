//! Search with forward checking: every column keeps the set of its free rows, a queen takes away what it attacks from
//! all of them, a column that is left with one row gets its queen at once, and one that is left with none is a failure.

use super::state::{Node, State};
use crate::board::{Board, MAX_CONSTRAINED, Square};

/// The free rows of every column, and a trail of what was taken away.
#[derive(Debug)]
struct Domains {
    n: u32,
    torus: bool,
    /// Words for the rows of a column.
    words: usize,
    /// A bit for each free row of each column.
    free: Vec<u64>,
    sizes: Vec<u32>,
    /// The row of the column's queen, if it has been placed and has taken away what it attacks. The column's free rows
    /// mean nothing then.
    placed: Vec<Option<u32>>,
    trail: Vec<Change>,
}

/// What can be undone. There is one for nearly every square of the board, so that size matters.
#[derive(Debug, Clone, Copy)]
enum Change {
    /// A row was taken from a column.
    Taken { column: u16, row: u16 },
    /// The column's queen was placed.
    Placed { column: u16 },
}

const _: () = assert!(MAX_CONSTRAINED <= u16::MAX as u32);

/// A column is left without a free row.
struct Contradiction;

impl Domains {
    fn new(board: &Board) -> Self {
        let n = board.n();
        let words = n.div_ceil(64) as usize;
        let mut domains = Self {
            n,
            torus: board.is_torus(),
            words,
            free: vec![0; n as usize * words],
            sizes: vec![0; n as usize],
            placed: vec![None; n as usize],
            trail: Vec::new(),
        };
        for column in 0..n {
            for row in 0..n {
                let square = Square::new(column, row);
                if board.allows(square) {
                    let (word, bit) = domains.place_of(square);
                    domains.free[word] |= bit;
                    domains.sizes[column as usize] += 1;
                }
            }
        }
        domains
    }

    fn size(&self, column: u32) -> u32 {
        self.sizes[column as usize]
    }

    fn open_columns(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.n).filter(|&column| self.placed[column as usize].is_none())
    }

    /// The free row of a column that has `before` free rows above it.
    fn nth(&self, column: u32, mut before: u32) -> u32 {
        let words = &self.free[column as usize * self.words..][..self.words];
        for (i, &word) in (0..).zip(words) {
            if before < word.count_ones() {
                let rest = (0..before).fold(word, |word, _| word & (word - 1));
                return 64 * i + rest.trailing_zeros();
            }
            before -= word.count_ones();
        }
        unreachable!("the column has more free rows than that")
    }

    fn place_of(&self, square: Square) -> (usize, u64) {
        let word = square.column as usize * self.words + square.row as usize / 64;
        (word, 1 << (square.row % 64))
    }

    /// Takes a row from a column, if it is free there.
    fn take(&mut self, square: Square) {
        let (word, bit) = self.place_of(square);
        if self.free[word] & bit != 0 {
            self.free[word] ^= bit;
            self.sizes[square.column as usize] -= 1;
            let (column, row) = (square.column as u16, square.row as u16);
            self.trail.push(Change::Taken { column, row });
        }
    }

    /// Places these queens, and every one whose column is left with one row by that, until none is left to place.
    fn propagate(&mut self, mut queens: Vec<Square>) -> Result<(), Contradiction> {
        while let Some(queen) = queens.pop() {
            let column = queen.column;
            if self.placed[column as usize].replace(queen.row).is_some() {
                continue; // it came twice
            }
            let placed = column as u16;
            self.trail.push(Change::Placed { column: placed });
            for other in 0..self.n {
                if self.placed[other as usize].is_some() {
                    continue;
                }
                let before = self.size(other);
                let attacked = queen.rows_attacked_in(other, self.n, self.torus);
                for row in attacked.into_iter().flatten() {
                    self.take(Square::new(other, row));
                }
                match self.size(other) {
                    0 => return Err(Contradiction),
                    1 if before > 1 => queens.push(Square::new(other, self.nth(other, 0))),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Undoes changes until the trail is as long as it was.
    fn undo_to(&mut self, length: usize) {
        while self.trail.len() > length {
            match self.trail.pop() {
                Some(Change::Taken { column, row }) => {
                    let (word, bit) = self.place_of(Square::new(column.into(), row.into()));
                    self.free[word] |= bit;
                    self.sizes[usize::from(column)] += 1;
                }
                Some(Change::Placed { column }) => self.placed[usize::from(column)] = None,
                None => unreachable!("it is longer than that"),
            }
        }
    }
}

/// The state of a search by forward checking.
#[derive(Debug)]
pub(super) struct Propagate {
    domains: Domains,
    /// The length of the trail before each queen that the search placed.
    marks: Vec<usize>,
    /// Next is the column with the fewest free rows, the leftmost of these, and its middle row first; else the leftmost open
    /// column and its lowest row.
    first_fail: bool,
}

impl Propagate {
    pub(super) fn new(board: &Board, first_fail: bool) -> Self {
        Self {
            domains: Domains::new(board),
            marks: Vec::new(),
            first_fail,
        }
    }

    /// What the board is after these queens have been placed.
    fn node(&mut self, queens: Vec<Square>) -> Node {
        match self.domains.propagate(queens) {
            Err(Contradiction) => Node::Failure,
            Ok(()) => self.next_column().map_or(Node::Solution, Node::Choice),
        }
    }

    fn next_column(&self) -> Option<u32> {
        let mut open = self.domains.open_columns();
        match self.first_fail {
            true => open.min_by_key(|&column| self.domains.size(column)),
            false => open.next(),
        }
    }
}

impl State for Propagate {
    fn root(&mut self) -> Node {
        let sizes = || (0..).zip(&self.domains.sizes);
        if sizes().any(|(_, &size)| size == 0) {
            return Node::Failure;
        }
        let bound = sizes().filter(|&(_, &size)| size == 1);
        let bound = bound.map(|(column, _)| Square::new(column, self.domains.nth(column, 0)));
        let queens = bound.collect();
        self.node(queens)
    }

    fn place(&mut self, queen: Square) -> Node {
        self.marks.push(self.domains.trail.len());
        self.node(vec![queen])
    }

    fn undo(&mut self) {
        let mark = self.marks.pop().expect("a queen was placed");
        self.domains.undo_to(mark);
    }

    /// A row that was tried is taken from its column, which is undone with the queen that led to this choice.
    fn next_row(&mut self, column: u32, last: Option<u32>) -> Option<u32> {
        if let Some(row) = last {
            self.domains.take(Square::new(column, row));
        }
        let last = self.domains.size(column).checked_sub(1)?;
        let before = if self.first_fail { last / 2 } else { 0 };
        Some(self.domains.nth(column, before))
    }

    fn rows(&self) -> Vec<u32> {
        let placed = self.domains.placed.iter();
        placed
            .map(|row| row.expect("every column has its queen"))
            .collect()
    }
}
