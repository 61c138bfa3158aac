//! `queens selftest`: whether every kernel that this CPU can run counts right, in a few seconds.
//!
//! Two checks for each kernel: whole boards whose totals are published, and a sample of the subproblems of a larger board,
//! for which another kernel of the engine must come to the same counts.

use anyhow::{Result, ensure};

use super::exit::WrongCount;
use super::output::print;
use queens::known::known;
use queens::{Board, CountError, Counter, Engine, Kernel, Plan, Solver, Threads};

/// Whole boards: the largest that the slowest kernel counts in a fraction of a second.
const LARGEST_WHOLE: u32 = 12;
/// The board that the sample is from, and how many subproblems are in it.
const SAMPLE_N: u32 = 15;
const SAMPLE: usize = 12;

pub(crate) fn run() -> Result<()> {
    let mut wrong = 0;
    for engine in Engine::all_for(&Board::new(SAMPLE_N)?) {
        for &kernel in engine.kernels() {
            let verdict = if engine.can_run(kernel) {
                match test(engine, kernel) {
                    Ok(verdict) => verdict,
                    Err(error) if is_of_machine(&error) => return Err(error),
                    Err(error) => {
                        wrong += 1;
                        format!("WRONG: {error:#}")
                    }
                }
            } else {
                "left out: this CPU lacks its instructions".to_owned()
            };
            print(format_args!("engine {engine}, kernel {kernel}: {verdict}"))?;
        }
    }
    if wrong > 0 {
        return Err(WrongCount(format!("{wrong} kernels count wrong on this machine")).into());
    }
    Ok(())
}

/// Whether an error is one of threads or memory, which says nothing of a kernel.
fn is_of_machine(error: &anyhow::Error) -> bool {
    use CountError::{Exhausted, Memory, Pool};
    matches!(
        error.downcast_ref(),
        Some(Exhausted { .. } | Memory { .. } | Pool { .. })
    )
}

/// Checks a kernel: what was checked, or what is wrong.
fn test(engine: Engine, kernel: Kernel) -> Result<String> {
    let sizes = *engine.sizes().start()..=LARGEST_WHOLE;
    for threads in [1, Threads::usable().count().max(2)] {
        for n in sizes.clone() {
            let counter = Counter::new(n)?.engine(engine).kernel(kernel);
            // An error in itself if the total is not the published one.
            let count = counter.threads(threads).run()?;
            let published = known(n).map(|row| row.solutions);
            ensure!(published == Some(count.total), "N = {n} was not checked");
        }
    }
    let verdict = format!("right for N = {} to {}", sizes.start(), sizes.end());
    let mut others = engine.available_kernels().filter(|&other| other != kernel);
    let Some(other) = others.next() else {
        return Ok(format!("{verdict}; no other kernel to compare with"));
    };
    ensure!(
        sample(engine, kernel)? == sample(engine, other)?,
        "kernel {other} differs on subproblems of N = {SAMPLE_N}"
    );
    Ok(format!(
        "{verdict}; agrees with {other} on {SAMPLE} subproblems of N = {SAMPLE_N}"
    ))
}

/// What some subproblems, spread over the plan, contribute.
fn sample(engine: Engine, kernel: Kernel) -> Result<Vec<u64>> {
    let plan = Plan::new(Board::new(SAMPLE_N)?, engine)?;
    let solver = Solver::new(&plan, kernel, 1)?;
    let mut worker = solver.worker();
    let indices = (0..SAMPLE).map(|k| k * plan.len() / SAMPLE);
    Ok(indices.map(|index| worker.count(index).count).collect())
}
