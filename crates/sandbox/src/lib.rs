//! Sandboxes: desktops that are made, listed and ended.

pub mod programs;
pub mod runtime;
