//! The options that let a count go on later, and what they do while it runs.

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Args;
use queens::store::{Checkpoint, Disk};
use queens::{Ledger, Plan, Progress};
use thiserror::Error;

use super::exit::UsageError;
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

    /// Opens the checkpoint file, if there is to be one: where to save, and what is done already.
    pub(crate) fn open(&self, plan: &Plan) -> Result<Option<(Saver, Ledger)>> {
        let Some(path) = &self.checkpoint else {
            return Ok(None);
        };
        // Through symbolic links, so that a file has one lock whatever it is called, and links stay.
        let target = path
            .is_symlink()
            .then(|| path.canonicalize().ok())
            .flatten();
        let path = target.unwrap_or_else(|| path.clone());
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
        if (just_completed || self.next <= Instant::now()) && self.save(ledger) {
            display.saved();
        }
    }

    /// Whether the ledger could be saved.
    fn save(&mut self, ledger: &Ledger) -> bool {
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
                if self.failing.as_ref() != Some(&error) {
                    warn(&format!(
                        "--checkpoint '{path}' could not be saved: {error} ({} subproblems are in the last good \
                         file; trying again every {} s)",
                        self.saved,
                        self.every.as_secs_f64()
                    ));
                }
                self.failing = Some(error);
                false
            }
        }
    }
}

/// A count was told to stop before its end.
#[derive(Debug, Error)]
#[error("stopped with {done} of {len} subproblems done; {consequence}")]
pub(crate) struct Stopped {
    done: usize,
    len: usize,
    consequence: String,
}

impl Stopped {
    /// Saves what is done, if it can be saved, and says what has become of it.
    pub(crate) fn new(ledger: &Ledger, saver: Option<&mut Saver>) -> Self {
        let consequence = match saver {
            None => "nothing is saved (with --checkpoint FILE a count can go on later)".to_owned(),
            Some(saver) => {
                let is_saved = saver.saved == ledger.done() || saver.save(ledger);
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
        Self {
            done: ledger.done(),
            len: ledger.len(),
            consequence,
        }
    }
}

/// The command line of this process, to be given to a shell again.
fn this_command() -> String {
    let words = std::env::args_os().map(|word| quoted(&word.to_string_lossy()));
    words.collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+%@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Says something on standard error, if anybody listens.
pub(crate) fn warn(message: &str) {
    let _ = writeln!(std::io::stderr(), "warning: {message}");
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
        assert_eq!(quoted("--checkpoint=a/b.ckpt"), "--checkpoint=a/b.ckpt");
        assert_eq!(quoted("my file"), "'my file'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn intervals_are_positive_numbers() {
        assert_eq!(seconds("0.25"), Ok(Duration::from_millis(250)));
        for text in ["0", "-1", "NaN", "inf", "", "1 s"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
