//! Tests that compare every step with brute force, and the kernels with each other.

mod row_sets;

use std::cmp::Ordering;
use std::slice;

use super::KERNELS;
use super::half::{self, Group, Half, HalfLists, HalfSelection, Middle};
use super::list::List;
use super::pattern::{Layout, Part, Side, centre};
use super::quadrant::{LongDiagonals, Quadrant, RowLists};
use super::row_set::{Scratch, Solver};
use super::size::MemoryLimits;
use super::stats::take_stats;
use super::subsets::subsets;
use super::symmetry::{Comparison, RowSet, RowSets};
use crate::engine::choice::Kernel;
use crate::engine::simd::Isa;
use crate::engine::{Engine, Options};
use crate::known;

/// Returns the kernels that this CPU can run.
fn kernels() -> Vec<Kernel> {
    crate::engine::tests::kernels(Engine::Join)
}

/// Returns every `step`-th row set.
fn row_sets(n: usize, step: usize) -> impl Iterator<Item = RowSet> {
    let sets = RowSets::new(n, centre(n));
    (0..sets.len()).step_by(step).map(move |rank| sets.get(rank))
}

/// Returns a solver for one kernel, with the centre column in the given half.
fn solver(n: usize, centre: Side, kernel: Kernel, limits: MemoryLimits) -> Solver {
    let options = Options::new((kernel, instruction_set(kernel)), 1);
    Solver::with_limits(&RowSets::new(n, centre), limits, &options)
}

fn usual(n: usize, kernel: Kernel) -> Solver {
    solver(n, centre(n), kernel, MemoryLimits::new(n, 1, u64::MAX))
}

fn instruction_set(kernel: Kernel) -> Isa {
    Isa::detect(kernel).unwrap()
}

/// Counter of single row sets, with the centre column in either half and with or without rule 4 of
/// [`super::symmetry`].
struct RowSetCounter {
    solver: Solver,
    row_sets: RowSets,
    scratch: Scratch,
    reflects: bool,
}

impl RowSetCounter {
    fn new(n: u32, centre: Option<Side>, reflects: bool) -> Self {
        let n = n as usize;
        let centre = centre.unwrap_or(super::pattern::centre(n));
        let kernel = Engine::Join.fastest_kernel();
        let solver = solver(n, centre, kernel, MemoryLimits::new(n, 1, u64::MAX));
        let row_sets = RowSets::new(n, centre);
        Self { solver, row_sets, scratch: Scratch::default(), reflects }
    }

    fn row_sets(&self) -> usize {
        self.row_sets.len()
    }

    /// Returns the mask of the rows of the queens in the east half.
    fn rows(&self, index: usize) -> u32 {
        self.row_sets.get(index).rows
    }

    /// Returns the weighted number of solutions of a row set.
    fn count(&mut self, index: usize) -> u128 {
        let set = self.row_sets.get(index);
        let mut count = self.solver.row_set(set, &mut self.scratch);
        if !self.reflects {
            // Each solution equals its reflection if no columns are compared. If the west uses the
            // middle row, the lists of its north quadrant are cut, which are compared differently.
            let is_cut = set.n % 2 == 1 && set.complement().rows >> (set.n / 2) & 1 == 1;
            count.comparisons = count.comparisons.map(|comparison| {
                let part = if is_cut { Part::South } else { comparison.part };
                Comparison { part, columns: 0, rows: 0 }
            });
        }
        count.count().unwrap().into()
    }
}

/// Returns both choices for the half with the centre column, or only one for even N, where they are
/// the same.
fn centres(n: usize) -> &'static [Side] {
    &[Side::East, Side::West][..1 + n % 2]
}

fn count(solver: &Solver, set: RowSet, scratch: &mut Scratch) -> u64 {
    solver.row_set(set, scratch).count().unwrap()
}

#[test]
fn kernels_agree_on_every_row_set() {
    // At N = 19, patterns have more than 32 bits, and queries are partitioned.
    let samples = [(9, 1), (12, 1), (13, 1), (18, 900), (19, 9000)];
    for (n, step) in samples {
        let solvers: Vec<_> = kernels().into_iter().map(|kernel| usual(n, kernel)).collect();
        let mut scratch = Scratch::default();
        for set in row_sets(n, step) {
            let counts = solvers.iter().map(|solver| count(solver, set, &mut scratch));
            let counts: Vec<_> = counts.collect();
            assert!(counts.windows(2).all(|two| two[0] == two[1]), "N={n} {set:?} {counts:?}");
        }
    }
}

/// Checks that a row set and its reversal have the same count, whether they are divided into shares
/// and buckets or not.
#[test]
fn cuts_and_reversals_change_no_count() {
    for (n, step) in [(19, 20_000), (20, 40_000), (21, 150_000)] {
        let kernel = *kernels().last().unwrap();
        let whole = usual(n, kernel);
        let tight = [1 << 20, 300, 2000];
        let tight = tight.map(|max| solver(n, centre(n), kernel, MemoryLimits::tight(max)));
        let mut scratch = Scratch::default();
        for set in row_sets(n, step) {
            let expected = count(&whole, set, &mut scratch);
            for solver in [&whole].into_iter().chain(&tight) {
                for set in [set, set.reversed()] {
                    let got = count(solver, set, &mut Scratch::default());
                    assert_eq!(got, expected, "N={n} {set:?} {:?}", solver.limits);
                }
            }
        }
    }
}

/// Runs under Miri and does not depend on the CPU.
#[test]
fn small_boards_are_counted_within_the_lists() {
    for n in 5..=6 {
        let solver = usual(n, KERNELS[0]);
        let mut scratch = Scratch::default();
        let total: u64 = row_sets(n, 1).map(|set| count(&solver, set, &mut scratch)).sum();
        assert_eq!(u128::from(total), known::values(n as u32).unwrap().solutions);
    }
}

#[test]
fn statistics_add_up_and_change_nothing() {
    let solver = usual(15, kernels()[0]);
    let mut scratch = Scratch::default();
    let _of_other_tests = take_stats();
    let counts = row_sets(15, 1).map(|set| count(&solver, set, &mut scratch));
    assert_eq!(u128::from(counts.sum::<u64>()), known::values(15).unwrap().solutions);
    let stats = take_stats();
    assert_eq!(stats.row_sets, RowSets::new(15, centre(15)).len() as u64);
    assert!(stats.blocks > 0 && stats.filled > 0 && stats.filled <= 512 * stats.blocks);
    assert!(stats.pairs <= 512 * stats.visits && stats.visits <= stats.pairs);
    assert!(stats.lookups >= 2 * stats.visits && stats.lookups <= 9 * stats.visits);
}

#[test]
fn estimates_follow_the_work() {
    let solver = usual(16, kernels()[0]);
    let mut scratch = Scratch::default();
    let _of_other_tests = take_stats();
    let effort = |set: RowSet| {
        count(&solver, set, &mut scratch);
        let stats = take_stats();
        let work = (stats.east + stats.west + 2 * stats.visits) as f64;
        (work, set.estimate())
    };
    let (work, estimates): (Vec<_>, Vec<_>) = row_sets(16, 1).map(effort).unzip();
    assert!(estimates.iter().all(|&estimate| estimate > 0.0));
    // Compare the progress after the first third of the row sets.
    let third = |of: &[f64]| of[..of.len() / 3].iter().sum::<f64>() / of.iter().sum::<f64>();
    let (truth, shown) = (third(&work), third(&estimates));
    assert!((truth - shown).abs() < 0.05, "{truth} {shown}");
}

/// Square of a half or a quadrant: its row on the board and its column in the half.
type Square = (usize, usize);

fn attack(a: Square, b: Square) -> bool {
    a.0 == b.0 || a.1 == b.1 || a.0.abs_diff(b.0) == a.1.abs_diff(b.1)
}

/// Returns all sets of squares on which queens do not attack each other.
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

/// Returns the pattern and the kind of list that are expected for a placement, or `None` if it must
/// not be listed.
fn describe(layout: &Layout, side: Side, placement: &[Square]) -> Option<(u64, LongDiagonals)> {
    let mut pattern = 0;
    let mut long = LongDiagonals::Unoccupied;
    for &(r, x) in placement {
        pattern |= layout.square(side, r, x);
        if matches!(layout.long(side, r, x), (true, false)) {
            if side == Side::East {
                return None;
            }
            long = LongDiagonals::Occupied;
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

/// Returns both halves of the boards of the given sizes, with the centre column in either half.
fn halves(sizes: std::ops::RangeInclusive<usize>) -> impl Iterator<Item = (Layout, Side)> {
    let layouts = sizes.flat_map(|n| centres(n).iter().map(move |&centre| Layout::new(n, centre)));
    layouts.flat_map(|layout| [Side::East, Side::West].map(|side| (layout.clone(), side)))
}

/// Kept lists that use the last row are stored without high words if patterns are narrow.
#[test]
#[should_panic(expected = "out of range")]
fn high_words_that_were_not_kept_cannot_be_read() {
    let layout = Layout::new(8, Side::East);
    let height = layout.height(Part::North);
    let isa = instruction_set(KERNELS[0]);
    let quadrant = Quadrant::new(&layout, Side::East, Part::North, isa, height);
    let [mut lists, mut spare] = [RowLists::default(), RowLists::default()];
    let rows = (1 << height) - 1;
    quadrant.build(rows, &mut lists, &mut spare, usize::MAX).unwrap();
    let quadrants = quadrant.built(rows, &lists);
    quadrants.of::<1>(LongDiagonals::Unoccupied, 1);
    quadrants.of::<2>(LongDiagonals::Unoccupied, 1);
}

/// A half-board: its squares, its pattern, and whether its north and south quadrants occupy a long
/// diagonal.
struct HalfBoard {
    squares: Vec<Square>,
    pattern: u64,
    longs: (LongDiagonals, LongDiagonals),
}

/// Returns all half-boards that use exactly the given rows.
fn half_boards(layout: &Layout, side: Side, rows: u32) -> Vec<HalfBoard> {
    let rows = (0..layout.n).filter(|r| rows >> r & 1 == 1);
    let squares: Vec<Square> =
        rows.flat_map(|r| (0..layout.width(side)).map(move |x| (r, x))).collect();
    let mut found = Vec::new();
    for squares in placements(&squares) {
        if squares.len() != layout.width(side) {
            continue;
        }
        let is_north = |square: &Square| square.0 < layout.height(Part::North);
        let (north, south): (Vec<_>, Vec<_>) = squares.iter().copied().partition(is_north);
        let halves = [north, south].map(|squares| describe(layout, side, &squares));
        if let [Some(north), Some(south)] = halves {
            assert_eq!(north.0 & south.0, 0, "non-attacking halves are disjoint");
            found.push(HalfBoard {
                squares,
                pattern: north.0 | south.0,
                longs: (north.1, south.1),
            });
        }
    }
    found
}

/// Also covers quadrants. Some of their lists are kept and others are not.
#[test]
fn half_boards_match_brute_force() {
    use LongDiagonals::{Occupied, Unoccupied};
    let kernels = kernels().into_iter().map(instruction_set);
    let kernels: Vec<_> = kernels.collect();
    let halves = halves(5..=9).flat_map(|half| kernels.iter().map(move |&isa| (half.clone(), isa)));
    for ((layout, side), isa) in halves {
        let n = layout.n;
        let half = Half::new(&layout, side, isa, layout.height(Part::South) - 1);
        let (mut lists, mut spare) = (HalfLists::default(), RowLists::default());
        for rows in subsets(n, layout.width(side)).step_by(3) {
            half.build(rows, &mut lists, &mut spare, usize::MAX).unwrap();
            let quadrants = half.built(&lists);
            let check = |groups: &[Group], expected: &[&HalfBoard]| {
                let expected = sorted(expected.iter().map(|board| board.pattern));
                let mut list = List::default();
                list.resize(0, 1).unwrap();
                half::join(isa, quadrants, groups, HalfSelection::ALL, &mut list).unwrap();
                let found = sorted(list.iter::<1>());
                assert_eq!(found, expected, "{groups:?} {isa:?}");
            };
            let all = half_boards(&layout, side, rows);
            let has_centre = |board: &HalfBoard| {
                let mut squares = board.squares.iter();
                squares.any(|&(r, x)| layout.long(side, r, x).0 && layout.long(side, r, x).1)
            };
            let of = |longs, centre| -> Vec<&HalfBoard> {
                let boards = all.iter();
                let is_one =
                    |board: &&HalfBoard| board.longs == longs && has_centre(board) == centre;
                boards.filter(is_one).collect()
            };
            let free = quadrants.group((Unoccupied, Unoccupied));
            check(slice::from_ref(&free), &of((Unoccupied, Unoccupied), false));
            if quadrants.north.is_sliced() {
                let centre = Group { middle: Middle::Centre, ..free };
                check(&[centre], &of((Unoccupied, Unoccupied), true));
            }
            if side == Side::East {
                continue;
            }
            check(&[quadrants.group((Occupied, Occupied))], &of((Occupied, Occupied), false));
            let one = [(Occupied, Unoccupied), (Unoccupied, Occupied)];
            let one = one.map(|longs| {
                let boards = of(longs, false);
                check(&[quadrants.group(longs)], &boards);
                boards
            });
            let mut reflected = vec![(false, one)];
            if layout.has_centre_column(side) && rows >> (n / 2) & 1 == 0 {
                let is_south =
                    |board: &&HalfBoard| board.squares.iter().any(|&(r, x)| x == 0 && r > n / 2);
                let (south, north) =
                    of((Unoccupied, Unoccupied), false).into_iter().partition(is_south);
                reflected.push((true, [south, north]));
            }
            let comparisons = RowSet { n, rows }.complement().comparisons();
            for (free, boards) in reflected {
                let [mut equal, mut greater] = [Vec::new(), Vec::new()];
                for (boards, comparison) in boards.into_iter().zip(comparisons) {
                    for board in boards {
                        let squares = board.squares.iter().filter(|square| match comparison.part {
                            Part::North => square.0 < n / 2,
                            Part::South => square.0 >= n.div_ceil(2),
                        });
                        let columns = bits_of(squares.map(|square| square.1)) & comparison.columns;
                        match columns.cmp(&comparison.rows) {
                            Ordering::Greater => greater.push(board),
                            Ordering::Equal => equal.push(board),
                            Ordering::Less => (),
                        }
                    }
                }
                let groups = quadrants.by_reflection(comparisons, free);
                check(&groups[0], &equal);
                check(&groups[1], &greater);
            }
        }
    }
}
