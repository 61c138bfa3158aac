//! Checkpoints: options, and saving the results of a running count.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, anyhow};
use clap::Args;
use clap::builder::{PathBufValueParser, TypedValueParser};
use queens::count::{Done, DoubleCheck, Method};
use queens::store::{Event, LedgerFile, Problem};
use queens::{CancelToken, CountError, Plan, Run, Shard};
use shell_quote::{Bash, Quote};

use crate::exit::Failure;
use crate::human;
use crate::message::{one_line, tell, warn};
use crate::options::seconds;
use crate::output::keep_apart;
use crate::progress::Display;

/// Options for checkpoints.
#[derive(Debug, Args)]
pub(crate) struct Checkpointing {
    /// Save progress to FILE regularly, and resume from it if it exists
    #[arg(long, value_name = "FILE", conflicts_with = "runs", value_parser = PathBufValueParser::new().try_map(file))]
    checkpoint: Option<PathBuf>,

    /// Save every SECONDS seconds (may be fractional)
    #[arg(long, value_name = "SECONDS", requires = "checkpoint", conflicts_with = "runs", default_value = "5", value_parser = seconds, allow_hyphen_values = true, help_heading = "Advanced")]
    checkpoint_every: Duration,
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
    pub(crate) fn keep_apart_from(&self, output: &Path) -> Result<(), Failure> {
        let path = self.checkpoint.as_deref();
        path.map_or(Ok(()), |path| keep_apart("--output", output, "--checkpoint", path))
    }

    /// Opens the checkpoint file, if requested.
    pub(crate) fn open(&self, plan: &Plan, cancel: &CancelToken) -> Result<Option<LedgerFile>> {
        let Some(path) = &self.checkpoint else {
            return Ok(None);
        };
        let accepted = "a regular file, or a new one in a folder that can be written to";
        let opened = LedgerFile::open(path, plan, Shard::WHOLE, self.checkpoint_every, cancel);
        let mut file = opened.map_err(|error| match error.problem {
            Problem::Cancelled => Failure::interrupted(error),
            _ => Failure::of_file(format!("--checkpoint: {error}"), &error.problem, accepted),
        })?;
        warn_of(&mut file);
        Ok(Some(file))
    }
}

/// Counts what a ledger file lacks and saves it regularly. A failure to save does not stop the
/// count.
pub(crate) fn count_into(
    file: &mut LedgerFile,
    run: &mut Run<'_>,
    display: &Display,
) -> Result<Done, CountError> {
    run.count(run.missing(file.ledger())?, |results| {
        file.record(results)?;
        for event in file.events() {
            match event {
                Event::Saved => display.saved(),
                event => warn(&format!("'{}' {event}", file.path().display())),
            }
        }
        Ok(())
    })
}

/// Saves the completed count, or returns an error if the file cannot be written.
pub(crate) fn finish(
    file: &mut LedgerFile,
    method: &Method,
    double_check: Option<&DoubleCheck>,
) -> Result<()> {
    let finished = file.finish(method, double_check);
    warn_of(file);
    let again = "run the same command again";
    finished.map_err(|error| anyhow!(of_failure(file.path(), &error, again)))
}

fn of_failure(path: &Path, error: &io::Error, next: &str) -> String {
    format!("'{}' could not be saved: {error} ({next})", path.display())
}

/// Says how much of a count that is resumed is already done.
pub(crate) fn tell_resumed(file: &LedgerFile) {
    let ledger = file.ledger();
    if let Some(before) = ledger.resumed().filter(|_| !ledger.is_complete() && ledger.done() > 0) {
        let (done, time) = (progress(ledger.done(), ledger.len()), human::duration(before.elapsed));
        tell(format_args!("resuming with {done} done in {time}"));
    }
}

fn progress(done: usize, len: usize) -> String {
    format!("{} of {}", human::integer(done as u128), human::plural(len, "subproblem"))
}

/// Saves the ledger if possible, and returns a message with the outcome and the command to resume.
fn stop(mut file: LedgerFile) -> String {
    let saved = file.save();
    warn_of(&mut file);
    let path = file.path();
    let saved = match saved {
        _ if file.ledger().done() == 0 => "there is nothing to save yet".to_owned(),
        Ok(()) => format!("saved in '{}'", path.display()),
        Err(error) => {
            warn(&of_failure(path, &error, "results since the last save are lost"));
            match file.is_intact() {
                true => format!("earlier results are saved in '{}'", path.display()),
                false => format!("nothing is saved: '{}' is missing or changed", path.display()),
            }
        }
    };
    format!("{saved}; to resume: {}", command_line(std::env::args_os()))
}

/// Saves the results of a failed count, except for wrong results, and returns the error. `done` of
/// `len` subproblems are counted.
pub(crate) fn interrupted(
    error: CountError,
    done: usize,
    len: usize,
    file: Option<LedgerFile>,
) -> anyhow::Error {
    let stopped = |file: Option<LedgerFile>| {
        let nothing =
            || "nothing was saved (use --checkpoint FILE to be able to resume)".to_owned();
        let consequence = file.map_or_else(nothing, stop);
        format!("stopped with {} done; {consequence}", progress(done, len))
    };
    match (&error, file) {
        (CountError::Cancelled, file) => Failure::interrupted(stopped(file)).into(),
        (CountError::Exhausted { .. }, file) => anyhow!("{error}; {}", stopped(file)),
        (CountError::Disagreement(found), Some(file)) => {
            let places: Vec<_> = found.disputes.iter().map(|dispute| dispute.index).collect();
            let (path, number) = (file.path().display().to_string(), places.len());
            warn(&match file.discard(&places) {
                Ok(()) => format!(
                    "'{path}': {} removed; the next run counts them again",
                    human::plural(number, "subproblem")
                ),
                Err(error) => format!("'{path}' contains wrong counts; delete it: {error}"),
            });
            error.into()
        }
        _ => error.into(),
    }
}

/// Quotes a command line for a shell, as a single line.
fn command_line(words: impl Iterator<Item = std::ffi::OsString>) -> String {
    let quoted = words.map(|word| match word.to_str() {
        // Other characters would be escaped when the line is printed, in a way no shell decodes.
        Some(text) if one_line(text) == text => Bash::quote(text),
        _ => Bash::quote(word.as_encoded_bytes()),
    });
    quoted.collect::<Vec<String>>().join(" ")
}

/// Prints the events of a file as warnings.
pub(crate) fn warn_of(file: &mut LedgerFile) {
    for event in file.events() {
        warn(&format!("'{}' {event}", file.path().display()));
    }
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
        assert_eq!(one_line(&line), line);
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
