//! `queens selftest`: whether this machine counts right. Every kernel that its CPU can run is checked in a few seconds; as a
//! check of the hardware, all cores then go on counting for as long as asked.

use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Args;
use queens::{Board, CancelToken, CountError, Counter, Engine, Kernel, Threads};

use super::exit::Failure;
use super::options::{minutes, threads};
use super::output::print;
use super::signals;
use crate::human;

/// Each kernel counts all boards up to this size, on one thread and on all. The slowest needs about a second.
const LARGEST: u32 = 13;
/// The board that is counted again and again: it gives every core work, and takes seconds at most.
const REPEATED: u32 = 16;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Then check the hardware: all cores count with one kernel after the other for M minutes; fractions are accepted
    #[arg(long, value_name = "M", value_parser = minutes)]
    minutes: Option<Duration>,

    /// Number of threads, 1 to 4096 [default: the cores that this process may use]
    #[arg(long, short, value_name = "T", value_parser = threads())]
    threads: Option<usize>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let threads = Threads::of(arguments.threads)?;
    let cancel = signals::cancel_on_interrupt()?;
    let kernels = check_kernels(&threads, &cancel)?;
    match arguments.minutes {
        Some(time) => check_hardware(&kernels, &threads, &cancel, time),
        None => Ok(()),
    }
}

/// Checks every kernel, and gives those that this CPU can run.
fn check_kernels(threads: &Threads, cancel: &CancelToken) -> Result<Vec<(Engine, Kernel)>> {
    let (mut right, mut wrong) = (Vec::new(), 0);
    for engine in Engine::all_for(&Board::new(LARGEST)?) {
        for &kernel in engine.kernels() {
            let verdict = if engine.can_run(kernel) {
                match check_kernel(engine, kernel, threads.count(), cancel)? {
                    Ok(sizes) => {
                        right.push((engine, kernel));
                        format!("right for {sizes}")
                    }
                    Err(why) => {
                        wrong += 1;
                        format!("WRONG: {why}")
                    }
                }
            } else {
                "left out: this CPU lacks its instructions".to_owned()
            };
            print(format_args!("engine {engine}, kernel {kernel}: {verdict}"))?;
        }
    }
    if wrong > 0 {
        let message = format!("{wrong} kernels count wrong on this machine");
        return Err(Failure::contradiction(message).into());
    }
    Ok(right)
}

/// The sizes for which a kernel counts right, or what is wrong.
fn check_kernel(
    engine: Engine,
    kernel: Kernel,
    threads: usize,
    cancel: &CancelToken,
) -> Result<Result<String, CountError>> {
    let first = *engine.sizes().start();
    for n in first..=LARGEST {
        for threads in [1, threads] {
            let counter = Counter::new(n)?.engine(engine).kernel(kernel);
            let run = counter.threads(threads).prepare()?;
            match run.cancel_with(cancel.clone()).run() {
                Ok(_) => {}
                Err(error) if is_wrong(&error) => return Ok(Err(error)),
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(Ok(format!("N = {first} to {LARGEST}")))
}

/// Whether a count came to a wrong total; other errors say nothing about kernel or hardware. All boards that are counted here
/// have published values, which every count compares with.
fn is_wrong(error: &CountError) -> bool {
    matches!(
        error,
        CountError::Mismatch(_) | CountError::Contradiction(_)
    )
}

/// Counts with all kernels in turn until the time is up, but for the reference, which is too slow to warm a CPU up.
fn check_hardware(
    kernels: &[(Engine, Kernel)],
    threads: &Threads,
    cancel: &CancelToken,
    time: Duration,
) -> Result<()> {
    let started = Instant::now();
    let is_over = || started.elapsed() >= time;
    let (mut counts, mut wrong) = (0, 0);
    let fast = kernels
        .iter()
        .filter(|(_, kernel)| *kernel != Kernel::Reference);
    for &(engine, kernel) in fast.cycle() {
        let counter = Counter::new(REPEATED)?.engine(engine).kernel(kernel);
        let run = counter.threads(threads.count()).prepare()?;
        let run = run.cancel_with(cancel.clone()).on_progress(|_| {
            if is_over() {
                cancel.cancel();
            }
        });
        match run.run() {
            Ok(_) => counts += 1,
            Err(CountError::Cancelled { .. }) if is_over() => {}
            Err(CountError::Cancelled { .. }) => {
                let message = "stopped before the time was up".to_owned();
                return Err(Failure::interrupted(message).into());
            }
            Err(error) if is_wrong(&error) => {
                (counts, wrong) = (counts + 1, wrong + 1);
                print(format_args!(
                    "WRONG: engine {engine}, kernel {kernel}: {error}"
                ))?;
            }
            Err(error) => return Err(error.into()),
        }
        if is_over() {
            break;
        }
    }
    let elapsed = human::duration(started.elapsed());
    print(format_args!(
        "{counts} counts of N = {REPEATED} in {elapsed} with {threads}: {wrong} wrong"
    ))?;
    if wrong > 0 {
        let message = format!("{wrong} of {counts} counts are wrong: do not trust this machine");
        return Err(Failure::contradiction(message).into());
    }
    Ok(())
}
