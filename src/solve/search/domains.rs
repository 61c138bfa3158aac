//! The free rows of every column, the queens, and a trail of what was changed, by which a node is left again.

use super::step::{Cause, Failure, Lines, Removal};
use crate::board::{Board, MAX_CONSTRAINED, Square};

/// Rows to a word. Boards up to this size have a word for each column, and are what searches are fast on.
const WORD: u32 = u64::BITS;

#[derive(Debug)]
pub(super) struct Domains {
    n: u32,
    torus: bool,
    /// Words for the rows of a column, or for the columns.
    words: usize,
    /// A bit for each free row of each column. Those of a column with a queen mean nothing.
    free: Vec<u64>,
    sizes: Vec<u32>,
    /// A bit for each column without a queen.
    open: Vec<u64>,
    /// A bit for each open column that was left with one row or none.
    single: Vec<u64>,
    /// A column that is left with no row.
    empty: Option<u32>,
    /// Queens in the order in which they were placed.
    queens: Vec<Square>,
    /// What was removed, in order.
    removed: Vec<Removed>,
    /// The causes of all of it: each holds from that place on.
    causes: Vec<(usize, Cause)>,
    marks: Vec<Mark>,
}

/// Rows of a column that were removed together. There may be one for nearly every square of the board, so that size
/// matters: a word of rows would make it 16 bytes instead of 6.
#[derive(Debug, Clone, Copy)]
struct Removed {
    column: u16,
    /// Which 16 rows of the column, from 0 at the top.
    chunk: u16,
    /// A bit for each row that was removed.
    rows: u16,
}

const CHUNK: u32 = u16::BITS;
const _: () = assert!(MAX_CONSTRAINED <= u16::MAX as u32);

/// How long the lists of changes were before a branch.
#[derive(Debug, Clone, Copy, Default)]
struct Mark {
    removed: usize,
    causes: usize,
    queens: usize,
}

impl Domains {
    pub(super) fn new(board: &Board) -> Self {
        let n = board.n();
        let words = n.div_ceil(WORD) as usize;
        let mut domains = Self {
            n,
            torus: board.is_torus(),
            words,
            free: vec![0; n as usize * words],
            sizes: vec![0; n as usize],
            open: vec![0; words],
            single: vec![0; words],
            empty: None,
            queens: Vec::with_capacity(n as usize),
            removed: Vec::new(),
            causes: Vec::new(),
            marks: Vec::new(),
        };
        for column in 0..n {
            for row in (0..n).filter(|&row| board.allows(Square::new(column, row))) {
                let (word, bit) = domains.locate(Square::new(column, row));
                domains.free[word] |= bit;
                domains.sizes[column as usize] += 1;
            }
            domains.open[(column / WORD) as usize] |= 1 << (column % WORD);
            domains.note_size(column);
        }
        domains
    }

    pub(super) fn n(&self) -> u32 {
        self.n
    }

    /// The number of a square's line, from 0: below N on a torus, below 2N otherwise.
    #[inline]
    pub(super) fn line(&self, lines: Lines, Square { column, row }: Square) -> usize {
        let line = match lines {
            Lines::Rows => row,
            Lines::Rising => row + column,
            Lines::Falling => row + self.n - 1 - column,
        };
        (if self.torus { line % self.n } else { line }) as usize
    }

    /// The numbers of its lines of all kinds.
    #[inline]
    pub(super) fn lines(&self, square: Square) -> [usize; 3] {
        Lines::ALL.map(|lines| self.line(lines, square))
    }

    /// How many rows are free in an open column.
    #[inline]
    pub(super) fn size(&self, column: u32) -> u32 {
        self.sizes[column as usize]
    }

    /// The columns without a queen, from the left.
    #[inline]
    pub(super) fn open_columns(&self) -> impl Iterator<Item = u32> + '_ {
        ones(&self.open)
    }

    /// Whether the column has no queen.
    #[inline]
    pub(super) fn is_open(&self, column: u32) -> bool {
        self.open[(column / WORD) as usize] >> (column % WORD) & 1 != 0
    }

    /// All queens, in the order in which they were placed.
    pub(super) fn queens(&self) -> &[Square] {
        &self.queens
    }

    /// The first queen that attacks a square, by its place among the queens.
    #[inline]
    pub(super) fn attacker(&self, square: Square) -> Option<usize> {
        let mut queens = self.queens.iter();
        queens.position(|queen| queen.attacks(square, self.n, self.torus))
    }

    /// The free rows of an open column, a bit each.
    #[inline]
    fn column(&self, column: u32) -> &[u64] {
        &self.free[column as usize * self.words..][..self.words]
    }

    /// The free rows of an open column, from the top.
    #[inline]
    pub(super) fn free_rows(&self, column: u32) -> impl Iterator<Item = u32> + '_ {
        ones(self.column(column))
    }

    /// The uppermost free row of an open column.
    #[inline]
    pub(super) fn min(&self, column: u32) -> Option<u32> {
        first(self.column(column))
    }

    /// The lowest free row of an open column.
    #[inline]
    pub(super) fn max(&self, column: u32) -> Option<u32> {
        let words = self.column(column);
        let last = words.iter().rposition(|&word| word != 0)?;
        Some(WORD * last as u32 + words[last].ilog2())
    }

    pub(super) fn is_free(&self, square: Square) -> bool {
        let (word, bit) = self.locate(square);
        self.free[word] & bit != 0
    }

    /// The word and the bit of a square.
    #[inline]
    fn locate(&self, square: Square) -> (usize, u64) {
        let word = square.column as usize * self.words + (square.row / WORD) as usize;
        (word, 1 << (square.row % WORD))
    }

    /// Says why the next squares are removed.
    #[inline]
    pub(super) fn because(&mut self, cause: Cause) {
        self.causes.push((self.removed.len(), cause));
    }

    /// Removes a square, if it is free, from an open column.
    #[inline]
    pub(super) fn remove(&mut self, Square { column, row }: Square) {
        self.remove_rows(column, row / WORD, 1 << (row % WORD));
    }

    /// Removes all free squares above a row from an open column.
    pub(super) fn remove_above(&mut self, column: u32, row: u32) {
        for word in 0..row / WORD {
            self.remove_rows(column, word, u64::MAX);
        }
        if !row.is_multiple_of(WORD) {
            self.remove_rows(column, row / WORD, (1 << (row % WORD)) - 1);
        }
    }

    /// Removes what is free of these rows, which are in one word, from an open column.
    #[inline]
    fn remove_rows(&mut self, column: u32, word: u32, rows: u64) {
        let free = &mut self.free[column as usize * self.words + word as usize];
        let mut rest = *free & rows;
        if rest == 0 {
            return;
        }
        *free ^= rest;
        self.sizes[column as usize] -= rest.count_ones();
        self.note_size(column);
        let mut chunk = word * (WORD / CHUNK);
        while rest != 0 {
            if rest as u16 != 0 {
                self.removed.push(Removed {
                    column: column as u16,
                    chunk: chunk as u16,
                    rows: rest as u16,
                });
            }
            rest >>= CHUNK;
            chunk += 1;
        }
    }

    #[inline]
    fn note_size(&mut self, column: u32) {
        match self.size(column) {
            0 => self.empty = Some(column),
            1 => self.single[(column / WORD) as usize] |= 1 << (column % WORD),
            _ => {}
        }
    }

    /// Places a queen in an open column, and no more.
    #[inline]
    pub(super) fn place(&mut self, queen: Square) {
        let (word, bit) = ((queen.column / WORD) as usize, 1 << (queen.column % WORD));
        self.open[word] ^= bit;
        self.single[word] &= !bit;
        self.queens.push(queen);
    }

    /// Removes what a queen attacks from the open columns.
    #[inline]
    pub(super) fn eliminate(&mut self, queen: Square) {
        self.because(Cause::Queen(queen));
        let is_one_word = self.words == 1 && !self.torus;
        for word in 0..self.words {
            let mut open = self.open[word];
            while open != 0 {
                let column = WORD * word as u32 + open.trailing_zeros();
                open &= open - 1;
                if is_one_word {
                    let (row, distance) = (1_u64 << queen.row, queen.column.abs_diff(column));
                    // Rows beyond the last one are not free.
                    self.remove_rows(column, 0, row | row << distance | row >> distance);
                } else {
                    let rows = queen.rows_attacked_in(column, self.n, self.torus);
                    for row in rows.into_iter().flatten() {
                        self.remove(Square::new(column, row));
                    }
                }
            }
        }
    }

    /// The leftmost open column that has one row left, with that row.
    ///
    /// # Errors
    ///
    /// That a column has none left.
    #[inline]
    pub(super) fn next_single(&self) -> Result<Option<Square>, Failure> {
        if let Some(column) = self.empty {
            return Err(Failure::NoRow { column });
        }
        let column = first(&self.single);
        Ok(column.map(|column| Square::new(column, self.min(column).expect("a row is left"))))
    }

    /// Remembers this state, to come back to it by [`undo`](Self::undo).
    #[inline]
    pub(super) fn save(&mut self) {
        self.marks.push(Mark {
            removed: self.removed.len(),
            causes: self.causes.len(),
            queens: self.queens.len(),
        });
    }

    /// Where the last state that was saved begins; the beginning if there is none.
    fn mark(&self) -> Mark {
        self.marks.last().copied().unwrap_or_default()
    }

    /// Goes back to the last state that was saved and not come back to.
    #[inline]
    pub(super) fn undo(&mut self) {
        let mark = self.mark();
        self.marks.pop();
        for removed in &self.removed[mark.removed..] {
            let (column, first) = (
                usize::from(removed.column),
                CHUNK * u32::from(removed.chunk),
            );
            let word = column * self.words + (first / WORD) as usize;
            self.free[word] |= u64::from(removed.rows) << (first % WORD);
            self.sizes[column] += removed.rows.count_ones();
        }
        self.removed.truncate(mark.removed);
        self.causes.truncate(mark.causes);
        for queen in &self.queens[mark.queens..] {
            self.open[(queen.column / WORD) as usize] |= 1 << (queen.column % WORD);
        }
        self.queens.truncate(mark.queens);
        self.single.fill(0);
        self.empty = None;
    }

    /// How many states are saved.
    pub(super) fn depth(&self) -> usize {
        self.marks.len()
    }

    /// How many times squares have been removed.
    pub(super) fn removals(&self) -> usize {
        self.removed.len()
    }

    /// The queens since the last state that was saved.
    pub(super) fn new_queens(&self) -> &[Square] {
        &self.queens[self.mark().queens..]
    }

    /// The squares that were removed since the last state that was saved, in order.
    pub(super) fn removed(&self) -> impl Iterator<Item = Removal> + '_ {
        let mark = self.mark();
        let mut causes = self.causes[mark.causes..].iter().peekable();
        let mut cause = Cause::Branch;
        let removed = (mark.removed..).zip(&self.removed[mark.removed..]);
        removed.flat_map(move |(i, removed)| {
            while let Some(&(_, next)) = causes.next_if(|&&(from, _)| from <= i) {
                cause = next;
            }
            let first = CHUNK * u32::from(removed.chunk);
            let rows = (0..CHUNK).filter(|row| removed.rows >> row & 1 != 0);
            rows.map(move |row| Removal {
                square: Square::new(removed.column.into(), first + row),
                cause,
            })
        })
    }
}

/// The lowest bit that is set.
#[inline]
fn first(words: &[u64]) -> Option<u32> {
    let i = words.iter().position(|&word| word != 0)?;
    Some(WORD * i as u32 + words[i].trailing_zeros())
}

/// The bits that are set, from the lowest.
#[inline]
fn ones(words: &[u64]) -> impl Iterator<Item = u32> + '_ {
    (0..).zip(words).flat_map(|(i, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| WORD * i + rest.trailing_zeros());
            rest &= rest.wrapping_sub(1);
            bit
        })
    })
}
