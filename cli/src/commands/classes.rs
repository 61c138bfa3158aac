//! `queens count --classes`: classifies the solutions by symmetry.

use anyhow::Result;
use clap::Args;
use indicatif::ProgressBar;
use queens::known;

use crate::exit::Failure;
use crate::options::{Destination, When};
use crate::output::Output;
use crate::progress::waiting;
use crate::report::{Checks, ClassesReport, Report};
use crate::signals;

/// Options that conflict with `--classes`.
const WHOLE_COUNT: [&str; 6] = ["quiet", "stats", "runs", "queen", "block", "torus"];

/// Options for symmetry classes.
#[derive(Debug, Args)]
pub(crate) struct Classifying {
    /// Classify the solutions by symmetry
    ///
    /// Report how many solutions are distinct up to rotation and reflection, and how many are
    /// themselves symmetric
    #[arg(long, conflicts_with_all = WHOLE_COUNT)]
    pub(crate) classes: bool,

    /// Use the published Q(N) instead of counting, for N up to 27
    // clap waives a requirement if the required option conflicts with a given one, so `published`
    // must conflict too.
    #[arg(long, requires = "classes", conflicts_with_all = WHOLE_COUNT)]
    #[arg(conflicts_with_all = ["engine", "kernel", "symmetry", "memory", "double_check", "progress"], help_heading = "Advanced", hide_short_help = true)]
    #[arg(conflicts_with_all = ["checkpoint", "checkpoint_every"])]
    pub(crate) published: bool,
}

/// Shows on a terminal that symmetric solutions are being counted, which takes a minute for large
/// boards.
pub(super) fn classifying(when: When, n: u32) -> Option<ProgressBar> {
    waiting(when, format!("N = {n}: counting symmetric solutions"))
}

/// Writes the symmetry classes for the published Q(N). Only symmetric solutions are counted, which
/// takes little memory.
pub(crate) fn of_published(n: u32, threads: usize, to: &Destination) -> Result<()> {
    let Some(row) = known::values(n) else {
        let reason = format!("no value is published for N = {n} (accepted: 0 to 27)");
        return Err(Failure::usage("--published", reason).into());
    };
    let format = to.format()?;
    let mut output = Output::create(&to.output)?;
    let cancel = signals::cancel_on_interrupt()?;
    let waiting = classifying(When::Auto, n);
    let report = ClassesReport::count(n, row.solutions, Checks::published(), threads, &cancel)?;
    drop(waiting);
    report.write(&mut output, format)?;
    output.finish()
}
