//! Pixels: hashing, scaling, encoding. No display server is needed here.

mod frame;

pub use frame::{Frame, FrameHash};
