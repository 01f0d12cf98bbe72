//! Pieces of a file, as binary messages: the framing of ACI with a header of their own.

use bytes::Bytes;
use serde_json::Value;

use crate::wire::{Fault, Natural, Wire, wire_object};

/// The piece that our side sends. It fits the caches of today's processors, and a thousandth of a second of a fast line.
pub const CHUNK_BYTES: usize = 256 << 10;
/// The largest piece that is taken.
pub const MAX_CHUNK_BYTES: usize = 1 << 20;
/// What stands before the piece: the header's length and the header, filled up with spaces, which JSON passes over. As the
/// length is known beforehand, a file can be read to where its bytes are sent from.
pub const HEADER_ROOM: usize = 256;

wire_object! {
    /// The header of a piece of a file. The bytes follow it.
    #[derive(Eq)]
    pub struct ChunkHeader: Closed {
        fixed "type" = "chunk";
        /// The request that it belongs to.
        "id" id: required Natural,
        /// Where its first byte belongs in the file.
        "offset" offset: required Natural,
        /// The SHA-256 of the file's bytes from the first one to the last one of this piece.
        "sha256" sha256: required String,
        /// Whether the file ends with it.
        "last" last: required bool,
    }
}

/// A piece of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// What is said of it.
    pub header: ChunkHeader,
    /// Its bytes, shared with the message.
    pub payload: Bytes,
}

impl Chunk {
    /// Reads a binary message.
    ///
    /// # Errors
    /// It is no chunk, or one beyond [`MAX_CHUNK_BYTES`].
    pub fn decode(message: &Bytes) -> Result<Self, Fault> {
        let wrong = |what: &str| Fault::new(what.to_owned());
        let (length, rest) = message
            .split_first_chunk::<4>()
            .ok_or_else(|| wrong("the message has no header"))?;
        // A length that does not fit the address space is past every end.
        let length = usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX);
        let header = rest
            .get(..length)
            .ok_or_else(|| wrong("the header is longer than the message"))?;
        let header: Value =
            serde_json::from_slice(header).map_err(|error| wrong(&format!("the header: {error}")))?;
        let header = ChunkHeader::decode(header)?;
        super::check_sha256(&header.sha256)?;
        let payload = message.slice(4 + length..);
        if payload.len() > MAX_CHUNK_BYTES {
            return Err(wrong("the chunk is too large"));
        }
        Ok(Self { header, payload })
    }
}

impl ChunkHeader {
    /// What stands before the bytes, [`HEADER_ROOM`] long; `None` for a header that does not fit, which none of ours does.
    pub fn prefix(self) -> Option<[u8; HEADER_ROOM]> {
        let text = self.encode().to_string();
        let mut prefix = [b' '; HEADER_ROOM];
        prefix
            .get_mut(4..4 + text.len())?
            .copy_from_slice(text.as_bytes());
        let length = u32::try_from(HEADER_ROOM - 4).ok()?;
        prefix[..4].copy_from_slice(&length.to_le_bytes());
        Some(prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> ChunkHeader {
        ChunkHeader {
            id: Natural::clamped(i64::MAX),
            offset: Natural::clamped(i64::MAX),
            sha256: "ab".repeat(32),
            last: false,
        }
    }

    #[test]
    fn a_chunk_is_read_as_it_was_written() {
        let mut message = header().prefix().unwrap().to_vec();
        message.extend_from_slice(b"bytes");
        let chunk = Chunk::decode(&message.into()).unwrap();
        assert_eq!((chunk.header, &chunk.payload[..]), (header(), &b"bytes"[..]));
    }

    #[test]
    fn what_is_no_chunk_is_refused() {
        let wrong_hash = ChunkHeader {
            sha256: "AB".repeat(32),
            ..header()
        };
        let mut large = header().prefix().unwrap().to_vec();
        large.resize(HEADER_ROOM + MAX_CHUNK_BYTES + 1, 0);
        for message in [
            vec![],
            vec![9, 0, 0, 0, b'{', b'}'],
            vec![2, 0, 0, 0, b'{', b'}'],
            u32::MAX.to_le_bytes().to_vec(),
            wrong_hash.prefix().unwrap().to_vec(),
            large,
        ] {
            assert!(Chunk::decode(&message.into()).is_err());
        }
    }
}
