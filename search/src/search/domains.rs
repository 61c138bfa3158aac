//! Domains of the columns, the placed queens, and a trail for undoing changes.

use super::step::{Cause, Direction, FailureCause, Removal};
use queens::board::{Board, MAX_CONSTRAINED, Square};

/// Rows per word. Searches are fastest on boards up to this size, with one word per column.
const WORD: u32 = u64::BITS;

#[derive(Debug)]
pub(super) struct Domains {
    pub(super) n: u32,
    /// Number of words in a set of rows and in a set of columns.
    words: usize,
    /// One bit per free row of each column. The bits of a column with a queen are meaningless.
    free: Vec<u64>,
    sizes: Vec<u32>,
    /// One bit per column without a queen.
    unassigned: Vec<u64>,
    /// One bit per unassigned column that has been reduced to at most one row.
    single: Vec<u64>,
    /// A column with no row left, if any.
    empty: Option<u32>,
    /// Queens in the order in which they were placed.
    pub(super) queens: Vec<Square>,
    /// Trail of removed squares, as column and row. It may contain nearly every square of the
    /// board, so size matters: a [`Square`] is twice as large.
    removed: Vec<(u16, u16)>,
    /// Causes of the removals, each with the index of its first entry in `removed`.
    causes: Vec<(usize, Cause)>,
}

const _: () = assert!(MAX_CONSTRAINED <= u16::MAX as u32);

/// Length of the trail, and numbers of causes and queens, at a node.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TrailLevel {
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
            words,
            free: vec![0; n as usize * words],
            sizes: vec![0; n as usize],
            unassigned: vec![0; words],
            single: vec![0; words],
            empty: None,
            queens: Vec::with_capacity(n as usize),
            removed: Vec::new(),
            causes: Vec::new(),
        };
        for column in 0..n {
            for row in (0..n).filter(|&row| board.allows(Square::new(column, row))) {
                let (word, bit) = domains.locate(Square::new(column, row));
                domains.free[word] |= bit;
                domains.sizes[column as usize] += 1;
            }
            domains.unassigned[(column / WORD) as usize] |= 1 << (column % WORD);
            domains.note_size(column);
        }
        domains
    }

    /// Returns the index of the line of this kind through a square, which is below 2N.
    #[inline]
    pub(super) fn line(&self, lines: Direction, Square { column, row }: Square) -> usize {
        let line = match lines {
            Direction::Rows => row,
            Direction::Rising => row + column,
            Direction::Falling => row + self.n - 1 - column,
        };
        line as usize
    }

    /// Returns the indices of the lines through a square, one of each kind.
    #[inline]
    pub(super) fn lines(&self, square: Square) -> [usize; 3] {
        Direction::ALL.map(|lines| self.line(lines, square))
    }

    /// Returns the number of free rows in an unassigned column.
    #[inline]
    pub(super) fn size(&self, column: u32) -> u32 {
        self.sizes[column as usize]
    }

    /// Iterates over the columns without a queen, from the left.
    #[inline]
    pub(super) fn unassigned_columns(&self) -> impl Iterator<Item = u32> + '_ {
        ones(&self.unassigned)
    }

    /// Returns the index of the first queen that attacks a square.
    #[inline]
    pub(super) fn attacker(&self, square: Square) -> Option<usize> {
        let mut queens = self.queens.iter();
        queens.position(|queen| queen.attacks(square))
    }

    /// Returns the bit set of free rows in an unassigned column.
    #[inline]
    fn column(&self, column: u32) -> &[u64] {
        &self.free[column as usize * self.words..][..self.words]
    }

    /// Iterates over the free rows of an unassigned column, from the top.
    #[inline]
    pub(super) fn free_rows(&self, column: u32) -> impl Iterator<Item = u32> + '_ {
        ones(self.column(column))
    }

    /// Returns the topmost free row of an unassigned column.
    #[inline]
    pub(super) fn min(&self, column: u32) -> Option<u32> {
        first(self.column(column))
    }

    /// Returns the bottommost free row of an unassigned column.
    #[inline]
    pub(super) fn max(&self, column: u32) -> Option<u32> {
        let words = self.column(column);
        let last = words.iter().rposition(|&word| word != 0)?;
        Some(WORD * last as u32 + words[last].ilog2())
    }

    #[inline]
    fn locate(&self, square: Square) -> (usize, u64) {
        let word = square.column as usize * self.words + (square.row / WORD) as usize;
        (word, 1 << (square.row % WORD))
    }

    /// Sets the cause of the removals that follow.
    #[inline]
    pub(super) fn set_cause(&mut self, cause: Cause) {
        self.causes.push((self.removed.len(), cause));
    }

    /// Removes a square from an unassigned column, if it is free.
    #[inline]
    pub(super) fn remove(&mut self, Square { column, row }: Square) {
        self.remove_rows(column, row / WORD, 1 << (row % WORD));
    }

    /// Removes all free squares above a row from an unassigned column.
    pub(super) fn remove_above(&mut self, column: u32, row: u32) {
        for word in 0..row / WORD {
            self.remove_rows(column, word, u64::MAX);
        }
        if !row.is_multiple_of(WORD) {
            self.remove_rows(column, row / WORD, (1 << (row % WORD)) - 1);
        }
    }

    /// Removes the given rows of one word from an unassigned column, if they are free.
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
        while rest != 0 {
            self.removed.push((column as u16, (WORD * word + rest.trailing_zeros()) as u16));
            rest &= rest - 1;
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

    /// Places a queen in an unassigned column, without any propagation.
    #[inline]
    pub(super) fn place(&mut self, queen: Square) {
        let (word, bit) = ((queen.column / WORD) as usize, 1 << (queen.column % WORD));
        self.unassigned[word] ^= bit;
        self.single[word] &= !bit;
        self.queens.push(queen);
    }

    /// Removes from the unassigned columns the squares that a queen attacks.
    #[inline]
    pub(super) fn eliminate(&mut self, queen: Square) {
        self.set_cause(Cause::Queen(queen));
        let is_one_word = self.words == 1;
        for word in 0..self.words {
            let mut columns = self.unassigned[word];
            while columns != 0 {
                let column = WORD * word as u32 + columns.trailing_zeros();
                columns &= columns - 1;
                if is_one_word {
                    let (row, distance) = (1_u64 << queen.row, queen.column.abs_diff(column));
                    // Rows beyond the last one are not free.
                    self.remove_rows(column, 0, row | row << distance | row >> distance);
                } else {
                    let rows = queen.rows_attacked_in(column, self.n);
                    for row in rows.into_iter().flatten() {
                        self.remove(Square::new(column, row));
                    }
                }
            }
        }
    }

    /// Returns the only free square of the leftmost unassigned column that has just one left. Fails
    /// with [`FailureCause::NoRow`] if a column has no free row.
    #[inline]
    pub(super) fn next_single(&self) -> Result<Option<Square>, FailureCause> {
        if let Some(column) = self.empty {
            return Err(FailureCause::NoRow { column });
        }
        let column = first(&self.single);
        Ok(column.map(|column| Square::new(column, self.min(column).expect("a row is left"))))
    }

    /// Returns the level of the current state, to be passed to [`undo`](Self::undo).
    #[inline]
    pub(super) fn level(&self) -> TrailLevel {
        TrailLevel {
            removed: self.removed.len(),
            causes: self.causes.len(),
            queens: self.queens.len(),
        }
    }

    #[inline]
    pub(super) fn undo(&mut self, level: TrailLevel) {
        for &(column, row) in &self.removed[level.removed..] {
            let (word, bit) = self.locate(Square::new(column.into(), row.into()));
            self.free[word] |= bit;
            self.sizes[usize::from(column)] += 1;
        }
        self.removed.truncate(level.removed);
        self.causes.truncate(level.causes);
        for queen in &self.queens[level.queens..] {
            self.unassigned[(queen.column / WORD) as usize] |= 1 << (queen.column % WORD);
        }
        self.queens.truncate(level.queens);
        self.single.fill(0);
        self.empty = None;
    }

    /// Returns the length of the trail of removed rows.
    pub(super) fn removals(&self) -> usize {
        self.removed.len()
    }

    pub(super) fn queens_since(&self, level: TrailLevel) -> &[Square] {
        &self.queens[level.queens..]
    }

    /// Iterates over the squares removed since a level of the trail, in order.
    pub(super) fn removed_since(&self, level: TrailLevel) -> impl Iterator<Item = Removal> + '_ {
        let mut causes = self.causes[level.causes..].iter().peekable();
        let mut cause = Cause::Branch;
        (level.removed..).zip(&self.removed[level.removed..]).map(move |(i, &(column, row))| {
            while let Some(&(_, next)) = causes.next_if(|&&(from, _)| from <= i) {
                cause = next;
            }
            Removal { square: Square::new(column.into(), row.into()), cause }
        })
    }
}

/// Returns the index of the lowest set bit.
#[inline]
fn first(words: &[u64]) -> Option<u32> {
    let i = words.iter().position(|&word| word != 0)?;
    Some(WORD * i as u32 + words[i].trailing_zeros())
}

/// Iterates over the indices of the set bits, from the lowest.
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
