//! The process that sweeps after a supervisor that was killed.
//!
//! Its input is a pipe whose other end only the supervisor has. When that ends, however it does, the guard sweeps. It does
//! not carry the sandbox's mark, since sweeping kills what does.

use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

use crate::{SandboxError, registry};

/// The word that makes a program with [`crate::helper_main`] a guard.
pub(crate) const GUARD: &str = "__guard-sandbox";

/// How long a supervisor may take to end in order.
const ENDING: Duration = Duration::from_secs(60);

/// Starts a guard of this folder.
pub(crate) fn start(folder: &Path) -> Result<Child, SandboxError> {
    let program = std::env::current_exe().map_err(SandboxError::io("cannot find the running program"))?;
    let mut command = Command::new(program);
    command.arg(GUARD).arg(folder);
    command.env_remove(registry::MARK);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .current_dir("/");
    // Its own session, so that what ends the supervisor's process group does not end it too.
    sys::session::own_session(&mut command)
        .spawn()
        .map_err(SandboxError::io("cannot start the desktop's guard"))
}

/// The guard's own main.
pub(crate) fn main(arguments: &[String]) -> ExitCode {
    let [folder] = arguments else {
        return ExitCode::from(2);
    };
    // Nothing is ever written; an end and an error both mean that the supervisor is gone.
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).ok();
    // A supervisor that ends in order sweeps by itself; should it be killed while it does, it lets go of the lock.
    registry::sweep_dead(Path::new(folder), ENDING);
    ExitCode::SUCCESS
}
