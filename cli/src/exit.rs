//! Exit codes, and the messages of errors.

use std::fmt::Display;
use std::io;
use std::path::Path;

use clap::error::ErrorKind;
use queens::count::{Contradiction, Mismatch};
use queens::store::{FileError, Problem, ShardsError};
use queens::{CountError, EngineError};
use thiserror::Error;

use crate::human::{self, tell};
use crate::signals;

pub(crate) const DONE: u8 = 0;
const FAILED: u8 = 1;
const USAGE: u8 = 2;
const GAPS: u8 = 3;
pub(crate) const CONTRADICTION: u8 = 4;
/// Base of the exit codes of signals.
const SIGNALS: u8 = 128;

/// Description of the exit codes in the help.
pub(crate) const CODES: &str = "\
Exit codes:
  0    done
  1    failed: a file, the machine; no solution; not a solution; a search limit
  2    invalid arguments; nothing was done
  3    shards are missing; no total is printed
  4    a contradiction or a damaged result: no total, and no valid score
  130  interrupted (129: terminal closed, 143: asked to terminate)
  134  aborted: out of memory (SIGABRT)";

/// Failure of a command: its message and its exit code.
#[derive(Debug, Error)]
#[error("{message}")]
pub(crate) struct Failure {
    code: u8,
    message: String,
}

impl Failure {
    /// Returns the failure of an invalid option, or of an argument without a name.
    pub(crate) fn usage(option: impl Into<Option<&'static str>>, reason: impl Display) -> Self {
        let message = match option.into() {
            Some(option) => format!("{option}: {reason}"),
            None => reason.to_string(),
        };
        let code = USAGE;
        Self { code, message }
    }

    /// Returns the failure of a path that cannot be used.
    pub(crate) fn of_path(
        option: impl Into<Option<&'static str>>,
        path: &Path,
        reason: impl Display,
        accepted: &str,
    ) -> Self {
        let path = path.display();
        Self::usage(option, format!("'{path}': {reason} (accepted: {accepted})"))
    }

    /// Returns the failure of counts that contradict each other or a published value.
    pub(crate) fn contradiction(message: String) -> Self {
        let code = CONTRADICTION;
        Self { code, message }
    }

    /// Returns the failure of a command that a signal interrupted.
    pub(crate) fn interrupted(message: String) -> Self {
        let code = signals::code();
        Self { code, message }
    }

    /// Returns the failure of an option whose file or folder cannot be used. A full disk is a failure of the machine,
    /// not of the arguments.
    pub(crate) fn of_file(
        option: impl Into<Option<&'static str>>,
        error: &FileError,
        accepted: &str,
    ) -> Self {
        use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        let Problem::Io(io) = &error.problem else {
            return Self::usage(option, error);
        };
        match io.kind() {
            FileTooLarge | QuotaExceeded | StorageFull => Self {
                code: FAILED,
                ..Self::usage(option, error)
            },
            _ => Self::usage(option, format!("{error} (accepted: {accepted})")),
        }
    }
}

/// Prints the output of the argument parser: help, version or an error. Returns the exit code.
pub(crate) fn of_usage(said: &clap::Error, program: &clap::Command) -> u8 {
    match said.print() {
        _ if said.use_stderr() => USAGE,
        Ok(()) => DONE,
        Err(failed) => {
            let failed = anyhow::Error::from(failed).context("standard output");
            of_error(&failed, program)
        }
    }
}

/// Prints an error in the style of the argument parser and returns the exit code.
pub(crate) fn of_error(error: &anyhow::Error, program: &clap::Command) -> u8 {
    // A broken pipe is not an error: the reader has closed it.
    let is_broken_pipe = |cause: &(dyn std::error::Error + 'static)| {
        let cause = cause.downcast_ref::<io::Error>();
        cause.is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
    };
    if error.chain().any(is_broken_pipe) {
        return DONE;
    }
    let message = match error.downcast_ref::<CountError>() {
        // The message includes the messages of its sources.
        Some(error) => match code_and_option(error).1 {
            Some(option) => format!("{option}: {error}"),
            None => error.to_string(),
        },
        None => format!("{error:#}"),
    };
    let code = code(error);
    if code > SIGNALS {
        tell(message); // an interrupt is not an error
    } else {
        let message = human::one_line(&message) + "\n";
        let shown: clap::Error = clap::Error::raw(ErrorKind::Io, message).with_cmd(program);
        let _ = shown.print(); // a closed standard error does not change the outcome
    }
    code
}

pub(crate) fn code(error: &anyhow::Error) -> u8 {
    if let Some(failure) = error.downcast_ref::<Failure>() {
        failure.code
    } else if let Some(error) = error.downcast_ref::<CountError>() {
        code_and_option(error).0
    } else if let Some(error) = error.downcast_ref::<ShardsError>() {
        of_shards(error)
    } else if error.is::<Mismatch>() || error.is::<Contradiction>() {
        CONTRADICTION
    } else {
        FAILED
    }
}

/// Returns the exit code of an error in counting, and the option that caused it.
fn code_and_option(error: &CountError) -> (u8, Option<&'static str>) {
    match error {
        CountError::Board(_) => (USAGE, Some("N")),
        CountError::Engine(error) => {
            use EngineError::{Board, NoStatistics, NoSuchKernel, Size, Torus, Unavailable};
            let option = match error {
                NoSuchKernel { .. } | Unavailable { .. } | Torus { .. } => "--kernel",
                Size { .. } | Board { .. } => "--engine",
                NoStatistics { .. } => "--stats",
                _ => "--symmetry",
            };
            (USAGE, Some(option))
        }
        CountError::Percent(_) => (USAGE, Some("--double-check")),
        CountError::Threads(_) => (USAGE, Some("--threads")),
        CountError::Pool { .. } => (FAILED, Some("--threads")),
        CountError::Memory { .. } => (FAILED, Some("--memory")),
        CountError::Mismatch(_) | CountError::Contradiction(_) | CountError::Disagreement(_) => {
            (CONTRADICTION, None)
        }
        CountError::Cancelled => (signals::code(), None),
        _ => (FAILED, None),
    }
}

fn of_shards(error: &ShardsError) -> u8 {
    use ShardsError::{Count, File, Gaps, NoPlan, Shard, Total, Unusable};
    match error {
        NoPlan(_) | Count { .. } | Shard(_) => USAGE,
        File(FileError { problem, .. }) => match problem {
            Problem::Foreign(_) | Problem::Version(_) => USAGE,
            Problem::Io(_) => FAILED,
            _ => CONTRADICTION,
        },
        Gaps { .. } => GAPS,
        Unusable(_) => CONTRADICTION,
        Total(error) => code_and_option(error).0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Integration tests can forge a wrong total in a checkpoint, but not an error with context.
    #[test]
    fn a_wrong_total_has_a_code_of_its_own_whatever_is_said_around_it() {
        let mismatch = Mismatch {
            n: 8,
            total: 93,
            published: 92,
            source_name: "a table",
        };
        assert_eq!(code(&anyhow::Error::from(mismatch).context("later")), 4);
    }
}
