//! Ctrl-C and time limits, which cancel the work. A second Ctrl-C ends the process.
//!
//! Other signals end the process at once. Results that were saved are safe, and `nohup` works as
//! usual.

use std::io::IsTerminal;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::exit::{Failure, INTERRUPTED, IS_TIME_LIMIT, Result};
use crate::message::eprint_line;
use queens::CancelToken;

/// Returns a token that Ctrl-C cancels.
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
        if !token.is_cancelled() {
            IS_TIME_LIMIT.store(true, Ordering::Relaxed);
            token.cancel();
        }
    });
    let failed = |error| Failure::new(format!("--timeout: cannot start a thread: {error}"));
    timer.map(drop).map_err(failed)
}

/// Cancels the token at the first Ctrl-C, and ends the process at the second.
pub(crate) fn on_interrupt(token: &CancelToken) -> Result<()> {
    let token = token.clone();
    let received = move || {
        if token.is_cancelled() && !IS_TIME_LIMIT.load(Ordering::Relaxed) {
            std::process::exit(INTERRUPTED.into());
        }
        IS_TIME_LIMIT.store(false, Ordering::Relaxed);
        token.cancel();
        if std::io::stderr().is_terminal() {
            eprint_line(""); // the cursor may be on the line of the progress bar
        }
        eprint_line("stopping; press Ctrl-C again to quit immediately");
    };
    ctrlc::set_handler(received)
        .map_err(|error| Failure::new(format!("cannot handle Ctrl-C: {error}")))
}
