//! The threads of a count, which solve subproblems and hand results back as they come.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crossbeam_channel::{RecvTimeoutError, Sender, unbounded};

use super::crew::{lock, on_threads};
use super::error::CountError;
use super::plan::Plan;
use crate::engine::algorithm::{Setup, Solve};
use crate::engine::{CancelToken, Kernel, Stats, Tally};
use crate::machine::{Threads, most_at_a_time};

/// Who counts what: a plan, and the threads and the kernel to count it with.
#[derive(Debug, Clone)]
pub(super) struct Team {
    pub(super) plan: Plan,
    pub(super) kernel: Kernel,
    /// Whether each subproblem's mirror image is counted.
    pub(super) mirrored: bool,
    pub(super) threads: Threads,
    /// Bytes of memory that may be taken, about.
    pub(super) memory: u64,
    pub(super) cancel: CancelToken,
}

/// How a team's work ended.
pub(super) enum Ended {
    /// All is counted; statistics where they were asked for.
    Complete(Option<Stats>),
    /// It was cancelled before that.
    Cancelled,
}

/// A subproblem that was counted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Solved {
    pub(super) index: usize,
    pub(super) tally: Tally,
    /// The time that threads took for it.
    pub(super) spent: Duration,
}

/// A part of a subproblem, or all of it, and the time that threads have taken for it so far.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    pub(super) index: usize,
    /// How much of the subproblem it is; 1 is all of it.
    pub(super) share: f64,
    pub(super) spent: Duration,
}

/// What has been begun and is not done.
#[derive(Debug, Default)]
pub(super) struct Underway {
    /// What each thread is counting.
    pub(super) running: Vec<Piece>,
    /// Parts that are done of subproblems that are not.
    pub(super) parts: Vec<Piece>,
}

/// Boards up to this size are counted on one thread unless more are asked for: to start a thread takes as long.
pub(super) const SMALL_N: u32 = 12;

/// How often results are fetched and progress is told.
pub(super) const WATCH_EVERY: Duration = Duration::from_millis(20);

impl Team {
    /// How many threads run at a time.
    pub(super) fn size(&self) -> usize {
        self.threads.count().min(most_at_a_time())
    }

    /// Starts the threads, solves the subproblems `pending` in their order and hands results to `take` on this thread about
    /// fifty times a second, whether there are new ones or not, and once at the end. An error from `take` stops it all.
    ///
    /// When cancelled it does not wait for its threads: where they are many more than the cores, it takes long until each
    /// has had its turn to see it. They end by themselves.
    pub(super) fn count(
        &self,
        pending: impl Iterator<Item = usize> + Send + 'static,
        with_stats: bool,
        mut take: impl FnMut(&mut dyn Iterator<Item = Solved>, &Underway) -> Result<(), CountError>,
    ) -> Result<Ended, CountError> {
        let (results, arrived) = unbounded();
        let schedule = Arc::new(Mutex::new(Schedule::new(pending)));
        let mut done = 0;
        if self.is_quick() {
            let solver = self.ready(with_stats);
            work(&*solver, &schedule, 0, &self.cancel, &results);
            let mut solved = arrived.try_iter().inspect(|_| done += 1);
            take(&mut solved, &Underway::default())?;
            drop(solved);
            return self.ended(done, &schedule, solver.stats());
        }
        let (ended, end) = unbounded::<()>();
        let (team, shared) = (self.clone(), Arc::clone(&schedule));
        let work = std::thread::Builder::new().spawn(move || {
            let _ended = ended; // dropped, and with it the channel closed, even if this thread panics
            team.solve(&shared, with_stats, &results)
        });
        let threads = self.threads.count();
        let work = work.map_err(|source| CountError::Pool { threads, source })?;
        // Results are fetched in batches rather than waited for, so that workers never have to wake this thread.
        loop {
            let at_end = end.recv_timeout(WATCH_EVERY) != Err(RecvTimeoutError::Timeout);
            let underway = lock(&schedule).underway();
            take(&mut arrived.try_iter().inspect(|_| done += 1), &underway)
                .inspect_err(|_| self.cancel.cancel())?;
            if at_end {
                break;
            }
            if self.cancel.is_cancelled() {
                return Ok(Ended::Cancelled);
            }
        }
        let stats = work.join().unwrap_or_else(|panic| resume_unwind(panic))?;
        self.ended(done, &schedule, stats)
    }

    /// How work ended of which so many subproblems are done.
    fn ended(
        &self,
        done: usize,
        schedule: &Mutex<Schedule>,
        stats: Option<Stats>,
    ) -> Result<Ended, CountError> {
        match lock(schedule).begun {
            _ if self.cancel.is_cancelled() => Ok(Ended::Cancelled),
            len if done == len => Ok(Ended::Complete(stats)),
            len => Err(CountError::Incomplete { done, len }),
        }
    }

    /// Whether the calling thread is to count by itself: one thread is asked for, and is done before another would have
    /// started.
    fn is_quick(&self) -> bool {
        let is_small = self.plan.board().n() <= SMALL_N;
        is_small && self.threads.count() == 1
    }

    /// The subproblems made ready for these threads.
    pub(super) fn ready(&self, stats: bool) -> Box<dyn Solve> {
        let setup = Setup {
            kernel: self.kernel,
            threads: self.threads.count(),
            memory: self.memory,
            stats,
            mirrored: self.mirrored,
        };
        self.plan.subproblems().ready(setup, &self.cancel)
    }

    /// Does `work` on all of the threads.
    pub(super) fn on_threads<T: Send>(
        &self,
        work: impl Fn(usize) -> T + Sync,
    ) -> Result<Vec<T>, CountError> {
        on_threads(self.threads.count(), work)
    }

    /// Solves everything, or what there is time for until cancelled.
    fn solve(
        &self,
        schedule: &Mutex<Schedule>,
        with_stats: bool,
        results: &Sender<Solved>,
    ) -> Result<Option<Stats>, CountError> {
        let solver = self.ready(with_stats);
        self.on_threads(|thread| {
            let _ending = Ending(schedule);
            work(&*solver, schedule, thread, &self.cancel, results)
        })?;
        Ok(solver.stats())
    }
}

/// One thread's work: solves part after part until there is none, or it is cancelled, or nothing receives results any more.
fn work(
    solver: &dyn Solve,
    schedule: &Mutex<Schedule>,
    thread: usize,
    cancel: &CancelToken,
    results: &Sender<Solved>,
) -> Option<()> {
    let mut worker = solver.worker();
    loop {
        let Some((shared, part)) = lock(schedule).next(thread, solver) else {
            return Some(());
        };
        let started = Instant::now();
        #[cfg_attr(not(feature = "faults"), expect(unused_mut))]
        let mut tally = worker.count(shared.index, part, cancel)?;
        #[cfg(feature = "faults")]
        crate::machine::faults::count(&mut tally.count);
        let share = solver.part_share(part);
        if let Some(solved) = shared.add(share, tally, started.elapsed()) {
            results.send(solved).ok()?;
        }
    }
}

/// Has the other threads end soon if this one panics.
struct Ending<'a>(&'a Mutex<Schedule>);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            lock(self.0).abandon();
        }
    }
}

/// What is to be counted, and what is being counted.
struct Schedule {
    pending: Box<dyn Iterator<Item = usize> + Send>,
    /// Number of subproblems begun.
    begun: usize,
    /// Subproblems of which parts are to be begun.
    open: Vec<Arc<Shared>>,
    /// What each thread is counting, and since when.
    running: BTreeMap<usize, Running>,
}

struct Running {
    shared: Arc<Shared>,
    share: f64,
    since: Instant,
}

impl Schedule {
    fn new(pending: impl Iterator<Item = usize> + Send + 'static) -> Self {
        Self {
            pending: Box::new(pending),
            begun: 0,
            open: Vec::new(),
            running: BTreeMap::new(),
        }
    }

    /// What a thread is to count next: another part of the same subproblem, whose preparation it has at hand; else the next
    /// subproblem; else a part of one that another thread has begun.
    fn next(&mut self, thread: usize, solver: &dyn Solve) -> Option<(Arc<Shared>, usize)> {
        let same = self.running.remove(&thread).map(|running| running.shared);
        let same = same.filter(|shared| shared.left() > 0);
        let shared = same
            .or_else(|| self.begin(solver))
            .or_else(|| self.open.iter().max_by_key(|open| open.left()).cloned())?;
        let part = shared.begun.fetch_add(1, Ordering::Relaxed);
        if shared.parts > 1 {
            self.open.retain(|open| open.left() > 0);
        }
        let running = Running {
            shared: Arc::clone(&shared),
            share: solver.part_share(part),
            since: Instant::now(),
        };
        self.running.insert(thread, running);
        Some((shared, part))
    }

    /// Begins a subproblem.
    fn begin(&mut self, solver: &dyn Solve) -> Option<Arc<Shared>> {
        let index = self.pending.next()?;
        self.begun += 1;
        let shared = Arc::new(Shared {
            index,
            parts: solver.parts(index),
            begun: AtomicUsize::new(0),
            done: Mutex::default(),
        });
        if shared.parts > 1 {
            self.open.push(Arc::clone(&shared));
        }
        Some(shared)
    }

    /// Leaves all that has not been begun.
    fn abandon(&mut self) {
        self.pending = Box::new(std::iter::empty());
        self.open.clear();
    }

    fn underway(&self) -> Underway {
        let mut underway = Underway::default();
        let mut seen: Vec<&Arc<Shared>> = Vec::new();
        for Running {
            shared,
            share,
            since,
        } in self.running.values()
        {
            let piece = |share, spent| Piece {
                index: shared.index,
                share,
                spent,
            };
            underway.running.push(piece(*share, since.elapsed()));
            if shared.parts > 1 && !seen.iter().any(|other| Arc::ptr_eq(other, shared)) {
                seen.push(shared);
                let Done { share, spent, .. } = *lock(&shared.done);
                underway.parts.push(piece(share, spent));
            }
        }
        underway
    }
}

/// A subproblem that threads may share: brings its parts together.
struct Shared {
    index: usize,
    parts: usize,
    /// Parts begun. Changes only while the schedule is locked.
    begun: AtomicUsize,
    done: Mutex<Done>,
}

/// The parts that are done of a subproblem, and what they come to.
#[derive(Default)]
struct Done {
    parts: usize,
    share: f64,
    tally: Tally,
    spent: Duration,
}

impl Shared {
    /// Parts that have not been begun.
    fn left(&self) -> usize {
        self.parts - self.begun.load(Ordering::Relaxed)
    }

    /// Adds a part; the last one completes the subproblem.
    fn add(&self, share: f64, tally: Tally, spent: Duration) -> Option<Solved> {
        let mut done = lock(&self.done);
        done.parts += 1;
        done.share += share;
        done.tally += tally;
        done.spent += spent;
        (done.parts == self.parts).then_some(Solved {
            index: self.index,
            tally: done.tally,
            spent: done.spent,
        })
    }
}

#[cfg(test)]
mod tests;
