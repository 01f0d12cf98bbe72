//! A program that runs during a test.

use std::process::{Child, Command, ExitStatus};

/// A running program, killed with its process group when dropped.
#[derive(Debug)]
pub struct App {
    child: Child,
}

impl App {
    /// Starts `command` in a process group of its own.
    ///
    /// # Panics
    /// When the program cannot be started: the packages the tests need are not installed (`cargo xtask setup`).
    #[expect(
        clippy::panic,
        reason = "a test without its program cannot go on, and says which one is missing"
    )]
    pub fn spawn(command: &mut Command) -> Self {
        use std::os::unix::process::CommandExt as _;
        command.process_group(0);
        match sys::parent_death::die_with_parent(command).spawn() {
            Ok(child) => Self { child },
            Err(error) => panic!("cannot start {command:?}: {error}"),
        }
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The child itself, for its pipes.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Whether it has ended, and how.
    pub fn exited(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Sends a signal to the program alone.
    pub fn signal(&self, signal: rustix::process::Signal) {
        if let Some(pid) = i32::try_from(self.child.id())
            .ok()
            .and_then(rustix::process::Pid::from_raw)
        {
            // It may be gone already, which is what most callers want.
            rustix::process::kill_process(pid, signal).ok();
        }
    }
}

impl Drop for App {
    fn drop(&mut self) {
        if let Some(pid) = i32::try_from(self.child.id())
            .ok()
            .and_then(rustix::process::Pid::from_raw)
        {
            // The group may be gone already.
            rustix::process::kill_process_group(pid, rustix::process::Signal::KILL).ok();
        }
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
