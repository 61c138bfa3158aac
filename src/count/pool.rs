//! The threads of a count: a rayon pool that solves subproblems and hands results back as they come.

use std::panic::resume_unwind;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, Sender, bounded, unbounded};
use rayon::ThreadPool;
use rayon::prelude::*;

use super::error::CountError;
use super::plan::Plan;
use crate::engine::algorithm::{Setup, Solve, Work};
use crate::engine::{CancelToken, Kernel, Stats, Tally};
use crate::machine::{Threads, most_at_a_time};

/// Who counts what: a plan, and the threads and the kernel to count it with.
#[derive(Debug, Clone)]
pub(super) struct Team {
    pub(super) plan: Plan,
    pub(super) kernel: Kernel,
    pub(super) threads: Threads,
    /// The processors that the threads are pinned to, if any.
    pub(super) processors: Vec<usize>,
    pub(super) cancel: CancelToken,
}

/// How a team's work ended.
pub(super) enum Ended {
    /// All is counted; statistics where they were asked for.
    Complete(Option<Stats>),
    /// It was cancelled before that.
    Cancelled,
}

/// How often results are fetched and progress is told.
const WATCH_EVERY: Duration = Duration::from_millis(20);

impl Team {
    /// Starts the threads, solves the subproblems `pending` and hands results to `take` on this thread some fifty times a
    /// second, whether there are new ones or not, and once at the end. An error from `take` stops it all.
    ///
    /// When cancelled it does not wait for its threads: where they are many more than the cores, it takes long until each
    /// has had its turn to see it. They end by themselves.
    pub(super) fn count(
        &self,
        pending: Vec<usize>,
        with_stats: bool,
        mut take: impl FnMut(&mut dyn Iterator<Item = (usize, Tally)>) -> Result<(), CountError>,
    ) -> Result<Ended, CountError> {
        let (results, arrived) = unbounded();
        let (ended, end) = bounded::<()>(0);
        let (team, len) = (self.clone(), pending.len());
        let work = std::thread::spawn(move || {
            let _ended = ended; // dropped, and with it the channel closed, even if this thread panics
            team.solve(&pending, with_stats, &results)
        });
        let mut done = 0;
        // Results are fetched in batches rather than waited for, so that workers never have to wake this thread.
        loop {
            let at_end = end.recv_timeout(WATCH_EVERY) != Err(RecvTimeoutError::Timeout);
            take(&mut arrived.try_iter().inspect(|_| done += 1))
                .inspect_err(|_| self.cancel.cancel())?;
            if at_end {
                break;
            }
            if self.cancel.is_cancelled() {
                return Ok(Ended::Cancelled);
            }
        }
        let stats = work.join().unwrap_or_else(|panic| resume_unwind(panic))?;
        match done {
            _ if done == len => Ok(Ended::Complete(stats)),
            _ if self.cancel.is_cancelled() => Ok(Ended::Cancelled),
            _ => Err(CountError::Incomplete { done, len }),
        }
    }

    /// Solves everything, or what there is time for until cancelled.
    fn solve(
        &self,
        pending: &[usize],
        with_stats: bool,
        results: &Sender<(usize, Tally)>,
    ) -> Result<Option<Stats>, CountError> {
        let pool = pinned_pool(self.threads.count(), &self.processors)?;
        let ready = || {
            let setup = Setup {
                kernel: self.kernel,
                threads: self.threads.count(),
                stats: with_stats,
                mirrored: false,
            };
            self.plan.subproblems().ready(setup, &self.cancel)
        };
        let solver = pool.install(ready);
        run(&*solver, &pool, pending, &self.cancel, results);
        Ok(solver.stats())
    }
}

/// Solves the subproblems `pending` on all threads of `pool` and sends each that is done to `results`.
///
/// Returns when all are done or, within a fraction of a second, when cancelled or nothing receives results any more:
/// unfinished subproblems are dropped then.
fn run(
    solver: &dyn Solve,
    pool: &ThreadPool,
    pending: &[usize],
    cancel: &CancelToken,
    results: &Sender<(usize, Tally)>,
) {
    // Locked for as long as one part takes, and only ever by the thread it belongs to.
    let workers: Vec<Mutex<Box<dyn Work + '_>>> = (0..pool.current_num_threads())
        .map(|_| Mutex::new(solver.worker()))
        .collect();
    let gathers: Vec<Gather> = pending.iter().map(|&i| Gather::new(i, solver)).collect();
    let tasks: Vec<(u32, u32)> = gathers
        .iter()
        .enumerate()
        .flat_map(|(i, gather)| (0..gather.parts).map(move |part| (i as u32, part)))
        .collect();
    let solve = |&(i, part): &(u32, u32)| -> Option<()> {
        let gather = &gathers[i as usize];
        let thread = rayon::current_thread_index().expect("tasks run on the pool");
        let tally = lock(&workers[thread]).count(gather.index, part as usize, cancel)?;
        match gather.add(tally) {
            Some(finished) => results.send(finished).ok(),
            None => Some(()),
        }
    };
    // A task is large enough to be stolen alone.
    pool.install(|| {
        let _ = tasks.par_iter().with_max_len(1).try_for_each(solve);
    });
}

/// Brings the parts of one subproblem together.
struct Gather {
    index: usize,
    parts: u32,
    /// Parts seen, and their sum.
    seen: Mutex<(u32, Tally)>,
}

impl Gather {
    fn new(index: usize, solver: &dyn Solve) -> Self {
        Self {
            index,
            parts: solver.parts(index) as u32,
            seen: Mutex::default(),
        }
    }

    /// Adds a part; the last one completes the subproblem.
    fn add(&self, tally: Tally) -> Option<(usize, Tally)> {
        let mut seen = lock(&self.seen);
        seen.0 += 1;
        seen.1 += tally;
        (seen.0 == self.parts).then_some((self.index, seen.1))
    }
}

/// A panic elsewhere ends the whole count, so a poisoned lock has nothing more to say.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A pool of so many threads, or of as many as run at a time.
///
/// # Errors
///
/// [`CountError::Pool`] if they cannot be started.
pub(crate) fn pool(threads: usize) -> Result<ThreadPool, CountError> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.min(most_at_a_time()))
        .thread_name(|i| format!("queens-{i}"))
        .build()
        .map_err(|source| CountError::Pool { threads, source })
}

/// A pool whose threads are pinned to the processors in turn if there are any.
fn pinned_pool(threads: usize, processors: &[usize]) -> Result<ThreadPool, CountError> {
    let pool = pool(threads)?;
    if processors.is_empty() {
        return Ok(pool);
    }
    let pinned = pool.broadcast(|worker| {
        let id = processors[worker.index() % processors.len()];
        let core = core_affinity::CoreId { id };
        (id, core_affinity::set_for_current(core))
    });
    match pinned.iter().find(|(_, done)| !done) {
        Some(&(processor, _)) => Err(CountError::Pin { processor }),
        None => Ok(pool),
    }
}
