//! The geometry of half-boards and the bits of their patterns.
//!
//! Rows r = 0..N-1 count from the top. The line that cuts the board runs down its middle or, if N is odd, along one
//! side of the centre column, which is then part of the east or of the west half: see [`Layout::new`]. In each half,
//! the local column x counts from that line outwards. North is the top ceil(N/2) rows, south the rest. Within a half,
//! queens share a diagonal iff they share u = r + x or v = r - x.
//!
//! Diagonals that cross the centre line are seen from both halves: a queen (r', x') in the west and (r, x) in the east
//! share the falling one iff v = u' + 1 and the rising one iff u = v' - 1. A half-board's **pattern** has a bit for
//! each such diagonal that it occupies, so that two halves go together iff their patterns are disjoint. The two long
//! diagonals have no bit, since the east half never occupies them (see [`super::symmetry`]).
//!
//! The patterns of the north and the south of one half are disjoint iff their queens share no diagonal: every diagonal
//! of a half that meets north and south crosses the centre line. The one exception is the diagonal u = N - 1 of the
//! half that has the centre column, so there it gets a bit of its own, the **guard**, which the other half never has.

/// The largest N: row sets are masks of 32 bits.
pub(crate) const MAX_N: usize = 32;
/// The smallest N that the engine counts.
pub(crate) const MIN_N: usize = 5;

/// One half of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The right half, whose half-boards are sorted and made into blocks.
    East,
    /// The left half, whose half-boards are the queries. Only it has queens on the long diagonals.
    West,
}

/// One part of a half-board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The top rows, with the middle row where there is one.
    North,
    /// The bottom rows.
    South,
}

/// Which diagonal has which bit.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// N.
    pub(crate) n: usize,
    /// The half that has the centre column if N is odd.
    centre: Side,
    falling: Vec<u64>,
    rising: Vec<u64>,
    /// The guard's bit, or none.
    pub(crate) guard: u64,
    /// Pattern bits, from those that conflict most often to those that do so least.
    pub(crate) priority: Vec<u8>,
    /// How many bits of the high word are in use.
    pub(crate) high_bits: u32,
}

impl Layout {
    /// The layout for N, with the centre column of an odd board in this half.
    ///
    /// # Panics
    ///
    /// If the engine does not count N.
    pub(crate) fn new(n: usize, centre: Side) -> Self {
        assert!(
            (MIN_N..=MAX_N).contains(&n),
            "the join engine counts N = {MIN_N}..={MAX_N}, not {n}"
        );
        let guarded = n % 2;
        let [east, west] = [Side::East, Side::West].map(|side| width(n, centre, side) as isize);
        // Diagonals next to the long ones are occupied most often. They get the highest bits, so that the high word,
        // where the low one cannot hold all, has the most frequent ones.
        let mut diagonals = Vec::new();
        for index in 0..n - 1 {
            // How far they are from the long ones.
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
            let of_direction = if direction == 0 {
                &mut layout.falling
            } else {
                &mut layout.rising
            };
            of_direction[index] = 1 << bit;
            layout.priority.push(bit);
        }
        layout
    }

    /// The bits in which patterns of the two halves can conflict: all but the guard.
    pub(crate) fn bits(&self) -> u64 {
        self.priority.iter().fold(0, |all, bit| all | 1 << bit)
    }

    /// Whether patterns have more than 32 bits.
    pub(crate) fn is_wide(&self) -> bool {
        self.high_bits > 0
    }

    /// Columns of a half.
    pub(crate) fn width(&self, side: Side) -> usize {
        width(self.n, self.centre, side)
    }

    /// Whether a half has the centre column of an odd board, as its local column 0.
    pub(crate) fn has_centre_column(&self, side: Side) -> bool {
        self.n % 2 == 1 && side == self.centre
    }

    /// Rows of a part.
    pub(crate) fn height(&self, part: Part) -> usize {
        match part {
            Part::North => self.n.div_ceil(2),
            Part::South => self.n / 2,
        }
    }

    /// The bits of the two diagonals of a square, in row r of the board and local column x of a half: that of u and
    /// that of v; 0 for a diagonal that has none.
    fn diagonals(&self, side: Side, r: usize, x: usize) -> [u64; 2] {
        let (of_u, of_v) = match side {
            Side::East => (&self.rising, &self.falling),
            Side::West => (&self.falling, &self.rising),
        };
        let v = r.checked_sub(x + 1).and_then(|before| of_v.get(before));
        [of_u.get(r + x), v].map(|bit| bit.copied().unwrap_or(0))
    }

    /// The pattern of one queen on a square of a half.
    pub(crate) fn square(&self, side: Side, r: usize, x: usize) -> u64 {
        let guarded = self.has_centre_column(side) && r + x == self.n - 1;
        let [u, v] = self.diagonals(side, r, x);
        u | v | if guarded { self.guard } else { 0 }
    }

    /// Of the two diagonals of a square of a half, u as (0, u) and v as (1, v), those that have no bit of their own.
    pub(crate) fn unnamed(
        &self,
        side: Side,
        r: usize,
        x: usize,
    ) -> impl Iterator<Item = (u8, isize)> + use<> {
        let names = [(0, (r + x) as isize), (1, r as isize - x as isize)];
        let bits = self.diagonals(side, r, x).into_iter();
        bits.zip(names)
            .filter_map(|(bit, name)| (bit == 0).then_some(name))
    }

    /// Whether a square of a half lies on a long diagonal, and the centre square.
    pub(crate) fn long(&self, side: Side, r: usize, x: usize) -> (bool, bool) {
        let column = match side {
            Side::East => self.width(Side::West) + x,
            Side::West => self.width(Side::West) - 1 - x,
        };
        let (falling, rising) = (r == column, r + column == self.n - 1);
        (falling || rising, falling && rising)
    }
}

/// Columns of a half of a board whose centre column, if N is odd, is in the half `centre`.
pub(crate) fn width(n: usize, centre: Side, side: Side) -> usize {
    if side == centre { n.div_ceil(2) } else { n / 2 }
}
