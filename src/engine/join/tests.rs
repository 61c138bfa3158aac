//! Every step of the engine against brute force, and the kernels against each other.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::list::List;
use super::pattern::{Layout, Part, Side};
use super::quadrant::{Long, Quadrant};
use super::select::Queries;
use super::stats::{Off, Stats};
use super::symmetry::{RowSet, row_sets};
use super::{KERNELS, Scratch, Tables, can_run, count, half, pairs};
use crate::engine::CancelToken;
use crate::engine::Kernel;
use crate::engine::simd::{Bits512, InstructionSet, portable::Any};
#[cfg(target_arch = "x86_64")]
use crate::engine::simd::{avx2::WithAvx2, avx512::WithAvx512};
use crate::known::known;

/// The kernels that this CPU can run; the others are named.
fn kernels() -> Vec<Kernel> {
    let (run, left_out): (Vec<_>, Vec<_>) = KERNELS.iter().partition(|&&kernel| can_run(kernel));
    if !left_out.is_empty() {
        eprintln!("left out, since this CPU cannot run them: {left_out:?}");
    }
    run
}

fn tables(n: usize) -> Tables {
    Tables::build(n, kernels()[0], &CancelToken::new())
}

fn quadrant(layout: &Layout, side: Side, part: Part, kernel: Kernel) -> Quadrant {
    Quadrant::build(layout, side, part, kernel, &CancelToken::new())
}

#[test]
fn kernels_agree_on_every_row_set() {
    // Patterns have more than 32 bits from N = 19 on, and blocks are grouped and queries split by then.
    let samples = [
        (9, 1),
        (12, 1),
        (13, 1),
        (14, 3),
        (17, 500),
        (18, 900),
        (19, 6000),
        (20, 18000),
    ];
    for (n, step) in samples {
        let tables = tables(n);
        let mut scratch = Scratch::default();
        for set in row_sets(n).into_iter().step_by(step) {
            let expected = count(Kernel::Portable, &tables, set, &mut scratch, &mut Off);
            for kernel in kernels() {
                let got = count(kernel, &tables, set, &mut scratch, &mut Off);
                assert_eq!(got, expected, "{kernel} N={n} {set:?}");
            }
        }
    }
}

#[test]
fn statistics_add_up_and_change_nothing() {
    let tables = tables(15);
    let (mut scratch, mut stats) = (Scratch::default(), Stats::default());
    let mut total = 0;
    let sets = row_sets(15);
    for &set in &sets {
        total += count(kernels()[0], &tables, set, &mut scratch, &mut stats);
    }
    assert_eq!(u128::from(total), known(15).unwrap().solutions);
    assert_eq!(stats.row_sets, sets.len() as u64);
    assert!(stats.blocks > 0 && stats.fill() > 0.0 && stats.fill() <= 512.0);
    assert!(stats.pairs <= 512 * stats.visits && stats.visits <= stats.pairs);
    assert!(stats.lookups >= 4 * stats.visits && stats.lookups <= 7 * stats.visits);
}

#[test]
fn estimates_follow_the_work() {
    let tables = tables(16);
    let mut scratch = Scratch::default();
    let (mut sums, mut all) = ([0.0; 2], [0.0; 2]);
    let sets = row_sets(16);
    for (i, &set) in sets.iter().enumerate() {
        let mut stats = Stats::default();
        count(kernels()[0], &tables, set, &mut scratch, &mut stats);
        let work = (stats.east + stats.west + 2 * stats.visits) as f64;
        let estimate = set.estimate(16);
        assert!(estimate > 0.0);
        for (all, new) in all.iter_mut().zip([work, estimate]) {
            *all += new;
        }
        if i < sets.len() / 3 {
            sums = all;
        }
    }
    // What a progress bar shows after the first third of the row sets.
    let (truth, shown) = (sums[0] / all[0], sums[1] / all[1]);
    assert!((truth - shown).abs() < 0.05, "{truth} {shown}");
}

/// Squares (row of the board, column of the board) of one half or quadrant, in local terms.
type Square = (usize, usize);

fn attack(a: Square, b: Square) -> bool {
    a.0 == b.0 || a.1 == b.1 || a.0.abs_diff(b.0) == a.1.abs_diff(b.1)
}

/// All sets of mutually non-attacking squares.
fn placements(squares: &[Square]) -> Vec<Vec<Square>> {
    let Some((&first, rest)) = squares.split_first() else {
        return vec![vec![]];
    };
    let mut found = placements(rest);
    let fits: Vec<Square> = rest
        .iter()
        .copied()
        .filter(|&square| !attack(first, square))
        .collect();
    found.extend(placements(&fits).into_iter().map(|mut with| {
        with.push(first);
        with
    }));
    found
}

/// What the quadrant tables and half-boards should say of a placement, or `None` where it is not to be there.
fn describe(layout: &Layout, side: Side, placement: &[Square]) -> Option<(u64, Long)> {
    let mut pattern = 0;
    let mut long = Long::Free;
    for &(r, x) in placement {
        pattern |= layout.square(side, r, x);
        let (on_long, centre) = layout.long(side, r, x);
        if on_long {
            if side == Side::East && !centre {
                return None;
            }
            long = Long::Taken;
        }
    }
    Some((pattern, long))
}

fn bits_of(set: impl Iterator<Item = usize>) -> u32 {
    set.fold(0, |bits, i| bits | 1 << i)
}

#[test]
fn quadrant_lists_are_those_of_brute_force() {
    for (n, kernel) in (5..=9).flat_map(|n| kernels().into_iter().map(move |kernel| (n, kernel))) {
        let layout = Layout::new(n);
        for side in [Side::East, Side::West] {
            for part in [Part::North, Part::South] {
                let lists = quadrant(&layout, side, part, kernel);
                let top = if part == Part::North {
                    0
                } else {
                    layout.height(Part::North)
                };
                let (width, height) = (layout.width(side), layout.height(part));
                let squares: Vec<Square> = (top..top + height)
                    .flat_map(|r| (0..width).map(move |x| (r, x)))
                    .collect();
                let mut expected: BTreeMap<(u32, u32, bool), Vec<u64>> = BTreeMap::new();
                for placement in placements(&squares) {
                    let rows = bits_of(placement.iter().map(|square| square.0 - top));
                    let columns = bits_of(placement.iter().map(|square| square.1));
                    if let Some((pattern, long)) = describe(&layout, side, &placement) {
                        expected
                            .entry((rows, columns, long == Long::Taken))
                            .or_default()
                            .push(pattern);
                    }
                }
                for rows in 0..1u32 << height {
                    let of_size =
                        (0..1u32 << width).filter(|set| set.count_ones() == rows.count_ones());
                    for (rank, columns) in of_size.enumerate() {
                        for long in [Long::Free, Long::Taken] {
                            let mut got: Vec<u64> =
                                lists.rows(rows).list(rank, long).iter().collect();
                            got.sort_unstable();
                            let mut wanted = expected
                                .remove(&(rows, columns, long == Long::Taken))
                                .unwrap_or_default();
                            wanted.sort_unstable();
                            assert_eq!(
                                got, wanted,
                                "N={n} {side:?} {part:?} {rows:b} {columns:b} {long:?} {kernel}"
                            );
                        }
                    }
                }
                assert!(expected.is_empty());
            }
        }
    }
}

/// All half-boards on exactly these rows, by how many long diagonals their north and south occupy.
fn half_boards(layout: &Layout, side: Side, rows: u32) -> BTreeMap<(bool, bool), Vec<u64>> {
    let squares: Vec<Square> = (0..layout.n)
        .filter(|r| rows >> r & 1 == 1)
        .flat_map(|r| (0..layout.width(side)).map(move |x| (r, x)))
        .collect();
    let mut found: BTreeMap<_, Vec<u64>> = BTreeMap::new();
    for placement in placements(&squares) {
        if placement.len() != layout.width(side) {
            continue;
        }
        let (north, south): (Vec<_>, Vec<_>) = placement
            .into_iter()
            .partition(|square| square.0 < layout.height(Part::North));
        if let (Some(north), Some(south)) = (
            describe(layout, side, &north),
            describe(layout, side, &south),
        ) {
            assert_eq!(north.0 & south.0, 0, "non-attacking halves are disjoint");
            let class = (north.1 == Long::Taken, south.1 == Long::Taken);
            found.entry(class).or_default().push(north.0 | south.0);
        }
    }
    found
}

fn check_half<I: InstructionSet>(isa: I, n: usize) {
    let layout = Layout::new(n);
    for side in [Side::East, Side::West] {
        let north = quadrant(&layout, side, Part::North, Kernel::Portable);
        let south = quadrant(&layout, side, Part::South, Kernel::Portable);
        let height = layout.height(Part::North);
        for rows in (0..1u32 << n)
            .filter(|rows| rows.count_ones() as usize == layout.width(side))
            .step_by(3)
        {
            let mut expected = half_boards(&layout, side, rows);
            let lists = (
                north.rows(rows & ((1 << height) - 1)),
                south.rows(rows >> height),
            );
            for class in [(false, false), (false, true), (true, false), (true, true)] {
                let long = |taken| if taken { Long::Taken } else { Long::Free };
                let mut list = List::default();
                half::join::<I, false>(
                    isa,
                    (lists.0, long(class.0)),
                    (lists.1, long(class.1)),
                    &mut list,
                );
                let mut got: Vec<u64> = list.iter::<false>().collect();
                got.sort_unstable();
                let mut wanted = expected.remove(&class).unwrap_or_default();
                wanted.sort_unstable();
                assert_eq!(got, wanted, "N={n} {side:?} rows {rows:b} {class:?}");
            }
        }
    }
}

/// Runs a generic check with every instruction set of this CPU.
macro_rules! with_instruction_sets {
    ($check:ident $(, $argument:expr)*) => {
        $check(Any $(, $argument)*);
        #[cfg(target_arch = "x86_64")]
        {
            if let Some(isa) = WithAvx2::detect() {
                $check(isa $(, $argument)*);
            }
            if let Some(isa) = WithAvx512::detect() {
                $check(isa $(, $argument)*);
            }
        }
    };
}

#[test]
fn half_boards_are_those_of_brute_force() {
    for n in 5..=9 {
        with_instruction_sets!(check_half, n);
    }
}

#[test]
fn weights_of_symmetry_classes_add_up_to_all_solutions() {
    for n in 5..=10 {
        let squares = |r: usize| (0..n).map(move |c| (r, c));
        let mut solutions: Vec<Vec<Square>> = vec![vec![]];
        for r in 0..n {
            solutions = solutions
                .into_iter()
                .flat_map(|board| {
                    squares(r)
                        .filter(|&new| board.iter().all(|&old| !attack(old, new)))
                        .map(|new| [board.clone(), vec![new]].concat())
                        .collect::<Vec<_>>()
                })
                .collect();
        }
        let counted = row_sets(n);
        let mut sum = 0;
        for board in &solutions {
            let set = RowSet {
                rows: bits_of(
                    board
                        .iter()
                        .filter(|square| square.1 >= n / 2)
                        .map(|square| square.0),
                ),
            };
            let long: Vec<_> = board
                .iter()
                .filter(|s| (s.0 == s.1) != (s.0 + s.1 == n - 1))
                .collect();
            if !counted.contains(&set) || long.iter().any(|square| square.1 >= n / 2) {
                continue;
            }
            let centre = board.iter().any(|s| s.0 == s.1 && s.0 + s.1 == n - 1);
            let besides = match (long.len(), centre) {
                (0, false) => set.free_weight(n),
                (0, true) => set.centre_weight(n),
                // With a queen on the centre square no other is on a long diagonal.
                (long, centre) => u64::from(!centre) << long,
            };
            sum += set.weight(n) * besides;
        }
        assert_eq!(sum, solutions.len() as u64, "N={n}");
        assert_eq!(u128::from(sum), known(n as u32).unwrap().solutions);
    }
}

fn check_planes<I: InstructionSet>(_: I, words: &[u32; 512]) {
    #[repr(align(64))]
    struct Aligned<T>(T);
    let words = Aligned(*words);
    let mut planes = Aligned([[0u64; 8]; 32]);
    // SAFETY: both are aligned and have the sizes asked for, and the CPU has the instruction set.
    unsafe { I::Bits::planes(words.0.as_ptr(), planes.0.as_mut_ptr().cast()) };
    for (b, plane) in planes.0.iter().enumerate() {
        for (j, word) in words.0.iter().enumerate() {
            assert_eq!(
                plane[j / 64] >> (j % 64) & 1 == 1,
                word >> b & 1 == 0,
                "bit {b} of word {j}"
            );
        }
    }
}

fn check_pairs<I: InstructionSet>(
    isa: I,
    n: usize,
    east: &[u64],
    west: &[Vec<u64>; 3],
    scratch: &mut pairs::Scratch,
) {
    let expected: Vec<u64> = west
        .iter()
        .map(|class| {
            class
                .iter()
                .map(|w| east.iter().filter(|&e| e & w == 0).count() as u64)
                .sum()
        })
        .collect();
    let layout = Layout::new(n);
    let mut list = List::default();
    east.iter().for_each(|&pattern| list.push(pattern));
    let mut queries = Queries::default();
    for (class, patterns) in west.iter().enumerate() {
        patterns
            .iter()
            .for_each(|&pattern| queries.list.push(pattern));
        queries.ends[class] = queries.list.len();
    }
    let counts = if layout.high_bits > 0 {
        pairs::count::<I, Off, true>(isa, &layout, &mut list, &queries, scratch, &mut Off)
    } else {
        pairs::count::<I, Off, false>(isa, &layout, &mut list, &queries, scratch, &mut Off)
    };
    assert_eq!(
        counts.to_vec(),
        expected,
        "N={n}, {} east, {:?} west",
        east.len(),
        queries.ends
    );
}

/// Sparse patterns of the layout for N: about a third of the bits are set.
fn patterns(seed: &mut u64, n: usize, len: usize) -> Vec<u64> {
    let bits = Layout::new(n)
        .priority
        .iter()
        .fold(0u64, |all, bit| all | 1 << bit);
    let mut next = || {
        *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (*seed ^ *seed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    };
    (0..len)
        .map(|_| next() & (next() | next() & next()) & next() & bits)
        .collect()
}

#[test]
fn pairs_with_blocks_full_short_over_and_empty() {
    let mut scratch = pairs::Scratch::default();
    let mut seed = 1;
    for n in [16, 17, 18, 20, 23, 24] {
        for size in [
            0, 1, 15, 16, 17, 511, 512, 513, 1023, 1024, 1025, 4096, 4097, 5000,
        ] {
            let east = patterns(&mut seed, n, size);
            let west = [0, 7, 33].map(|len| patterns(&mut seed, n, len));
            with_instruction_sets!(check_pairs, n, &east, &west, &mut scratch);
        }
        // Enough queries to split them.
        let east = patterns(&mut seed, n, 1500);
        let west = [3000, 12000, 5000].map(|len| patterns(&mut seed, n, len));
        with_instruction_sets!(check_pairs, n, &east, &west, &mut scratch);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn planes_are_a_transposition(words in prop::collection::vec(any::<u32>(), 512)) {
        let words: [u32; 512] = words.try_into().expect("512 words");
        with_instruction_sets!(check_planes, &words);
    }

    #[test]
    fn pairs_are_those_of_brute_force(
        mut seed in any::<u64>(),
        n in 10usize..=24,
        east in 0usize..1700,
        west in prop::array::uniform3(0usize..3000),
    ) {
        let mut scratch = pairs::Scratch::default();
        let east = patterns(&mut seed, n, east);
        let west = west.map(|len| patterns(&mut seed, n, len));
        with_instruction_sets!(check_pairs, n, &east, &west, &mut scratch);
    }

    #[test]
    fn every_row_set_or_a_reflection_of_it_is_counted(n in 5usize..=14, seed in any::<u32>()) {
        let size = n.div_ceil(2) as u32;
        let mut rows = seed & ((1 << n) - 1);
        while rows.count_ones() > size { rows &= rows - 1; }
        while rows.count_ones() < size { rows |= rows + 1; }
        let (set, sets) = (RowSet { rows }, row_sets(n));
        let reversed = set.reversed(n);
        let listed = usize::from(sets.contains(&set)) + usize::from(reversed != set && sets.contains(&reversed));
        prop_assert_eq!(listed, 1);
        prop_assert_eq!(set.weight(n), if reversed == set { 1 } else { 2 });
        let middle = 1 << (n / 2);
        if n % 2 == 0 {
            prop_assert_eq!(set.free_weight(n), reversed.free_weight(n));
            let together = set.free_weight(n) + set.complement(n).free_weight(n);
            prop_assert_eq!(together, 2);
            prop_assert_eq!(set.centre_weight(n), 0);
        } else if rows & middle == 0 {
            prop_assert_eq!(set.centre_weight(n), 0);
        } else {
            prop_assert_eq!(set.centre_weight(n), reversed.centre_weight(n));
            let turned = RowSet { rows: set.complement(n).rows | middle };
            prop_assert_eq!(set.centre_weight(n) + turned.centre_weight(n), 2);
        }
    }
}
