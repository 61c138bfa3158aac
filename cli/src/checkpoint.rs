//! Checkpoints: options, and saving the results of a running count.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, anyhow};
use clap::Args;
use queens::count::{DoubleCheck, Method};
use queens::store::{LedgerFile, Problem};
use queens::{CancelToken, CountError, Ledger, Plan, Progress, Shard};
use shell_quote::{Bash, Quote};

use crate::exit::Failure;
use crate::human::{self, tell};
use crate::options::seconds;
use crate::output::keep_apart;

/// Options for checkpoints.
#[derive(Debug, Clone, Args)]
pub(crate) struct Checkpointing {
    /// Save progress to FILE regularly, and resume from it if it exists
    #[arg(long, value_name = "FILE", conflicts_with = "runs")]
    checkpoint: Option<PathBuf>,

    /// Save every SECONDS seconds (may be fractional)
    #[arg(long, value_name = "SECONDS", requires = "checkpoint", conflicts_with = "runs", default_value = "5", value_parser = seconds, allow_hyphen_values = true, help_heading = "Advanced", hide_short_help = true)]
    checkpoint_every: Duration,
}

impl Checkpointing {
    /// Rejects an output file that is also the checkpoint file.
    pub(crate) fn keep_apart_from(&self, output: &Path) -> Result<(), Failure> {
        let path = self.checkpoint.as_deref();
        path.map_or(Ok(()), |path| keep_apart("--output", output, "--checkpoint", path))
    }

    /// Opens the checkpoint file, if requested, and reads its ledger.
    pub(crate) fn open(
        &self,
        plan: &Plan,
        cancel: &CancelToken,
    ) -> Result<Option<(Saver, Ledger)>> {
        let Some(path) = &self.checkpoint else {
            return Ok(None);
        };
        let accepted = "a regular file, or a new one in a folder that can be written to";
        let opened = LedgerFile::open(path, plan, Shard::WHOLE, self.checkpoint_every, cancel);
        let (file, ledger) = opened.map_err(|error| match error.problem {
            Problem::Cancelled => Failure::interrupted(error.to_string()),
            _ => Failure::of_file("--checkpoint", &error, accepted),
        })?;
        Ok(Some((Saver::new(file), ledger)))
    }
}

/// Saves a running count. A failure to save causes a warning but does not stop the count.
#[derive(Debug)]
pub(crate) struct Saver {
    file: LedgerFile,
    /// Error from the last attempt, if it failed. A repeated error is printed only once.
    failure: Option<String>,
}

impl Saver {
    pub(crate) fn new(mut file: LedgerFile) -> Self {
        warn_of(&mut file);
        let failure = None;
        Self { file, failure }
    }

    /// Saves new results if a save is due, and returns whether all results have just been saved.
    pub(crate) fn update(&mut self, progress: &Progress<'_>) -> bool {
        let updated = self.file.update(progress.ledger);
        warn_of(&mut self.file);
        let failure = match updated {
            Ok(false) => return false,
            Ok(true) => None,
            Err(error) => Some(error.to_string()),
        };
        if failure != self.failure {
            warn(&match &failure {
                Some(error) => self.of_failure(error, "will retry"),
                None => format!("'{}' could be saved again", self.path()),
            });
        }
        self.failure = failure;
        self.failure.is_none()
    }

    /// Saves the completed count, or returns an error if the file cannot be written.
    pub(crate) fn finish(
        &mut self,
        ledger: &Ledger,
        method: &Method,
        double_check: Option<&DoubleCheck>,
    ) -> Result<()> {
        let (kernel, threads) = (method.kernel, method.threads.count());
        let finished = self.file.finish(ledger, kernel, threads, double_check);
        warn_of(&mut self.file);
        finished.map_err(|error| anyhow!(self.of_failure(&error, "run the same command again")))
    }

    /// Returns the date of completion, if the file contains a completed count.
    pub(crate) fn completion(&self) -> Option<&str> {
        self.file.completion().map(|done| &*done.date)
    }

    fn of_failure(&self, error: impl Display, next: &str) -> String {
        format!("'{}' could not be saved: {error} ({next})", self.path())
    }

    fn path(&self) -> impl Display + use<'_> {
        self.file.path().display()
    }

    /// Saves the ledger if possible, and returns a message with the outcome and the command to
    /// resume.
    fn stop(&mut self, ledger: &Ledger) -> String {
        let saved = self.file.save(ledger);
        warn_of(&mut self.file);
        let saved = match saved {
            _ if ledger.done() == 0 => "there is nothing to save yet".to_owned(),
            Ok(()) => format!("saved in '{}'", self.path()),
            Err(error) => {
                warn(&self.of_failure(error, "results since the last save are lost"));
                match self.file.is_intact(ledger) {
                    true => format!("earlier results are saved in '{}'", self.path()),
                    false => format!("nothing is saved: '{}' is missing or changed", self.path()),
                }
            }
        };
        format!("{saved}; to resume: {}", command_line(std::env::args_os()))
    }
}

/// Saves the results of a failed count of `len` subproblems, except for wrong results, and returns
/// the error.
pub(crate) fn interrupted(
    error: CountError,
    ledger: &Ledger,
    len: usize,
    saver: Option<Saver>,
) -> anyhow::Error {
    match (&error, saver) {
        (CountError::Cancelled, saver) => Failure::interrupted(stopped(ledger, len, saver)).into(),
        (CountError::Exhausted { .. }, saver) => {
            anyhow!("{error}; {}", stopped(ledger, len, saver))
        }
        (CountError::Disagreement(found), Some(saver)) => {
            let places: Vec<_> = found.disputes.iter().map(|dispute| dispute.index).collect();
            let (path, number) = (saver.path().to_string(), places.len());
            warn(&match saver.file.discard(ledger, &places) {
                Ok(()) => format!(
                    "'{path}': {number} subproblems removed; the next run counts them again"
                ),
                Err(error) => format!("'{path}' contains wrong counts; delete it: {error}"),
            });
            error.into()
        }
        _ => error.into(),
    }
}

/// Saves a count that was cancelled or ran out of memory, and returns a message.
fn stopped(ledger: &Ledger, len: usize, saver: Option<Saver>) -> String {
    let consequence = match saver {
        None => "nothing was saved (use --checkpoint FILE to be able to resume)".to_owned(),
        Some(mut saver) => saver.stop(ledger),
    };
    let done = ledger.done();
    format!("stopped with {done} of {len} subproblems done; {consequence}")
}

/// Quotes a command line for a shell, as a single line.
fn command_line(words: impl Iterator<Item = std::ffi::OsString>) -> String {
    let quoted = words.map(|word| match word.to_str() {
        // Other characters would be escaped when the line is printed, in a way no shell decodes.
        Some(text) if human::one_line(text) == text => Bash::quote(text),
        _ => Bash::quote(word.as_encoded_bytes()),
    });
    quoted.collect::<Vec<String>>().join(" ")
}

/// Prints the file's warnings.
fn warn_of(file: &mut LedgerFile) {
    file.warnings().iter().for_each(|warning| warn(warning));
}

pub(crate) fn warn(message: &str) {
    tell(format_args!("warning: {message}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A shell parses the quoted command line into the same words.
    #[cfg(unix)]
    #[test]
    fn a_command_is_quoted_for_a_shell() {
        use std::ffi::OsString;
        use std::os::unix::ffi::OsStringExt;
        let plain = ["queens", "count", "--checkpoint", "a/b.ckpt", "-q", "0.01"];
        let line = command_line(plain.iter().map(OsString::from));
        assert_eq!(line, plain.join(" "));
        let right_to_left = "a\u{202e}b\u{2028}c\u{feff}".to_owned();
        let line = command_line([OsString::from(&right_to_left)].into_iter());
        assert_eq!(human::one_line(&line), line);
        let mut bash = std::process::Command::new("bash");
        let output = bash.args(["-c", &format!("printf %s {line}")]).output().unwrap();
        assert_eq!(output.stdout, right_to_left.as_bytes());
        let odd = b"my file\0it's\0\xc3\xa9\0\0two\nlines\x1b[2J\0a\xff1";
        let words = odd.split(|&byte| byte == 0);
        let words = words.map(|word| OsString::from_vec(word.to_vec()));
        let line = command_line(words);
        assert!(!line.contains(char::is_control), "{line:?}");
        let script = format!("printf '%s\\0' {line}");
        let output = std::process::Command::new("bash").args(["-c", &script]).output();
        assert_eq!(output.unwrap().stdout, [&odd[..], b"\0"].concat());
    }
}
