//! Every step of the engine against brute force, and the kernels against each other.

use std::collections::BTreeMap;

use super::half::{self, Wanted};
use super::list::{List, together};
use super::pattern::{Layout, Part, Side};
use super::quadrant::{Long, Quadrant, RowLists};
use super::row_set::{Boards, Portion, Scratch};
use super::size::Shape;
use super::stats::Stats;
use super::subsets::subsets;
use super::symmetry::{RowSet, RowSets};
use crate::engine::Engine;
use crate::engine::cancel::CancelToken;
use crate::engine::choice::Kernel;
use crate::engine::simd::{InstructionSet, Task, with_blocks};
use crate::known::known;

const QUADRANTS: [(Side, Part); 4] = [
    (Side::East, Part::North),
    (Side::East, Part::South),
    (Side::West, Part::North),
    (Side::West, Part::South),
];

/// The kernels that this CPU can run.
fn kernels() -> Vec<Kernel> {
    crate::engine::tests::kernels(Engine::Join)
}

/// All row sets, or every so many.
fn row_sets(n: usize, step: usize) -> impl Iterator<Item = RowSet> {
    let sets = RowSets::new(n);
    (0..sets.len())
        .step_by(step)
        .map(move |rank| sets.get(rank))
}

fn boards(n: usize, kernel: Kernel) -> Boards {
    Boards::new(n, kernel, Shape::new(n, 1, u64::MAX))
}

/// The count of a row set, all its parts.
fn count(boards: &Boards, set: RowSet, scratch: &mut Scratch, stats: Option<&mut Stats>) -> u64 {
    let parts = (0..boards.shape.parts()).map(Portion::Part);
    count_all(boards, set, parts, scratch, stats)
}

/// What portions of a row set add up to.
fn count_all(
    boards: &Boards,
    set: RowSet,
    portions: impl Iterator<Item = Portion>,
    scratch: &mut Scratch,
    mut stats: Option<&mut Stats>,
) -> u64 {
    let never = CancelToken::new();
    let count = |portion| boards.run(set, portion, scratch, stats.as_deref_mut(), &never);
    portions.map(count).sum()
}

#[test]
fn kernels_agree_on_every_row_set() {
    // Patterns have more than 32 bits from N = 19 on, and blocks are grouped and queries split by then.
    let samples = [(9, 1), (12, 1), (13, 1), (18, 900), (19, 9000)];
    for (n, step) in samples {
        let boards: Vec<_> = kernels()
            .into_iter()
            .map(|kernel| boards(n, kernel))
            .collect();
        let mut scratch = Scratch::default();
        for set in row_sets(n, step) {
            let counts = boards
                .iter()
                .map(|boards| count(boards, set, &mut scratch, None));
            let counts: Vec<_> = counts.collect();
            assert!(
                counts.windows(2).all(|two| two[0] == two[1]),
                "N={n} {set:?} {counts:?}"
            );
        }
    }
}

/// However a row set is cut, into parts, shares of the east and classes of the west to fit memory, or into samples, it has one
/// count; and so has its reversal.
#[test]
fn cuts_and_reversals_change_no_count() {
    for (n, step) in [(19, 20_000), (20, 40_000), (21, 150_000)] {
        let kernel = *kernels().last().unwrap();
        let whole = boards(n, kernel);
        let tight = [(0, 1 << 20), (1, 300), (3, 2000)]
            .map(|(class_bits, most)| Boards::new(n, kernel, Shape::tight(class_bits, most)));
        let mut scratch = Scratch::default();
        for set in row_sets(n, step) {
            let expected = count(&whole, set, &mut scratch, None);
            for boards in [&whole].into_iter().chain(&tight) {
                for set in [set, set.reversed(n)] {
                    // What another board prepared for is not there.
                    let got = count(boards, set, &mut Scratch::default(), None);
                    assert_eq!(got, expected, "N={n} {set:?} {:?}", boards.shape);
                    let samples = (0..boards.shape.samples()).map(Portion::Sample);
                    let got = count_all(boards, set, samples, &mut scratch, None);
                    assert_eq!(got, expected, "N={n} {set:?} {:?}", boards.shape);
                }
            }
        }
    }
}

/// Small enough for an interpreter that checks every access (miri); nothing here is for one CPU only.
#[test]
fn small_boards_are_counted_within_the_lists() {
    for n in 5..=6 {
        let boards = boards(n, Kernel::Portable);
        let mut scratch = Scratch::default();
        let total: u64 = row_sets(n, 1)
            .map(|set| count(&boards, set, &mut scratch, None))
            .sum();
        assert_eq!(u128::from(total), known(n as u32).unwrap().solutions);
    }
}

#[test]
fn statistics_add_up_and_change_nothing() {
    let boards = boards(15, kernels()[0]);
    let (mut scratch, mut stats) = (Scratch::default(), Stats::default());
    let counts = row_sets(15, 1).map(|set| count(&boards, set, &mut scratch, Some(&mut stats)));
    assert_eq!(
        u128::from(counts.sum::<u64>()),
        known(15).unwrap().solutions
    );
    assert_eq!(stats.row_sets, RowSets::new(15).len() as u64);
    assert!(stats.blocks > 0 && stats.fill() > 0.0 && stats.fill() <= 512.0);
    assert!(stats.pairs <= 512 * stats.visits && stats.visits <= stats.pairs);
    assert!(stats.lookups >= 2 * stats.visits && stats.lookups <= 9 * stats.visits);
}

#[test]
fn estimates_follow_the_work() {
    let boards = boards(16, kernels()[0]);
    let mut scratch = Scratch::default();
    let effort = |set: RowSet| {
        let mut stats = Stats::default();
        count(&boards, set, &mut scratch, Some(&mut stats));
        let work = (stats.east + stats.west + 2 * stats.visits) as f64;
        (work, set.estimate(16))
    };
    let (work, estimates): (Vec<_>, Vec<_>) = row_sets(16, 1).map(effort).unzip();
    assert!(estimates.iter().all(|&estimate| estimate > 0.0));
    // What a progress bar shows after the first third of the row sets.
    let third = |of: &[f64]| of[..of.len() / 3].iter().sum::<f64>() / of.iter().sum::<f64>();
    let (truth, shown) = (third(&work), third(&estimates));
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
    let fits = rest.iter().filter(|&&square| !attack(first, square));
    let others = placements(&fits.copied().collect::<Vec<_>>());
    found.extend(others.iter().map(|others| [&[first], &others[..]].concat()));
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

/// Patterns by rows, columns and long diagonals.
type Listed = BTreeMap<(u32, u32, usize), Vec<u64>>;

#[test]
fn quadrant_lists_are_those_of_brute_force() {
    for (n, (side, part)) in (5..=9).flat_map(|n| QUADRANTS.map(|quadrant| (n, quadrant))) {
        let layout = Layout::new(n);
        let (width, height) = (layout.width(side), layout.height(part));
        let top = if part == Part::North { 0 } else { n - height };
        let squares: Vec<Square> = (top..top + height)
            .flat_map(|r| (0..width).map(move |x| (r, x)))
            .collect();
        let mut expected = Listed::new();
        for placement in placements(&squares) {
            let rows = bits_of(placement.iter().map(|square| square.0 - top));
            let columns = bits_of(placement.iter().map(|square| square.1));
            if let Some((pattern, long)) = describe(&layout, side, &placement) {
                let list = expected.entry((rows, columns, long as usize));
                list.or_default().push(pattern);
            }
        }
        expected.values_mut().for_each(|list| list.sort_unstable());
        for kernel in kernels() {
            // Some are kept and some are not.
            let quadrant = Quadrant::new(&layout, side, part, kernel, height - 2);
            let mut got = Listed::new();
            let [mut lists, mut spare] = [RowLists::default(), RowLists::default()];
            for rows in 0..1u32 << height {
                quadrant.make(rows, &mut lists, &mut spare);
                let lists = quadrant.made(rows, &lists);
                for long in [Long::Free, Long::Taken] {
                    let sets = subsets(width, rows.count_ones() as usize);
                    for (columns, list) in sets.zip(lists.lists::<true>(long)) {
                        let list = (0..list.len()).map(|i| together(list.get(i)) & lists.named);
                        let list = sorted(list);
                        got.insert((rows, columns, long as usize), list);
                    }
                }
            }
            got.retain(|_, list| !list.is_empty());
            assert_eq!(got, expected, "N={n} {side:?} {part:?} {kernel}");
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
    found.values_mut().for_each(|list| list.sort_unstable());
    found
}

/// The task to append the half-boards of a row set with and without queens on a long diagonal in north and south.
struct JoinHalf<'a> {
    lists: (&'a RowLists, &'a RowLists),
    longs: (Long, Long),
    out: &'a mut List,
}

impl Task for JoinHalf<'_> {
    type Output = ();

    fn run<I: InstructionSet>(self, isa: I) {
        let mut end = self.out.end::<false>();
        half::join(isa, self.lists, &[self.longs], Wanted::ALL, &mut end);
        end.finish();
    }
}

#[test]
fn half_boards_are_those_of_brute_force() {
    for (n, side) in (5..=9).flat_map(|n| [(n, Side::East), (n, Side::West)]) {
        let layout = Layout::new(n);
        let [north, south] = [Part::North, Part::South]
            .map(|part| Quadrant::new(&layout, side, part, Kernel::Portable, n));
        let [mut lists, mut spare] = [RowLists::default(), RowLists::default()];
        let height = layout.height(Part::North);
        for rows in subsets(n, layout.width(side)).step_by(3) {
            let expected = half_boards(&layout, side, rows);
            let [(north, in_north), (south, in_south)] = [
                (&north, rows & ((1 << height) - 1)),
                (&south, rows >> height),
            ];
            north.make(in_north, &mut lists, &mut spare);
            south.make(in_south, &mut lists, &mut spare);
            let lists = (north.made(in_north, &lists), south.made(in_south, &lists));
            for class in [(false, false), (false, true), (true, false), (true, true)] {
                let long = |taken| if taken { Long::Taken } else { Long::Free };
                let wanted = expected.get(&class).cloned().unwrap_or_default();
                for kernel in kernels() {
                    let mut list = List::default();
                    let task = JoinHalf {
                        lists,
                        longs: (long(class.0), long(class.1)),
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
