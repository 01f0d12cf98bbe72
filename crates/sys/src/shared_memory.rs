//! A piece of memory that another process (the X server) writes and this one reads.
#![expect(
    unsafe_code,
    reason = "mapping a file descriptor is unsafe: another process can change what it holds"
)]

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};

use memmap2::MmapRaw;
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create};

/// An anonymous memory file, mapped here and handed to the peer as a descriptor.
///
/// Invariant: the file is sealed against shrinking before it is mapped, so no access can fault; bytes are only
/// copied out, never borrowed, because the peer may write at any time.
#[derive(Debug)]
pub struct Segment {
    fd: OwnedFd,
    map: MmapRaw,
}

impl Segment {
    /// A segment of `size_bytes`, zero-filled.
    ///
    /// # Errors
    /// The kernel's error when memory files are not to be had or the size is zero.
    pub fn new(size_bytes: usize) -> io::Result<Self> {
        let fd = memfd_create("shinken-shm", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        ftruncate(&fd, size_bytes as u64)?;
        fcntl_add_seals(&fd, SealFlags::SHRINK)?;
        let map = MmapRaw::map_raw(&fd)?;
        Ok(Self { fd, map })
    }

    /// The descriptor to pass to the peer.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// The size in bytes.
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// Whether the segment holds nothing; it never does, since a mapping cannot be empty.
    pub fn is_empty(&self) -> bool {
        self.map.len() == 0
    }

    /// Copies `into.len()` bytes from `offset`; `false`, with nothing copied, where they are not all inside.
    pub fn copy_out(&self, offset: usize, into: &mut [u8]) -> bool {
        if offset
            .checked_add(into.len())
            .is_none_or(|end| end > self.map.len())
        {
            return false;
        }
        // SAFETY: the range was checked against the mapping, which lives as long as `self` and, being sealed against
        // shrinking, is backed throughout; `into` is our own memory and cannot overlap a mapping nobody else refers to.
        unsafe {
            std::ptr::copy_nonoverlapping(
                self.map.as_ptr().wrapping_add(offset),
                into.as_mut_ptr(),
                into.len(),
            );
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_outside_is_refused() {
        let segment = Segment::new(16).unwrap();
        let mut bytes = [1_u8; 8];
        assert!(segment.copy_out(8, &mut bytes));
        assert_eq!(bytes, [0; 8]);
        assert!(!segment.copy_out(9, &mut bytes));
        assert!(!segment.copy_out(usize::MAX, &mut bytes));
    }
}
