//! Thread pool for counting. Its threads take subproblems from an iterator and send the results
//! through a channel.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Duration;

use crossbeam_channel::{bounded, unbounded};
use rayon::iter::{ParallelBridge, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::error::CountError;
use super::plan::Plan;
use crate::engine::{CancelOnDrop, CancelToken, Options, Stats, Stopped, Worker};
use crate::machine::{can_start_threads, max_running};

/// Size of the largest board that is counted on one thread by default. Starting more would take
/// longer than counting.
pub(super) const SMALL_N: u32 = 12;
/// Interval between progress updates.
const WATCH_EVERY: Duration = Duration::from_millis(20);

/// Starts a pool of `threads` threads, or of [`max_running`] if that is less. Returns an error
/// unless all start.
pub(super) fn pool(threads: usize) -> Result<ThreadPool, CountError> {
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads.min(max_running()))
        .thread_name(|i| format!("queens-{i}"))
        .build();
    pool.map_err(|error| CountError::Pool { threads, error: std::io::Error::other(error) })
}

/// Runs `work` on a new pool of `threads` threads. Meanwhile, calls `watch` on the current thread
/// about fifty times a second and once at the end. A panic in `watch` cancels the work.
///
/// If cancelled, returns without waiting for the work, which ends in the background. With many more
/// threads than cores, it can take a long time for every thread to be scheduled and to notice the
/// cancellation.
pub(super) fn watched<T: Send + 'static>(
    threads: usize,
    cancel: &CancelToken,
    work: impl FnOnce() -> Result<T, CountError> + Send + 'static,
    mut watch: impl FnMut(),
) -> Result<T, CountError> {
    let (ended, end) = bounded(1);
    pool(threads)?.spawn(move || {
        // The channel has no receiver once the work is cancelled.
        let _ = ended.send(catch_unwind(AssertUnwindSafe(work)));
    });
    let guard = CancelOnDrop(cancel);
    // Polling spares the workers the cost of waking this thread for each result.
    loop {
        let outcome = end.recv_timeout(WATCH_EVERY);
        watch();
        if let Ok(outcome) = outcome {
            std::mem::forget(guard);
            return outcome.unwrap_or_else(|panic| resume_unwind(panic));
        }
        if cancel.is_cancelled() {
            return Err(CountError::Cancelled);
        }
    }
}

/// Counts runs of subproblems, each on one thread. Passes new results to `take` on the current
/// thread about fifty times a second, even if there are none, and at the end. Returns statistics if
/// requested.
pub(super) fn solve<R: IntoIterator<Item = usize> + Send>(
    plan: &Plan,
    options: &Options,
    mut runs: impl Iterator<Item = R> + Send + 'static,
    mut take: impl FnMut(&mut dyn Iterator<Item = (usize, u64)>),
) -> Result<Option<Stats>, CountError> {
    let (results, arrived) = unbounded();
    let count = move |worker: &mut Worker<'_>, run: R| {
        for index in run {
            let count = worker.try_count(index, None)?;
            // The channel has no receiver once the count is cancelled.
            let _ = results.send((index, count));
        }
        Ok::<_, Stopped>(())
    };
    let threads = options.threads.count();
    if !can_start_threads() || (threads == 1 && plan.board().n() <= SMALL_N) {
        let solver = plan.cut.solver(options);
        let mut worker = solver.worker();
        let counted = runs.try_for_each(|run| count(&mut worker, run));
        take(&mut arrived.try_iter());
        return Ok(counted.map(|()| solver.stats())?);
    }
    let (cut, options) = (plan.cut.clone(), options.clone());
    let cancel = options.cancel.clone();
    let work = move || {
        let solver = cut.solver(&options);
        let runs = runs.par_bridge().panic_fuse(); // approximately in order
        runs.try_for_each_init(|| solver.worker(), count)?;
        Ok(solver.stats())
    };
    watched(threads, &cancel, work, || take(&mut arrived.try_iter()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::{Counter, Shard};

    #[test]
    fn the_callers_thread_counts_a_board_of_twelve() {
        let run = Counter::new(SMALL_N).unwrap().prepare().unwrap();
        let caller = std::thread::current().id();
        let runs = run.plan.runs(Shard::WHOLE, 1);
        let runs = runs.inspect(move |_| assert_eq!(std::thread::current().id(), caller));
        let mut done = 0;
        solve(&run.plan, &run.options, runs, |new| done += new.count()).unwrap();
        assert_eq!(done, run.plan.len());
    }
}
