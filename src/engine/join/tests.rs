//! Every step of the engine against brute force, and the kernels against each other.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::block::BLOCK;
use super::list::List;
use super::pairs::PairScratch;
use super::pattern::{Layout, Part, Side};
use super::quadrant::{Long, Quadrant, RowLists};
use super::select::Queries;
use super::stats::{Off, Stats};
use super::subsets::subsets;
use super::symmetry::{RowSet, row_sets};
use super::{KERNELS, Scratch, Tables, can_run, count, half, pairs};
use crate::engine::CancelToken;
use crate::engine::Kernel;
use crate::engine::simd::{Aligned, InstructionSet, Row, Task, with_blocks};
use crate::known::known;

/// In the order of the fields of [`Tables`].
const QUADRANTS: [(Side, Part); 4] = [
    (Side::East, Part::North),
    (Side::East, Part::South),
    (Side::West, Part::North),
    (Side::West, Part::South),
];

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
    Quadrant::build(layout, side, part, kernel, false, &CancelToken::new())
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

/// Small enough for an interpreter that checks every access (miri); nothing here is for one CPU only.
mod small_boards {
    use super::*;

    #[test]
    fn are_counted_within_the_lists() {
        for n in 5..=7 {
            let layout = Layout::new(n);
            let [north_east, south_east, north_west, south_west] =
                QUADRANTS.map(|(side, part)| quadrant(&layout, side, part, Kernel::Portable));
            let tables = Tables {
                layout,
                north_east,
                south_east,
                north_west,
                south_west,
            };
            let mut scratch = Scratch::default();
            let count = |set| count(Kernel::Portable, &tables, set, &mut scratch, &mut Off);
            let total: u64 = row_sets(n).into_iter().map(count).sum();
            assert_eq!(u128::from(total), known(n as u32).unwrap().solutions);
        }
    }

    /// Patterns of more than 32 bits, two blocks, and queries that are split and filtered.
    #[test]
    fn and_lists_of_larger_ones() {
        let mut seed = 1;
        let east = patterns(&mut seed, 20, BLOCK + 3);
        let west = [5, 0, 2700].map(|len| patterns(&mut seed, 20, len));
        check_pairs(20, &east, &west, &mut PairScratch::default());
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

fn sorted(patterns: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut patterns: Vec<_> = patterns.collect();
    patterns.sort_unstable();
    patterns
}

fn check_quadrant(n: usize, side: Side, part: Part, kernel: Kernel) {
    let layout = Layout::new(n);
    let lists = quadrant(&layout, side, part, kernel);
    let (width, height) = (layout.width(side), layout.height(part));
    let top = match part {
        Part::North => 0,
        Part::South => layout.height(Part::North),
    };
    let squares: Vec<Square> = (top..top + height)
        .flat_map(|r| (0..width).map(move |x| (r, x)))
        .collect();
    let mut expected: BTreeMap<(u32, u32, bool), Vec<u64>> = BTreeMap::new();
    for placement in placements(&squares) {
        let rows = bits_of(placement.iter().map(|square| square.0 - top));
        let columns = bits_of(placement.iter().map(|square| square.1));
        if let Some((pattern, long)) = describe(&layout, side, &placement) {
            let list = expected.entry((rows, columns, long == Long::Taken));
            list.or_default().push(pattern);
        }
    }
    for rows in 0..1u32 << height {
        for (rank, columns) in subsets(width, rows.count_ones() as usize).enumerate() {
            for long in [Long::Free, Long::Taken] {
                let list = lists.rows(rows).list(rank, long);
                let (low, _) = list.words::<false>();
                let got = sorted(low.iter().map(|&low| u64::from(low)));
                let wanted = expected.remove(&(rows, columns, long == Long::Taken));
                let wanted = sorted(wanted.unwrap_or_default().into_iter());
                let what = format!("N={n} {side:?} {part:?} {rows:b} {columns:b} {long:?}");
                assert_eq!(got, wanted, "{what} {kernel}");
            }
        }
    }
    assert!(expected.is_empty());
}

#[test]
fn quadrant_lists_are_those_of_brute_force() {
    for n in 5..=9 {
        for (side, part) in QUADRANTS {
            for kernel in kernels() {
                check_quadrant(n, side, part, kernel);
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
        let halves = [north, south].map(|squares| describe(layout, side, &squares));
        if let [Some(north), Some(south)] = halves {
            assert_eq!(north.0 & south.0, 0, "non-attacking halves are disjoint");
            let class = (north.1 == Long::Taken, south.1 == Long::Taken);
            found.entry(class).or_default().push(north.0 | south.0);
        }
    }
    found
        .values_mut()
        .for_each(|patterns| patterns.sort_unstable());
    found
}

/// The task to append the half-boards of a row set with and without queens on a long diagonal in north and south.
struct JoinHalf<'a> {
    north: (&'a RowLists, Long),
    south: (&'a RowLists, Long),
    out: &'a mut List,
}

impl Task for JoinHalf<'_> {
    type Output = ();

    fn run<I: InstructionSet>(self, isa: I) {
        half::join::<I, false>(isa, self.north, self.south, self.out);
    }
}

#[test]
fn half_boards_are_those_of_brute_force() {
    for (n, side) in (5..=9).flat_map(|n| [(n, Side::East), (n, Side::West)]) {
        let layout = Layout::new(n);
        let north = quadrant(&layout, side, Part::North, Kernel::Portable);
        let south = quadrant(&layout, side, Part::South, Kernel::Portable);
        let height = layout.height(Part::North);
        for rows in subsets(n, layout.width(side)).step_by(3) {
            let expected = half_boards(&layout, side, rows);
            let north = north.rows(rows & ((1 << height) - 1));
            let south = south.rows(rows >> height);
            for class in [(false, false), (false, true), (true, false), (true, true)] {
                let long = |taken| if taken { Long::Taken } else { Long::Free };
                let wanted = expected.get(&class).cloned().unwrap_or_default();
                for kernel in kernels() {
                    let mut list = List::default();
                    let task = JoinHalf {
                        north: (north, long(class.0)),
                        south: (south, long(class.1)),
                        out: &mut list,
                    };
                    with_blocks(kernel, task).unwrap();
                    let got = sorted(list.iter::<false>());
                    assert_eq!(got, wanted, "N={n} {side:?} {rows:b} {class:?} {kernel}");
                }
            }
        }
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

/// The task to transpose words into bit planes.
struct Planes<'a>(&'a [Aligned<[u32; 16]>; 32], &'a mut [Row; 32]);

impl Task for Planes<'_> {
    type Output = ();

    fn run<I: InstructionSet>(self, isa: I) {
        isa.planes(self.0, self.1);
    }
}

/// The task to count pairs, in lists as wide as the layout says.
struct CountPairs<'a> {
    layout: &'a Layout,
    east: &'a mut List,
    west: &'a Queries,
    scratch: &'a mut PairScratch,
}

impl Task for CountPairs<'_> {
    type Output = [u64; 3];

    fn run<I: InstructionSet>(self, isa: I) -> [u64; 3] {
        let Self {
            layout,
            east,
            west,
            scratch,
        } = self;
        if layout.high_bits > 0 {
            pairs::count::<I, Off, true>(isa, layout, east, west, scratch, &mut Off)
        } else {
            pairs::count::<I, Off, false>(isa, layout, east, west, scratch, &mut Off)
        }
    }
}

fn check_pairs(n: usize, east: &[u64], west: &[Vec<u64>; 3], scratch: &mut PairScratch) {
    let partners = |w: &u64| east.iter().filter(|&e| e & w == 0).count() as u64;
    let expected = [0, 1, 2].map(|class| west[class].iter().map(partners).sum::<u64>());
    let layout = Layout::new(n);
    let mut queries = Queries::default();
    for (class, patterns) in west.iter().enumerate() {
        patterns
            .iter()
            .for_each(|&pattern| queries.list.push(pattern));
        queries.ends[class] = queries.list.len();
    }
    for kernel in kernels() {
        let mut list = List::default();
        east.iter().for_each(|&pattern| list.push(pattern));
        let task = CountPairs {
            layout: &layout,
            east: &mut list,
            west: &queries,
            scratch,
        };
        let counts = with_blocks(kernel, task);
        let lens = (east.len(), queries.ends);
        assert_eq!(counts, Some(expected), "{kernel} N={n}, {lens:?} patterns");
    }
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
    let mut scratch = PairScratch::default();
    let mut seed = 1;
    for n in [16, 17, 18, 20, 23, 24] {
        for size in [
            0, 1, 15, 16, 17, 511, 512, 513, 1023, 1024, 1025, 4096, 4097, 5000,
        ] {
            let east = patterns(&mut seed, n, size);
            let west = [0, 7, 33].map(|len| patterns(&mut seed, n, len));
            check_pairs(n, &east, &west, &mut scratch);
        }
        // Enough queries to split them.
        let east = patterns(&mut seed, n, 1500);
        let west = [3000, 12000, 5000].map(|len| patterns(&mut seed, n, len));
        check_pairs(n, &east, &west, &mut scratch);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn planes_are_a_transposition(words in prop::collection::vec(any::<u32>(), 512)) {
        let lines = std::array::from_fn(|i| Aligned(std::array::from_fn(|j| words[16 * i + j])));
        for kernel in kernels() {
            let mut planes = [Row::EMPTY; 32];
            with_blocks(kernel, Planes(&lines, &mut planes)).unwrap();
            for (b, plane) in planes.iter().enumerate() {
                for (j, word) in words.iter().enumerate() {
                    let lacks = plane.0[j / 64] >> (j % 64) & 1 == 1;
                    assert_eq!(lacks, word >> b & 1 == 0, "{kernel}: bit {b} of word {j}");
                }
            }
        }
    }

    #[test]
    fn pairs_are_those_of_brute_force(
        mut seed in any::<u64>(),
        n in 10usize..=24,
        east in 0usize..1700,
        west in prop::array::uniform3(0usize..3000),
    ) {
        let mut scratch = PairScratch::default();
        let east = patterns(&mut seed, n, east);
        let west = west.map(|len| patterns(&mut seed, n, len));
        check_pairs(n, &east, &west, &mut scratch);
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
