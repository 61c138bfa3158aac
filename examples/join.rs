//! The `join` engine without vectors, blocks and most rules of symmetry. It counts the solutions
//! for N = 5 to 12 and compares the totals with those of the library:
//! `cargo run --release --example join`. `docs/ALGORITHM.md` explains the terms.

use queens::Counter;

/// Returns the indices of the set bits.
fn bits(mask: u64) -> impl Iterator<Item = u32> {
    (0..64).filter(move |bit| mask >> bit & 1 == 1)
}

/// Returns the two diagonals of a square, as bits `row + x` and `40 + row - x`. Columns `x` are
/// numbered outwards from the centre line.
fn diagonals(row: u32, x: u32) -> u64 {
    1 << (row + x) | 1 << (40 + row - x)
}

/// Returns the placements of one queen in each of the given rows and columns of a quadrant, as sets
/// of diagonals.
fn quadrant(rows: u64, columns: u64) -> Vec<u64> {
    let Some(row) = rows.checked_ilog2() else { return vec![0] };
    let mut placements = Vec::new();
    for x in bits(columns) {
        let queen = diagonals(row, x);
        let others = quadrant(rows ^ 1 << row, columns ^ 1 << x).into_iter();
        placements.extend(others.filter(|other| other & queen == 0).map(|other| other | queen));
    }
    placements
}

/// Returns the placements of one queen in each of the given rows and in each column of a half, as
/// sets of diagonals.
fn half(n: u32, rows: u64) -> Vec<u64> {
    let north = rows & ((1 << n.div_ceil(2)) - 1);
    let all = (1 << rows.count_ones()) - 1;
    let mut half_boards = Vec::new();
    for columns in (0..=all).filter(|columns: &u64| columns.count_ones() == north.count_ones()) {
        let souths = quadrant(rows ^ north, all ^ columns);
        for north in quadrant(north, columns) {
            let souths = souths.iter().filter(|&south| north & south == 0);
            half_boards.extend(souths.map(|south| north | south));
        }
    }
    half_boards
}

/// Returns the pattern of a half-board: the diagonals that cross the centre line. A diagonal has
/// the same bit in both halves. The low bits are those of falling diagonals.
fn pattern(n: u32, diagonals: u64, is_east: bool) -> u64 {
    let crossing = (1 << (n - 1)) - 1;
    let (away, towards) = (diagonals >> 41 & crossing, diagonals & crossing);
    if is_east { away | towards << 32 } else { towards | away << 32 }
}

/// Counts the pairs of an east pattern and a west pattern (a query) that are disjoint. The queries
/// are partitioned by the bit in which most pairs conflict.
fn count_pairs(east: &[u64], queries: &[u64]) -> u64 {
    let has = |pattern: &u64, bit: u32| pattern >> bit & 1 == 1;
    let number = |list: &[u64], bit| list.iter().filter(|pattern| has(pattern, bit)).count();
    let conflicts = (0..64).map(|bit| (number(east, bit) * number(queries, bit), bit));
    let (most, bit) = conflicts.max().expect("a pattern has bits");
    if most == 0 {
        return (east.len() * queries.len()) as u64;
    }
    let (with, without): (Vec<u64>, Vec<u64>) = queries.iter().partition(|query| has(query, bit));
    let east_without: Vec<u64> = east.iter().copied().filter(|e| !has(e, bit)).collect();
    count_pairs(&east_without, &with) + count_pairs(east, &without)
}

/// Returns the number of solutions, as a sum over the sets of rows that the east half uses.
fn count(n: u32) -> u64 {
    let all = (1 << n) - 1;
    let mut total = 0;
    for rows in (0..=all).filter(|rows: &u64| rows.count_ones() == n / 2) {
        // Rule 1: upside down, the solutions have the reversed row set.
        let reversed = rows.reverse_bits() >> (64 - n);
        if rows <= reversed {
            let [east, west] = [(rows, true), (all ^ rows, false)].map(|(rows, is_east)| {
                let half_boards = half(n, rows).into_iter();
                half_boards.map(|diagonals| pattern(n, diagonals, is_east)).collect::<Vec<_>>()
            });
            let weight = if rows < reversed { 2 } else { 1 };
            total += weight * count_pairs(&east, &west);
        }
    }
    total
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for n in 5..=12 {
        let total = u128::from(count(n));
        assert_eq!(total, Counter::new(n)?.run()?.total);
        println!("Q({n}) = {total}");
    }
    Ok(())
}
