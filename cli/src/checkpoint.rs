//! Checkpoints: options, and saving the results of a running count.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Error, Result, anyhow};
use clap::Args;
use clap::builder::{PathBufValueParser, TypedValueParser};
use queens::count::Done;
use queens::store::{LedgerFile, Problem};
use queens::{CountError, Plan, Run, Shard};
use shell_quote::{Bash, Quote};

use crate::exit::Failure;
use crate::human;
use crate::message::{one_line, tell, warn};
use crate::options::seconds;
use crate::output::keep_apart;
use crate::progress::Display;

/// Default interval between saves.
pub(crate) const SAVE_EVERY: Duration = Duration::from_secs(5);

/// Options for checkpoints.
#[derive(Debug, Args)]
pub(crate) struct Checkpointing {
    /// Save progress to FILE regularly, and resume from it if it exists
    #[arg(long, value_name = "FILE", conflicts_with = "runs", value_parser = PathBufValueParser::new().try_map(file))]
    checkpoint: Option<PathBuf>,

    /// Save every SECONDS seconds (may be fractional)
    #[arg(long, value_name = "SECONDS", requires = "checkpoint", conflicts_with = "runs", default_value = "5", value_parser = seconds, allow_hyphen_values = true, help_heading = "Advanced")]
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
    pub(crate) fn keep_apart_from(&self, output: &Path) -> Result<(), Failure> {
        let path = self.checkpoint.as_deref();
        path.map_or(Ok(()), |path| keep_apart("--output", output, "--checkpoint", path))
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
) -> Result<Done, CountError> {
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
    let (mut last, mut is_failing) = (Instant::now(), false);
    run.count(run.missing(file.ledger())?, |results| {
        file.record(results)?;
        if last.elapsed() < every {
            return Ok(());
        }
        last = Instant::now();
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
    })
}

/// Says how much of a count is already done.
pub(crate) fn tell_resumed(file: &LedgerFile) {
    let ledger = file.ledger();
    let Some(before) = ledger.resumed() else {
        return;
    };
    let (done, time) = (progress(ledger.done(), ledger.len()), human::duration(before.elapsed));
    match ledger.is_complete() {
        true => tell("using the saved result"),
        false => tell(format_args!("resuming with {done} done in {time}")),
    }
}

fn progress(done: usize, len: usize) -> String {
    format!("{} of {}", human::integer(done as u128), human::plural(len, "subproblem"))
}

/// Saves the results of a count that ended early, and returns the error with the command to resume.
/// `done` of `len` subproblems are counted.
pub(crate) fn interrupted(
    error: CountError,
    (done, len): (usize, usize),
    file: Option<LedgerFile>,
) -> Error {
    if !matches!(error, CountError::Cancelled | CountError::Exhausted { .. }) {
        return error.into();
    }
    let consequence = match file {
        None => "nothing was saved (use --checkpoint FILE to be able to resume)".to_owned(),
        Some(_) if done == 0 => format!("there is nothing to save yet; {}", to_resume()),
        Some(mut file) => match file.save() {
            Ok(()) => format!("saved in '{}'; {}", file.path().display(), to_resume()),
            Err(error) => format!("{error}; results since the last save are lost; {}", to_resume()),
        },
    };
    let stopped = format!("stopped with {} done; {consequence}", progress(done, len));
    match error {
        CountError::Cancelled => Failure::interrupted(stopped).into(),
        error => anyhow!("{error}; {stopped}"),
    }
}

fn to_resume() -> String {
    format!("to resume: {}", command_line(std::env::args_os()))
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
