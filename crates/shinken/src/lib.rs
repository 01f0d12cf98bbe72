//! The client of a sandbox: sees and moves a desktop through ACI v0.
//!
//! Start with [`Client::connect`]. A session has a method for every verb and every query; [`Client::step`] sends several
//! actions in one round trip, [`Client::start_screencast`] gives a stream of whole pictures, [`FrameCache`] spares pictures
//! that any session of a fleet has seen.
//!
//! ```no_run
//! # async fn example() -> Result<(), shinken::ClientError> {
//! use shinken::{Client, Options, Shot};
//!
//! let client = Client::connect("ws://127.0.0.1:7350", Some("token"), Options::default()).await?;
//! let seen = client.click((640, 400)).observe(Shot::screen()).await?;
//! let below = seen.target(100.0, 120.0)?;
//! client.click(below).await?;
//! client.type_text("grüße\n").await?;
//! # Ok(())
//! # }
//! ```
//!
//! Invariants: every wait has a deadline, every queue a bound; a slow reader of a stream holds up no other answer; nothing
//! is sent that the runtime's welcome does not offer; a point of a picture becomes a point of the screen only by the
//! descriptor that came with that picture.

mod address;
mod allowance;
mod client;
mod connection;
mod error;
mod events;
mod exec;
mod files;
mod frame_cache;
mod handshake;
mod last_seen;
mod log_tail;
mod offer;
mod options;
mod picture;
mod reply;
mod request;
mod routes;
mod run;
mod screencast;
mod screenshot;
mod step;
mod verbs;
mod view;
mod watched;

/// Compiles the Rust example of the README with the examples of this documentation.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

pub use aci;
pub use address::Address;
pub use client::{Acted, Client};
pub use error::{ClientError, Limit};
pub use events::{Direction, Event, Events};
pub use exec::{Exec, ExecEvent, ExecStream};
pub use files::{Artifact, Copied, Entry, EntryKind, Files, Progress, Transfer, Transferred};
pub use frame_cache::{CacheStats, FrameCache};
pub use options::{Options, Reconnect};
pub use picture::{Picture, Rect};
pub use reply::{NotModified, Reply, Seen};
pub use request::Request;
pub use run::{InterpreterEnd, Run, RunContent, RunError, RunForm, RunOutput, RunOutputKind, RunResult};
pub use screencast::{Cast, CastFrame, Screencast};
pub use screenshot::{Screenshot, Shot};
pub use step::{Batch, Observe, OnError, Step};
pub use verbs::{Act, App, ObservedAct, Passage, Place, Window, WindowId};
pub use view::{Look, View};
