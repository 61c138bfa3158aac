//! The threads of a count: a rayon pool whose work stealing hands out subproblems, and a channel that brings the
//! results back.

use std::panic::resume_unwind;
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, unbounded};
use rayon::iter::{ParallelBridge, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::error::CountError;
use super::plan::Plan;
use crate::engine::{CancelOnDrop, CancelToken, Options, Solver, Stats, Stopped, Worker};
use crate::machine::most_at_a_time;

/// Boards up to this size are counted on one thread unless more are asked for: to start a thread takes as long.
pub(super) const SMALL_N: u32 = 12;
/// How often results are fetched and progress is told.
const WATCH_EVERY: Duration = Duration::from_millis(20);

/// A pool of so many threads, or of as many as run at a time: all of them have started, or there is an error.
pub(super) fn pool(threads: usize) -> Result<ThreadPool, CountError> {
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads.min(most_at_a_time()))
        .thread_name(|i| format!("queens-{i}"))
        .build();
    pool.map_err(|refused| CountError::Pool {
        threads,
        source: std::io::Error::other(refused),
    })
}

/// Has each item worked on by some thread of a pool, the first items first. The first error ends it all, and so does a
/// panic.
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

/// Does `work` on a thread of its own, and calls `watch` on this one about fifty times a second while it lasts and once
/// at its end. A panic in `watch` cancels the work.
///
/// Cancelled work is not waited for: where threads are many more than the cores, it takes long until each has had its
/// turn to see it. They end by themselves.
pub(super) fn watched<T: Send + 'static>(
    cancel: &CancelToken,
    work: impl FnOnce() -> Result<T, CountError> + Send + 'static,
    mut watch: impl FnMut(),
) -> Result<T, CountError> {
    let (ended, end) = unbounded::<()>();
    let thread = std::thread::Builder::new().spawn(move || {
        let _ended = ended; // dropped, and with it the channel closed, even if this thread panics
        work()
    });
    let thread = thread.map_err(|source| CountError::Pool { threads: 1, source })?;
    let guard = CancelOnDrop(cancel);
    // Results are fetched in batches rather than waited for, so that workers never have to wake this thread.
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

/// Counts subproblems of a plan, given as runs of neighbours that a thread takes together, and hands the results to
/// `take` on this thread about fifty times a second, whether there are new ones or not, and once at the end. Statistics
/// come where they were asked for.
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
            // Nobody receives it once the count is cancelled.
            let _ = results.send((index, count));
        }
        Ok(())
    };
    let threads = options.threads.count();
    if threads == 1 && plan.board().n() <= SMALL_N {
        // Done before another thread would have started.
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
