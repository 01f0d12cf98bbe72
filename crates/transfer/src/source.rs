//! The sending end of a file.

use std::fs::File;
use std::io::{Seek as _, SeekFrom};

use aci::error_code::ErrorCode;
use aci::files::{CHUNK_BYTES, ChunkHeader, Entry, HEADER_ROOM, natural};
use bytes::Bytes;
use rustix::buffer::spare_capacity;
use rustix::io::{Errno, read};

use crate::{Running, TransferError};

/// What is read of a file of which the system does not know the size, as those of `/proc`.
const UNKNOWN_SIZE: u64 = 64 << 20;

/// A file that is being sent.
#[derive(Debug)]
pub struct Source {
    from: From,
    shown: String,
    /// What is sent at most: a file that grows meanwhile is sent as far as it went.
    limit: u64,
    hash: Running,
    offset: u64,
    ended: bool,
}

#[derive(Debug)]
enum From {
    File(File),
    Memory(Bytes),
}

impl Source {
    /// What an opened file holds.
    pub fn file(file: File, entry: &Entry, shown: String) -> Self {
        let limit = match entry.size.to_u64() {
            0 => UNKNOWN_SIZE,
            size => size,
        };
        Self::new(From::File(file), limit, shown)
    }

    /// These bytes.
    pub fn memory(bytes: Bytes, shown: String) -> Self {
        let limit = bytes.len() as u64;
        Self::new(From::Memory(bytes), limit, shown)
    }

    fn new(from: From, limit: u64, shown: String) -> Self {
        Self {
            from,
            shown,
            limit,
            hash: Running::default(),
            offset: 0,
            ended: false,
        }
    }

    /// Where the next chunk begins.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The SHA-256 of everything before it.
    pub fn sha256(&self) -> String {
        self.hash.sha256()
    }

    /// Whether the last chunk was given.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Goes on from a place where the other side has everything before it, with this hash. Where ours begins otherwise, it goes
    /// back to the begin.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn go_on_from(&mut self, offset: u64, sha256: &str) -> Result<(), TransferError> {
        self.rewind()?;
        if offset == 0 || offset > self.limit {
            return Ok(());
        }
        let mut piece = Vec::new();
        while self.offset < offset {
            piece.clear();
            let wanted = (offset - self.offset).min(CHUNK_BYTES as u64);
            let got = self.read(&mut piece, wanted, 0)?;
            if got == 0 {
                break;
            }
        }
        if self.offset != offset || self.hash.sha256() != sha256 {
            self.rewind()?;
        }
        Ok(())
    }

    fn rewind(&mut self) -> Result<(), TransferError> {
        if let From::File(file) = &mut self.from {
            file.seek(SeekFrom::Start(0))
                .map_err(|error| TransferError::of_io("read", &self.shown, &error))?;
        }
        (self.hash, self.offset, self.ended) = (Running::default(), 0, false);
        Ok(())
    }

    /// The next chunk, as the message that carries it.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn next_chunk(&mut self, id: u64) -> Result<Bytes, TransferError> {
        let begin = self.offset;
        let wanted = (self.limit - begin).min(CHUNK_BYTES as u64);
        let mut message = vec![0; HEADER_ROOM];
        let got = self.read(&mut message, wanted, HEADER_ROOM)?;
        self.ended = self.offset >= self.limit || got < wanted;
        let header = ChunkHeader {
            id: natural(id),
            offset: natural(begin),
            sha256: self.hash.sha256(),
            last: self.ended,
        };
        let prefix = header
            .prefix()
            .ok_or_else(|| TransferError::new(ErrorCode::FileFailed, "the header of a chunk is too long"))?;
        message[..HEADER_ROOM].copy_from_slice(&prefix);
        Ok(message.into())
    }

    /// Reads so many bytes behind what is in `into`, fewer only at the end of the file, and takes them into the hash.
    fn read(&mut self, into: &mut Vec<u8>, wanted: u64, begin: usize) -> Result<u64, TransferError> {
        // At most a chunk.
        let wanted = usize::try_from(wanted).unwrap_or(CHUNK_BYTES);
        match &self.from {
            From::Memory(bytes) => {
                let from = usize::try_from(self.offset).unwrap_or(usize::MAX);
                into.extend_from_slice(&bytes[from..from + wanted]);
            }
            From::File(file) => {
                into.reserve_exact(wanted);
                while into.len() < begin + wanted {
                    // The room may be more than was asked for.
                    let mut rest = wanted - (into.len() - begin);
                    rest = rest.min(into.capacity() - into.len());
                    match read_some(file, into, rest) {
                        Ok(0) => break,
                        Ok(_) | Err(Errno::INTR) => {}
                        Err(errno) => return Err(TransferError::of_errno("read", &self.shown, errno)),
                    }
                }
            }
        }
        let got = &into[begin..];
        self.hash.update(got);
        self.offset += got.len() as u64;
        Ok(got.len() as u64)
    }
}

fn read_some(file: &File, into: &mut Vec<u8>, at_most: usize) -> Result<usize, Errno> {
    let before = into.len();
    let got = read(file, spare_capacity(into))?;
    // What lies beyond is read again with the next chunk.
    if got > at_most {
        into.truncate(before + at_most);
        rustix::fs::seek(
            file,
            rustix::fs::SeekFrom::Current(-i64::try_from(got - at_most).unwrap_or(0)),
        )?;
        return Ok(at_most);
    }
    Ok(got)
}
