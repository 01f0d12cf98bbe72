//! What can be said of a window from its pixels alone, and pictures with numbered boxes.
//!
//! [`overlay`] draws boxes with their numbers over a picture.
//!
//! Invariants: no input or output, no clock, no randomness and no model; the same pixels give the same answer. Any picture
//! has an answer, in time linear in its pixels.

pub mod overlay;
mod pixels;

pub use pixels::Rect;
