//! Interrupts: the first asks the count to stop, the second ends the process.

use anyhow::{Context, Result};
use queens::CancelToken;

/// The code of a process that an interrupt ended.
const INTERRUPTED: i32 = 130;

/// A token that is cancelled when the process is interrupted or asked to terminate.
pub(crate) fn cancel_on_interrupt() -> Result<CancelToken> {
    let token = CancelToken::new();
    let order = token.clone();
    ctrlc::set_handler(move || {
        if order.is_cancelled() {
            std::process::exit(INTERRUPTED);
        }
        order.cancel();
    })
    .context("the interrupt handler could not be set")?;
    Ok(token)
}
