//! Comparison of single row sets with the `bitboard` engine, and with their solutions.
//!
//! The `bitboard` engine finds the solutions of a row set on a board whose west half is blocked on
//! its rows, and whose east half is blocked on all others. The `join` engine counts only solutions
//! without a queen on a long diagonal in the east, in classes by the long diagonals that the west
//! occupies and by a queen on the centre square. To separate the classes, these squares are blocked
//! or left open. The weights are computed independently of `src/engine/join/symmetry.rs`, which
//! explains them. Rule 4 maps solutions to other row sets, so it is disabled here.
//!
//! `ROW_SETS="22 100" cargo test --release row_sets::compare -- --ignored --nocapture` runs longer
//! comparisons through [`compare`], which reads its arguments from this environment variable:
//!
//! - `N NUMBER [SEED]`: compares NUMBER random row sets, and prints a line for each.
//! - `N at INDEX...`: compares the row sets with the given indices.
//! - `N sums`: sums over all row sets, with and without rule 4 and, for odd N, with the centre
//!   column in either half.
//! - `N weights NUMBER [SEED]`: finds and weights the solutions of NUMBER random row sets one by
//!   one, including rule 4.

use std::time::Instant;

use fastrand::Rng;

use super::{RowSetCounter, Side, centres};
use crate::board::tests::solutions;
use crate::known;
use crate::{Board, Counter, Engine, Placement, Square};

/// Patterns have two words from N = 19 on.
#[test]
fn row_sets_match_blocked_boards() {
    let small = [(5, 1), (6, 1), (9, 1), (10, 1), (13, 40), (14, 100), (16, 1500)];
    for (n, step) in small.into_iter().chain([(19, 12_000), (20, 15_000)]) {
        for centre in [Side::East, Side::West] {
            let mut counter = RowSetCounter::new(n, Some(centre), false);
            for index in (0..counter.row_sets.len()).step_by(step) {
                let rows = counter.row_sets.get(index).rows;
                let other = by_bitboard(n, rows);
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

/// Returns a board whose solutions are those of a row set without a queen on a long diagonal in the
/// east. The values of `open` allow queens on the falling long diagonal in the west, on the rising
/// one in the west, and on the centre square.
fn blocked(n: u32, rows: u32, open: [bool; 3]) -> Board {
    let mut board = Board::new(n).expect("a size that can be counted");
    for (column, row) in (0..n).flat_map(|column| (0..n).map(move |row| (column, row))) {
        // The east half has as many columns as the row set has rows.
        let is_east = column >= n - rows.count_ones();
        let is_open = match (column == row, column + row == n - 1) {
            (false, false) => true,
            (true, true) => open[2],
            _ if is_east => false,
            (falling, _) => open[usize::from(!falling)],
        };
        if !is_open || is_east != (rows >> row & 1 == 1) {
            board.block(Square::new(column, row)).expect("a free square");
        }
    }
    board
}

/// Returns the number of solutions that a row set stands for, as counted by the `bitboard` engine.
fn by_bitboard(n: u32, rows: u32) -> u128 {
    let with = |falling, rising, centre| {
        let board = blocked(n, rows, [falling, rising, centre]);
        Counter::on(board).engine(Engine::Bitboard).run().expect("nothing cancels").total
    };
    let free = with(false, false, false);
    let centre = with(false, false, true) - free;
    let [falling, rising] = [with(true, false, false) - free, with(false, true, false) - free];
    let both = with(true, true, false) - free - falling - rising;
    let factor = |centre| left_right(n as usize, |row| rows >> row & 1 == 1, centre);
    let unoccupied = factor(false) * free + factor(true) * centre;
    (unoccupied + 2 * (falling + rising) + 4 * both) * top_bottom(n, rows)
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
    let mut rows = 0..n / 2;
    let decides = if n % 2 == 1 && !centre {
        Some(n / 2)
    } else {
        rows.find(|&row| is_east(row) == is_east(n - 1 - row))
    };
    decides.map_or(1, |row| if is_east(row) { 2 } else { 0 })
}

/// Returns the weight of a solution of a row set by the four rules of `docs/ALGORITHM.md`.
fn weight(solution: &Placement, rows: u32) -> u128 {
    let n = solution.n() as usize;
    let (m, west) = (n / 2, n - rows.count_ones() as usize);
    let own: Vec<_> = solution.squares().map(|q| (q.row as usize, q.column as usize)).collect();
    let upside_down: Vec<_> = own.iter().map(|&(row, column)| (n - 1 - row, column)).collect();
    let on_falling = |squares: &[(usize, usize)]| squares.iter().any(|(row, column)| row == column);
    let reflected = |squares| reflected(n, west, squares);
    let centre = n % 2 == 1 && own[m].0 == m;
    let left_right = left_right(n, |row| rows >> row & 1 == 1, centre);
    let weight = match (on_falling(&own), on_falling(&upside_down)) {
        _ if centre => left_right,
        (true, true) => 4,
        (true, false) => 2 * reflected(&own),
        (false, true) => 2 * reflected(&upside_down),
        // The reflection that keeps the queen in the middle row in the east.
        (false, false) if west > m && left_right > 0 => {
            let in_south = own[m].0 > m;
            left_right * reflected(if in_south { &own } else { &upside_down })
        }
        (false, false) => left_right,
    };
    weight * top_bottom(n as u32, rows)
}

/// Returns the factor of rule 4, which compares a solution with its reflection in the falling long
/// diagonal. The squares are given as row and column.
fn reflected(n: usize, west: usize, squares: &[(usize, usize)]) -> u128 {
    let m = n / 2;
    // The compared queens are in the north-west, or in the south-west if the west has the centre
    // column. Their columns are numbered outwards from the centre line.
    let rows = if west == m { 0..m } else { n - m..n };
    let columns = |queens: &mut dyn Iterator<Item = (usize, usize)>| -> u32 {
        let outer = queens.filter(|(row, column)| *column < m && rows.contains(row));
        outer.map(|(_, column)| 1 << (west - 1 - column)).sum()
    };
    let own = columns(&mut squares.iter().copied());
    let reflection = columns(&mut squares.iter().map(|&(row, column)| (column, row)));
    1 + u128::from(own > reflection) - u128::from(own < reflection)
}

/// Weights the solutions of random row sets one by one, and compares the sum with the count of the
/// `join` engine.
fn compare_weights(n: u32, number: usize, seed: u64) {
    for &centre in centres(n as usize) {
        let mut counter = RowSetCounter::new(n, Some(centre), true);
        for index in Rng::with_seed(seed).choose_multiple(0..counter.row_sets.len(), number) {
            let rows = counter.row_sets.get(index).rows;
            let all = solutions(&blocked(n, rows, [true; 3]));
            let weights: u128 = all.iter().map(|solution| weight(solution, rows)).sum();
            assert_eq!(counter.count(index), weights, "N = {n}, row set {index}");
        }
    }
}

/// Counts all row sets and compares their sum with the published total.
fn compare_sums(n: u32) {
    let published = known::values(n).expect("a published value").solutions;
    for &centre in centres(n as usize) {
        for reflects in [true, false] {
            let mut counter = RowSetCounter::new(n, Some(centre), reflects);
            let sum: u128 = (0..counter.row_sets.len()).map(|index| counter.count(index)).sum();
            assert_eq!(sum, published, "N = {n}, centre in the {centre:?}, rule 4: {reflects}");
        }
    }
}

/// Runs the comparison described by the environment variable `ROW_SETS`.
#[test]
#[ignore = "compares what ROW_SETS names"]
fn compare() {
    let arguments = std::env::var("ROW_SETS").expect("ROW_SETS is set");
    let arguments: Vec<_> = arguments.split_whitespace().collect();
    let number = |text: &&str| text.parse::<usize>().unwrap();
    let seed = |at| arguments.get(at).map_or(1, number) as u64;
    let n = number(&arguments[0]) as u32;
    let mut counter = RowSetCounter::new(n, None, false);
    let chosen = match arguments[1] {
        "sums" => return compare_sums(n),
        "weights" => return compare_weights(n, number(&arguments[2]), seed(3)),
        "at" => arguments[2..].iter().map(number).collect(),
        many => Rng::with_seed(seed(2)).choose_multiple(0..counter.row_sets.len(), number(&many)),
    };
    for index in chosen {
        let rows = counter.row_sets.get(index).rows;
        let started = Instant::now();
        let joined = counter.count(index);
        let (join_time, started) = (started.elapsed(), Instant::now());
        let other = by_bitboard(n, rows);
        let times = [join_time, started.elapsed()];
        println!("N = {n}, row set {index}, {rows:b}: {joined} {times:.3?}");
        assert_eq!(joined, other, "N = {n}, row set {index}");
    }
}
