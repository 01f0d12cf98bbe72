//! The Agent-Computer Interface, version 0: every message on the WebSocket between a client and the guest daemon.
//!
//! Start with [`verb`]: the one table of verbs, from which parsing rules, the schema, the welcome's list, the daemon's
//! dispatch and the reference page are derived. [`message`] holds the envelopes, [`frame`] the binary framing,
//! [`geometry`] the way from a pixel in a delivered picture to a pixel of the screen, [`extension`] what goes beyond the
//! contract, [`files`] the channel for files beside it.
//!
//! Invariants: no I/O, no clock, no async runtime. What this crate accepts is exactly what the JSON Schema it generates
//! accepts ([`schema`]), which a property test holds against the contract. Any input gives a value or a [`Fault`];
//! nothing panics.

mod wire;

pub mod action;
pub mod docs;
pub mod element;
pub mod error_code;
pub mod exec;
pub mod extension;
pub mod files;
pub mod frame;
pub mod geometry;
pub mod message;
pub mod observation;
pub mod rule;
pub mod schema;
pub mod target;
pub mod verb;
pub mod welcome;

pub use wire::{
    Array, Constant, Fault, Int, Integer, Natural, NonEmpty, NonEmptyString, Number, Positive, Wire,
};

/// The protocol version that `hello` and `welcome` carry as `v`.
pub const VERSION: i64 = 0;

/// The HTTP header of the WebSocket's upgrade in which each side may say how many bytes the largest message has that it
/// takes; the messages themselves have no place for it. A peer that says nothing takes what comes.
pub const MAX_MESSAGE_HEADER: &str = "shinken-max-message-bytes";
