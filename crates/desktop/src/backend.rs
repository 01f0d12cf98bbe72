//! The abilities of a desktop, one trait each. All calls are synchronous and bounded in time.

mod capture;
mod clipboard;
mod input;
mod windows;

pub use capture::{Capture, Grab, Rect, Region, Size};
pub use clipboard::Clipboard;
pub use input::{Button, Gesture, Holder, Input, Pace, Point};
pub use windows::{WindowInfo, Windows};
