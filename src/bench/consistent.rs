//! Whether what a saved file says can be true: figures follow from their runs, totals are the published ones, names mean
//! something.

use std::collections::HashSet;

use super::stats::{median, spread};
use super::{Benchmark, Level, Measurement, Purpose, Score, Settings, Status};
use crate::engine::{Engine, Kernel};
use crate::known::known;
use crate::machine::Environment;
use crate::machine::Pin;
use crate::machine::threads::MAX_THREADS;
use strum::VariantArray;

/// The longest time that a run may have taken, in seconds: thirty years.
const LONGEST: f64 = 1e9;
/// Derived figures are written to six digits, and so are those that they derive from.
const ROUNDING: f64 = 1e-4;

/// What no benchmark writes: figures that contradict each other or what is published, names that mean nothing.
pub(super) fn check(benchmark: &Benchmark) -> Result<(), String> {
    check_environment(&benchmark.environment)?;
    let Settings { level, pin, .. } = &benchmark.settings;
    if !Level::ALL.iter().any(|known| known.name() == level) {
        return Err(format!("there is no level '{level}'"));
    }
    if !Pin::VARIANTS.iter().any(|known| known.name() == pin) {
        return Err(format!("there is no pinning '{pin}'"));
    }
    if benchmark.measurements.is_empty() {
        return Err("nothing is measured in it".to_owned());
    }
    let mut seen = HashSet::new();
    for measured in &benchmark.measurements {
        let (engine, kernel, n, threads) = measured.key();
        let of = || format!("of engine {engine}, kernel {kernel}, N = {n}, {threads} thread(s)");
        check_measurement(measured).map_err(|what| format!("{what} {}", of()))?;
        if !seen.insert((measured.purpose, measured.key())) {
            return Err(format!("two measurements {}", of()));
        }
    }
    let mut seen = HashSet::new();
    for score in &benchmark.scores {
        let engine = &score.engine;
        check_score(score, benchmark).map_err(|what| format!("{what} of engine {engine}"))?;
        if !seen.insert(engine) {
            return Err(format!("two scores of engine {engine}"));
        }
    }
    Ok(())
}

/// What no machine is.
pub(crate) fn check_environment(environment: &Environment) -> Result<(), String> {
    let date = &environment.date;
    let form = "0000-00-00T00:00:00Z";
    let fits = |(found, wanted): (char, char)| match wanted {
        '0' => found.is_ascii_digit(),
        other => found == other,
    };
    if date.len() != form.len() || !date.chars().zip(form.chars()).all(fits) {
        return Err(format!("there is no date '{date}'"));
    }
    let Environment {
        cores,
        hardware_threads,
        usable_threads,
        ..
    } = environment;
    if [cores, hardware_threads, usable_threads].contains(&&0) {
        return Err("a machine without cores".to_owned());
    }
    Ok(())
}

/// Whether times of runs are times, and this is their median.
pub(crate) fn check_runs(runs: &[f64], seconds: f64) -> Result<(), String> {
    let is_time = |time: &f64| *time > 0.0 && *time <= LONGEST;
    if runs.is_empty() || !runs.iter().all(is_time) {
        Err("no valid runs".to_owned())
    } else if !is_near(seconds, median(runs)) {
        Err("a time that is not the median of the runs".to_owned())
    } else {
        Ok(())
    }
}

fn is_near(one: f64, other: f64) -> bool {
    (one - other).abs() <= ROUNDING * one.abs().max(other.abs()) + f64::MIN_POSITIVE
}

fn check_measurement(measured: &Measurement) -> Result<(), String> {
    let Measurement { n, threads, .. } = *measured;
    let engine = measured.engine.parse::<Engine>();
    let engine = engine.map_err(|_| "an unknown engine".to_owned())?;
    if measured.kernel.parse::<Kernel>().is_err() {
        return Err("an unknown kernel".to_owned());
    }
    if !(1..=MAX_THREADS).contains(&threads) {
        return Err("an impossible number of threads".to_owned());
    }
    let published = known(n).filter(|_| engine.sizes().contains(&n));
    let solutions = published
        .map(|row| row.solutions)
        .ok_or("an impossible board")?;
    if measured.solutions != solutions.to_string() {
        return Err("a number of solutions that is not the published one".to_owned());
    }
    check_runs(&measured.runs, measured.seconds)?;
    let rate = solutions as f64 / measured.seconds;
    if !is_near(measured.solutions_per_second, rate)
        || !is_near(measured.per_thread, rate / threads as f64)
        || (measured.spread - spread(&measured.runs)).abs() > ROUNDING * (1.0 + measured.spread)
    {
        return Err("rates or a spread that do not follow from the runs".to_owned());
    }
    let efficiency = measured.speedup.map(|speedup| speedup / threads as f64);
    let agree = match (efficiency, measured.efficiency) {
        (Some(one), Some(other)) => one > 0.0 && one <= LONGEST && is_near(one, other),
        (None, None) => true,
        _ => false,
    };
    if agree {
        Ok(())
    } else {
        Err("speed-up and efficiency that do not agree".to_owned())
    }
}

/// A score says again what was measured for it, and nothing where a count was wrong.
fn check_score(score: &Score, benchmark: &Benchmark) -> Result<(), String> {
    let rate = |threads: usize| {
        let mut measured = benchmark.of(Purpose::Score);
        let key = (&*score.engine, &*score.kernel, score.n, threads);
        let found = measured.find(|measured| measured.key() == key);
        found.map(|measured| measured.solutions_per_second)
    };
    let (Some(one), Some(all)) = (rate(1), rate(score.threads)) else {
        return Err("a score without measurements".to_owned());
    };
    let mut measured = benchmark.measurements.iter();
    let is_void = measured.any(|measured| measured.engine == score.engine && !measured.correct);
    let says_void = score.status == Status::Void;
    let says = |rate: f64, said: Option<f64>| match said {
        Some(said) => !is_void && is_near(said, rate),
        None => is_void,
    };
    if is_void != says_void || !says(one, score.one_thread) || !says(all, score.all_threads) {
        return Err("a score that does not follow from the measurements".to_owned());
    }
    Ok(())
}
