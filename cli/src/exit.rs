//! Exit codes and error messages.

use std::fmt::Display;
use std::io;

use clap::error::ErrorKind;
use queens::count::{Contradiction, Mismatch};
use queens::store::{FileError, Problem, ShardsError};
use queens::{CountError, EngineError};
use thiserror::Error;

use crate::message::{one_line, tell};
use crate::output::is_broken_pipe;
use crate::signals;

const DONE: u8 = 0;
pub(crate) const FAILED: u8 = 1;
const USAGE: u8 = 2;
const GAPS: u8 = 3;
pub(crate) const CONTRADICTION: u8 = 4;
/// 128 plus the number of the signal, as shells report it.
pub(crate) const INTERRUPTED: u8 = 130;

/// Help text about the exit codes.
pub(crate) const CODES: &str = "\
Exit codes:
  0    success
  1    failure: I/O error, lack of memory, no solution, not a solution, search or time limit reached
  2    invalid arguments, including unusable boards, kernels, files and folders; nothing was done
  3    shards are missing; no total is printed
  4    wrong total, contradictory counts or damaged result; no total and no valid score
  130  interrupted with Ctrl-C
Other signals end the program with 128 plus their number.";

/// Error that ends a command, with its exit code.
#[derive(Debug, Error)]
#[error("{message}")]
pub(crate) struct Failure {
    code: u8,
    message: String,
}

impl Failure {
    /// Creates an error about the value of an option or argument.
    pub(crate) fn usage(option: &str, reason: impl Display) -> Self {
        Self::invalid(format!("{option}: {reason}"))
    }

    /// Creates an error about invalid arguments.
    pub(crate) fn invalid(message: impl Display) -> Self {
        Self { code: USAGE, message: message.to_string() }
    }

    /// Creates an error about a path that the system cannot open or create. A full disk counts as a
    /// failure of the machine, not as an invalid argument.
    pub(crate) fn of_io(message: impl Display, error: &io::Error, accepted: &str) -> Self {
        match is_of_machine(error) {
            true => Self { code: FAILED, message: message.to_string() },
            false => Self::invalid(format!("{message} (accepted: {accepted})")),
        }
    }

    /// Creates an error about a file or folder that cannot be used.
    pub(crate) fn of_file(message: impl Display, problem: &Problem, accepted: &str) -> Self {
        match problem {
            Problem::Io(error) => Self::of_io(message, error, accepted),
            _ => Self::invalid(message),
        }
    }

    /// Creates an error about counts that contradict each other or a published value.
    pub(crate) fn contradiction(message: impl Display) -> Self {
        Self { code: CONTRADICTION, message: message.to_string() }
    }

    /// Creates an error about the signal or time limit that interrupted the command.
    pub(crate) fn interrupted(message: impl Display) -> Self {
        let (code, option) = interruption();
        let option = option.map_or_else(String::new, |option| format!("{option}: "));
        Self { code, message: format!("{option}{message}") }
    }
}

/// Returns the exit code of interrupted work, and the option that interrupted it, if any.
fn interruption() -> (u8, Option<&'static str>) {
    match signals::is_time_limit() {
        true => (FAILED, Some("--timeout")),
        false => (INTERRUPTED, None),
    }
}

/// Whether the machine lacks space or open files, so that no other path would help.
fn is_of_machine(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, OutOfMemory, QuotaExceeded, StorageFull};
    #[cfg(unix)]
    if matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE)) {
        return true;
    }
    matches!(error.kind(), FileTooLarge | OutOfMemory | QuotaExceeded | StorageFull)
}

/// Prints the output of the argument parser, which is help, the version or an error, and returns
/// the exit code.
pub(crate) fn of_usage(parsed: &clap::Error, program: &clap::Command) -> u8 {
    match parsed.print() {
        Err(error) if !parsed.use_stderr() => {
            of_outcome(Err(anyhow::Error::from(error).context("standard output")), program)
        }
        _ if parsed.use_stderr() => USAGE,
        _ => DONE,
    }
}

/// Prints the error of a command, if there is one, in the style of the argument parser. Returns the
/// exit code.
pub(crate) fn of_outcome(outcome: anyhow::Result<()>, program: &clap::Command) -> u8 {
    let error = match outcome {
        Err(error) if !is_broken_pipe(&error) => error,
        _ => return DONE,
    };
    let option = error.downcast_ref().and_then(|error| code_and_option(error).1);
    let option = option.map_or_else(String::new, |option| format!("{option}: "));
    let message = format!("{option}{error:#}");
    let code = code(&error);
    if code == INTERRUPTED {
        tell(message); // an interrupt is not an error
    } else {
        let message = one_line(&message) + "\n";
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

/// Returns the exit code for a counting error, and the option that caused it, if any.
fn code_and_option(error: &CountError) -> (u8, Option<&'static str>) {
    match error {
        CountError::Board(_) => (USAGE, Some("N")),
        CountError::Engine(error) => {
            use EngineError::{Board, NoSuchKernel, Size, Unavailable};
            let option = match error {
                NoSuchKernel { .. } | Unavailable { .. } => "--kernel",
                Size { .. } | Board { .. } => "--engine",
                _ => "--symmetry",
            };
            (USAGE, Some(option))
        }
        CountError::Threads(_) => (USAGE, Some("--threads")),
        CountError::Pool { .. } => (FAILED, Some("--threads")),
        CountError::Memory { .. } => (FAILED, Some("--memory")),
        CountError::Mismatch(_) | CountError::Contradiction(_) => (CONTRADICTION, None),
        CountError::Cancelled => interruption(),
        _ => (FAILED, None),
    }
}

fn of_shards(error: &ShardsError) -> u8 {
    use ShardsError::{File, Gaps, NoPlan, Shard, Split, Total, Unusable};
    match error {
        NoPlan(_) | Split { .. } | Shard(_) => USAGE,
        File(FileError { problem, .. }) => match problem {
            Problem::Foreign(_) | Problem::Version(_) => USAGE,
            Problem::Io(_) => FAILED,
            _ => CONTRADICTION,
        },
        Gaps { .. } => GAPS,
        Unusable(_) => CONTRADICTION,
        Total(error) => code_and_option(error).0,
        _ => FAILED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queens::count::Done;
    use queens::{Counter, Ledger};

    /// This is a unit test because integration tests cannot add context to the error.
    #[test]
    fn a_wrong_total_keeps_its_exit_code_when_context_is_added() {
        let mut run = Counter::new(4).unwrap().prepare().unwrap();
        let mut ledger = Ledger::new(run.plan());
        ledger.record([(0, 7), (1, 0), (2, 0)]).unwrap();
        let CountError::Mismatch(mismatch) = run.verify(&ledger, Done::default()).unwrap_err()
        else {
            panic!("the total is wrong");
        };
        assert_eq!(code(&anyhow::Error::from(mismatch).context("later")), 4);
    }
}
