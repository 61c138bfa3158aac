//! Geometry of half-boards, and the bits of their patterns.
//!
//! The centre line divides the board into an east half and a west half. If N is odd, the line runs
//! along one side of the centre column, which then belongs to one of the halves: see
//! [`Layout::new`]. Rows r = 0..N-1 are numbered from the top. Within each half, columns x are
//! numbered outwards from the centre line, starting at 0. The north quadrant of a half consists of
//! the top ceil(N/2) rows, the south quadrant of the others. Within a half, two queens share a
//! diagonal iff they have the same u = r + x or the same v = r - x.
//!
//! Some diagonals cross the centre line. A queen at (r', x') in the west and one at (r, x) in the
//! east share a falling diagonal iff v = u' + 1, and a rising one iff u = v' - 1. The **pattern**
//! of a half-board has a bit set for each crossing diagonal that its queens occupy, so two
//! half-boards are compatible iff their patterns are disjoint. The two long diagonals need no bits,
//! because the east half never occupies them (see [`super::symmetry`]).
//!
//! The same bits are enough to join the two quadrants of a half: every diagonal that meets both of
//! them also crosses the centre line. The only exception is the diagonal u = N - 1 of the half with
//! the centre column. It has a bit of its own, the **guard**, which is never set in patterns of the
//! other half.

/// Largest N that the engine can count. Row sets are masks of 32 bits.
pub(crate) const MAX_N: usize = 32;
/// Smallest N that the engine can count.
pub(crate) const MIN_N: usize = 5;

/// One half of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The right half. Its half-boards are sorted and divided into blocks.
    East,
    /// The left half. Its half-boards are the queries. Only they may occupy a long diagonal outside
    /// the centre square.
    West,
}

/// One quadrant of a half-board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The top rows, including the middle row of an odd board.
    North,
    /// The bottom rows.
    South,
}

/// Assignment of pattern bits to diagonals.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) n: usize,
    /// Half that has the centre column if N is odd.
    centre: Side,
    falling: Vec<u64>,
    rising: Vec<u64>,
    /// Bit of the guard, or 0 if N is even.
    pub(crate) guard: u64,
    /// Indices of the pattern bits, starting with the diagonals that are occupied most often.
    pub(crate) priority: Vec<u8>,
    /// Number of bits in use in the high word.
    pub(crate) high_bits: u32,
}

impl Layout {
    /// Creates the layout for size `n`. `centre` is the half with the centre column if `n` is odd.
    /// Panics if the engine does not support this size.
    pub(crate) fn new(n: usize, centre: Side) -> Self {
        assert!(
            (MIN_N..=MAX_N).contains(&n),
            "the join engine counts N = {MIN_N}..={MAX_N}, not {n}"
        );
        let guarded = n % 2;
        let [east, west] = [Side::East, Side::West].map(|side| width(n, centre, side) as isize);
        // Diagonals next to the long ones are occupied most often, so they get the highest bits. In
        // wide patterns, these are the bits of the high word.
        let mut diagonals = Vec::new();
        for index in 0..n - 1 {
            // Distances to the long diagonals.
            let falling = index as isize - (west - 1);
            let rising = index as isize - (east - 1);
            diagonals.push((falling.unsigned_abs(), 0, index));
            diagonals.push((rising.unsigned_abs(), 1, index));
        }
        diagonals.sort_unstable();
        diagonals.retain(|&(distance, ..)| distance > 0);
        let high_bits = (diagonals.len() + guarded).saturating_sub(32);
        let mut layout = Self {
            n,
            centre,
            falling: vec![0; n - 1],
            rising: vec![0; n - 1],
            guard: guarded as u64,
            priority: Vec::new(),
            high_bits: high_bits as u32,
        };
        let bits = guarded..guarded + diagonals.len();
        for ((_, direction, index), bit) in diagonals.into_iter().zip(bits.rev()) {
            let bit = bit as u8;
            let of_direction =
                if direction == 0 { &mut layout.falling } else { &mut layout.rising };
            of_direction[index] = 1 << bit;
            layout.priority.push(bit);
        }
        layout
    }

    /// Returns the bits in which patterns of the two halves can conflict: all except the guard.
    pub(crate) fn bits(&self) -> u64 {
        self.priority.iter().fold(0, |all, bit| all | 1 << bit)
    }

    /// Returns the number of 32-bit words of a pattern.
    pub(crate) fn pattern_width(&self) -> usize {
        if self.high_bits > 0 { 2 } else { 1 }
    }

    /// Returns the number of columns of a half.
    pub(crate) fn width(&self, side: Side) -> usize {
        width(self.n, self.centre, side)
    }

    /// Whether a half has the centre column of an odd board. If so, it is column 0 of this half.
    pub(crate) fn has_centre_column(&self, side: Side) -> bool {
        self.n % 2 == 1 && side == self.centre
    }

    pub(crate) fn height(&self, part: Part) -> usize {
        match part {
            Part::North => self.n.div_ceil(2),
            Part::South => self.n / 2,
        }
    }

    /// Returns the pattern bits of the diagonals u and v of a square, or 0 for a diagonal without a
    /// bit.
    fn diagonals(&self, side: Side, r: usize, x: usize) -> [u64; 2] {
        let (of_u, of_v) = match side {
            Side::East => (&self.rising, &self.falling),
            Side::West => (&self.falling, &self.rising),
        };
        let v = r.checked_sub(x + 1).and_then(|before| of_v.get(before));
        [of_u.get(r + x), v].map(|bit| bit.copied().unwrap_or(0))
    }

    /// Returns the pattern of a single queen on the given square of a half.
    pub(crate) fn square(&self, side: Side, r: usize, x: usize) -> u64 {
        let guarded = self.has_centre_column(side) && r + x == self.n - 1;
        let [u, v] = self.diagonals(side, r, x);
        u | v | if guarded { self.guard } else { 0 }
    }

    /// Returns the diagonals of a square that have no pattern bit, as (0, u) or (1, v).
    pub(crate) fn diagonals_without_bit(
        &self,
        side: Side,
        r: usize,
        x: usize,
    ) -> impl Iterator<Item = (u8, isize)> + use<> {
        let names = [(0, (r + x) as isize), (1, r as isize - x as isize)];
        let bits = self.diagonals(side, r, x).into_iter();
        bits.zip(names).filter_map(|(bit, name)| (bit == 0).then_some(name))
    }

    /// Returns whether a square of a half is on a long diagonal, and whether it is the centre
    /// square.
    pub(crate) fn long(&self, side: Side, r: usize, x: usize) -> (bool, bool) {
        let column = match side {
            Side::East => self.width(Side::West) + x,
            Side::West => self.width(Side::West) - 1 - x,
        };
        let (falling, rising) = (r == column, r + column == self.n - 1);
        (falling || rising, falling && rising)
    }
}

/// Returns the half that gets the centre column if N is odd.
///
/// If both halves have the same width, there are about twice as many west half-boards as east ones.
/// With the centre column in the east, there are fewer. This fills the blocks, which saves visits,
/// and is faster up to N = 21. With the centre column in the west, there are several times as many
/// west half-boards, so fewer patterns are sorted and more are used as queries, and rule 4 of
/// [`super::symmetry`] applies to more solutions. This is faster from N = 23 on, where sorting and
/// filtering the east patterns accounts for most of the work. See docs/BENCHMARKING.md for
/// measurements.
pub(crate) fn centre(n: usize) -> Side {
    if n <= 21 { Side::East } else { Side::West }
}

/// Returns the number of columns of a half. `centre` is the half that has the centre column if `n`
/// is odd.
pub(crate) fn width(n: usize, centre: Side, side: Side) -> usize {
    if side == centre { n.div_ceil(2) } else { n / 2 }
}
