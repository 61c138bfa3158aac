//! The standard streams: what is said to people, how wide their terminal is, and whether standard output was closed.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use clap::error::ErrorKind;

use crate::human;

/// Writes a line on standard error; a failure to do so is ignored: there is no other place to report it.
///
/// What is said to people goes through this function, [`print`](super::output::print) or [`report`], which let nothing through
/// that would steer their terminal, whatever files and their names hold. No other file writes to the streams: a test sees to it.
pub(crate) fn tell(line: impl Display) {
    let _ = writeln!(io::stderr(), "{}", one_line(&line.to_string()));
}

/// A message in one line, with what the system says of an error in words like all others, and without the system's number.
fn one_line(message: &str) -> String {
    let Some((before, after)) = message.split_once(" (os error ") else {
        return human::one_line(message);
    };
    let sentence = before.rfind(": ").map_or(0, |colon| colon + 2);
    let (before, said) = before.split_at(sentence);
    let said = match said {
        "No such file or directory" => "there is no such file or folder".to_owned(),
        other => other.to_lowercase(),
    };
    let (_, rest) = after.split_once(')').unwrap_or_default();
    human::one_line(before) + &human::one_line(&said) + &one_line(rest)
}

/// Letters in a line of the terminal that standard output is; none if it is something else.
pub(crate) fn width() -> Option<usize> {
    let out = io::stdout();
    let is_terminal = out.is_terminal();
    let size = is_terminal.then(|| terminal_size::terminal_size_of(out))?;
    size.map(|(width, _)| width.0.into())
}

/// Ends the process as a failure, with a text for standard error and without asking for memory.
pub(crate) fn end(text: &'static str) -> ! {
    let _ = io::stderr().write_all(text.as_bytes());
    std::process::exit(1)
}

/// Shows an error as the argument parser does. That standard error is closed changes nothing about the outcome.
pub(crate) fn report(message: &str, program: &clap::Command) {
    let message = one_line(message) + "\n";
    let shown: clap::Error = clap::Error::raw(ErrorKind::Io, message).with_cmd(program);
    let _ = shown.print();
}

/// Shows what the argument parser has to say: an error if that is help and cannot be written.
pub(crate) fn show(said: &clap::Error) -> io::Result<()> {
    // It has words of the command line in it as they are.
    let mut words = std::env::args_os();
    let is_odd = words.any(|word| word.to_string_lossy().contains(char::is_control));
    if !said.use_stderr() {
        expect_output().and_then(|()| said.print())?;
    } else if is_odd {
        let _ = io::stderr().write_all(human::printable(&said.to_string()).as_bytes());
    } else {
        let _ = said.print();
    }
    Ok(())
}

/// An error if standard output was closed before the process began, as far as that is known. Rust opens /dev/null in its place
/// before `main`, and what is printed would be lost without a word.
pub(crate) fn expect_output() -> io::Result<()> {
    match IS_OUTPUT_CLOSED.load(Ordering::Relaxed) {
        true => Err(io::Error::other("it is closed")),
        false => Ok(()),
    }
}

static IS_OUTPUT_CLOSED: AtomicBool = AtomicBool::new(false);

/// Called by the loader before anything of Rust.
#[cfg(target_os = "linux")]
extern "C" fn look_at_output() {
    // SAFETY: only asks about a descriptor, which need not be open.
    let flags = unsafe { libc::fcntl(1, libc::F_GETFD) };
    IS_OUTPUT_CLOSED.store(flags == -1, Ordering::Relaxed);
}

// SAFETY: the loader calls each function whose address is in this section, once, with nothing that this one needs.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK_AT_OUTPUT: extern "C" fn() = look_at_output;
