//! What both ends of the files channel do with files: find them without leaving a folder, read them as chunks, write chunks so
//! that nobody ever sees half a file, list folders.
//!
//! Start with [`Tree`]: a folder beneath which paths are looked up. [`Source`] gives a file's chunks, [`Sink`] takes them.
//!
//! Invariants: no sockets, no async, no clock; every call may block on the disk, so callers are threads of their own. A path that
//! came from the other side goes through [`Inside`], which has no `..`, and through [`Tree`], which asks the kernel to stay
//! beneath. Nothing is seen under a file's name before all of it is there and its hash was right.

mod digest;
mod error;
mod inside;
mod listing;
mod sink;
mod source;
mod tree;
mod unfinished;

pub use digest::{Running, of_file};
pub use error::TransferError;
pub use inside::{Inside, link_stays_inside};
pub use listing::{ENTRIES_AT_ONCE, list};
pub use sink::{Attributes, Sink, Whole};
pub use source::Source;
pub use tree::{Following, Tree};
