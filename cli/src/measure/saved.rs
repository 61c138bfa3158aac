//! Reads saved benchmarks: a file may hold anything.
//!
//! A benchmark that passes these checks can be drawn and compared. Its runs cannot be verified: a file can claim any
//! speed.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use queens::board::MAX_N;
use serde_json::Value;

use super::model::{Benchmark, SCHEMA_VERSION};

/// The oldest version that has the runs, from which the figures are computed anew.
const OLDEST_VERSION: u32 = 2;

/// Maximum size of a saved file in bytes: hundreds of times a typical one.
const LARGEST: u64 = 4 << 20;

/// Reads a saved benchmark.
///
/// # Errors
///
/// Fails if the file cannot be read or is not a benchmark, naming the field that is wrong.
pub fn load(path: &Path) -> Result<Benchmark> {
    let mut bytes = Vec::new();
    let file = File::open(path).context("cannot be read")?;
    let read = file.take(LARGEST + 1).read_to_end(&mut bytes);
    if read.context("cannot be read")? as u64 > LARGEST {
        bail!("is damaged: it is larger than 4 MiB");
    }
    let value: Value = serde_json::from_slice(&bytes).context("is damaged")?;
    ensure!(
        value["schema"] == "queens-bench",
        "is not a benchmark (accepted: files that `queens bench --save` wrote)"
    );
    let version = &value["schema_version"];
    ensure!(
        (OLDEST_VERSION..=SCHEMA_VERSION).any(|known| *version == known),
        "has schema version {version} (accepted: {OLDEST_VERSION} to {SCHEMA_VERSION})"
    );
    let benchmark: Benchmark = serde_json::from_value(value).context("is damaged")?;
    // Figures can be computed from such runs, and drawn.
    for one in &benchmark.measurements {
        let (n, runs) = (one.workload.n, &one.runs);
        ensure!(
            n <= MAX_N && !runs.is_empty() && runs.iter().all(|run| (1e-9..=1e9).contains(run)),
            "is damaged: n {n}, runs {runs:?} (accepted: n up to {MAX_N}, and runs of 1e-9 to 1e9 seconds each)"
        );
    }
    Ok(benchmark.computed())
}
