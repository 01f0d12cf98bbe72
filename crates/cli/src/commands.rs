//! The commands, one a file.

pub(crate) mod doctor;
pub(crate) mod down;
pub(crate) mod gc;
pub(crate) mod ps;
pub(crate) mod up;
