//! Tests of the parts of a row set, and of the memory that a thread holds on large boards.

use std::alloc::{self, GlobalAlloc, System};
use std::cell::Cell;

use super::super::pattern::centre;
use super::super::size::memory;
use super::*;
use crate::engine::Engine;

thread_local! {
    /// Number of bytes that this thread has allocated, and its peak since the last [`reset`].
    static HELD: Cell<[usize; 2]> = const { Cell::new([0; 2]) };
    /// Least size of an allocation that fails, and the number of bytes that the last one asked for.
    static TOO_LARGE: Cell<usize> = const { Cell::new(usize::MAX) };
    static REFUSED: Cell<usize> = const { Cell::new(0) };
}

/// Adds to the number of bytes held. A thread may free what another has allocated.
fn hold(more: usize, less: usize) {
    // The number is not accessible while the thread ends.
    let _ = HELD.try_with(|held| {
        let [now, peak] = held.get();
        let now = now.saturating_add(more).saturating_sub(less);
        held.set([now, peak.max(now)]);
    });
}

/// Starts a new peak, and returns the number of bytes held.
fn reset() -> usize {
    let [now, _] = HELD.get();
    HELD.set([now; 2]);
    now
}

struct Counted;

#[global_allocator]
static COUNTED: Counted = Counted;

// SAFETY: every call is passed on to the allocator of the system.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: alloc::Layout) -> *mut u8 {
        hold(layout.size(), 0);
        // SAFETY: the caller keeps to the contract of this function, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: alloc::Layout) {
        hold(0, layout.size());
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: alloc::Layout, size: usize) -> *mut u8 {
        if TOO_LARGE.try_with(Cell::get).is_ok_and(|too_large| size >= too_large) {
            REFUSED.set(size - layout.size());
            return std::ptr::null_mut();
        }
        hold(size, layout.size());
        // SAFETY: as above.
        unsafe { System.realloc(at, layout, size) }
    }
}

/// Returns a row set with few, average or many northern rows.
fn samples(sets: &RowSets) -> impl Iterator<Item = RowSet> {
    let half = sets.n.div_ceil(2);
    [1, 2, 3].into_iter().filter_map(move |quarters| {
        let north = |set: &RowSet| (set.rows & ((1 << half) - 1)).count_ones() as usize;
        let mut all = (0..sets.len()).step_by(97).map(|rank| sets.get(rank));
        all.find(|set| north(set) == quarters * half / 4)
    })
}

/// Returns a solver that needs no more than the given memory, if possible.
fn solver(n: usize, memory: u64, cancel: &CancelToken) -> Solver {
    let kernel = Engine::Join.fastest_kernel();
    let options = Options::new((kernel, Isa::detect(kernel).unwrap()), 1);
    let options = Options { memory, cancel: cancel.clone(), ..options };
    Solver::new(&RowSets::new(n, centre(n)), &options)
}

/// On the largest boards, a single row set takes minutes.
#[test]
fn a_row_set_is_cancelled_between_its_parts() {
    let cancel = CancelToken::new();
    let (solver, mut scratch) = (solver(24, 0, &cancel), Scratch::default());
    let mut count = solver.row_set(solver.get(1_000), &mut scratch);
    count.build_lists().unwrap();
    let chunks = count.divide().unwrap();
    count.prepare_share(0, &chunks).unwrap();
    let sample = count.scratch.west.len();
    cancel.cancel();
    let cancelled = |result| matches!(result, Err(Interruption::Cancelled));
    assert!(cancelled(count.count_bucket(HalfSelection::ALL)));
    assert_eq!(count.scratch.west.len(), sample, "generated in vain");
    assert!(sample > 0 && cancelled(count.count_pairs(HalfSelection::ALL)));
}

/// A row set that runs out of memory is an error, after which the same lists count another one.
#[test]
fn a_lack_of_memory_is_an_error() {
    let (solver, mut scratch) = (solver(22, u64::MAX, &CancelToken::new()), Scratch::default());
    let set = solver.get(solver.row_sets.len() / 2);
    let expected = solver.row_set(set, &mut scratch).count().unwrap();
    for too_large in (1..=8).map(|size| size << 15) {
        let mut scratch = Scratch::default();
        TOO_LARGE.set(too_large);
        let count = solver.row_set(set, &mut scratch).count();
        TOO_LARGE.set(usize::MAX);
        let Err(Interruption::OutOfMemory { asked }) = count else { panic!("{count:?}") };
        assert_eq!(asked, REFUSED.get() as u64);
        assert_eq!(solver.row_set(set, &mut scratch).count().unwrap(), expected);
    }
}

/// Divides a row set into parts of about `most` half-boards of either side, given by a function of
/// the lists that are built first. The estimates are off by up to a half.
fn assert_divided(mut count: RowSetCount<'_>, most: impl Fn() -> usize) {
    count.build_lists().unwrap();
    let (set, most) = (count.set, most());
    let chunks = count.divide().unwrap();
    for share in 0..chunks.east {
        count.generate_east(HalfSelection::share(share, chunks.east), chunks.reserve).unwrap();
        let len = count.scratch.east[0].len();
        assert!(len < most + most / 2, "{set:?}: {len} in the east, {most} allowed");
    }
    for &bucket in chunks.west.iter().take(12) {
        count.generate_west(bucket).unwrap();
        let len = count.scratch.west.len();
        assert!(len < most + most / 2, "{set:?}: {len} in the west, {most} allowed");
    }
}

/// With the smallest accepted memory, the lists that all threads share fit in their part of it, and
/// those of row sets in the part of one thread, even if an earlier row set has filled that part.
#[test]
fn large_boards_stay_within_their_memory() {
    for n in 17..=26 {
        let mut solver = solver(n, 0, &CancelToken::new());
        let sets = solver.row_sets.clone();
        let [one, two] = [1, 2].map(|threads| memory(n, threads, 0) as usize);
        let (shared, own) = (2 * one - two, two - one);
        let most = [1, 16].map(|threads| MemoryLimits::new(n, threads, 0).max_half_boards(0));
        assert_eq!(most[0], most[1], "N={n}: each of 16 threads has the memory of one");
        let before = reset();
        solver.build_kept().unwrap();
        let kept = HELD.get()[1] - before;
        assert!(kept <= one && kept >= shared / 3, "N={n}: {kept} bytes of {shared}");
        let (before, mut scratch) = (reset(), Scratch::default());
        for set in samples(&sets).filter(|_| n <= 24) {
            solver.row_set(set, &mut scratch).count().unwrap();
            assert!(HELD.get()[1] - before <= own, "{set:?}: {own} bytes allowed");
        }
        for set in samples(&sets).filter(|_| !solver.limits.holds_all) {
            scratch = Scratch::default();
            let before = reset();
            scratch.west.resize(own / 8, 2).unwrap();
            let most = || (own - (HELD.get()[0] - before)) / 64;
            assert_divided(solver.row_set(set, &mut scratch), most);
            // A few lists are small enough to be built before the half-boards are freed.
            assert!(HELD.get()[1] - before <= own + own / 16, "{set:?}: {own} bytes allowed");
        }
        for set in samples(&sets).filter(|_| n == 21) {
            solver.limits = MemoryLimits::tight(2_000);
            assert_divided(solver.row_set(set, &mut Scratch::default()), || 2_000);
        }
    }
}
