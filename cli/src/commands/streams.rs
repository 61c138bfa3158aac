//! The standard streams: what is said to people.

use std::fmt::Display;
use std::io::{self, Write};

use clap::error::ErrorKind;

use crate::human;

/// Writes a line on standard error; a failure to do so is ignored: there is no other place to report it.
///
/// What is said to people goes through this function, [`print`](super::output::print) or [`report`], which let nothing through
/// that would steer their terminal, whatever files and their names hold.
pub(crate) fn tell(line: impl Display) {
    let _ = writeln!(io::stderr(), "{}", human::one_line(&line.to_string()));
}

/// Shows an error as the argument parser does. That standard error is closed changes nothing about the outcome.
pub(crate) fn report(message: &str, program: &clap::Command) {
    let message = human::one_line(message) + "\n";
    let shown: clap::Error = clap::Error::raw(ErrorKind::Io, message).with_cmd(program);
    let _ = shown.print();
}

/// Shows what the argument parser has to say: an error if that is help and cannot be written.
pub(crate) fn show(said: &clap::Error) -> io::Result<()> {
    // It has words of the command line in it as they are.
    let mut words = std::env::args_os();
    let is_odd = words.any(|word| word.to_string_lossy().contains(char::is_control));
    if !said.use_stderr() {
        said.print()?;
    } else if is_odd {
        let _ = io::stderr().write_all(human::printable(&said.to_string()).as_bytes());
    } else {
        let _ = said.print();
    }
    Ok(())
}
