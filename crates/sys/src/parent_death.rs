//! Children that end with the thread that started them.
#![expect(
    unsafe_code,
    reason = "a pre-exec hook is the only place where PR_SET_PDEATHSIG can be set in time"
)]

use std::os::unix::process::CommandExt as _;
use std::process::Command;

use rustix::process::{Signal, set_parent_process_death_signal};

/// Has the kernel send `SIGKILL` to the child when the thread that spawns it ends (prctl(2), `PR_SET_PDEATHSIG`).
///
/// It is the *thread*, not the process, whose end counts: spawn from a thread that lives as long as the child should.
pub fn die_with_parent(command: &mut Command) -> &mut Command {
    let parent = rustix::process::getpid();
    // SAFETY: between fork and exec only prctl(2) and getppid(2) are called, both async-signal-safe; no memory is
    // allocated and no lock is taken.
    unsafe {
        command.pre_exec(move || {
            set_parent_process_death_signal(Some(Signal::KILL))?;
            // The parent may have died before the signal was armed.
            if rustix::process::getppid() == Some(parent) {
                Ok(())
            } else {
                Err(std::io::ErrorKind::NotFound.into())
            }
        })
    }
}
