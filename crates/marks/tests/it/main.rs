//! Regions of pictures, and boxes drawn over them.

mod overlays;
mod random;
mod windows;
