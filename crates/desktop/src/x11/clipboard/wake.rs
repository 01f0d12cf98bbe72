//! Waking a thread that waits for the X server.

use std::os::fd::OwnedFd;

use rustix::event::{EventfdFlags, eventfd};

use crate::DesktopError;

/// A counter in the kernel that a thread can wait for.
pub(super) fn new() -> Result<OwnedFd, DesktopError> {
    eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).map_err(|error| {
        DesktopError::Unsupported(format!("cannot make an eventfd for the clipboard: {error}"))
    })
}

/// Makes it readable.
pub(super) fn wake(fd: &OwnedFd) {
    // It fails only where it is readable already.
    rustix::io::write(fd, &1_u64.to_ne_bytes()).ok();
}

/// Makes it unreadable again.
pub(super) fn clear(fd: &OwnedFd) {
    // It fails only where it is unreadable already.
    rustix::io::read(fd, &mut [0_u8; 8]).ok();
}
