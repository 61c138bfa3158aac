//! Runs the subproblems of a plan on a rayon pool.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_channel::Sender;
use rayon::ThreadPool;
use rayon::prelude::*;

use super::solver::{Scratch, Solver};
use crate::engine::{CancelToken, Tally};

/// A subproblem that is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finished {
    /// Its place in the plan.
    pub index: usize,
    /// What it contributes, weights of symmetry included.
    pub tally: Tally,
    /// How long it kept a thread busy; summed over its parts where several threads shared it.
    pub busy: Duration,
}

/// Solves the subproblems `pending` on all threads of `pool` and sends each that is done to `results`.
///
/// Returns when all are done or, within a fraction of a second, when `cancel` says so or nobody listens any more; what
/// was under way is dropped then.
pub fn run(
    solver: &Solver,
    pool: &ThreadPool,
    pending: &[usize],
    cancel: &CancelToken,
    results: &Sender<Finished>,
) {
    // Locked for as long as one part takes, and only ever by the worker it belongs to.
    let scratch: Vec<Mutex<Scratch>> = (0..pool.current_num_threads())
        .map(|_| Mutex::new(solver.scratch()))
        .collect();
    let gathers: Vec<Gather> = pending.iter().map(|&i| Gather::new(i, solver)).collect();
    let tasks: Vec<(u32, u32)> = gathers
        .iter()
        .enumerate()
        .flat_map(|(i, gather)| (0..gather.parts).map(move |part| (i as u32, part)))
        .collect();

    let solve = |&(i, part): &(u32, u32)| -> Option<()> {
        let gather = &gathers[i as usize];
        let worker = rayon::current_thread_index().expect("tasks run on the pool");
        let started = Instant::now();
        let tally = {
            let mut scratch = lock(&scratch[worker]);
            solver.solve_part(gather.index, part as usize, &mut scratch, cancel)?
        };
        match gather.add(tally, started.elapsed()) {
            Some(finished) => results.send(finished).ok(),
            None => Some(()),
        }
    };
    // A task is large enough to be stolen alone.
    pool.install(|| {
        let _ = tasks.par_iter().with_max_len(1).try_for_each(solve);
    });
    // A subproblem without parts, where the next column is closed, has no task that could report it.
    if !cancel.is_cancelled() {
        for gather in gathers.iter().filter(|gather| gather.parts == 0) {
            let _ = results.send(gather.empty());
        }
    }
}

/// Brings the parts of one subproblem together.
struct Gather {
    index: usize,
    parts: u32,
    /// Parts seen, and their sum. Unused where there is one part only.
    seen: Mutex<(u32, Tally, Duration)>,
}

impl Gather {
    fn new(index: usize, solver: &Solver) -> Self {
        Self {
            index,
            parts: solver.parts(index) as u32,
            seen: Mutex::default(),
        }
    }

    fn empty(&self) -> Finished {
        Finished {
            index: self.index,
            tally: Tally::default(),
            busy: Duration::ZERO,
        }
    }

    /// Adds a part; the last one completes the subproblem.
    fn add(&self, tally: Tally, busy: Duration) -> Option<Finished> {
        let mut seen = lock(&self.seen);
        seen.0 += 1;
        seen.1 += tally;
        seen.2 += busy;
        (seen.0 == self.parts).then_some(Finished {
            index: self.index,
            tally: seen.1,
            busy: seen.2,
        })
    }
}

/// A panic elsewhere ends the whole count, so a poisoned lock has nothing more to say.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
