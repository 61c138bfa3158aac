//! `queens count --classes`: the solutions by symmetry.

use std::io::Write;
use std::time::Instant;

use anyhow::Result;
use clap::Args;
use queens::{CancelToken, Classes, known};

use super::exit::Failure;
use crate::report::{ClassesRecord, Document, Format};

/// Options of a count that says nothing of classes, or of a board that has none.
const WHOLE_COUNT: [&str; 6] = ["quiet", "stats", "runs", "queen", "block", "torus"];

/// Whether the solutions are sorted by symmetry.
#[derive(Debug, Args)]
pub(crate) struct Classifying {
    /// Sort the solutions by symmetry
    ///
    /// How many differ by more than a rotation or a reflection, and how many have a symmetry of their own.
    #[arg(long, conflicts_with_all = WHOLE_COUNT)]
    pub(crate) classes: bool,

    /// Take Q(N) from the published table, N up to 27, instead of counting it
    // clap waives a requirement that conflicts with another option, so both have these conflicts.
    #[arg(long, requires = "classes", conflicts_with_all = WHOLE_COUNT)]
    #[arg(conflicts_with_all = ["engine", "kernel", "symmetry", "memory", "double_check", "progress"])]
    #[arg(conflicts_with_all = ["checkpoint", "checkpoint_every"])]
    pub(crate) published: bool,
}

/// The published Q(N), and how it was checked as [`write()`] takes it.
pub(crate) fn published(n: u32) -> Result<(u128, &'static str, String), Failure> {
    let Some(row) = known::known(n) else {
        let reason = format!("no value is published for N = {n} (accepted: 0 to 27)");
        return Err(Failure::usage("--published", reason));
    };
    let detail = format!("published: taken from {}", known::SOLUTIONS_SOURCE);
    Ok((row.solutions, "published", detail))
}

/// Counts the symmetric solutions among `solutions`, which were checked as the word and the sentence of `check` say, and writes
/// the classes.
pub(crate) fn write(
    n: u32,
    (solutions, word, detail): (u128, &str, String),
    threads: usize,
    cancel: &CancelToken,
    out: &mut dyn Write,
    format: Format,
) -> Result<()> {
    let started = Instant::now();
    let classes = Classes::count(n, solutions, threads, cancel)?;
    let classes = classes.ok_or_else(|| Failure::interrupted("interrupted".to_owned()))?;
    let record = ClassesRecord {
        classes: &classes,
        check: (word, detail),
        symmetric_seconds: started.elapsed().as_secs_f64(),
    };
    Ok(record.write(out, format)?)
}
