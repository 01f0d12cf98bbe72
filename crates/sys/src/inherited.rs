//! A file descriptor that was handed over across exec(2), known only by its number.
#![expect(
    unsafe_code,
    reason = "a number in an argument or a variable becomes an owned descriptor"
)]

use std::os::fd::{FromRawFd as _, OwnedFd};

use rustix::io::{FdFlags, fcntl_setfd};

/// Takes over the descriptor `number`, which the process that started this one left open for it, and keeps it from
/// being inherited further. `None` for the standard three and for numbers that are not open.
pub fn take(number: i32) -> Option<OwnedFd> {
    if number <= 2 || !std::path::Path::new(&format!("/proc/self/fd/{number}")).exists() {
        return None;
    }
    // SAFETY: the descriptor is open, and nothing else in this process owns it: it was named to us for this purpose
    // by our own earlier image, and callers take it once, at the start, before any other descriptor is opened.
    let fd = unsafe { OwnedFd::from_raw_fd(number) };
    fcntl_setfd(&fd, FdFlags::CLOEXEC).ok()?;
    Some(fd)
}
