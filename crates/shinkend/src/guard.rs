//! The process that outlives the daemon for a moment and ends what it left behind.
//!
//! Every program that the daemon starts carries a mark in its environment. The guard holds the read end of a pipe whose
//! write end only the daemon has: when the daemon goes, however it goes, the pipe ends, and the guard kills all that
//! carries the mark.

use std::ffi::OsStr;
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

use anyhow::Context as _;
use sys::marked::Mark;

/// The variable that marks the daemon's programs.
const VARIABLE: &str = "SHINKEND_RUN";

/// How the name of a folder begins that goes with the daemon.
pub(crate) const OWN_FOLDER: &str = "shinkend-artifacts-";

/// The daemon's end of the arrangement; dropping it has the guard kill what carries the mark.
#[derive(Debug)]
pub(crate) struct Guard {
    mark: Mark,
    child: Child,
}

impl Guard {
    /// Starts the guard.
    pub(crate) fn start() -> anyhow::Result<Self> {
        let value = format!("{}-{:016x}", std::process::id(), random());
        let mut command = Command::new(std::env::current_exe()?);
        command
            .args(["--guard", &value])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        // Its own session, so that a signal to the daemon's process group does not end it first.
        let child = sys::session::own_session(&mut command)
            .spawn()
            .context("cannot start the guard process")?;
        Ok(Self {
            mark: Mark::new(VARIABLE, value),
            child,
        })
    }

    /// Has the guard remove a folder when the daemon goes; its name begins with [`OWN_FOLDER`].
    pub(crate) fn remove_afterwards(&self, folder: &Path) -> std::io::Result<()> {
        let mut input = self.child.stdin.as_ref().ok_or(std::io::ErrorKind::BrokenPipe)?;
        input.write_all(folder.as_os_str().as_encoded_bytes())?;
        input.write_all(b"\n")
    }

    /// The mark that every program must carry.
    pub(crate) fn mark(&self) -> &Mark {
        &self.mark
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        // It ends by itself within its own deadline; a failure to reap it only leaves a zombie until we end too.
        self.child.wait().ok();
    }
}

/// The guard's own main: waits until its input ends, then kills.
pub(crate) fn watch(value: &str) -> ExitCode {
    // What is written are folders to remove; both an end and an error mean that the daemon is gone.
    let mut folders = Vec::new();
    std::io::stdin().read_to_end(&mut folders).ok();
    let left = Mark::new(VARIABLE, value).kill_all(Duration::from_secs(5));
    for folder in folders.split(|byte| *byte == b'\n') {
        let folder = Path::new(OsStr::from_bytes(folder));
        let is_own = folder
            .file_name()
            .is_some_and(|name| name.as_bytes().starts_with(OWN_FOLDER.as_bytes()));
        if is_own && folder.is_absolute() {
            // The daemon has removed it itself where it ended in order.
            std::fs::remove_dir_all(folder).ok();
        }
    }
    if left == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// 64 bits that differ between two daemons, also of the same process id.
pub(crate) fn random() -> u64 {
    use std::hash::{BuildHasher as _, Hasher as _};
    // The standard library seeds each of its hash states from the kernel.
    std::collections::hash_map::RandomState::new()
        .build_hasher()
        .finish()
}
