//! The receiving end of a file.

use std::io::{Seek as _, Write as _};
use std::os::fd::OwnedFd;

use aci::error_code::ErrorCode;
use rustix::fs::{self, Mode, Timespec, Timestamps, UTIME_OMIT};

use crate::unfinished::Unfinished;
use crate::{Running, TransferError};

/// Permissions of a file of which nothing is said.
const FILE_MODE: u32 = 0o644;

/// What a file has beside its bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Attributes {
    /// Its permissions.
    pub mode: Option<u32>,
    /// When it was changed last, in milliseconds since 1970.
    pub mtime_ms: Option<i64>,
}

/// A file that has been received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Whole {
    /// How many bytes it has.
    pub size: u64,
    /// Their SHA-256.
    pub sha256: String,
}

/// A file that is being received. Dropping it leaves nothing of it.
#[derive(Debug)]
pub struct Sink {
    into: Into,
    shown: String,
    hash: Running,
    written: u64,
}

#[derive(Debug)]
enum Into {
    File {
        file: Unfinished,
        name: String,
        attributes: Attributes,
    },
    Memory {
        bytes: Vec<u8>,
        limit: usize,
    },
}

impl Sink {
    pub(crate) fn create(
        folder: OwnedFd,
        name: &str,
        shown: String,
        attributes: Attributes,
    ) -> Result<Self, TransferError> {
        let file =
            Unfinished::create(folder).map_err(|errno| TransferError::of_errno("write", &shown, errno))?;
        Ok(Self {
            into: Into::File {
                file,
                name: name.to_owned(),
                attributes,
            },
            shown,
            hash: Running::default(),
            written: 0,
        })
    }

    /// One that keeps a file of at most so many bytes in memory.
    pub fn memory(shown: String, limit: usize) -> Self {
        Self {
            into: Into::Memory {
                bytes: Vec::new(),
                limit,
            },
            shown,
            hash: Running::default(),
            written: 0,
        }
    }

    /// How many bytes have been taken.
    pub fn offset(&self) -> u64 {
        self.written
    }

    /// The SHA-256 of those.
    pub fn sha256(&self) -> String {
        self.hash.sha256()
    }

    /// Takes the next bytes, whose hash together with all before them is this.
    ///
    /// # Errors
    /// They belong elsewhere or their hash is another, and nothing was taken; or they cannot be written.
    pub fn take(&mut self, offset: u64, bytes: &[u8], sha256: &str) -> Result<(), TransferError> {
        if offset == 0 && self.written > 0 {
            self.begin_again()?;
        }
        if offset != self.written {
            return Err(TransferError::new(
                ErrorCode::ChecksumMismatch,
                format!(
                    "a chunk of {} begins at {offset} where {} was expected",
                    self.shown, self.written
                ),
            ));
        }
        let mut hash = self.hash.clone();
        hash.update(bytes);
        if hash.sha256() != sha256 {
            return Err(TransferError::new(
                ErrorCode::ChecksumMismatch,
                format!(
                    "the bytes of {} up to {} have another SHA-256 than was said; send them again",
                    self.shown,
                    offset + bytes.len() as u64
                ),
            ));
        }
        match &mut self.into {
            Into::File { file, .. } => file
                .file()
                .write_all(bytes)
                .map_err(|error| TransferError::of_io("write", &self.shown, &error))?,
            Into::Memory { bytes: all, limit } => {
                if all.len() + bytes.len() > *limit {
                    return Err(TransferError::new(
                        ErrorCode::QuotaExceeded,
                        format!(
                            "{} has more than the {limit} bytes that were asked for",
                            self.shown
                        ),
                    ));
                }
                all.extend_from_slice(bytes);
            }
        }
        self.hash = hash;
        self.written += bytes.len() as u64;
        Ok(())
    }

    /// Forgets what has come.
    fn begin_again(&mut self) -> Result<(), TransferError> {
        match &mut self.into {
            Into::File { file, .. } => {
                let mut file = file.file();
                file.set_len(0)
                    .and_then(|()| file.rewind())
                    .map_err(|error| TransferError::of_io("write", &self.shown, &error))?;
            }
            Into::Memory { bytes, .. } => bytes.clear(),
        }
        self.hash = Running::default();
        self.written = 0;
        Ok(())
    }

    /// Gives the file its name, in the place of what is there.
    ///
    /// # Errors
    /// It cannot have it.
    pub fn finish(self, said: Attributes) -> Result<Whole, TransferError> {
        self.finish_with_bytes(said).map(|(whole, _)| whole)
    }

    /// The same, with the bytes of one in memory.
    ///
    /// # Errors
    /// As [`Self::finish`].
    pub fn finish_with_bytes(self, said: Attributes) -> Result<(Whole, Vec<u8>), TransferError> {
        let whole = Whole {
            size: self.written,
            sha256: self.hash.sha256(),
        };
        let bytes = match self.into {
            Into::Memory { bytes, .. } => bytes,
            Into::File {
                file,
                name,
                attributes,
            } => {
                let failed = |errno| TransferError::of_errno("write", &self.shown, errno);
                let mode = said.mode.or(attributes.mode).unwrap_or(FILE_MODE) & 0o777;
                fs::fchmod(file.file(), Mode::from_raw_mode(mode)).map_err(failed)?;
                if let Some(millis) = said.mtime_ms {
                    fs::futimens(file.file(), &changed_at(millis)).map_err(failed)?;
                }
                file.publish(&name).map_err(failed)?;
                Vec::new()
            }
        };
        Ok((whole, bytes))
    }
}

fn changed_at(millis: i64) -> Timestamps {
    Timestamps {
        last_access: Timespec {
            tv_sec: 0,
            tv_nsec: UTIME_OMIT as _,
        },
        last_modification: Timespec {
            tv_sec: millis.div_euclid(1000),
            tv_nsec: (millis.rem_euclid(1000) * 1_000_000) as _,
        },
    }
}
