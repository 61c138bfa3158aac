//! Thread pool for counting. Its threads take subproblems from an iterator and send the results
//! through a channel.

use std::panic::resume_unwind;
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, unbounded};
use rayon::iter::{ParallelBridge, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::error::CountError;
use super::plan::Plan;
use crate::engine::{CancelOnDrop, CancelToken, Options, Solver, Stats, Stopped, Worker};
use crate::machine::max_running;

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

/// Processes items on a pool of threads, approximately in order. Stops at the first error or panic.
pub(super) fn work_on<T: Send>(
    threads: usize,
    solver: &Solver,
    items: impl Iterator<Item = T> + Send,
    work: impl Fn(&mut Worker<'_>, T) -> Result<(), Stopped> + Send + Sync,
) -> Result<(), CountError> {
    let pool = pool(threads)?;
    let items = items.par_bridge().panic_fuse();
    let all = || items.try_for_each_init(|| solver.worker(), work);
    Ok(pool.install(all)?)
}

/// Runs `work` on a new thread. Meanwhile, calls `watch` on the current thread about fifty times a
/// second and once at the end. A panic in `watch` cancels the work.
///
/// If cancelled, returns without waiting for the work, which ends in the background. With many more
/// threads than cores, it can take a long time for every thread to be scheduled and to notice the
/// cancellation.
pub(super) fn watched<T: Send + 'static>(
    cancel: &CancelToken,
    work: impl FnOnce() -> Result<T, CountError> + Send + 'static,
    mut watch: impl FnMut(),
) -> Result<T, CountError> {
    let (ended, end) = unbounded::<()>();
    let thread = std::thread::Builder::new().spawn(move || {
        let _ended = ended; // dropping it closes the channel, even after a panic
        work()
    });
    let thread = thread.map_err(|error| CountError::Pool { threads: 1, error })?;
    let guard = CancelOnDrop(cancel);
    // Polling spares the workers the cost of waking this thread for each result.
    loop {
        let is_over = end.recv_timeout(WATCH_EVERY) != Err(RecvTimeoutError::Timeout);
        watch();
        if is_over {
            std::mem::forget(guard);
            return thread.join().unwrap_or_else(|panic| resume_unwind(panic));
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
    let cancel = options.cancel.clone();
    let count = move |worker: &mut Worker<'_>, run: R| {
        for index in run {
            let count = worker.try_count(index, None, &cancel)?;
            // The channel has no receiver once the count is cancelled.
            let _ = results.send((index, count));
        }
        Ok(())
    };
    let threads = options.threads.count();
    if threads == 1 && plan.board().n() <= SMALL_N {
        // Starting a thread would take longer than counting.
        let solver = plan.cut().solver(options);
        let mut worker = solver.worker();
        let counted = runs.try_for_each(|run| count(&mut worker, run));
        take(&mut arrived.try_iter());
        return Ok(counted.map(|()| solver.stats())?);
    }
    let (cut, options) = (plan.cut().clone(), options.clone());
    let cancel = options.cancel.clone();
    let work = move || {
        let solver = cut.solver(&options);
        work_on(threads, &solver, runs, count)?;
        Ok(solver.stats())
    };
    watched(&cancel, work, || take(&mut arrived.try_iter()))
}
