//! Shards and checkpoints: options, and saving the results of a running count.

use std::path::PathBuf;

use clap::Args;
use queens::store::{FileErrorKind, LedgerFile};
use queens::{CountError, Plan, Run, Shard};

use crate::exit::{Failure, Result};
use crate::human;
use crate::message::{eprint_line, warn};
use crate::options::file;
use crate::progress::Display;

/// Options for the part of a count and its file.
#[derive(Debug, Args)]
pub(crate) struct Checkpointing {
    /// Count only shard K of M, such as 3/1000; the sums of all M add up to the total
    #[arg(long, value_name = "K/M", value_parser = str::parse::<Shard>)]
    shard: Option<Shard>,

    /// Save progress to FILE regularly, and resume from it if it exists
    #[arg(long, value_name = "FILE", value_parser = file(false))]
    checkpoint: Option<PathBuf>,
}

impl Checkpointing {
    /// Returns the shard, which is the whole plan by default.
    pub(crate) fn shard(&self) -> Shard {
        self.shard.unwrap_or(Shard::WHOLE)
    }

    /// Opens the checkpoint file, if requested.
    pub(crate) fn open(&self, plan: &Plan) -> Result<Option<LedgerFile>> {
        let Some(path) = &self.checkpoint else {
            return Ok(None);
        };
        let opened = LedgerFile::open(path, plan, self.shard()).map_err(|error| {
            let accepted = "a checkpoint, or a new file in a folder that can be written to";
            Failure::from_file(format!("--checkpoint: {error}"), &error.kind, accepted)
        });
        Ok(Some(opened?))
    }
}

/// Counts what a ledger file lacks, and saves the results regularly and at the end. A full disk
/// does not stop the count: the next save tries again. If another program has changed the file, the
/// count is cancelled, and the error is that of the file.
pub(crate) fn fill_file(
    file: &mut LedgerFile,
    run: &mut Run<'_>,
    display: &Display,
) -> Result<Result<(), CountError>> {
    let path = file.path().display().to_string();
    if !file.ledger().is_complete() {
        warn_of_damage(&path, file.damaged());
    }
    if let Some(error) = file.unlocked() {
        warn(&format!(
            "'{path}' cannot be locked ({error}): make sure that no other process uses it"
        ));
    }
    let (mut is_failing, mut lost) = (false, None);
    let filled = run.fill(file, |file| {
        match file.save_when_due() {
            Err(error) if !matches!(error.kind, FileErrorKind::Io(_)) => {
                lost = Some(error);
                return Err(CountError::Cancelled);
            }
            Err(_) if is_failing => {}
            Err(error) => {
                is_failing = true;
                warn(&format!("{error} (will retry)"));
            }
            Ok(true) if std::mem::take(&mut is_failing) => {
                warn(&format!("'{path}' could be saved again"));
            }
            Ok(true) => display.saved(),
            Ok(false) => {}
        }
        Ok(())
    });
    match lost {
        Some(error) => Err(Failure::new(format!("the count was stopped: {error}"))),
        None => Ok(filled),
    }
}

/// Warns that a ledger has damaged lines.
pub(crate) fn warn_of_damage(path: &str, damaged: usize) {
    if damaged > 0 {
        let lines = human::plural(damaged, "damaged line");
        warn(&format!("'{path}' has {lines}: their subproblems have to be counted again"));
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// New results are saved whether a signal or a lack of memory ends the count.
    #[test]
    fn an_early_end_saves_the_new_results() {
        let plan = queens::Counter::new(8).unwrap().prepare().unwrap().plan().clone();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let open = || LedgerFile::open(&path, &plan, Shard::WHOLE).unwrap();
        let memory = "not enough memory: cannot allocate another 2 KiB; ";
        let exhausted = CountError::Exhausted { asked: 2_048 };
        for (index, error, code, says) in
            [(0, exhausted, 1, memory), (1, CountError::Cancelled, 130, "")]
        {
            let mut file = open();
            file.as_mut().enter(index, 4).unwrap();
            let done = file.ledger().done();
            let failure = interrupted(error, (done, plan.len()), Some(file));
            let path = path.display();
            let expected = format!(
                "{says}stopped with {done} of 21 subproblems done; saved in '{path}'; run the same command again to resume"
            );
            assert_eq!((failure.to_string(), failure.code()), (expected, code));
            assert_eq!(open().ledger().get(index), Some(4));
        }
        let other = interrupted(CountError::Incomplete { missing: 3 }, (0, 21), None).to_string();
        assert_eq!(other, "no total: 3 subproblems have no result");
    }
}
