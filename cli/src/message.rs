//! Messages on standard error, and the characters that no terminal may interpret.

use std::fmt::Display;
use std::io::{self, Write};

/// Escapes control characters other than newlines, and characters that change the direction of
/// text.
pub(crate) fn printable(text: &str) -> String {
    escaped(text, |c| (is_control(c) && c != '\n').then(|| c.escape_default()))
}

/// Escapes the same characters as [`printable`], and newlines.
pub(crate) fn one_line(text: &str) -> String {
    escaped(text, |c| is_control(c).then(|| c.escape_default()))
}

/// Replaces the characters for which `escape` returns a replacement.
pub(crate) fn escaped<E: Display>(text: &str, escape: impl Fn(char) -> Option<E>) -> String {
    let shown = text.chars().map(|c| escape(c).map_or_else(|| c.to_string(), |e| e.to_string()));
    shown.collect()
}

/// Whether a character is a control character or changes the direction of text, so that a terminal
/// would interpret it.
pub(crate) fn is_control(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Writes a line to standard error. Failures are ignored, because they cannot be reported anywhere
/// else.
///
/// All messages are written by this function, by `print`, or by the argument parser as errors. All
/// three escape the characters that a terminal would interpret, for example in file names.
pub(crate) fn eprint_line(line: impl Display) {
    let _ = writeln!(io::stderr(), "{}", one_line(&line.to_string()));
}

/// Writes a warning to standard error.
pub(crate) fn warn(message: &str) {
    eprint_line(format_args!("warning: {message}"));
}
