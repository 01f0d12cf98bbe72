//! What can be said of a window from its pixels alone, and pictures with numbered boxes.
//!
//! [`regions()`] finds what looks like a control or a text; [`overlay`] draws boxes with their numbers over a picture.
//!
//! Invariants: no input or output, no clock, no randomness and no model; the same pixels give the same answer. Any picture
//! has an answer, in time that grows with its pixels.

mod boxes;
mod fingerprint;
mod flat;
mod groups;
mod ink;
pub mod overlay;
mod pixels;
mod regions;
mod unions;

pub use fingerprint::Fingerprint;
pub use pixels::{Picture, Rect};
pub use regions::{Kind, MOST, Region, regions};
