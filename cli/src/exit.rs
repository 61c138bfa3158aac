//! Exit codes and error messages.

use std::fmt::Display;
use std::io;
use std::sync::atomic::{AtomicU8, Ordering};

use clap::error::ErrorKind;
use queens::machine::ThreadsError;
use queens::store::FileErrorKind;
use queens::{BoardError, CountError, EngineError};

use crate::message::{eprint_line, one_line};
use crate::startup::expect_stdout;

const DONE: u8 = 0;
const FAILED: u8 = 1;
const USAGE: u8 = 2;
const GAPS: u8 = 3;
const CONTRADICTION: u8 = 4;
/// Added to the number of a signal, as shells report it.
pub(crate) const SIGNALLED: u8 = 128;
/// Signal of Ctrl-C.
pub(crate) const INTERRUPT: u8 = 2;

/// Signal that interrupted the work, or [`TIME_LIMIT`].
pub(crate) static CAUSE: AtomicU8 = AtomicU8::new(INTERRUPT);
pub(crate) const TIME_LIMIT: u8 = u8::MAX;

/// Help text about the exit codes, which docs/GUIDE.md repeats.
pub(crate) const CODES: &str = "\
Exit codes:
  0    success
  1    failure or limit: full disk, lack of memory, end of time; 'solve' finds nothing, 'check' a fault
  2    an argument, board or file cannot be used; nothing was counted
  3    files to merge lack subproblems; no total is printed
  4    wrong total, or contradictory files to merge; no total and no valid score
  130  interrupted with Ctrl-C; a checkpoint keeps the results
  143  terminated by SIGTERM; a checkpoint keeps the results
Other signals end the program at once with 128 plus their number.";

/// Result of a command, or of a part of it.
pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

/// Error that ends a command, with its exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    message: String,
}

impl Failure {
    /// Creates an error about something that failed.
    pub(crate) fn new(message: impl Display) -> Self {
        Self { code: FAILED, message: message.to_string() }
    }

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
    pub(crate) fn from_io(message: impl Display, error: &io::Error, accepted: &str) -> Self {
        match is_resource_exhausted(error) {
            true => Self::new(message),
            false => Self::invalid(format!("{message} (accepted: {accepted})")),
        }
    }

    /// Creates an error about a ledger that cannot be used.
    pub(crate) fn from_file(message: impl Display, kind: &FileErrorKind, accepted: &str) -> Self {
        match kind {
            FileErrorKind::Io(error) => Self::from_io(message, error, accepted),
            FileErrorKind::Foreign => Self::invalid(format!("{message} (accepted: {accepted})")),
            _ => Self::invalid(message),
        }
    }

    /// Creates an error about counts that contradict each other or a published value.
    pub(crate) fn contradiction(message: impl Display) -> Self {
        Self { code: CONTRADICTION, message: message.to_string() }
    }

    /// Creates an error about files that lack subproblems.
    pub(crate) fn gaps(message: impl Display) -> Self {
        Self { code: GAPS, message: message.to_string() }
    }

    /// Creates an error about the signal or time limit that interrupted the command.
    pub(crate) fn interrupted(message: impl Display) -> Self {
        match CAUSE.load(Ordering::Relaxed) {
            TIME_LIMIT => Self::new(format!("--timeout: {message}")),
            signal => Self { code: SIGNALLED + signal, message: message.to_string() },
        }
    }

    /// Whether the reader of the output has closed it, which it does on purpose.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        self.code == DONE
    }

    #[cfg(test)]
    pub(crate) fn code(&self) -> u8 {
        self.code
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        let code = if error.kind() == io::ErrorKind::BrokenPipe { DONE } else { FAILED };
        Self { code, message: error.to_string() }
    }
}

impl From<BoardError> for Failure {
    fn from(error: BoardError) -> Self {
        Self::usage("N", error)
    }
}

impl From<ThreadsError> for Failure {
    fn from(error: ThreadsError) -> Self {
        Self::usage("--threads", error)
    }
}

impl From<CountError> for Failure {
    fn from(error: CountError) -> Self {
        use EngineError::{Board, NoSuchKernel, Size, Unavailable};
        match error {
            CountError::Threads(error) => error.into(),
            CountError::Engine(error) => {
                let option = match error {
                    NoSuchKernel { .. } | Unavailable { .. } => "--kernel",
                    Size { .. } | Board { .. } => "--engine",
                    _ => "--symmetry",
                };
                Self::usage(option, error)
            }
            CountError::Pool { .. } => Self::new(format!("--threads: {error}")),
            CountError::Mismatch(_) => Self::contradiction(error),
            CountError::Cancelled => Self::interrupted(error),
            _ => Self::new(error),
        }
    }
}

/// Whether the machine lacks space or open files, so that no other path would help.
fn is_resource_exhausted(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, OutOfMemory, QuotaExceeded, StorageFull};
    #[cfg(unix)]
    if matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE)) {
        return true;
    }
    matches!(error.kind(), FileTooLarge | OutOfMemory | QuotaExceeded | StorageFull)
}

/// Prints the output of the argument parser, which is help, the version or an error, and returns
/// the exit code.
pub(crate) fn print_parsed(parsed: &clap::Error, program: &clap::Command) -> u8 {
    let open = if parsed.use_stderr() { Ok(()) } else { expect_stdout() };
    match open.and_then(|()| parsed.print()) {
        Err(error) if !parsed.use_stderr() => {
            let failure =
                Failure::from(io::Error::new(error.kind(), format!("standard output: {error}")));
            print_outcome(Err(failure), program)
        }
        _ if parsed.use_stderr() => USAGE,
        _ => DONE,
    }
}

/// Prints the error of a command, if there is one, in the style of the argument parser. Returns the
/// exit code.
pub(crate) fn print_outcome(outcome: Result<()>, program: &clap::Command) -> u8 {
    let Err(failure) = outcome.or_else(open_pipe) else {
        return DONE;
    };
    if failure.code >= SIGNALLED {
        eprint_line(failure.message); // an interrupt is not an error
    } else {
        let message = one_line(&failure.message) + "\n";
        let shown: clap::Error = clap::Error::raw(ErrorKind::Io, message).with_cmd(program);
        let _ = shown.print(); // a closed standard error does not change the outcome
    }
    failure.code
}

/// Forgives a closed pipe.
///
/// # Errors
///
/// Returns any other failure.
pub(crate) fn open_pipe(failure: Failure) -> Result<()> {
    if failure.is_closed_pipe() { Ok(()) } else { Err(failure) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The guide has the table of the help, and the documents mention no other code.
    #[test]
    fn exit_codes_are_documented() {
        let rows = CODES.lines().filter_map(|line| line.strip_prefix("  ")?.split_once(' '));
        let rows: Vec<_> = rows.map(|(code, meaning)| (code, meaning.trim())).collect();
        let codes =
            [DONE, FAILED, USAGE, GAPS, CONTRADICTION, SIGNALLED + INTERRUPT, SIGNALLED + 15];
        assert_eq!(rows.iter().map(|row| row.0.parse::<u8>().unwrap()).collect::<Vec<_>>(), codes);
        if !std::path::Path::new("../docs").exists() {
            return; // a package from a registry has no documents
        }
        let read = |page| std::fs::read_to_string(format!("../{page}.md")).unwrap();
        let guide = read("docs/GUIDE");
        for (code, meaning) in &rows {
            let row = format!("| {code} | {meaning} |");
            assert!(guide.contains(&row), "not in the guide: {row}");
        }
        let pages = ["README", "docs/GUIDE", "docs/CLUSTER", "docs/FORMATS", "docs/VERIFICATION"];
        let text = pages.map(read).concat();
        let mentions = text.split("exit code ").skip(1).filter_map(|mention| {
            let mention = mention.trim_start_matches("is ");
            mention.split(|c: char| !c.is_ascii_digit()).next().filter(|code| !code.is_empty())
        });
        let mentions: Vec<_> = mentions.collect();
        assert!(mentions.len() > 5, "{mentions:?}");
        assert!(mentions.iter().all(|code| rows.iter().any(|row| row.0 == *code)), "{mentions:?}");
    }
}
