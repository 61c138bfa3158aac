//! `queens selftest`: prints the build, and checks whether this machine counts correctly.
//!
//! Checking every kernel that the CPU supports takes a few seconds. With `--minutes`, all cores
//! then count for the given time, as a stress test of the hardware.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use queens::machine::{self, Environment};
use queens::{Board, CountError, Counter, Engine, EngineError, Kernel};

use crate::exit::{Failure, Result, open_pipe};
use crate::human;
use crate::options::{minutes, threads};
use crate::output::print;
use crate::progress::{Line, waiting};
use crate::signals;

/// Largest board size counted with each kernel, on one thread and on all. The slowest kernel needs
/// about a second.
const LARGEST: u32 = 13;
/// Board size counted repeatedly by the stress test. It keeps every core busy and takes at most
/// about a second.
const REPEATED: u32 = 15;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Then stress the hardware for M minutes (may be fractional): count on all cores with each
    /// kernel in turn, at least once
    #[arg(long, value_name = "M", value_parser = minutes)]
    minutes: Option<Duration>,

    /// Set the number of threads, 1 to 4096 [default: one per available core]
    #[arg(long, short, value_name = "T", value_parser = threads())]
    threads: Option<usize>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let threads = machine::threads(arguments.threads)?;
    let here = Environment::here();
    let (os, architecture) = (std::env::consts::OS, std::env::consts::ARCH);
    say(format_args!("queens {}, commit {}", here.version, env!("QUEENS_COMMIT")))?;
    say(format_args!("{}, {os}-{architecture}", here.compiler))?;
    say(format_args!("{}, {}", here.cpu, human::plural(threads, "thread")))?;
    let kernels = check_kernels(threads)?;
    match arguments.minutes {
        Some(time) => check_hardware(&kernels, threads, time),
        None => Ok(()),
    }
}

/// Checks every kernel, and returns those that this CPU supports.
fn check_kernels(threads: usize) -> Result<Vec<(Engine, Kernel)>> {
    let (mut right, mut wrong) = (Vec::new(), 0);
    for engine in Engine::all_for(&Board::new(LARGEST)?) {
        for &kernel in engine.kernels() {
            if (kernel == Kernel::Neon) == cfg!(target_arch = "x86_64") && !engine.can_run(kernel) {
                continue; // for another architecture
            }
            let waiting = waiting(format!("engine {engine}, kernel {kernel}"));
            let checked = check_kernel(engine, kernel, threads);
            drop(waiting);
            let verdict = match checked {
                Ok(()) => {
                    right.push((engine, kernel));
                    format!("correct for N = {} to {LARGEST}", engine.sizes().start())
                }
                Err(error) if is_wrong_total(&error) => {
                    wrong += 1;
                    format!("WRONG: {error}")
                }
                Err(CountError::Engine(EngineError::Unavailable { .. })) => {
                    "skipped: not supported by this CPU".to_owned()
                }
                Err(error) => return Err(error.into()),
            };
            say(format_args!("engine {engine}, kernel {kernel}: {verdict}"))?;
        }
    }
    if wrong > 0 {
        let message = format!("{wrong} kernels give wrong counts on this machine");
        return Err(Failure::contradiction(message));
    }
    Ok(right)
}

/// Prints a line. The test goes on without a reader, since its exit code is a verdict too.
fn say(line: impl Display) -> Result<()> {
    print(line).or_else(open_pipe)
}

/// Counts all boards up to [`LARGEST`] with a kernel, and stops at the first wrong total.
fn check_kernel(engine: Engine, kernel: Kernel, threads: usize) -> Result<(), CountError> {
    for n in *engine.sizes().start()..=LARGEST {
        for threads in [1, threads] {
            let counter = Counter::new(n)?.engine(engine).kernel(kernel);
            counter.threads(threads).run()?;
        }
    }
    Ok(())
}

/// Whether an error means that the kernel or the hardware miscounted. All boards counted here have
/// published totals.
fn is_wrong_total(error: &CountError) -> bool {
    matches!(error, CountError::Mismatch(_) | CountError::Contradiction(_))
}

/// Counts with each kernel in turn, except the reference, which is too slow to stress a CPU. Stops
/// when the time is up, but not before every kernel has counted once.
fn check_hardware(kernels: &[(Engine, Kernel)], threads: usize, time: Duration) -> Result<()> {
    let cancel = signals::cancel_on_interrupt()?;
    let started = Instant::now();
    let (mut counts, mut wrong) = (0, 0);
    let shown = Arc::new(AtomicUsize::new(0));
    let done = Arc::clone(&shown);
    let bar = Line::with_bar(move || {
        let left = match time.saturating_sub(started.elapsed()).as_secs_f64().ceil() {
            0.0 => "finishing".to_owned(),
            left => format!("{} left", human::whole_seconds(left)),
        };
        let counts = human::plural(done.load(Ordering::Relaxed), "count");
        format!("{counts} of N = {REPEATED}, {left}")
    });
    let fast = kernels.iter().filter(|(_, kernel)| *kernel != Kernel::Reference);
    let (round, mut fast) = (fast.clone().count(), fast.cycle());
    let is_over = |counts| counts >= round && started.elapsed() >= time;
    while !is_over(counts)
        && let Some(&(engine, kernel)) = fast.next()
    {
        let counter = Counter::new(REPEATED)?.engine(engine).kernel(kernel);
        let run = counter.threads(threads).prepare()?;
        let run = run.cancel_with(cancel.clone()).on_progress(|_| {
            bar.set(started.elapsed().as_secs_f64() / time.as_secs_f64());
            shown.store(counts, Ordering::Relaxed);
            if is_over(counts) {
                cancel.cancel();
            }
        });
        match run.run() {
            Ok(_) => {}
            Err(CountError::Cancelled) if is_over(counts) => break,
            Err(CountError::Cancelled) => {
                return Err(Failure::interrupted("stopped before the time was up"));
            }
            Err(error) if is_wrong_total(&error) => {
                wrong += 1;
                let kernel = format!("engine {engine}, kernel {kernel}");
                bar.suspend(|| say(format_args!("WRONG: {kernel}: {error}")))?;
            }
            Err(error) => return Err(error.into()),
        }
        counts += 1;
    }
    drop(bar);
    let (counted, threads) = (human::plural(counts, "count"), human::plural(threads, "thread"));
    let elapsed = human::duration(started.elapsed());
    say(format_args!("{counted} of N = {REPEATED} in {elapsed} with {threads}: {wrong} wrong"))?;
    if wrong > 0 {
        let message = format!("{wrong} of {counts} counts are wrong: do not trust this machine");
        return Err(Failure::contradiction(message));
    }
    Ok(())
}
