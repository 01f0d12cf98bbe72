//! WebSockets (RFC 6455) that hold no memory while they rest.
//!
//! A process may hold thousands of sessions, most of which rest most of the time. [`WebSocket`] therefore reads into the stack
//! until it knows how long a message is, puts that into a buffer of exactly its size, and gives the buffer away with the message;
//! what is to be written is kept until it is written and not a moment longer. What travels is told in the types of
//! `tungstenite`, and the upgrade is written and read by its functions; only the frames are ours.
//!
//! Start with [`connect`] or [`accept`] for the upgrade, then [`WebSocket`]. `assembly` puts messages together without any
//! I/O, `head` reads and writes what stands before each frame.
//!
//! Invariants: nothing is kept beyond the message under way, whose size has a bound; a ping is answered whether or not anybody
//! writes; whoever waits to write is woken whether the reading or the writing half found room.

mod assembly;
mod head;
mod socket;
mod upgrade;

pub use socket::WebSocket;
pub use upgrade::{Refused, accept, connect};
