//! The options that let a count go on later, and what they do while it runs.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use queens::store::{Autosave, Checkpoint, SaveEvent};
use queens::{Ledger, Plan, Progress};
use shell_quote::{Bash, Quote};

use super::exit::Failure;
use super::options::seconds;
use super::output::tell;
use super::paths::{are_same, through_links};
use super::progress::Display;

/// How to go on later.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Long runs")]
pub(crate) struct Checkpointing {
    /// Save progress in this file regularly, and resume from it if it exists
    #[arg(long, value_name = "FILE", conflicts_with_all = ["runs", "warmup"])]
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
    pub(crate) fn keep_apart_from(&self, output: &Path) -> Result<(), Failure> {
        let Some(checkpoint) = self.checkpoint.as_deref().map(through_links) else {
            return Ok(());
        };
        let mut taken = Checkpoint::files_of(&checkpoint).into_iter();
        if output == Path::new("-") || !taken.any(|file| are_same(&file, output)) {
            return Ok(());
        }
        let output = output.display();
        let reason = format!("'{output}' is a file of --checkpoint (accepted: any other)");
        Err(Failure::usage("--output", reason))
    }

    /// Opens the checkpoint file, if there is to be one: where to save, and what is done already.
    pub(crate) fn open(&self, plan: &Plan) -> Result<Option<(Saver, Ledger)>> {
        let Some(path) = &self.checkpoint else {
            return Ok(None);
        };
        let accepted = "a regular file, or a new one in a folder that can be written to";
        let opened = Checkpoint::open(&through_links(path), plan);
        let (checkpoint, ledger, notices) =
            opened.map_err(|error| Failure::of_file("--checkpoint", &error, accepted))?;
        for notice in notices {
            warn(&format!("--checkpoint: {notice}"));
        }
        let autosave = Autosave::new(checkpoint, &ledger, self.checkpoint_every);
        Ok(Some((Saver(autosave), ledger)))
    }
}

/// Saves a count as it goes, and says so.
#[derive(Debug)]
pub(crate) struct Saver(Autosave);

impl Saver {
    /// Saves if it is time, or if everything is done.
    pub(crate) fn update(&mut self, progress: &Progress<'_>, display: &Display) {
        match self.0.update(progress) {
            None => return,
            Some(SaveEvent::Failed(error)) => {
                let next = match progress.ledger.is_complete() {
                    true => "the count is complete nevertheless".to_owned(),
                    false => format!("trying again every {} s", self.0.every().as_secs_f64()),
                };
                return self.warn_of(&error, &next);
            }
            Some(SaveEvent::Recovered) => {
                warn(&format!(
                    "--checkpoint '{}' is being saved again",
                    self.path()
                ));
            }
            Some(_) => {}
        }
        display.saved();
    }

    /// Takes subproblems whose counts turned out to be wrong out of the file, so that no later run relies on them.
    pub(crate) fn forget(&mut self, places: &[usize]) {
        let (path, number) = (self.path().to_string(), places.len());
        warn(&match self.0.forget(places) {
            Ok(()) => format!(
                "--checkpoint '{path}': {number} subproblems taken out; the next run counts them anew"
            ),
            Err(error) => format!("--checkpoint '{path}' holds wrong counts, delete it: {error}"),
        });
    }

    fn warn_of(&self, error: &str, next: &str) {
        let (path, saved) = (self.path(), self.0.saved());
        warn(&format!(
            "--checkpoint '{path}' could not be saved: {error} ({saved} subproblems are in the last good file; {next})"
        ));
    }

    fn path(&self) -> impl std::fmt::Display + use<'_> {
        self.0.checkpoint().path().display()
    }

    /// Saves what is done, if it can be saved: what has become of it.
    fn finish(&mut self, ledger: &Ledger) -> String {
        match self.0.finish(ledger) {
            _ if ledger.done() == 0 => "there is nothing to save yet".to_owned(),
            Ok(()) => format!("saved in '{}'", self.path()),
            Err(error) => {
                self.warn_of(&error.to_string(), "the others are lost");
                format!("{} of them are saved in '{}'", self.0.saved(), self.path())
            }
        }
    }
}

/// What has become of a count that was cancelled, or ran out of memory: saves what is done, if it can be saved.
pub(crate) fn stopped(ledger: &Ledger, saver: Option<&mut Saver>) -> String {
    let consequence = match saver {
        None => "nothing is saved (with --checkpoint FILE a count can go on later)".to_owned(),
        Some(saver) => {
            let saved = saver.finish(ledger);
            format!("{saved}, to resume: {}", command_line(std::env::args_os()))
        }
    };
    let (done, len) = (ledger.done(), ledger.len());
    format!("stopped with {done} of {len} subproblems done; {consequence}")
}

/// A command line to be given to a shell again, in one line whatever is in it.
fn command_line(words: impl Iterator<Item = std::ffi::OsString>) -> String {
    let quoted = words.map(|word| match word.to_str() {
        Some(text) => Bash::quote(text),
        None => Bash::quote(word.as_encoded_bytes()),
    });
    quoted.collect::<Vec<String>>().join(" ")
}

/// Warns on standard error.
pub(crate) fn warn(message: &str) {
    tell(format_args!("warning: {message}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a shell makes of a command line is the command line.
    #[cfg(unix)]
    #[test]
    fn a_command_is_quoted_for_a_shell() {
        use std::ffi::OsString;
        use std::os::unix::ffi::OsStringExt;
        let plain = ["queens", "count", "--checkpoint", "a/b.ckpt", "-q", "0.01"];
        let line = command_line(plain.iter().map(OsString::from));
        assert_eq!(line, plain.join(" "));
        let odd = b"my file\0it's\0\xc3\xa9\0\0two\nlines\x1b[2J\0a\xff1";
        let words = odd.split(|&byte| byte == 0);
        let words = words.map(|word| OsString::from_vec(word.to_vec()));
        let line = command_line(words);
        assert!(!line.contains(char::is_control), "{line:?}");
        let script = format!("printf '%s\\0' {line}");
        let output = std::process::Command::new("bash")
            .args(["-c", &script])
            .output();
        assert_eq!(output.unwrap().stdout, [&odd[..], b"\0"].concat());
    }
}
