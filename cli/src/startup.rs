//! Standard output as it was before `main`. The standard library opens `/dev/null` in place of a
//! closed stream, so that results would be lost in silence.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether standard output was closed. This is only known on Linux.
static IS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Fails if standard output was closed.
pub(crate) fn expect_stdout() -> io::Result<()> {
    match IS_CLOSED.load(Ordering::Relaxed) {
        true => Err(io::Error::other("closed")),
        false => Ok(()),
    }
}

#[cfg(target_os = "linux")]
extern "C" fn look() {
    // SAFETY: `F_GETFD` only reads the flags of a descriptor, and fails if it is closed.
    let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
    IS_CLOSED.store(flags == -1, Ordering::Relaxed);
}

// SAFETY: the section has pointers to functions that the C library calls before `main`. This one
// uses nothing that the runtime of Rust has to set up.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;
