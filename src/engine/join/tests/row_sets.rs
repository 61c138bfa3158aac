//! Comparison of the `join` and `bitboard` engines on single row sets.
//!
//! A row set is the set of rows of the queens in the east half. To find its solutions with the
//! `bitboard` engine, the west half is blocked on these rows and the east half on all others. The
//! `join` engine counts only the solutions without a queen on a long diagonal in the east. It
//! groups them into classes by the long diagonals that the west occupies and by a queen on the
//! centre square. To separate the classes, these squares are blocked or left open. The weights are
//! computed independently of `src/engine/join/symmetry.rs`, which explains them.
//!
//! Rule 4 (reflection in an occupied long diagonal) maps solutions to other row sets, so it is
//! disabled when single row sets are compared. Other tests cover it: one sums over all row sets
//! with and without rule 4, and one finds and weights each solution of a row set with a plain
//! recursion.
//!
//! `ROW_SETS="22 100" cargo test --release row_sets::compare -- --ignored --nocapture` runs longer
//! comparisons through [`compare`], which reads its arguments from this environment variable:
//!
//! - `N NUMBER [SEED] [OF]`: compares NUMBER random row sets. With OF, it chooses OF random row
//!   sets and compares the NUMBER likely to be quickest.
//! - `N at INDEX...`: compares the row sets with the given indices.
//! - `N sums`: sums over all row sets, with and without rule 4 and, for odd N, with the centre
//!   column in either half.
//! - `N weights NUMBER [SEED]`: finds and weights the solutions of NUMBER random row sets one by
//!   one, including rule 4.

use std::fmt;
use std::fs::OpenOptions;
use std::io::Write;
use std::time::Instant;

use super::{RowSetCounter, Side};
use crate::known;
use crate::{Board, Counter, Engine, Square};

/// Appends a line to the file named in the environment variable `ROW_SETS_OUT`, if it is set.
fn record(line: fmt::Arguments<'_>) {
    if let Ok(path) = std::env::var("ROW_SETS_OUT") {
        let file = OpenOptions::new().create(true).append(true).open(path);
        writeln!(file.unwrap(), "{line}").unwrap();
    }
}

#[test]
fn row_sets_match_blocked_boards() {
    for (n, step) in [(5, 1), (6, 1), (9, 1), (10, 1), (13, 40), (14, 100), (16, 1500)] {
        for centre in [Side::East, Side::West] {
            let mut counter = RowSetCounter::new(n, Some(centre), false);
            for index in (0..counter.row_sets.len()).step_by(step) {
                let rows = counter.row_sets.get(index).rows;
                let other = Classes::by_bitboard(n, rows).weighted(n, rows);
                assert_eq!(counter.count(index), other, "N = {n}, row set {index}");
            }
        }
    }
}

/// Covers the centre column in either half, with and without rule 4.
#[test]
fn row_sets_add_up_to_the_published_total() {
    (5..=14).for_each(compare_sums);
}

#[test]
fn weights_of_row_sets_match_their_solutions() {
    (5..=12).for_each(|n| compare_weights(n, 1_000, 1)); // all row sets: there are fewer than 1,000
}

/// Number of solutions of a row set in each class. Solutions with a queen on a long diagonal in the
/// east are excluded.
#[derive(Debug, Clone, Copy)]
struct Classes {
    /// No queen on a long diagonal.
    free: u128,
    /// A queen on the centre square.
    centre: u128,
    /// A queen in the west on the falling long diagonal, and none on the rising one.
    falling: u128,
    /// A queen in the west on the rising long diagonal, and none on the falling one.
    rising: u128,
    /// A queen in the west on each long diagonal.
    both: u128,
}

impl Classes {
    /// Counts the solutions of a row set with the `bitboard` engine.
    fn by_bitboard(n: u32, rows: u32) -> Self {
        let with = |falling, rising, centre| count(n, rows, [falling, rising, centre]);
        let free = with(false, false, false);
        let (falling, rising) = (with(true, false, false), with(false, true, false));
        // The middle row belongs to the half with the centre column.
        let in_east = rows >> (n / 2) & 1 == 1;
        let has_centre = !n.is_multiple_of(2) && in_east == (rows.count_ones() > n / 2);
        Self {
            free,
            centre: if has_centre { with(false, false, true) - free } else { 0 },
            falling: falling - free,
            rising: rising - free,
            both: with(true, true, false) + free - falling - rising,
        }
    }

    /// Returns the weighted sum of the classes, which is the number of solutions that the row set
    /// stands for.
    fn weighted(&self, n: u32, rows: u32) -> u128 {
        let is_east = |row: usize| rows >> row & 1 == 1;
        let [free, centre] = [false, true].map(|centre| left_right(n as usize, is_east, centre));
        let on_long = 2 * (self.falling + self.rising) + 4 * self.both;
        (free * self.free + centre * self.centre + on_long) * top_bottom(n, rows)
    }
}

/// Returns the factor of rule 1.
fn top_bottom(n: u32, rows: u32) -> u128 {
    if rows == rows.reverse_bits() >> (32 - n) { 1 } else { 2 }
}

/// Returns the factor of rule 3, given whether the queen in each row is in the east and whether a
/// queen is on the centre square. Of a solution and its left-right reflection, one is counted for
/// both. The queen in the middle row tells the two apart unless it is on the centre square. In all
/// other rows, the queens of the reflection are in the other half, and the first row that has the
/// same half as its mirror image decides.
fn left_right(n: usize, is_east: impl Fn(usize) -> bool, centre: bool) -> u128 {
    let is_odd = n % 2 == 1;
    let mut rows = 0..n / 2;
    let decides = if is_odd && !centre {
        Some(n / 2)
    } else {
        rows.find(|&row| is_east(row) == is_east(n - 1 - row))
    };
    decides.map_or(1, |row| if is_east(row) { 2 } else { 0 })
}

/// Counts the solutions of a row set without a queen on a long diagonal in the east. The values of
/// `open` allow queens on the falling long diagonal in the west, on the rising one in the west, and
/// on the centre square.
fn count(n: u32, rows: u32, open: [bool; 3]) -> u128 {
    let mut board = Board::new(n).expect("a size that can be counted");
    for (column, row) in (0..n).flat_map(|column| (0..n).map(move |row| (column, row))) {
        // The east half has as many columns as the row set has rows.
        let is_east = column >= n - rows.count_ones();
        let diagonals = (column == row, column + row == n - 1);
        let is_open = match diagonals {
            (false, false) => true,
            (true, true) => open[2],
            _ if is_east => false,
            (falling, _) => open[usize::from(!falling)],
        };
        if !is_open || is_east != (rows >> row & 1 == 1) {
            board.block(Square::new(column, row)).expect("a free square");
        }
    }
    let count = Counter::on(board).engine(Engine::Bitboard).run();
    count.expect("a count that nothing cancels").total
}

/// Recursive search for the solutions of a row set, which are weighted by the four rules of
/// `docs/ALGORITHM.md`.
struct Weigher {
    n: usize,
    /// Rows of the queens in the east half.
    rows: u32,
    /// Number of columns of the west half.
    west: usize,
    columns: Vec<usize>,
    solutions: u64,
    weight: u128,
}

impl Weigher {
    fn search(&mut self) {
        let (n, row) = (self.n, self.columns.len());
        if row == n {
            self.solutions += 1;
            self.weight += self.weigh();
            return;
        }
        let is_east = self.rows >> row & 1 == 1;
        for column in if is_east { self.west..n } else { 0..self.west } {
            let is_centre = 2 * row + 1 == n && row == column;
            let is_long = row == column || row + column == n - 1;
            let is_attacked = |(above, &other): (usize, &usize)| {
                other == column || other.abs_diff(column) == row - above
            };
            if (is_east && is_long && !is_centre)
                || self.columns.iter().enumerate().any(is_attacked)
            {
                continue;
            }
            self.columns.push(column);
            self.search();
            self.columns.pop();
        }
    }

    /// Returns the weight of the solution in `columns`.
    fn weigh(&self) -> u128 {
        let (n, m) = (self.n, self.n / 2);
        let own: Vec<_> = self.columns.iter().copied().enumerate().collect();
        let upside_down: Vec<_> = own.iter().map(|&(row, column)| (n - 1 - row, column)).collect();
        let on_falling =
            |squares: &[(usize, usize)]| squares.iter().any(|(row, column)| row == column);
        let centre = n % 2 == 1 && self.columns[m] == m;
        let left_right = left_right(n, |row| self.columns[row] >= self.west, centre);
        let weight = match (on_falling(&own), on_falling(&upside_down)) {
            _ if centre => left_right,
            (true, true) => 4,
            (true, false) => 2 * self.reflected(&own),
            (false, true) => 2 * self.reflected(&upside_down),
            // The reflection that keeps the queen in the middle row in the east.
            (false, false) if self.west > m && left_right > 0 => {
                let in_south = own.iter().any(|&(row, column)| column == m && row > m);
                left_right * self.reflected(if in_south { &own } else { &upside_down })
            }
            (false, false) => left_right,
        };
        weight * top_bottom(n as u32, self.rows)
    }

    /// Returns the factor of rule 4, which compares a solution with its reflection in the falling
    /// long diagonal.
    fn reflected(&self, squares: &[(usize, usize)]) -> u128 {
        let m = self.n / 2;
        // Returns the columns of the queens in the north-west, or in the south-west if the west has
        // the centre column. They are numbered outwards from the centre line.
        let columns = |squares: &[(usize, usize)]| -> u32 {
            let rows = if self.west == m { 0..m } else { self.n - m..self.n };
            let outer = squares.iter().filter(|&(row, column)| *column < m && rows.contains(row));
            outer.map(|&(_, column)| 1 << (self.west - 1 - column)).sum()
        };
        let reflection: Vec<_> = squares.iter().map(|&(row, column)| (column, row)).collect();
        match columns(squares).cmp(&columns(&reflection)) {
            std::cmp::Ordering::Less => 0,
            std::cmp::Ordering::Equal => 1,
            std::cmp::Ordering::Greater => 2,
        }
    }
}

/// Weights the solutions of random row sets one by one, and compares the sum with the count of the
/// `join` engine.
fn compare_weights(n: u32, number: usize, seed: u64) {
    for &centre in super::centres(n as usize) {
        let mut counter = RowSetCounter::new(n, Some(centre), true);
        let mut random = fastrand::Rng::with_seed(seed);
        for index in random.choose_multiple(0..counter.row_sets.len(), number) {
            let joined = counter.count(index);
            let rows = counter.row_sets.get(index).rows;
            let west = (n - rows.count_ones()) as usize;
            let (n, columns) = (n as usize, Vec::new());
            let mut weigher = Weigher { n, rows, west, columns, solutions: 0, weight: 0 };
            weigher.search();
            record(format_args!(
                "| {n} | {} | {index} | {:0width$b} | {} | {joined} |",
                side(centre),
                weigher.rows,
                weigher.solutions,
                width = n
            ));
            assert_eq!(joined, weigher.weight, "N = {n}, row set {index}: join and solutions");
        }
    }
}

fn side(side: Side) -> &'static str {
    match side {
        Side::East => "east",
        Side::West => "west",
    }
}

/// Counts all row sets and compares their sum with the published total.
fn compare_sums(n: u32) {
    let published = known::values(n).expect("a published value").solutions;
    for &centre in super::centres(n as usize) {
        for reflects in [true, false] {
            let started = Instant::now();
            let mut counter = RowSetCounter::new(n, Some(centre), reflects);
            let sum: u128 = (0..counter.row_sets.len()).map(|index| counter.count(index)).sum();
            record(format_args!(
                "| {n} | {} | {} | {sum} | {:.1} |",
                side(centre),
                if reflects { "with" } else { "without" },
                started.elapsed().as_secs_f64()
            ));
            assert_eq!(sum, published, "N = {n}");
        }
    }
}

/// Returns a measure of how close together the rows of each half are. Closer rows have fewer
/// half-boards.
fn closeness(rows: u32, n: u32) -> u32 {
    let others = !rows & (u32::MAX >> (32 - n));
    let pairs =
        |rows: u32| -> u32 { (1..=4).map(|by| (rows & rows >> by).count_ones() * (5 - by)).sum() };
    pairs(rows) + pairs(others)
}

/// Runs the comparison described by the environment variable `ROW_SETS`.
#[test]
#[ignore = "compares what ROW_SETS names"]
fn compare() {
    let arguments = std::env::var("ROW_SETS").expect("ROW_SETS is set");
    let arguments: Vec<_> = arguments.split_whitespace().map(str::to_owned).collect();
    let number = |text: &String| text.parse::<usize>().unwrap();
    let n = number(&arguments[0]) as u32;
    if arguments[1] == "sums" {
        return compare_sums(n);
    }
    if arguments[1] == "weights" {
        let seed = arguments.get(3).map_or(1, number) as u64;
        return compare_weights(n, number(&arguments[2]), seed);
    }
    let mut counter = RowSetCounter::new(n, None, false);
    let chosen = if arguments[1] == "at" {
        arguments[2..].iter().map(number).collect()
    } else {
        let wanted = number(&arguments[1]);
        let mut random = fastrand::Rng::with_seed(arguments.get(2).map_or(1, number) as u64);
        let of = arguments.get(3).map_or(wanted, number);
        let mut chosen: Vec<_> = (0..of).map(|_| random.usize(..counter.row_sets.len())).collect();
        chosen.sort_by_key(|&index| {
            std::cmp::Reverse(closeness(counter.row_sets.get(index).rows, n))
        });
        chosen.truncate(wanted);
        chosen
    };
    for index in chosen {
        let rows = counter.row_sets.get(index).rows;
        let started = Instant::now();
        let joined = counter.count(index);
        let (join_time, started) = (started.elapsed(), Instant::now());
        let classes = Classes::by_bitboard(n, rows);
        let Classes { free, centre, falling, rising, both } = classes;
        record(format_args!(
            "| {n} | {index} | {rows:0width$b} | {free} | {centre} | {falling} | {rising} | {both} | {joined} | {:.3} | {:.3} |",
            join_time.as_secs_f64(),
            started.elapsed().as_secs_f64(),
            width = n as usize
        ));
        let weighted = classes.weighted(n, rows);
        assert_eq!(joined, weighted, "N = {n}, row set {index}: join and bitboard");
    }
}
