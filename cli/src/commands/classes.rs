//! `queens count --classes`: the solutions by symmetry.

use anyhow::Result;
use clap::Args;
use queens::known;

use crate::exit::Failure;
use crate::options::Destination;
use crate::output::Output;
use crate::report::{Checks, ClassesReport, Report};
use crate::signals;

/// Options that conflict with `--classes`.
const WHOLE_COUNT: [&str; 6] = ["quiet", "stats", "runs", "queen", "block", "torus"];

/// Options of symmetry classes.
#[derive(Debug, Args)]
pub(crate) struct Classifying {
    /// Sort the solutions by symmetry
    ///
    /// Reports how many solutions are distinct up to rotations and reflections, and how many are symmetric themselves.
    #[arg(long, conflicts_with_all = WHOLE_COUNT)]
    pub(crate) classes: bool,

    /// Take Q(N) from the published table, N up to 27, instead of counting it
    // clap waives a requirement that conflicts with another option, so both have these conflicts.
    #[arg(long, requires = "classes", conflicts_with_all = WHOLE_COUNT)]
    #[arg(conflicts_with_all = ["engine", "kernel", "symmetry", "memory", "double_check", "progress"], help_heading = "Advanced", hide_short_help = true)]
    #[arg(conflicts_with_all = ["checkpoint", "checkpoint_every"])]
    pub(crate) published: bool,
}

/// Writes the classes of the published Q(N). Only the symmetric solutions are counted, which takes little memory.
pub(crate) fn of_published(n: u32, threads: usize, to: &Destination) -> Result<()> {
    let Some(row) = known::known(n) else {
        let reason = format!("no value is published for N = {n} (accepted: 0 to 27)");
        return Err(Failure::usage("--published", reason).into());
    };
    let format = to.format()?;
    let mut output = Output::create(&to.output)?;
    let cancel = signals::cancel_on_interrupt()?;
    let report = ClassesReport::count(n, row.solutions, Checks::published(), threads, &cancel)?;
    report.write(&mut output, format)?;
    output.finish()
}
