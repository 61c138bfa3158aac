//! The exact work of some counts. It reveals a slower algorithm where times are too noisy.

use super::*;
use crate::engine::join::stats::Stats;

/// Board size, and which row sets are counted, followed by the numbers of half-boards in the east
/// and west, censuses, blocks, patterns tested by filters, visits and look-ups.
const WORK: [(usize, usize, [u64; 7]); 3] = [
    (16, 1, [2_101_325, 4_075_942, 67, 7_530, 633_575, 4_325_366, 17_379_956]),
    (17, 1, [18_652_513, 10_435_322, 845, 44_231, 14_789_454, 23_317_813, 102_204_499]),
    (20, 1000, [1_031_009, 1_818_281, 471, 7_393, 11_795_566, 6_635_265, 31_641_865]),
];

/// The order of the patterns depends on the kernel: on its number of lanes, and on what it writes
/// after the end of a list, which a census can sample. The work depends on the order, so only the
/// kernel of arrays is tested, which 128-bit vectors of WebAssembly replace.
#[test]
fn work_changes_only_on_purpose() {
    for (n, step, expected) in WORK {
        let (solver, mut scratch) = (usual(n, KERNELS[0]), Scratch::default());
        let _of_other_tests = take_stats();
        for set in row_sets(n, step) {
            count(&solver, set, &mut scratch);
        }
        let Stats { east, west, censuses, blocks, filtered, visits, lookups, .. } = take_stats();
        let work = [east, west, censuses, blocks, filtered, visits, lookups];
        assert_eq!(work, expected, "N={n}: a commit that changes these numbers explains why");
    }
}
