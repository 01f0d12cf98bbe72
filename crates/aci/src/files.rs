//! The files channel: a WebSocket of its own at [`PATH`], so that no file's bytes travel beside actions.
//!
//! It begins like the other one: the client says `hello`, the daemon answers with a [`Greeting`]. Then the client sends
//! [`Request`]s, each under a number of its own that only grows, and the daemon does them one after another and answers each by a
//! [`Reply`]. A client may send many without waiting. The bytes of a file travel in binary messages, `chunk`s, from whichever
//! side has the file.
//!
//! ```text
//! put:  put ─▶ [◀─ ready]  chunk ─▶ chunk ─▶ … last chunk ─▶   ◀─ ack …   ◀─ done | failed
//! get:  get ─▶ ◀─ found  ◀─ chunk … ◀─ last chunk   ack ─▶ …   ◀─ done | failed
//! ```
//!
//! Every chunk carries the SHA-256 of everything up to its end, so one pass over the bytes checks each chunk and the whole: the
//! last chunk's is the file's. Whoever receives tells how far it has got (`ack`), and whoever sends has at most [`WINDOW_BYTES`]
//! under way beyond that.

mod chunk;
mod reply;
mod request;
pub mod schema;

pub use chunk::{CHUNK_BYTES, Chunk, ChunkHeader, HEADER_ROOM, MAX_CHUNK_BYTES};
pub use reply::{
    Artifact, ArtifactsReply, Done, Entries, Entry, EntryKind, Failed, Found, Greeting, Ready, Reply,
};
pub use request::{
    ArtifactGet, ArtifactList, ArtifactPut, ArtifactRemove, Cancel, FileAck, Get, List, MakeFolder, MakeLink,
    Put, Request, Stat,
};

use crate::wire::{Fault, Natural};

/// Where the channel is served.
pub const PATH: &str = "/files";
/// What a sender has under way at most, beyond what the receiver has told of.
pub const WINDOW_BYTES: u64 = 8 << 20;
/// How many requests a client may have sent ahead.
pub const REQUESTS_AHEAD: usize = 128;
/// After how many bytes, at the latest, a receiver tells how far it has got.
pub const ACK_BYTES: u64 = 1 << 20;

/// A SHA-256 as 64 small hexadecimal digits.
///
/// # Errors
/// It is something else.
pub fn check_sha256(text: &str) -> Result<(), Fault> {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    if text.len() == 64 && text.bytes().all(is_digit) {
        Ok(())
    } else {
        Err(Fault::new("a SHA-256 is 64 digits of 0-9 and a-f".to_owned()))
    }
}

/// A size or an offset as it travels.
pub fn natural(value: u64) -> Natural {
    Natural::clamped(value)
}
