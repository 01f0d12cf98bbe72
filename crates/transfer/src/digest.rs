//! SHA-256 while the bytes pass by.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Read as _;

use sha2::{Digest as _, Sha256};

use crate::TransferError;

/// What is read of a file at a time when only its hash is wanted.
const PIECE: usize = 256 << 10;

/// The SHA-256 of what has passed so far.
#[derive(Debug, Clone, Default)]
pub struct Running(Sha256);

impl Running {
    /// More has passed.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The hash of what has passed so far, as 64 hexadecimal digits.
    pub fn sha256(&self) -> String {
        let mut text = String::with_capacity(64);
        for byte in self.0.clone().finalize() {
            // Writing to a String cannot fail.
            write!(text, "{byte:02x}").ok();
        }
        text
    }
}

/// The SHA-256 of a file from where it is read on, and how many bytes that were.
///
/// # Errors
/// It cannot be read.
pub fn of_file(mut file: &File, shown: &str) -> Result<(String, u64), TransferError> {
    let mut hash = Running::default();
    let mut piece = vec![0; PIECE];
    let mut size = 0;
    loop {
        let read = file
            .read(&mut piece)
            .map_err(|error| TransferError::of_io("read", shown, &error))?;
        if read == 0 {
            return Ok((hash.sha256(), size));
        }
        hash.update(&piece[..read]);
        size += read as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_what_others_say() {
        let mut hash = Running::default();
        hash.update(b"ab");
        hash.update(b"c");
        assert_eq!(
            hash.sha256(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
