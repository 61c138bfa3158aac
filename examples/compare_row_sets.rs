//! Counts single row sets of engine `join` once more with engine `bitboard`, and compares.
//!
//! A row set is the rows of the east half's queens: what engine `join` counts at a time. On a board whose west half is blocked on
//! these rows and whose east half on all others, engine `bitboard` finds the solutions of that row set. Engine `join` counts
//! those without a queen on a long diagonal in the east, by classes: which of the west's long diagonals hold a queen, and
//! whether the centre square does. Blocking these squares, or not, gives the classes one by one. What the weights of the
//! classes are is said in `src/engine/join/symmetry.rs`; here they are worked out anew.
//!
//! Reflection in an occupied long diagonal (rule 4 there) takes solutions from one row set to another, so it is left out where
//! single row sets are compared. What it does is compared in sums over all row sets, with it and without.
//!
//! ```text
//! cargo run --release --example compare_row_sets -- N NUMBER [SEED] [OF]
//! cargo run --release --example compare_row_sets -- N at INDEX...
//! cargo run --release --example compare_row_sets -- N sums
//! ```
//!
//! compares NUMBER row sets of N chosen at random, or the NUMBER that are likely to be quickest of OF such, or the row sets of
//! these numbers, and prints a line of a Markdown table for each. `scripts/compare-row-sets` does it for many N. With `sums` all row
//! sets of N are counted, with and without rule 4 and on odd boards with the centre column in either half, and each sum is
//! compared with the published value.

use std::time::Instant;

use queens::engine::RowSetCounter;
use queens::{Board, Counter, Engine, Square, known};

/// Solutions of a row set by class. With no class is counted what has a queen on a long diagonal in the east.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Classes {
    /// No queen on a long diagonal.
    free: u128,
    /// One on the centre square.
    centre: u128,
    /// One in the west on the falling long diagonal, none on the rising one.
    falling: u128,
    /// The other way round.
    rising: u128,
    /// One in the west on each.
    both: u128,
}

impl Classes {
    /// Counts the solutions of a row set with engine `bitboard`.
    pub(crate) fn by_bitboard(n: u32, rows: u32) -> Self {
        let with = |falling, rising, centre| count(n, rows, [falling, rising, centre]);
        let free = with(false, false, false);
        let (falling, rising) = (with(true, false, false), with(false, true, false));
        // The middle row is one of the half that has the centre column.
        let in_east = rows >> (n / 2) & 1 == 1;
        let has_centre = !n.is_multiple_of(2) && in_east == (rows.count_ones() > n / 2);
        Self {
            free,
            centre: if has_centre {
                with(false, false, true) - free
            } else {
                0
            },
            falling: falling - free,
            rising: rising - free,
            both: with(true, true, false) + free - falling - rising,
        }
    }

    /// What engine `join` makes of them: the solutions of the whole board that they stand for.
    pub(crate) fn weighted(&self, n: u32, rows: u32) -> u128 {
        let reversal = rows.reverse_bits() >> (32 - n);
        // Left for right: of the rows that reversal leaves as they are, the lowest one decides.
        let left_right = |fixed: u32| {
            let same = !(rows ^ reversal) & (u32::MAX >> (32 - n)) & !fixed;
            match same & same.wrapping_neg() {
                0 => 1,
                lowest if rows & lowest != 0 => 2,
                _ => 0,
            }
        };
        let free = if n.is_multiple_of(2) {
            left_right(0)
        } else {
            1
        };
        let on_long = 2 * (self.falling + self.rising) + 4 * self.both;
        let sum = free * self.free + left_right(1 << (n / 2)) * self.centre + on_long;
        if rows == reversal { sum } else { 2 * sum }
    }
}

/// The solutions of a row set, without queens on the east's long diagonals; those of the west, falling and rising, and the
/// centre square may be `open`.
fn count(n: u32, rows: u32, open: [bool; 3]) -> u128 {
    let mut board = Board::new(n).expect("a size that can be counted");
    for (column, row) in (0..n).flat_map(|column| (0..n).map(move |row| (column, row))) {
        // The other rows are the west's, one for each of its columns.
        let is_east = column >= n - rows.count_ones();
        let diagonals = (column == row, column + row == n - 1);
        let is_open = match diagonals {
            (false, false) => true,
            (true, true) => open[2],
            _ if is_east => false,
            (falling, _) => open[usize::from(!falling)],
        };
        if !is_open || is_east != (rows >> row & 1 == 1) {
            board
                .block(Square::new(column, row))
                .expect("a free square");
        }
    }
    let count = Counter::on(board).engine(Engine::Bitboard).run();
    count.expect("a count that nothing cancels").total
}

/// Counts all row sets of N, and compares the sums.
fn compare_sums(n: u32) {
    let published = known::known(n).expect("a published value").solutions;
    for west in [false, true].into_iter().take(1 + n as usize % 2) {
        for reflects in [true, false] {
            let started = Instant::now();
            let mut counter = RowSetCounter::new(n, Some(west), reflects);
            let mut sums = [0; 3];
            for index in 0..counter.row_sets() {
                let counts = counter.count(index);
                sums.iter_mut()
                    .zip(counts)
                    .for_each(|(sum, count)| *sum += count);
            }
            println!(
                "| {n} | {} | {} | {} | {} | {} | {:.1} |",
                if west { "west" } else { "east" },
                if reflects { "with" } else { "without" },
                sums[0],
                sums[1],
                sums[2],
                started.elapsed().as_secs_f64()
            );
            assert_eq!(sums.iter().sum::<u128>(), published, "N = {n}");
        }
    }
}

/// How close together rows are in both halves: the closer, the fewer half-boards.
fn closeness(rows: u32, n: u32) -> u32 {
    let others = !rows & (u32::MAX >> (32 - n));
    let pairs = |rows: u32| -> u32 {
        (1..=4)
            .map(|by| (rows & rows >> by).count_ones() * (5 - by))
            .sum()
    };
    pairs(rows) + pairs(others)
}

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let number = |text: &String| text.parse::<usize>().unwrap();
    let n = number(&arguments[0]) as u32;
    if arguments[1] == "sums" {
        return compare_sums(n);
    }
    let mut counter = RowSetCounter::new(n, None, false);
    let chosen = if arguments[1] == "at" {
        arguments[2..].iter().map(number).collect()
    } else {
        let wanted = number(&arguments[1]);
        let mut random = fastrand::Rng::with_seed(arguments.get(2).map_or(1, number) as u64);
        let of = arguments.get(3).map_or(wanted, number);
        let mut chosen: Vec<_> = (0..of)
            .map(|_| random.usize(..counter.row_sets()))
            .collect();
        chosen.sort_by_key(|&index| std::cmp::Reverse(closeness(counter.rows(index), n)));
        chosen.truncate(wanted);
        chosen
    };
    for index in chosen {
        let rows = counter.rows(index);
        let started = Instant::now();
        let joined: u128 = counter.count(index).iter().sum();
        let (join_time, started) = (started.elapsed(), Instant::now());
        let classes = Classes::by_bitboard(n, rows);
        let Classes {
            free,
            centre,
            falling,
            rising,
            both,
        } = classes;
        println!(
            "| {n} | {index} | {rows:0width$b} | {free} | {centre} | {falling} | {rising} | {both} | {joined} | {:.3} | {:.3} |",
            join_time.as_secs_f64(),
            started.elapsed().as_secs_f64(),
            width = n as usize
        );
        let weighted = classes.weighted(n, rows);
        assert_eq!(
            joined, weighted,
            "N = {n}, row set {index}: join and bitboard"
        );
    }
}
