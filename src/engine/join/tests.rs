//! Tests that compare counts of row sets with other methods, and the kernels with each other.

mod row_sets;
#[cfg(not(target_feature = "simd128"))]
mod work;

use super::KERNELS;
use super::pattern::{Layout, Part, Side, centre};
use super::quadrant::{Quadrant, RowLists};
use super::row_set::{Scratch, Solver};
use super::size::MemoryLimits;
use super::stats::take_stats;
use super::symmetry::{Comparison, RowSet, RowSets};
use crate::engine::choice::Kernel;
use crate::engine::simd::Isa;
use crate::engine::tests::kernels;
use crate::engine::{Engine, Options};
use crate::known;

/// Returns every `step`-th row set.
fn row_sets(n: usize, step: usize) -> impl Iterator<Item = RowSet> {
    let sets = RowSets::new(n, centre(n));
    (0..sets.len()).step_by(step).map(move |rank| sets.get(rank))
}

/// Returns a solver for one kernel, with the centre column in the given half.
fn solver(n: usize, centre: Side, kernel: Kernel, limits: MemoryLimits) -> Solver {
    let options = Options::new((kernel, Isa::detect(kernel).unwrap()), 1);
    Solver::with_limits(&RowSets::new(n, centre), limits, &options)
}

fn usual(n: usize, kernel: Kernel) -> Solver {
    solver(n, centre(n), kernel, MemoryLimits::new(n, 1, u64::MAX))
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
pub(super) fn centres(n: usize) -> &'static [Side] {
    &[Side::East, Side::West][..1 + n % 2]
}

fn count(solver: &Solver, set: RowSet, scratch: &mut Scratch) -> u64 {
    solver.row_set(set, scratch).count().unwrap()
}

/// Each kernel keeps all quadrant lists, or only those of few rows.
#[test]
fn kernels_agree_on_every_row_set() {
    // At N = 19, patterns have more than 32 bits, and queries are partitioned.
    let samples = (5..=13).map(|n| (n, 1)).chain([(18, 900), (19, 9000)]);
    for (n, step) in samples {
        let mut few = MemoryLimits::new(n, 1, u64::MAX);
        few.kept_rows = n / 2 - 1;
        let both = |kernel| [usual(n, kernel), solver(n, centre(n), kernel, few)];
        let solvers: Vec<_> = kernels(Engine::Join).into_iter().flat_map(both).collect();
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
        let kernel = Engine::Join.fastest_kernel();
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

/// The first third of the row sets, and those with west half-boards that leave the long diagonals
/// unoccupied, have the same share of the work as of the estimates, by a factor of at most 1.25.
#[test]
fn estimates_follow_the_work() {
    for n in [15, 16] {
        let (solver, mut scratch) = (usual(n, KERNELS[0]), Scratch::default());
        let _of_other_tests = take_stats();
        let third = RowSets::new(n, centre(n)).len() / 3;
        // Work and estimates of the row sets without and with each property.
        let mut sums = [[[0.0; 2]; 2]; 2];
        for (rank, set) in row_sets(n, 1).enumerate() {
            count(&solver, set, &mut scratch);
            let stats = take_stats();
            for (sums, has) in sums.iter_mut().zip([rank < third, set.free_weight() > 0]) {
                let [work, estimate] = &mut sums[usize::from(has)];
                *work += (stats.east + stats.west + 2 * stats.visits) as f64;
                *estimate += set.estimate();
            }
        }
        let ratio = |[without, with]: [[f64; 2]; 2]| with[0] / with[1] / (without[0] / without[1]);
        let ratios = sums.map(ratio);
        assert!(ratios.iter().all(|ratio| (0.8..1.25).contains(ratio)), "N={n}: {ratios:?}");
    }
}

/// Kept lists that use the last row are stored without high words if patterns are narrow.
/// The size of lists is estimated from those of one queen less.
#[test]
fn lists_are_not_built_beyond_a_limit() {
    let layout = Layout::new(20, Side::East);
    let isa = Isa::detect(KERNELS[0]).unwrap();
    let quadrant = Quadrant::new(&layout, Side::East, Part::North, isa, 0);
    let build = |max_bytes| {
        let [mut lists, mut spare] = [RowLists::default(), RowLists::default()];
        let is_built = quadrant.build(0b11111, &mut lists, &mut spare, max_bytes).unwrap();
        (is_built, lists.bytes())
    };
    let bytes = build(usize::MAX).1;
    assert!(!build(bytes / 3).0 && build(4 * bytes).0);
}
