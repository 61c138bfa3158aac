//! How the process ends where memory or a thread fails.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, Ordering};

use super::streams::end;
use queens::internals::may_fail;

/// The system's memory. Where there is no more, the process ends with one line and the exit code of a failure, unless what was
/// asked for can be done without.
#[derive(Debug)]
pub struct Memory;

impl Memory {
    /// What the system gave.
    fn given(memory: *mut u8) -> *mut u8 {
        if memory.is_null() && !may_fail() {
            end("error: not enough memory\n");
        }
        memory
    }
}

// SAFETY: all is left to the system's allocator; null, which it may give, goes on as null.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the promises that it made for this function.
        Self::given(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the promises that it made for this function.
        Self::given(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the promises that it made for this function.
        Self::given(unsafe { System.realloc(memory, layout, size) })
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the promises that it made for this function.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// Has memory of 1 MiB and more mapped by itself: it goes back to the system once it is freed.
/// Left alone, glibc raises this bound to 32 MiB, and lists of such sizes that grow side by side leave holes: half as much memory
/// again at N = 28.
#[cfg(all(unix, target_env = "gnu"))]
pub(crate) fn map_large_memory() {
    // SAFETY: sets a number that nothing else depends on.
    unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 20) };
}

/// Has the first panic tell of itself and no other: threads of one count tend to fail alike.
pub(crate) fn panic_once() {
    static TOLD: AtomicBool = AtomicBool::new(false);
    let tell = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !TOLD.swap(true, Ordering::Relaxed) {
            tell(panic);
        }
    }));
}
