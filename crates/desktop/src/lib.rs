//! A desktop as a program can use it: pointer and keys, pictures, windows, clipboard.
//!
//! [`backend`] holds the traits, one per ability, that the daemon is written against; [`x11`] is the implementation for
//! X11; [`image`] turns pixels into hashes, smaller pictures and codec bytes; [`keys`] reads chords.
//!
//! Invariants: this crate knows no wire format, no session and no async runtime. Every call blocks at most until its
//! own deadline; a display server that went away is [`DesktopError::Gone`] from every call, never a hang or a panic.

pub mod backend;
mod error;
pub mod image;
pub mod keys;
pub mod x11;

pub use error::DesktopError;
