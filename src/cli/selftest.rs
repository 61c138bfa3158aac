//! `queens selftest`: in seconds, whether every kernel that this CPU can run counts right.
//!
//! Two checks for each kernel: the whole boards of known Q(N), and a sample of the subproblems of a larger board, for which
//! another kernel of the engine must come to the same counts.

use crate::known::known;
use crate::{Board, Counter, Engine, Kernel, Plan, Solver, Threads};
use anyhow::Result;

use super::exit::Disagreement;
use super::output::print;

/// Whole boards: the largest that the slowest kernel counts in a fraction of a second.
const LARGEST_WHOLE: u32 = 12;
/// The board that the sample is from, and how many subproblems are in it.
const SAMPLE_N: u32 = 15;
const SAMPLE: usize = 12;

pub(crate) fn run() -> Result<()> {
    let mut wrong = 0;
    for engine in Engine::all_for(&Board::new(SAMPLE_N)?) {
        let truth = sample(engine, first_kernel(engine))?;
        for &kernel in engine.kernels() {
            let outcome = if engine.can_run(kernel) {
                test(engine, kernel, &truth)
            } else {
                Ok("left out: this CPU lacks its instructions".to_owned())
            };
            let verdict = match outcome {
                Ok(verdict) => verdict,
                Err(error) => {
                    wrong += 1;
                    format!("WRONG: {error:#}")
                }
            };
            print(format_args!("engine {engine}, kernel {kernel}: {verdict}"))?;
        }
    }
    if wrong > 0 {
        return Err(Disagreement(format!("{wrong} kernels count wrong on this machine")).into());
    }
    Ok(())
}

/// Checks a kernel: what was checked, or what is wrong.
fn test(engine: Engine, kernel: Kernel, truth: &[u64]) -> Result<String> {
    let sizes = *engine.sizes().start()..=LARGEST_WHOLE;
    for threads in [1, Threads::usable().count().max(2)] {
        for n in sizes.clone() {
            // An error in itself if the total is not the published one.
            let count = Counter::new(n)?
                .engine(engine)
                .kernel(kernel)
                .threads(threads)
                .run()?;
            let published = known(n).map(|row| row.solutions);
            anyhow::ensure!(published == Some(count.total), "N = {n} was not checked");
        }
    }
    let boards = format!("right for N = {} to {}", sizes.start(), sizes.end());
    let first = first_kernel(engine);
    if kernel == first {
        let alone = engine.available_kernels().count() == 1;
        let hint = if alone {
            "; no other kernel to compare with"
        } else {
            ""
        };
        return Ok(boards + hint);
    }
    let found = sample(engine, kernel)?;
    anyhow::ensure!(
        found == truth,
        "kernel {first} differs on subproblems of N = {SAMPLE_N}"
    );
    let compared = found.len();
    Ok(format!(
        "{boards}; agrees with {first} on {compared} subproblems of N = {SAMPLE_N}"
    ))
}

/// The kernel that the others are compared with.
fn first_kernel(engine: Engine) -> Kernel {
    let mut kernels = engine.available_kernels();
    kernels
        .next()
        .expect("every engine has a kernel for any CPU")
}

/// What some subproblems, spread over the plan, contribute.
fn sample(engine: Engine, kernel: Kernel) -> Result<Vec<u64>> {
    let plan = Plan::new(Board::new(SAMPLE_N)?, engine)?;
    let solver = Solver::new(&plan, kernel, 1)?;
    let mut worker = solver.worker();
    let step = plan.len().div_ceil(SAMPLE).max(1);
    let places = (0..plan.len()).step_by(step);
    Ok(places.map(|index| worker.count(index).count).collect())
}
