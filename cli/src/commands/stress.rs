//! `queens stress`: a check of the hardware. All cores count subproblems again and again, with every kernel that this CPU
//! can run, and compare with the counts that they are known to have.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Args;

use super::exit::{Signalled, WrongCount};
use super::options::{minutes, threads};
use super::output::print;
use super::signals;
use crate::report::human;
use queens::internals::{check, on_threads};
use queens::{Board, Engine, Kernel, Plan, Solver, Threads};

/// The board whose subproblems are counted: each takes some milliseconds, enough to warm a core up, and few enough to be
/// cancelled at once.
const N: u32 = 14;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Minutes to run for; fractions are accepted
    #[arg(long, value_name = "M", value_parser = minutes)]
    minutes: Duration,

    /// Number of threads, 1 to 4096 [default: the cores that this process may use]
    #[arg(long, short, value_name = "T", value_parser = threads())]
    threads: Option<usize>,
}

/// A kernel made ready, and the count of each subproblem.
struct Exercise {
    /// The engine and the kernel.
    name: String,
    solver: Solver,
    counts: Vec<u64>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let threads = Threads::of(arguments.threads)?;
    let cancel = signals::cancel_on_interrupt()?;
    let exercises = exercises(threads.count())?;
    let names: Vec<_> = exercises.iter().map(|exercise| &*exercise.name).collect();
    print(format_args!(
        "stress: {threads}, {}, kernels: {}",
        human::duration(arguments.minutes),
        names.join(", ")
    ))?;
    let started = Instant::now();
    let is_over = |_| cancel.is_cancelled() || started.elapsed() >= arguments.minutes;
    let (done, errors) = exercise_all(&exercises, threads.count(), is_over)?;
    print(format_args!(
        "stress: {} subproblems in {}, {errors} errors",
        human::integer(done as u128),
        human::duration(started.elapsed())
    ))?;
    if errors > 0 {
        let message = format!("{errors} of {done} counts are wrong: do not trust this machine");
        return Err(WrongCount(message).into());
    }
    if cancel.is_cancelled() {
        return Err(Signalled("stopped before the time was up".to_owned()).into());
    }
    Ok(())
}

/// Every kernel but the reference, which is there to be right and not to be fast, with counts whose sum is the published
/// total.
fn exercises(threads: usize) -> Result<Vec<Exercise>> {
    let mut exercises = Vec::new();
    let board = Board::new(N)?;
    for engine in Engine::all_for(&board) {
        let plan = Plan::new(board.clone(), engine)?;
        let kernels = engine.available_kernels();
        for kernel in kernels.filter(|&kernel| kernel != Kernel::Reference) {
            let solver = Solver::new(&plan, kernel, threads)?;
            let counts: Vec<u64> = {
                let mut worker = solver.worker();
                let places = 0..plan.len();
                places.map(|index| worker.count(index).count).collect()
            };
            let total = counts.iter().map(|&count| u128::from(count)).sum();
            let name = format!("{engine} {kernel}");
            let checked = check(&board, total);
            checked.with_context(|| format!("kernel {name}, before the stress"))?;
            exercises.push(Exercise {
                name,
                solver,
                counts,
            });
        }
    }
    Ok(exercises)
}

/// Counts until it is over, which may depend on the number of subproblems taken: how many were counted, and how many of the
/// counts are wrong.
fn exercise_all(
    exercises: &[Exercise],
    threads: usize,
    is_over: impl Fn(usize) -> bool + Sync,
) -> Result<(usize, usize)> {
    // All threads take from one list, so that a subproblem meets every core in time.
    let next = AtomicUsize::new(0);
    let of_threads = on_threads(threads, &[], |thread| {
        let mut workers: Vec<_> = exercises.iter().map(|e| e.solver.worker()).collect();
        let (mut done, mut errors) = (0, 0);
        loop {
            let turn = next.fetch_add(1, Ordering::Relaxed);
            if is_over(turn) {
                return (done, errors);
            }
            let which = turn % exercises.len();
            let Exercise { name, counts, .. } = &exercises[which];
            let index = turn / exercises.len() % counts.len();
            let (found, expected) = (workers[which].count(index).count, counts[index]);
            done += 1;
            if found != expected {
                errors += 1;
                // The error is counted even if this cannot be written.
                let _ = print(format_args!(
                    "WRONG: thread {thread}, kernel {name}, N = {N}, subproblem {index}: {found} instead of {expected}"
                ));
            }
        }
    })?;
    let sum = |(done, errors), (more, wrong)| (done + more, errors + wrong);
    Ok(of_threads.into_iter().fold((0, 0), sum))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One wrong expectation stands for one wrong count.
    #[test]
    fn a_wrong_count_is_an_error() {
        let mut exercises = exercises(2).unwrap();
        // So many turns that every kernel comes by its first subproblems once.
        let shortest = exercises.iter().map(|exercise| exercise.counts.len()).min();
        let once = exercises.len() * shortest.unwrap();
        let is_over = |turn| turn >= once;
        assert_eq!(exercise_all(&exercises, 2, is_over).unwrap(), (once, 0));
        for exercise in &mut exercises {
            exercise.counts[3] += 1;
        }
        let wrong = exercises.len();
        assert_eq!(exercise_all(&exercises, 2, is_over).unwrap(), (once, wrong));
    }
}
