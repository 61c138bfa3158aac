//! Exit codes, and errors as they are shown on standard error.

use std::fmt::Display;
use std::io;

use clap::error::ErrorKind;
use queens::count::{Contradiction, Mismatch};
use queens::store::{FileError, Problem, ShardsError};
use queens::{CountError, EngineError};
use thiserror::Error;

use crate::human;
use crate::human::tell;
use crate::signals;

pub(crate) const DONE: u8 = 0;
const FAILED: u8 = 1;
const USAGE: u8 = 2;
const GAPS: u8 = 3;
const CONTRADICTION: u8 = 4;
/// A code above this is that of a signal.
const SIGNALS: u8 = 128;

/// The exit codes as the help shows them.
pub(crate) const CODES: &str = "\
Exit codes:
  0    done
  1    failed: a file, the machine; no solution; not a solution; a search limit
  2    the command line cannot be honoured; nothing was done
  3    shards are missing; no total is printed
  4    a contradiction or a damaged result: no total, and no valid score
  130  interrupted (129: terminal closed, 143: asked to terminate)
  134  aborted: out of memory (SIGABRT)";

/// Why a command did not do what was asked, in words, with the exit code that this has.
#[derive(Debug, Error)]
#[error("{message}")]
pub(crate) struct Failure {
    code: u8,
    message: String,
}

impl Failure {
    /// A command line that cannot be honoured: the option, and what is wrong with it. An argument without a name is
    /// `None`.
    pub(crate) fn usage(option: impl Into<Option<&'static str>>, reason: impl Display) -> Self {
        let message = match option.into() {
            Some(option) => format!("{option}: {reason}"),
            None => reason.to_string(),
        };
        let code = USAGE;
        Self { code, message }
    }

    /// Counts that contradict each other or a published value.
    pub(crate) fn contradiction(message: String) -> Self {
        let code = CONTRADICTION;
        Self { code, message }
    }

    /// A signal ended the work: what has become of it.
    pub(crate) fn interrupted(message: String) -> Self {
        let code = signals::code();
        Self { code, message }
    }

    /// The file or folder that an option names cannot be used, and what would be `accepted`. Where it could be, but the
    /// disk is full, it is the machine that failed.
    pub(crate) fn of_file(
        option: impl Into<Option<&'static str>>,
        error: &FileError,
        accepted: &str,
    ) -> Self {
        use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        let Problem::Io(io) = &error.problem else {
            return Self::usage(option, error);
        };
        if matches!(io.kind(), FileTooLarge | QuotaExceeded | StorageFull) {
            let code = FAILED;
            return Self {
                code,
                ..Self::usage(option, error)
            };
        }
        Self::usage(option, format!("{error} (accepted: {accepted})"))
    }
}

/// An error that kept a shard from being counted. A damaged plan is a contradiction to `queens shards merge` only; to
/// others it is a file that cannot be used.
pub(crate) fn not_done(error: anyhow::Error) -> anyhow::Error {
    match code(&error) {
        CONTRADICTION => anyhow::Error::msg(error.to_string()),
        _ => error,
    }
}

/// Shows what the argument parser has to say: help and version, or what is wrong with the command line.
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

/// Shows an error the way the argument parser shows its own, and gives the code to exit with.
pub(crate) fn of_error(error: &anyhow::Error, program: &clap::Command) -> u8 {
    // A broken pipe is not an error: somebody has read enough.
    let is_broken_pipe = |cause: &(dyn std::error::Error + 'static)| {
        let cause = cause.downcast_ref::<io::Error>();
        cause.is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
    };
    if error.chain().any(is_broken_pipe) {
        return DONE;
    }
    let message = match error.downcast_ref::<CountError>() {
        // Its message says what its sources say.
        Some(error) => match code_and_option(error).1 {
            Some(option) => format!("{option}: {error}"),
            None => error.to_string(),
        },
        None => format!("{error:#}"),
    };
    let code = code(error);
    if code > SIGNALS {
        tell(message); // it did as it was told
    } else {
        let message = human::one_line(&message) + "\n";
        let shown: clap::Error = clap::Error::raw(ErrorKind::Io, message).with_cmd(program);
        let _ = shown.print(); // that standard error is closed changes nothing about the outcome
    }
    code
}

/// The exit code of an error.
pub(super) fn code(error: &anyhow::Error) -> u8 {
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

/// The exit code of an error in counting, and the option that it is about.
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

    /// A wrong total of a whole count can be forged in a checkpoint; one that is found elsewhere has only this test.
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
