//! Reads saved benchmarks: a file may hold anything.
//!
//! Whatever is read can be drawn and compared. Whether its runs were ever made is not known: who saves a benchmark can
//! claim any speed.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use queens::board::MAX_N;
use queens::machine::{Environment, Threads};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::model::{Benchmark, SCHEMA, SCHEMA_VERSION, SOLVERS_SCHEMA, Solvers};

/// A saved file of either kind.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Saved {
    /// A benchmark of this program.
    Benchmark(Box<Benchmark>),
    /// What `scripts/compare-solvers` saved.
    Solvers(Box<Solvers>),
}

/// Version 2 had remarks in words where version 3 has one flag; the runs are the same.
const OLDEST_VERSION: u32 = 2;

/// Bytes that a saved file may have: hundreds of times as many as any has.
const LARGEST: u64 = 4 << 20;

impl Saved {
    /// Reads a saved file of either kind.
    ///
    /// # Errors
    ///
    /// Why the file cannot be read, or what in it is not as it must be.
    pub fn load(path: &Path) -> Result<Self> {
        let mut bytes = Vec::new();
        let file = File::open(path).context("cannot be read")?;
        let read = file.take(LARGEST + 1).read_to_end(&mut bytes);
        if read.context("cannot be read")? as u64 > LARGEST {
            bail!("is damaged: it is larger than 4 MiB");
        }
        let value: Value = serde_json::from_slice(&bytes).context("is damaged")?;
        match value["schema"].as_str() {
            Some(SCHEMA) => {
                let benchmark: Benchmark = parse(value)?;
                check_date(&benchmark.environment)?;
                for one in &benchmark.measurements {
                    check(one.workload.n, one.workload.threads, &one.runs)?;
                }
                Ok(Self::Benchmark(Box::new(benchmark.computed())))
            }
            Some(SOLVERS_SCHEMA) => {
                let solvers: Solvers = parse(value)?;
                check_date(&solvers.environment)?;
                for row in &solvers.rows {
                    check(row.n, 1, &row.runs)?;
                }
                Ok(Self::Solvers(Box::new(solvers)))
            }
            _ => bail!(FOREIGN),
        }
    }
}

/// Reads a benchmark that was saved as JSON.
///
/// # Errors
///
/// Those of [`Saved::load`], and that it is no benchmark.
pub fn load(path: &Path) -> Result<Benchmark> {
    match Saved::load(path)? {
        Saved::Benchmark(benchmark) => Ok(*benchmark),
        Saved::Solvers(_) => bail!(FOREIGN),
    }
}

const FOREIGN: &str = "is not a benchmark of this program (accepted: files that this program or scripts/compare-solvers saved)";

fn parse<T: DeserializeOwned>(value: Value) -> Result<T> {
    let version = &value["schema_version"];
    ensure!(
        (OLDEST_VERSION..=SCHEMA_VERSION).any(|known| *version == known),
        "has schema version {version} (accepted: {OLDEST_VERSION} to {SCHEMA_VERSION})"
    );
    serde_json::from_value(value).context("is damaged")
}

/// Whether there are runs, and these and what was counted are possible.
fn check(n: u32, threads: usize, runs: &[f64]) -> Result<()> {
    let damaged = "is damaged";
    ensure!(n <= MAX_N, "{damaged}: n {n} (accepted: 0 to {MAX_N})");
    ensure!(
        (1..=Threads::MAX).contains(&threads),
        "{damaged}: threads {threads} (accepted: 1 to {})",
        Threads::MAX
    );
    ensure!(
        !runs.is_empty() && runs.iter().all(|run| (1e-9..=1e9).contains(run)),
        "{damaged}: runs (accepted: one or more, of 1e-9 to 1e9 seconds each)"
    );
    Ok(())
}

/// Whether the date is one: files are named after it.
fn check_date(environment: &Environment) -> Result<()> {
    let date = &environment.date;
    let parsed = humantime::parse_rfc3339(date);
    parsed
        .with_context(|| format!("is damaged: date {date:?} (accepted: 2026-01-31T23:59:59Z)"))?;
    Ok(())
}
