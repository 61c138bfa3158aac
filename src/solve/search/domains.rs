//! The free rows of every column, the queens, and a trail of what was changed, by which a node is left again.

use super::step::{Cause, Failure, Removal};
use super::words::{WORD, first, ones};
use crate::board::{Board, MAX_CONSTRAINED, Square};

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
    /// The row of each column's queen, where it has one.
    rows: Vec<u32>,
    /// A bit for each open column that was left with one row or none.
    single: Vec<u64>,
    /// A column that is left with no row.
    empty: Option<u32>,
    /// What went, in order.
    taken: Vec<Taken>,
    /// The causes of all of it: each holds from that place on.
    causes: Vec<(usize, Cause)>,
    /// Queens in the order in which they were placed.
    queens: Vec<Square>,
    marks: Vec<Mark>,
}

/// Squares of a column that went together. There may be one for nearly every square of the board, so that size matters.
#[derive(Debug, Clone, Copy)]
struct Taken {
    column: u16,
    /// Which 16 rows of the column, from 0 at the top.
    chunk: u16,
    /// A bit for each row that went.
    rows: u16,
}

impl Taken {
    const ROWS: u32 = u16::BITS;

    /// The word of the column that has the rows, and the rows in it.
    #[inline]
    fn mask(self) -> (usize, u64) {
        let chunk = u32::from(self.chunk) % (WORD / Self::ROWS);
        let word = u32::from(self.chunk) / (WORD / Self::ROWS);
        (word as usize, u64::from(self.rows) << (chunk * Self::ROWS))
    }

    fn squares(self) -> impl Iterator<Item = Square> {
        let first = u32::from(self.chunk) * Self::ROWS;
        let rows = (0..Self::ROWS).filter(move |row| self.rows >> row & 1 != 0);
        rows.map(move |row| Square::new(self.column.into(), first + row))
    }
}

const _: () = assert!(MAX_CONSTRAINED <= u16::MAX as u32);

/// How long the lists of changes were before a branch.
#[derive(Debug, Clone, Copy, Default)]
struct Mark {
    taken: usize,
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
            rows: vec![0; n as usize],
            single: vec![0; words],
            empty: None,
            taken: Vec::new(),
            causes: Vec::new(),
            queens: Vec::with_capacity(n as usize),
            marks: Vec::new(),
        };
        for column in 0..n {
            for row in (0..n).filter(|&row| board.allows(Square::new(column, row))) {
                let (word, bit) = domains.place_of(Square::new(column, row));
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

    pub(super) fn is_torus(&self) -> bool {
        self.torus
    }

    /// How many rows are free in an open column.
    #[inline]
    pub(super) fn size(&self, column: u32) -> u32 {
        self.sizes[column as usize]
    }

    /// The columns without a queen, from the left.
    #[inline]
    pub(super) fn open_columns(&self) -> impl Iterator<Item = u32> + Clone + '_ {
        ones(&self.open)
    }

    /// The leftmost column without a queen.
    #[inline]
    pub(super) fn first_open(&self) -> Option<u32> {
        first(&self.open)
    }

    /// Whether the column has no queen.
    #[inline]
    pub(super) fn is_open(&self, column: u32) -> bool {
        self.open[(column / WORD) as usize] >> (column % WORD) & 1 != 0
    }

    /// The rows of the queens in a whole placement.
    pub(super) fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The row of the queen in a column that has one.
    #[inline]
    pub(super) fn row(&self, column: u32) -> u32 {
        self.rows[column as usize]
    }

    /// The free rows of an open column, 64 to a word.
    #[inline]
    fn words(&self, column: u32) -> &[u64] {
        &self.free[column as usize * self.words..][..self.words]
    }

    /// The free rows of an open column, from the top.
    #[inline]
    pub(super) fn free_rows(&self, column: u32) -> impl Iterator<Item = u32> + Clone + '_ {
        ones(self.words(column))
    }

    /// The uppermost free row of an open column.
    #[inline]
    pub(super) fn min(&self, column: u32) -> Option<u32> {
        first(self.words(column))
    }

    /// The lowest free row of an open column.
    #[inline]
    pub(super) fn max(&self, column: u32) -> Option<u32> {
        let words = self.words(column);
        let last = words.iter().rposition(|&word| word != 0)?;
        Some(WORD * last as u32 + words[last].ilog2())
    }

    /// The free row of an open column that has `before` free rows above it.
    pub(super) fn nth(&self, column: u32, mut before: u32) -> Option<u32> {
        for (i, &word) in (0..).zip(self.words(column)) {
            if before < word.count_ones() {
                let rest = (0..before).fold(word, |word, _| word & (word - 1));
                return Some(WORD * i + rest.trailing_zeros());
            }
            before -= word.count_ones();
        }
        None
    }

    pub(super) fn is_free(&self, square: Square) -> bool {
        let (word, bit) = self.place_of(square);
        self.free[word] & bit != 0
    }

    #[inline]
    fn place_of(&self, square: Square) -> (usize, u64) {
        let word = square.column as usize * self.words + (square.row / WORD) as usize;
        (word, 1 << (square.row % WORD))
    }

    /// Says why the next squares go.
    #[inline]
    pub(super) fn because(&mut self, cause: Cause) {
        self.causes.push((self.taken.len(), cause));
    }

    /// Takes a square, if it is free, from an open column.
    #[inline]
    pub(super) fn take(&mut self, Square { column, row }: Square) {
        self.take_rows(column, (row / WORD) as usize, 1 << (row % WORD));
    }

    /// Takes all free squares above a row from an open column.
    pub(super) fn take_above(&mut self, column: u32, row: u32) {
        let word = (row / WORD) as usize;
        for i in 0..word {
            self.take_rows(column, i, u64::MAX);
        }
        if !row.is_multiple_of(WORD) {
            self.take_rows(column, word, (1 << (row % WORD)) - 1);
        }
    }

    /// Takes what is free of these rows, which are in one word, from an open column.
    #[inline]
    fn take_rows(&mut self, column: u32, word: usize, rows: u64) {
        let free = &mut self.free[column as usize * self.words + word];
        let mut rest = *free & rows;
        if rest == 0 {
            return;
        }
        *free ^= rest;
        self.sizes[column as usize] -= rest.count_ones();
        self.note_size(column);
        let mut chunk = word as u32 * (WORD / Taken::ROWS);
        while rest != 0 {
            let rows = rest as u16;
            if rows != 0 {
                let (column, chunk) = (column as u16, chunk as u16);
                self.taken.push(Taken {
                    column,
                    chunk,
                    rows,
                });
            }
            rest >>= Taken::ROWS;
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
        self.rows[queen.column as usize] = queen.row;
        self.queens.push(queen);
    }

    /// Takes what a queen attacks from the open columns.
    #[inline]
    pub(super) fn eliminate(&mut self, queen: Square) {
        self.because(Cause::Queen(queen));
        if self.words == 1 && !self.torus {
            let row = 1_u64 << queen.row;
            let mut open = self.open[0];
            while open != 0 {
                let column = open.trailing_zeros();
                open &= open - 1;
                let distance = queen.column.abs_diff(column);
                // Rows beyond the last one are not free.
                let attacked = row | row << distance | row >> distance;
                self.take_rows(column, 0, attacked);
            }
            return;
        }
        for i in 0..self.words {
            let mut open = self.open[i];
            while open != 0 {
                let column = WORD * i as u32 + open.trailing_zeros();
                open &= open - 1;
                let rows = queen.rows_attacked_in(column, self.n, self.torus);
                for row in rows.into_iter().flatten() {
                    self.take(Square::new(column, row));
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
            taken: self.taken.len(),
            causes: self.causes.len(),
            queens: self.queens.len(),
        });
    }

    fn mark(&self) -> Mark {
        self.marks.last().copied().unwrap_or_default()
    }

    /// Goes back to the last state that was saved and not come back to.
    #[inline]
    pub(super) fn undo(&mut self) {
        let mark = self.mark();
        self.marks.pop();
        for &taken in &self.taken[mark.taken..] {
            let column = usize::from(taken.column);
            let (word, rows) = taken.mask();
            self.free[column * self.words + word] |= rows;
            self.sizes[column] += u32::from(taken.rows).count_ones();
        }
        self.taken.truncate(mark.taken);
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

    /// How many times squares have gone.
    pub(super) fn taken(&self) -> usize {
        self.taken.len()
    }

    /// All queens, in the order in which they were placed.
    pub(super) fn queens(&self) -> &[Square] {
        &self.queens
    }

    /// The queens since the last state that was saved.
    pub(super) fn new_queens(&self) -> &[Square] {
        &self.queens[self.mark().queens..]
    }

    /// The squares that went since the last state that was saved, in order.
    pub(super) fn removed(&self) -> impl Iterator<Item = Removal> + '_ {
        self.removed_since(self.mark())
    }

    /// All squares that went, in order.
    pub(super) fn all_removed(&self) -> impl Iterator<Item = Removal> + '_ {
        self.removed_since(Mark::default())
    }

    fn removed_since(&self, mark: Mark) -> impl Iterator<Item = Removal> + '_ {
        let Mark { taken, causes, .. } = mark;
        let mut causes = self.causes[causes..].iter().peekable();
        let mut cause = Cause::Branch;
        let taken = self.taken[taken..].iter().zip(taken..);
        taken.flat_map(move |(taken, i)| {
            while let Some(&(_, next)) = causes.next_if(|&&(from, _)| from <= i) {
                cause = next;
            }
            let squares = taken.squares();
            squares.map(move |square| Removal { square, cause })
        })
    }
}
