//! Standard output that nobody reads: it was closed from the start, or its reader has gone.
//!
//! Before `main`, Rust's runtime opens `/dev/null` in place of closed streams, so that writing
//! succeeds although nothing is printed. This module looks even earlier.

use std::io;

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
mod at_start {
    use std::sync::atomic::{AtomicBool, Ordering};

    pub(super) static IS_CLOSED: AtomicBool = AtomicBool::new(false);

    extern "C" fn look() {
        // SAFETY: this reads the flags of a file descriptor, which need not be open.
        let flags = unsafe { libc::fcntl(1, libc::F_GETFD) };
        IS_CLOSED.store(flags == -1, Ordering::Relaxed);
    }

    // SAFETY: the loader calls each function in this section once, before Rust's runtime
    // starts. `look` uses nothing of that runtime.
    #[used]
    #[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]
    #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
    static LOOK: extern "C" fn() = look;
}

/// Fails if standard output was closed.
pub(crate) fn check_open() -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    if at_start::IS_CLOSED.load(std::sync::atomic::Ordering::Relaxed) {
        return Err(io::Error::other("closed (accepted: an open file, pipe or terminal)"));
    }
    Ok(())
}

/// Whether an error means that the reader of standard output has closed it, which it does on
/// purpose.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let cause = cause.downcast_ref::<io::Error>();
        cause.is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
    })
}
