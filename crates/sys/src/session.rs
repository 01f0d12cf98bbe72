//! Children in a session of their own, without a controlling terminal.
#![expect(
    unsafe_code,
    reason = "a pre-exec hook is the only stable way to call setsid(2) in a child"
)]

use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// Has the child call setsid(2): it leads a new session and process group, and `/dev/tty` is not there for it, so a
/// program that asks a terminal for a password fails at once instead of waiting for ever.
pub fn own_session(command: &mut Command) -> &mut Command {
    // SAFETY: between fork and exec only setsid(2) is called, which is async-signal-safe; no memory is allocated.
    unsafe {
        command.pre_exec(|| {
            rustix::process::setsid()?;
            Ok(())
        })
    }
}
