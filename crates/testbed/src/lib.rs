//! A real desktop for one test: an X server of its own, programs in it, and nothing left afterwards.
//!
//! Every piece ends when it is dropped, also by a failed assertion; a killed test takes its children along because
//! they die with the thread that started them. Only tests and measurements use this crate.

mod app;
mod daemon;
mod standin;
mod wait;
mod xserver;

pub use app::App;
pub use daemon::{Daemon, PATIENCE, TOKEN, daemon_addresses, daemon_command, daemon_program};
pub use standin::Standin;
pub use wait::eventually;
pub use xserver::{SessionBus, XServer};
