//! Ctrl-C, SIGTERM and time limits, which cancel the work. A second signal ends the process.
//!
//! Schedulers such as Slurm, Kubernetes and systemd end a process with SIGTERM, and kill it soon
//! after. Other signals keep their usual effect, so that `nohup` works.

use std::io::{self, IsTerminal};
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::exit::{CAUSE, Failure, INTERRUPT, Result, SIGNALLED, TIME_LIMIT};
use crate::message::eprint_line;
use queens::CancelToken;

#[cfg(unix)]
const TERMINATE: u8 = 15;

/// Returns a token that Ctrl-C and SIGTERM cancel.
pub(crate) fn cancel_on_interrupt() -> Result<CancelToken> {
    let token = CancelToken::new();
    on_interrupt(&token).map(|()| token)
}

/// Cancels the token after this time, if any.
pub(crate) fn cancel_after(limit: Option<Duration>, token: &CancelToken) -> Result<()> {
    let Some(limit) = limit else {
        return Ok(());
    };
    let token = token.clone();
    let timer = std::thread::Builder::new().spawn(move || {
        std::thread::sleep(limit);
        expire(&token);
    });
    let failed = |error| Failure::new(format!("--timeout: cannot start a thread: {error}"));
    timer.map(drop).map_err(failed)
}

/// Cancels the token because its time is over, unless a signal has done so.
fn expire(token: &CancelToken) {
    if !token.is_cancelled() {
        CAUSE.store(TIME_LIMIT, Ordering::Relaxed);
        token.cancel();
    }
}

/// Cancels the token at the first signal, and ends the process at the second.
pub(crate) fn on_interrupt(token: &CancelToken) -> Result<()> {
    let token = token.clone();
    let received = move |signal: u8| {
        if token.is_cancelled() && CAUSE.load(Ordering::Relaxed) != TIME_LIMIT {
            std::process::exit((SIGNALLED + signal).into());
        }
        if signal == INTERRUPT && io::stderr().is_terminal() {
            eprint_line(""); // the cursor may be on the line of the progress bar
        }
        // Printed first, because the work may end at once.
        eprint_line(match signal {
            INTERRUPT => "stopping; press Ctrl-C again to quit immediately",
            _ => "stopping, since the process was asked to terminate",
        });
        CAUSE.store(signal, Ordering::Relaxed);
        token.cancel();
    };
    listen(received).map_err(|error| Failure::new(format!("cannot handle Ctrl-C: {error}")))
}

/// Makes a write beyond the limit of `ulimit -f` fail as on a full disk. The signal would end the
/// process.
pub(crate) fn ignore_file_limit() {
    #[cfg(unix)]
    let _ = signal_hook::flag::register(libc::SIGXFSZ, std::sync::Arc::default());
}

/// Calls `received` with the number of each signal, on a thread of its own.
#[cfg(unix)]
fn listen(received: impl Fn(u8) + Send + 'static) -> io::Result<()> {
    let signals = [INTERRUPT, TERMINATE].map(i32::from);
    let mut signals = signal_hook::iterator::Signals::new(signals)?;
    let thread = std::thread::Builder::new();
    thread.spawn(move || signals.forever().for_each(|signal| received(signal as u8))).map(drop)
}

#[cfg(not(unix))]
fn listen(received: impl Fn(u8) + Send + 'static) -> io::Result<()> {
    ctrlc::set_handler(move || received(INTERRUPT)).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The exit code is that of the signal, even if the time ends before the work does.
    #[test]
    fn the_first_cause_counts() {
        let token = CancelToken::new();
        token.cancel();
        expire(&token);
        assert_eq!(CAUSE.load(Ordering::Relaxed), INTERRUPT);
    }
}
