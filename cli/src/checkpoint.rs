//! Checkpoints: options, and saving the results of a running count.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use clap::builder::{PathBufValueParser, TypedValueParser};
use queens::store::{LedgerFile, Problem};
use queens::{CountError, Plan, Run, Shard};

use crate::exit::{Failure, Result};
use crate::human;
use crate::message::{eprint_line, warn};
use crate::options::time;
use crate::output::reject_same_file;
use crate::progress::Display;

/// Default interval between saves.
pub(crate) const SAVE_EVERY: Duration = Duration::from_secs(5);

/// Options for checkpoints.
#[derive(Debug, Args)]
pub(crate) struct Checkpointing {
    /// Save progress to FILE regularly, and resume from it if it exists
    #[arg(long, value_name = "FILE", value_parser = PathBufValueParser::new().try_map(file))]
    checkpoint: Option<PathBuf>,

    /// Save every SECONDS seconds (may be fractional)
    #[arg(long, value_name = "SECONDS", requires = "checkpoint", default_value = "5", value_parser = time, allow_hyphen_values = true, hide = true)]
    pub(crate) checkpoint_every: Duration,
}

/// Rejects `-`, which stands for a stream elsewhere.
fn file(path: PathBuf) -> Result<PathBuf, &'static str> {
    match path == Path::new("-") {
        true => Err("not a file (accepted: a file, from which the count can resume)"),
        false => Ok(path),
    }
}

impl Checkpointing {
    /// Rejects an output file that is also the checkpoint file.
    pub(crate) fn reject_output(&self, output: &Path) -> Result<()> {
        let path = self.checkpoint.as_deref();
        path.map_or(Ok(()), |path| reject_same_file("--output", output, "--checkpoint", path))
    }

    /// Opens the checkpoint file, if requested.
    pub(crate) fn open(&self, plan: &Plan) -> Result<Option<LedgerFile>> {
        let Some(path) = &self.checkpoint else {
            return Ok(None);
        };
        let opened = LedgerFile::open(path, plan, Shard::WHOLE).map_err(|error| {
            let accepted = "a regular file, or a new one in a folder that can be written to";
            Failure::of_file(format!("--checkpoint: {error}"), &error.problem, accepted)
        });
        Ok(Some(opened?))
    }
}

/// Counts what a ledger file lacks, and saves the results regularly and at the end. A full disk
/// does not stop the count: the next save tries again.
pub(crate) fn count_into(
    file: &mut LedgerFile,
    every: Duration,
    run: &mut Run<'_>,
    display: &Display,
) -> Result<Duration, CountError> {
    let path = file.path().display().to_string();
    if file.damaged() > 0 {
        let lines = human::plural(file.damaged(), "damaged line");
        warn(&format!("'{path}' has {lines}: their subproblems will be counted again"));
    }
    if let Some(error) = file.unlocked() {
        warn(&format!(
            "'{path}' cannot be locked ({error}): make sure that no other process uses it"
        ));
    }
    // The first results are saved at once.
    let (mut due, mut is_failing) = (Instant::now(), false);
    let done = run.count(run.missing(file.ledger())?, |results| {
        file.record(results)?;
        if Instant::now() < due {
            return Ok(());
        }
        due = Instant::now() + every;
        let saved = file.save();
        let was_failing = std::mem::replace(&mut is_failing, saved.is_err());
        match saved {
            Err(error) if !matches!(error.problem, Problem::Io(_)) => return Err(error.into()),
            Err(error) if !was_failing => warn(&format!("{error} (will retry)")),
            Err(_) => {}
            Ok(()) if was_failing => warn(&format!("'{path}' could be saved again")),
            Ok(()) => display.saved(),
        }
        Ok(())
    })?;
    let _ = file.save(); // the caller saves again, and reports the error
    Ok(done)
}

/// Says how much of a count is already done.
pub(crate) fn print_resumed(file: &LedgerFile) {
    let ledger = file.ledger();
    let Some(before) = ledger.resumed() else {
        return;
    };
    let (done, time) = (progress(ledger.done(), ledger.len()), human::duration(before.elapsed));
    match ledger.is_complete() {
        true => eprint_line("using the saved result"),
        false => eprint_line(format_args!("resuming with {done} done in {time}")),
    }
}

fn progress(done: usize, len: usize) -> String {
    format!("{} of {}", human::integer(done as u128), human::plural(len, "subproblem"))
}

/// Saves the results of a count that ended early, and returns the error with the way to resume.
/// `done` of `len` subproblems are counted.
pub(crate) fn interrupted(
    error: CountError,
    (done, len): (usize, usize),
    file: Option<LedgerFile>,
) -> Failure {
    if !matches!(error, CountError::Cancelled | CountError::Exhausted { .. }) {
        return error.into();
    }
    let again = "run the same command again to resume";
    let consequence = match file {
        None => "nothing was saved (use --checkpoint FILE to be able to resume)".to_owned(),
        Some(_) if done == 0 => format!("there is nothing to save yet; {again}"),
        Some(mut file) => match file.save() {
            Ok(()) => format!("saved in '{}'; {again}", file.path().display()),
            Err(error) => format!("{error}; results since the last save are lost; {again}"),
        },
    };
    let stopped = format!("stopped with {} done; {consequence}", progress(done, len));
    match error {
        CountError::Cancelled => Failure::interrupted(stopped),
        error => Failure::new(format!("{error}; {stopped}")),
    }
}
