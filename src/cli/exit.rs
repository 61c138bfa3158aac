//! Exit codes, and errors as one line on standard error.

use std::io;
use std::process::ExitCode;

use crate::CountError;
use crate::count::classes::Contradiction;
use crate::count::verify::Mismatch;
use crate::machine::threads::ThreadsError;
use crate::store::ShardsError;
use crate::store::document::DocumentError;
use clap::error::ErrorKind;
use thiserror::Error;

use super::checkpoint::Stopped;
use super::output::{print_all, tell};
use super::signals;

/// The exit codes and what they mean.
pub(crate) const CODES: [(&str, &str); 6] = [
    ("0", "done"),
    (
        "1",
        "failed: a file, a thread or the machine; or there is no solution, or a limit ended the search before all that \
         was asked for was found",
    ),
    ("2", "the command line cannot be honoured; nothing was done"),
    ("3", "shards are missing; no total is printed"),
    (
        "4",
        "a contradiction, to a published value or of counts with one another, or a damaged result; no total is printed, \
         and a benchmark is void",
    ),
    (
        "130",
        "interrupted (129 terminal closed, 143 asked to terminate)",
    ),
];

/// The exit codes as the help shows them.
pub(crate) fn help() -> String {
    const WIDTH: usize = 90;
    let mut text = "Exit codes:".to_owned();
    for (code, meaning) in CODES {
        let mut line = format!("  {code:<4}");
        for word in meaning.split(' ') {
            if line.len() + word.len() >= WIDTH {
                text += &format!("\n{line}");
                line = " ".repeat(6);
            }
            line += &format!(" {word}");
        }
        text += &format!("\n{line}");
    }
    text
}

/// A command line that cannot be honoured: the option, and what is wrong with it.
#[derive(Debug, Error)]
#[error("{option}: {reason}")]
pub(crate) struct UsageError {
    option: &'static str,
    reason: String,
}

impl UsageError {
    pub(crate) fn new(option: &'static str, reason: impl ToString) -> Self {
        let reason = reason.to_string();
        Self { option, reason }
    }
}

/// A benchmark in which a count came to a wrong total.
#[derive(Debug, Error)]
#[error("a count contradicts the published value ({0}): the scores of that engine are void")]
pub(crate) struct WrongTotal(pub(crate) String);

/// Why `solve` did not do all that was asked for.
#[derive(Debug, Error)]
pub(crate) enum Unsolved {
    /// There is no solution of this board.
    #[error("there is no solution for {0}")]
    None(String),
    /// A limit was reached.
    #[error("{0}")]
    Stopped(String),
    /// It was told to stop.
    #[error("interrupted")]
    Interrupted,
}

/// Work that a signal stopped: what that means.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct Signalled(pub(crate) &'static str);

/// Counts that contradict each other.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct Disagreement(pub(crate) String);

/// An error that kept a shard from being counted. A damaged plan is a contradiction to `queens merge` only; to others it is
/// a file that cannot be used.
pub(crate) fn not_done(error: ShardsError) -> anyhow::Error {
    match of_shards(&error) {
        4 => anyhow::Error::msg(error.to_string()),
        _ => error.into(),
    }
}

/// Reports what the argument parser has to say: help and version as they are, an error in one line.
pub(crate) fn of_usage(error: &clap::Error, command: &clap::Command) -> ExitCode {
    let message = error.render().to_string();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => match print_all(&message) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => of_error(&error),
        },
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            tell(message.trim_end());
            ExitCode::from(2)
        }
        kind => {
            let accepted = accepted(kind, &message, command);
            tell(one_line(what_is_wrong(&message)) + &accepted);
            ExitCode::from(2)
        }
    }
}

/// What would have been accepted, where the argument parser does not say it in the same sentence.
fn accepted(kind: ErrorKind, message: &str, command: &clap::Command) -> String {
    match kind {
        ErrorKind::InvalidSubcommand => {
            let names: Vec<_> = command
                .get_subcommands()
                .map(clap::Command::get_name)
                .collect();
            format!(" (accepted: {})", names.join(", "))
        }
        ErrorKind::UnknownArgument | ErrorKind::MissingRequiredArgument => {
            let usage = usage(message, command);
            format!(" (accepted: {usage}; --help says more)")
        }
        _ => String::new(),
    }
}

/// The usage of the command that a message is about; the message's own shows only what was given.
fn usage(message: &str, command: &clap::Command) -> String {
    let line = message
        .lines()
        .find_map(|line| line.strip_prefix("Usage: queens "));
    let name = line.and_then(|line| line.split(' ').next());
    let mut program = command.clone();
    program.build();
    let usage = match name.and_then(|name| program.find_subcommand_mut(name)) {
        Some(command) => command.render_usage(),
        None => program.render_usage(),
    };
    usage.to_string().replace("Usage: ", "")
}

/// Reports an error and gives the code to exit with.
pub(crate) fn of_error(error: &anyhow::Error) -> ExitCode {
    // Whoever read our output has had enough: not an error, and nobody to tell it to.
    let closed = |cause: &(dyn std::error::Error + 'static)| {
        let cause = cause.downcast_ref::<io::Error>();
        cause.is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
    };
    if error.chain().any(closed) {
        return ExitCode::SUCCESS;
    }
    let message = match error.downcast_ref::<CountError>() {
        Some(error) => with_option(error),
        None => format!("{error:#}"),
    };
    tell(format_args!("error: {}", one_line(message.lines())));
    ExitCode::from(code(error))
}

pub(super) fn code(error: &anyhow::Error) -> u8 {
    if error.is::<UsageError>() || error.is::<ThreadsError>() {
        return 2;
    }
    if error.is::<WrongTotal>() {
        return 4;
    }
    if matches!(error.downcast_ref(), Some(Unsolved::Interrupted)) {
        return signals::code();
    }
    if error.is::<Mismatch>() || error.is::<Contradiction>() || error.is::<Disagreement>() {
        return 4;
    }
    if error.is::<Stopped>() || error.is::<Signalled>() {
        return signals::code();
    }
    if let Some(error) = error.downcast_ref::<ShardsError>() {
        return of_shards(error);
    }
    match error.downcast_ref::<CountError>() {
        Some(
            CountError::Board(_)
            | CountError::Engine(_)
            | CountError::Threads(_)
            | CountError::Percent(_),
        ) => 2,
        Some(
            CountError::Mismatch(_) | CountError::Contradiction(_) | CountError::Disagreement(_),
        ) => 4,
        Some(CountError::Cancelled { .. }) => signals::code(),
        _ => 1,
    }
}

fn of_shards(error: &ShardsError) -> u8 {
    use ShardsError::{
        Count, DifferentPlan, Faults, Gaps, Mismatch, NoPlan, NotOurs, OtherProgram, Shard,
    };
    match error {
        NoPlan { .. } | DifferentPlan { .. } | Count { .. } | Shard { .. } => 2,
        NotOurs {
            error: DocumentError::Format { .. },
            ..
        } => 2,
        Gaps { .. } => 3,
        NotOurs { .. } | OtherProgram { .. } | Faults { .. } | Mismatch(_) => 4,
        _ => 1,
    }
}

/// An error of the library with the option it is about.
fn with_option(error: &CountError) -> String {
    use crate::EngineError::{
        Board, NoStatistics, NoSuchKernel, NoSymmetry, Size, Symmetry, Unavailable,
    };
    let option = match error {
        CountError::Engine(NoSuchKernel { .. } | Unavailable { .. }) => "--kernel: ",
        CountError::Engine(Size { .. } | Board { .. }) => "--engine: ",
        CountError::Engine(NoStatistics { .. }) => "--stats: ",
        CountError::Engine(Symmetry { .. } | NoSymmetry { .. }) => "--symmetry: ",
        CountError::Threads(_) | CountError::Pool { .. } => "--threads: ",
        CountError::Pin { .. } => "--pin: ",
        CountError::Percent(_) => "--double-check: ",
        CountError::Board(_) => "N: ",
        _ => "",
    };
    format!("{option}{error}")
}

/// The lines of a message of the argument parser that say what is wrong, without what follows: guesses at what was meant,
/// which lead astray where the value of an option begins with a hyphen, and the usage.
fn what_is_wrong(message: &str) -> impl Iterator<Item = &str> {
    let follows = ["Usage:", "For more information", "  tip:"];
    message
        .lines()
        .take_while(move |line| !follows.iter().any(|start| line.starts_with(start)))
}

/// A message of several lines in one.
fn one_line<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let lines: Vec<_> = lines
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    lines.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_becomes_one_line() {
        let message = "error: bad\n  [possible values: a]\n\nUsage: queens\n\nFor more information";
        let parsed = one_line(what_is_wrong(message));
        assert_eq!(parsed, "error: bad [possible values: a]");
        // A file may be called like that.
        assert_eq!(one_line("'a\nUsage: b'".lines()), "'a Usage: b'");
    }

    #[test]
    fn usage_and_contradiction_have_codes_of_their_own() {
        let mismatch = crate::count::verify::check(&crate::Board::new(8).unwrap(), 93).unwrap_err();
        assert_eq!(code(&CountError::from(mismatch).into()), 4);
        assert_eq!(code(&UsageError::new("--output", "x").into()), 2);
        assert_eq!(code(&anyhow::anyhow!("other")), 1);
    }
}
