//! The options that let a count go on later, and what they do while it runs.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::store::{Checkpoint, Disk};
use crate::{Ledger, Plan, Progress};
use anyhow::Result;
use clap::Args;

use super::exit::{Signalled, UsageError};
use super::output::tell;
use super::paths::{are_same, through_links};
use super::progress::Display;

/// How to go on later.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Long runs")]
pub(crate) struct Checkpointing {
    /// Save what is done in this file now and then, and go on from what is there
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,

    /// Seconds between saves; fractions are accepted
    #[arg(
        long,
        value_name = "SECONDS",
        requires = "checkpoint",
        default_value = "30",
        value_parser = seconds,
        allow_hyphen_values = true
    )]
    checkpoint_every: Duration,
}

impl Checkpointing {
    /// Whether there is to be a checkpoint.
    pub(crate) fn is_wanted(&self) -> bool {
        self.checkpoint.is_some()
    }

    /// An error if results are to go where the checkpoint keeps its files.
    pub(crate) fn keep_apart_from(&self, output: &Path) -> Result<(), UsageError> {
        let Some(checkpoint) = self.checkpoint.as_deref().map(through_links) else {
            return Ok(());
        };
        let mut taken = Checkpoint::files_of(&checkpoint).into_iter();
        if output == Path::new("-") || !taken.any(|file| are_same(&file, output)) {
            return Ok(());
        }
        let output = output.display();
        let reason = format!("'{output}' is a file of --checkpoint (accepted: any other)");
        Err(UsageError::new("--output", reason))
    }

    /// Opens the checkpoint file, if there is to be one: where to save, and what is done already.
    pub(crate) fn open(&self, plan: &Plan) -> Result<Option<(Saver, Ledger)>> {
        let Some(path) = &self.checkpoint else {
            return Ok(None);
        };
        let path = through_links(path);
        let (checkpoint, ledger, notices) = Checkpoint::open(Box::new(Disk), &path, plan)
            .map_err(|error| UsageError::new("--checkpoint", error))?;
        for notice in notices {
            warn(&format!("--checkpoint: {notice}"));
        }
        let saver = Saver {
            checkpoint,
            every: self.checkpoint_every,
            next: Instant::now() + self.checkpoint_every,
            elapsed: Duration::ZERO,
            saved: ledger.done(),
            failing: None,
        };
        Ok(Some((saver, ledger)))
    }
}

/// What comes after a save that has failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// It is tried again.
    Retry,
    /// The total, which needs no file.
    Total,
    /// Nothing: the process ends.
    End,
}

/// Saves a count as it goes.
#[derive(Debug)]
pub(crate) struct Saver {
    checkpoint: Checkpoint,
    every: Duration,
    /// When to save next.
    next: Instant,
    /// How long this run has counted.
    elapsed: Duration,
    /// Subproblems in the last good file.
    saved: usize,
    /// Why the last attempt failed, if it did.
    failing: Option<String>,
}

impl Saver {
    /// Saves if it is time, or if everything is done. A failure is told, once, and tried again: it does not stop a count.
    pub(crate) fn update(&mut self, progress: &Progress<'_>, display: &Display) {
        let ledger = progress.ledger;
        if progress.double_checked.is_none() {
            self.elapsed = progress.elapsed;
        }
        if ledger.done() == self.saved {
            return;
        }
        let just_completed = ledger.is_complete() && progress.double_checked.is_none();
        let is_time = just_completed || self.next <= Instant::now();
        let next = if just_completed {
            Next::Total
        } else {
            Next::Retry
        };
        if is_time && self.save(ledger, next) {
            display.saved();
        }
    }

    /// Whether the ledger could be saved.
    fn save(&mut self, ledger: &Ledger, next: Next) -> bool {
        let outcome = self.checkpoint.save(ledger, self.elapsed);
        self.next = Instant::now() + self.every; // after it, lest a slow disk be all that is busy
        let path = self.checkpoint.path().display();
        match outcome {
            Ok(()) => {
                self.saved = ledger.done();
                if self.failing.take().is_some() {
                    warn(&format!("--checkpoint '{path}' is being saved again"));
                }
                true
            }
            Err(error) => {
                let error = error.to_string();
                if self.failing.as_ref() != Some(&error) || next != Next::Retry {
                    let next = match next {
                        Next::Retry => format!("trying again every {} s", self.every.as_secs_f64()),
                        Next::Total => "the count is complete all the same".to_owned(),
                        Next::End => "the others are lost".to_owned(),
                    };
                    let saved = self.saved;
                    warn(&format!(
                        "--checkpoint '{path}' could not be saved: {error} ({saved} subproblems are in the last \
                         good file; {next})"
                    ));
                }
                self.failing = Some(error);
                false
            }
        }
    }
}

/// What has become of a cancelled count: saves what is done, if it can be saved.
pub(crate) fn stopped(ledger: &Ledger, saver: Option<&mut Saver>) -> Signalled {
    let consequence = match saver {
        None => "nothing is saved (with --checkpoint FILE a count can go on later)".to_owned(),
        Some(saver) => {
            let is_saved = saver.saved == ledger.done() || saver.save(ledger, Next::End);
            let path = saver.checkpoint.path().display();
            let saved = if ledger.done() == 0 {
                "there is nothing to save yet".to_owned()
            } else if is_saved {
                format!("saved in '{path}'")
            } else {
                format!("{} of them are saved in '{path}'", saver.saved)
            };
            format!("{saved}, to go on: {}", this_command())
        }
    };
    let (done, len) = (ledger.done(), ledger.len());
    Signalled(format!(
        "stopped with {done} of {len} subproblems done; {consequence}"
    ))
}

/// The command line of this process, to be given to a shell again.
fn this_command() -> String {
    let words = std::env::args_os().map(|word| quoted(&word));
    words.collect::<Vec<_>>().join(" ")
}

/// A word as a shell reads it, in one line whatever is in it.
fn quoted(word: &OsStr) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+%@".contains(c);
    match word.to_str() {
        Some(word) if !word.is_empty() && word.chars().all(plain) => word.to_owned(),
        Some(word) if !word.contains(char::is_control) => {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
        // What cannot be printed, by the numbers of its bytes.
        _ => {
            let bytes = word.as_encoded_bytes().iter();
            let escaped: String = bytes
                .map(|&byte| match byte {
                    b'\'' | b'\\' => format!("\\{}", char::from(byte)),
                    b' '..=b'~' => char::from(byte).to_string(),
                    _ => format!("\\{byte:03o}"),
                })
                .collect();
            format!("$'{escaped}'")
        }
    }
}

/// Warns on standard error.
pub(crate) fn warn(message: &str) {
    tell(format_args!("warning: {message}"));
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.parse().ok().filter(|s| (0.001..=1e9).contains(s));
    number
        .map(Duration::from_secs_f64)
        .ok_or_else(|| "accepted: a number of seconds from 0.001 to 1e9".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_quoted_for_a_shell() {
        let quoted = |word: &str| super::quoted(OsStr::new(word));
        assert_eq!(quoted("--checkpoint=a/b.ckpt"), "--checkpoint=a/b.ckpt");
        assert_eq!(quoted("my file"), "'my file'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted("é"), "'é'");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("it's\ntwo\\lines"), r"$'it\'s\012two\\lines'");
    }

    #[cfg(unix)]
    #[test]
    fn a_name_that_is_no_text_is_quoted_by_its_bytes() {
        use std::os::unix::ffi::OsStrExt;
        assert_eq!(quoted(OsStr::from_bytes(b"a\xff1")), r"$'a\3771'");
    }

    #[test]
    fn intervals_are_positive_numbers() {
        assert_eq!(seconds("0.25"), Ok(Duration::from_millis(250)));
        for text in ["0", "-1", "NaN", "inf", "", "1 s"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
