//! Signal handling: the first signal cancels the work, the second ends the process. A time limit
//! cancels it like the first signal.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};

use crate::exit::FAILED;
use crate::message::tell;
use queens::CancelToken;

/// Exit code after the time limit.
const TIME_LIMIT: u8 = FAILED;

/// Exit code for the received signal, which is 128 plus its number, or for the time limit.
static CODE: AtomicU8 = AtomicU8::new(130);

/// Returns the exit code for the signal or time limit that interrupted the process.
pub(crate) fn code() -> u8 {
    CODE.load(Ordering::Relaxed)
}

/// Whether the time limit interrupted the process.
pub(crate) fn is_time_limit() -> bool {
    code() == TIME_LIMIT
}

/// Returns a token that is cancelled when the process is interrupted or asked to terminate.
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
            CODE.store(TIME_LIMIT, Ordering::Relaxed);
            token.cancel();
        }
    });
    timer.map(|_| ()).context("--timeout: cannot start a thread")
}

/// Cancels the token when the process is interrupted or asked to terminate.
pub(crate) fn on_interrupt(token: &CancelToken) -> Result<()> {
    let token = token.clone();
    listen(move |signal| received(signal, &token)).context("cannot install signal handlers")
}

fn received(signal: u8, token: &CancelToken) {
    let before = CODE.swap(128 + signal, Ordering::Relaxed);
    if token.is_cancelled() && before != TIME_LIMIT {
        std::process::exit(i32::from(code()));
    }
    token.cancel();
    if std::io::stderr().is_terminal() {
        tell(""); // the cursor may be on the line of the progress bar
    }
    tell("stopping; press Ctrl-C again to quit immediately");
}

#[cfg(unix)]
fn listen(received: impl Fn(u8) + Send + 'static) -> Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = vec![SIGINT, SIGTERM];
    // `nohup` makes a process ignore this signal, so that a count outlives its terminal.
    if !is_ignored(SIGHUP) {
        signals.push(SIGHUP);
    }
    let mut signals = signal_hook::iterator::Signals::new(signals)?;
    std::thread::Builder::new().spawn(move || {
        for signal in signals.forever() {
            received(signal as u8); // all three are below 16
        }
    })?;
    Ok(())
}

/// Handles Ctrl-C, the only signal supported on non-Unix systems.
#[cfg(not(unix))]
fn listen(received: impl Fn(u8) + Send + 'static) -> Result<()> {
    Ok(ctrlc::set_handler(move || received(2))?)
}

/// Whether the signal was already ignored when the process started; false if unknown.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Turns the signal sent at the file size limit (`ulimit -f`) into a write error, as if the disk
/// were full.
pub(crate) fn survive_file_limits() {
    #[cfg(unix)]
    {
        use signal_hook::consts::SIGXFSZ;
        // The flag is never read, but with a handler installed the signal no longer ends the
        // process.
        let _ = signal_hook::flag::register(SIGXFSZ, std::sync::Arc::default());
    }
}
