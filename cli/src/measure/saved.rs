//! Reads saved benchmarks: a file may hold anything.
//!
//! Whatever is read can be drawn and compared. Whether its runs were ever made is not known: who saves a benchmark can
//! claim any speed.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use queens::board::MAX_N;
use serde::Deserialize;
use serde_json::Value;

use super::model::{Benchmark, SCHEMA_VERSION, Solvers};

/// A saved file of either kind, which its field `schema` names.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "schema")]
#[non_exhaustive]
pub enum Saved {
    /// A benchmark of this program.
    #[serde(rename = "queens-bench")]
    Benchmark(Box<Benchmark>),
    /// What `scripts/compare-solvers` saved.
    #[serde(rename = "queens-solvers")]
    Solvers(Box<Solvers>),
}

/// The oldest version that has the runs, from which the figures are computed anew.
const OLDEST_VERSION: u32 = 2;

/// Bytes that a saved file may have: hundreds of times as many as any has.
const LARGEST: u64 = 4 << 20;

const FOREIGN: &str = "is not a benchmark of this program (accepted: files that this program or scripts/compare-solvers saved)";

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
        let schema = value["schema"].as_str().unwrap_or_default();
        ensure!(
            ["queens-bench", "queens-solvers"].contains(&schema),
            FOREIGN
        );
        let version = &value["schema_version"];
        ensure!(
            (OLDEST_VERSION..=SCHEMA_VERSION).any(|known| *version == known),
            "has schema version {version} (accepted: {OLDEST_VERSION} to {SCHEMA_VERSION})"
        );
        match serde_json::from_value(value).context("is damaged")? {
            Self::Benchmark(benchmark) => {
                for one in &benchmark.measurements {
                    check(one.workload.n, &one.runs)?;
                }
                Ok(Self::Benchmark(Box::new(benchmark.computed())))
            }
            Self::Solvers(solvers) => {
                let mut rows = solvers.rows.iter();
                rows.try_for_each(|row| check(row.n, &row.runs))?;
                Ok(Self::Solvers(solvers))
            }
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

/// Whether figures can be made of the runs of a board, and drawn.
fn check(n: u32, runs: &[f64]) -> Result<()> {
    ensure!(
        n <= MAX_N && !runs.is_empty() && runs.iter().all(|run| (1e-9..=1e9).contains(run)),
        "is damaged: n {n}, runs {runs:?} (accepted: n up to {MAX_N}, and runs of 1e-9 to 1e9 seconds each)"
    );
    Ok(())
}
