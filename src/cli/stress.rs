//! `queens stress`: a check of the hardware. All cores count subproblems over and over, with every kernel that this CPU can
//! run, and compare with what they are known to come to.

use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::report::human;
use crate::{Board, Engine, Kernel, Plan, Solver, Threads, count::verify};
use anyhow::{Context, Result};
use clap::Args;

use super::exit::{Disagreement, Signalled};
use super::options::threads;
use super::output::print;
use super::signals;

/// The board whose subproblems are counted: each takes some milliseconds, enough to warm a core up, and few enough to
/// notice an order to stop at once.
const N: u32 = 14;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Minutes to run for; fractions are accepted
    #[arg(long, value_name = "M", value_parser = minutes, allow_hyphen_values = true)]
    minutes: Duration,

    /// Number of threads, 1 to 4096 [default: the cores that this process may use]
    #[arg(long, value_name = "T", value_parser = threads, allow_hyphen_values = true)]
    threads: Option<usize>,
}

/// A kernel made ready, and what each subproblem comes to.
struct Exercise {
    engine: Engine,
    kernel: Kernel,
    solver: Solver,
    counts: Vec<u64>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let threads = match arguments.threads {
        Some(count) => Threads::exactly(count)?,
        None => Threads::usable(),
    };
    let cancel = signals::cancel_on_interrupt()?;
    let exercises = exercises(threads.count())?;
    let names: Vec<_> = exercises
        .iter()
        .map(|exercise| format!("{} {}", exercise.engine, exercise.kernel))
        .collect();
    print(format_args!(
        "stress: {threads}, {}, kernels: {}",
        human::seconds(arguments.minutes.as_secs_f64()),
        names.join(", ")
    ))?;
    let started = Instant::now();
    let end = started + arguments.minutes;
    let is_over = |_| cancel.is_cancelled() || Instant::now() >= end;
    let (done, errors) = exercise_all(&exercises, threads.count(), is_over)?;
    print(format_args!(
        "stress: {} subproblems in {}, {errors} errors",
        human::integer(done as u128),
        human::seconds(started.elapsed().as_secs_f64())
    ))?;
    if errors > 0 {
        let message =
            format!("{errors} of {done} subproblems came out wrong: do not trust this machine");
        return Err(Disagreement(message).into());
    }
    if cancel.is_cancelled() {
        return Err(Signalled("stopped before the time was up".to_owned()).into());
    }
    Ok(())
}

/// Every kernel but the reference, which is there to be right and not to be fast, with counts that add up to what is
/// published.
fn exercises(threads: usize) -> Result<Vec<Exercise>> {
    let mut exercises = Vec::new();
    for engine in Engine::ALL {
        let board = Board::new(N)?;
        let plan = Plan::new(board.clone(), engine)?;
        for &kernel in engine.available_kernels() {
            if kernel == Kernel::Reference {
                continue;
            }
            let solver = Solver::new(&plan, kernel, threads)?;
            let mut scratch = solver.scratch();
            let counts: Vec<u64> = (0..plan.len())
                .map(|index| solver.solve(index, &mut scratch).count)
                .collect();
            let total = counts.iter().map(|&count| u128::from(count)).sum();
            verify::check(&board, total)
                .map_err(|mismatch| Disagreement(mismatch.to_string()))
                .with_context(|| format!("engine {engine}, kernel {kernel}, before the stress"))?;
            exercises.push(Exercise {
                engine,
                kernel,
                solver,
                counts,
            });
        }
    }
    Ok(exercises)
}

/// Counts until it is over, which may depend on the number of subproblems taken: how many were counted, and how many came
/// out wrong.
fn exercise_all(
    exercises: &[Exercise],
    threads: usize,
    is_over: impl Fn(usize) -> bool + Sync,
) -> Result<(usize, usize)> {
    let (next, done, errors) = (
        AtomicUsize::new(0),
        AtomicUsize::new(0),
        AtomicUsize::new(0),
    );
    let output = Mutex::new(std::io::stdout());
    let work = |thread: usize| {
        let mut scratch: Vec<_> = exercises.iter().map(|e| e.solver.scratch()).collect();
        loop {
            // All threads take from one list, so that a subproblem meets every core in time.
            let turn = next.fetch_add(1, Ordering::Relaxed);
            if is_over(turn) {
                return;
            }
            let which = turn % exercises.len();
            let exercise = &exercises[which];
            let index = turn / exercises.len() % exercise.counts.len();
            let found = exercise.solver.solve(index, &mut scratch[which]).count;
            done.fetch_add(1, Ordering::Relaxed);
            let expected = exercise.counts[index];
            if found != expected {
                errors.fetch_add(1, Ordering::Relaxed);
                let Exercise { engine, kernel, .. } = exercise;
                let line = format!(
                    "WRONG: thread {thread}, engine {engine}, kernel {kernel}, N = {N}, subproblem {index}: \
                     {found} instead of {expected}"
                );
                let mut output = output
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner);
                let _ = writeln!(output, "{line}"); // the errors are counted though nobody may read them
            }
        }
    };
    std::thread::scope(|scope| -> Result<()> {
        let work = &work;
        for thread in 0..threads {
            std::thread::Builder::new()
                .name(format!("stress-{thread}"))
                .spawn_scoped(scope, move || work(thread))
                .with_context(|| format!("--threads: {threads} threads could not be started"))?;
        }
        Ok(())
    })?;
    Ok((done.into_inner(), errors.into_inner()))
}

fn minutes(text: &str) -> Result<Duration, String> {
    let number = text.parse().ok().filter(|m| *m > 0.0 && *m <= 1e6);
    number
        .map(|minutes: f64| Duration::from_secs_f64(60.0 * minutes))
        .ok_or_else(|| "accepted: a number of minutes above 0, up to 1e6".to_owned())
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
