//! Keys that show a trace board by board.

use std::io::{self, IsTerminal, Read, Write};

use console::{Key, Term};
use queens::solve::Step;

/// Line below each board on a terminal, which is erased when a key is pressed.
const KEYS: &str = "[space] board  [s]olution  [f]ailure  [q]uit";

/// Boards at which a trace stops.
#[derive(Clone, Copy, PartialEq)]
enum Stop {
    Boards,
    Solutions,
    Failures,
}

/// Shows the boards of a trace as keys ask for them.
pub(super) struct Stepper {
    stop: Stop,
    /// Whether keys are pressed on a terminal. Otherwise, each byte of standard input is a key.
    on_terminal: bool,
}

impl Stepper {
    pub(super) fn new() -> Self {
        let on_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
        Self { stop: Stop::Boards, on_terminal }
    }

    /// Whether boards of a step are shown.
    pub(super) fn shows(&self, step: &Step) -> bool {
        match self.stop {
            Stop::Boards => true,
            Stop::Solutions => matches!(step, Step::Solution(_)),
            Stop::Failures => matches!(step, Step::Failure(_)),
        }
    }

    /// Shows the boards of a step, and waits for a key after each of them, or only after the last
    /// one of a solution or failure. Skips other steps. Returns false if the trace ends here.
    pub(super) fn show(
        &mut self,
        out: &mut dyn Write,
        boards: &[String],
        step: &Step,
    ) -> io::Result<bool> {
        for (number, board) in (1..).zip(boards) {
            if !self.shows(step) {
                continue;
            }
            out.write_all(board.as_bytes())?;
            if self.stop == Stop::Boards || number == boards.len() {
                let Some(stop) = self.next_stop(out)? else {
                    return Ok(false);
                };
                self.stop = stop;
            }
        }
        Ok(true)
    }

    /// Waits for a key, and returns `None` if it ends the trace.
    fn next_stop(&self, out: &mut dyn Write) -> io::Result<Option<Stop>> {
        let columns = usize::from(Term::stdout().size().1);
        let keys = match self.on_terminal {
            true => &KEYS[..KEYS.len().min(columns - 1)], // a second line would not be erased
            false => "",
        };
        write!(out, "{keys}")?;
        out.flush()?;
        let stop = loop {
            match self.key() {
                Some(' ' | '\n') => break Some(Stop::Boards),
                Some('s') => break Some(Stop::Solutions),
                Some('f') => break Some(Stop::Failures),
                Some('q' | '\x04') | None => break None, // Ctrl-D is not the end of raw input
                Some(_) => {}
            }
        };
        if self.on_terminal {
            write!(out, "\r{:1$}\r", "", keys.len())?;
        }
        Ok(stop)
    }

    /// Returns the next key, or `None` at the end of the input or when interrupted. The terminal is
    /// in raw mode only while this waits.
    fn key(&self) -> Option<char> {
        if !self.on_terminal {
            return io::stdin().lock().bytes().next()?.ok().map(char::from);
        }
        match Term::stdout().read_key_raw() {
            Ok(Key::Char(key)) => Some(key),
            Ok(Key::Enter) => Some('\n'),
            Ok(Key::CtrlC) | Err(_) => None,
            Ok(_) => Some('?'),
        }
    }
}
