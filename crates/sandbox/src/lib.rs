//! Makes desktops for agents, finds those that run, and sees to it that nothing of them is left.
//!
//! Start at [`provider`]: what kinds of sandboxes there are. [`process`] is the one that runs as the user on the machine
//! itself. [`registry`] is the folder in which every running sandbox has a folder of its own.
//!
//! Invariants: a sandbox is alive exactly as long as its supervisor holds the lock in its folder, so what is found with a
//! free lock is a leftover and may be swept away. Every process of a sandbox carries a mark in its environment; sweeping
//! kills all that carry it. A sandbox ends with its owner unless it was detached. No call waits without a deadline.

mod error;
mod guard;
mod supervisor;

pub mod process;
pub mod programs;
pub mod provider;
pub mod registry;
pub mod runtime;

pub use error::SandboxError;

use std::process::ExitCode;

/// Does the work of a helper process where the arguments (without the program's name) ask for one. The `shinken` command
/// calls this before anything else.
pub fn helper_main(arguments: &[String]) -> Option<ExitCode> {
    match arguments {
        [word, rest @ ..] if word == supervisor::SUPERVISE => Some(supervisor::main(rest)),
        [word, rest @ ..] if word == guard::GUARD => Some(guard::main(rest)),
        _ => None,
    }
}
