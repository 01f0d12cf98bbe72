//! The commands, one a file.

pub(crate) mod act;
pub(crate) mod apps;
pub(crate) mod click;
pub(crate) mod clip;
pub(crate) mod cp;
pub(crate) mod doctor;
pub(crate) mod down;
pub(crate) mod exec;
pub(crate) mod gc;
pub(crate) mod key;
pub(crate) mod launch;
pub(crate) mod observe;
pub(crate) mod ps;
pub(crate) mod run;
pub(crate) mod scroll;
pub(crate) mod shot;
pub(crate) mod type_text;
pub(crate) mod up;
pub(crate) mod watch;
pub(crate) mod windows;
