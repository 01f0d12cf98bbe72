//! A daemon for one test.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::process::Command;

use testbed::{App, XServer, eventually};
pub(crate) use testbed::{PATIENCE, TOKEN};

use crate::client::Client;

/// An X server with a daemon on it.
#[derive(Debug)]
pub(crate) struct Daemon(testbed::Daemon);

impl Deref for Daemon {
    type Target = testbed::Daemon;

    fn deref(&self) -> &testbed::Daemon {
        &self.0
    }
}

impl DerefMut for Daemon {
    fn deref_mut(&mut self) -> &mut testbed::Daemon {
        &mut self.0
    }
}

impl Daemon {
    /// A daemon with the default limits.
    pub(crate) fn start() -> Self {
        Self::start_with(&[])
    }

    /// A daemon with more arguments.
    pub(crate) fn start_with(arguments: &[&str]) -> Self {
        Self::start_on(XServer::start(640, 480), arguments)
    }

    /// A daemon on a server that runs already.
    pub(crate) fn start_on(server: XServer, arguments: &[&str]) -> Self {
        Self(testbed::Daemon::start(program(), server, arguments))
    }

    /// A client that has been welcomed, with text messages.
    pub(crate) fn client(&self) -> Client {
        Client::welcomed(self.address(), TOKEN, false)
    }

    /// The same with binary frames.
    pub(crate) fn binary_client(&self) -> Client {
        Client::welcomed(self.address(), TOKEN, true)
    }

    /// Ends the daemon and leaves its desktop.
    pub(crate) fn into_server(self) -> XServer {
        self.0.into_server()
    }
}

fn program() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_shinkend"))
}

/// The daemon's command with its display and where it is to write its addresses.
pub(crate) fn command(server: &XServer, folder: &Path) -> Command {
    testbed::daemon_command(&program(), server, folder)
}

/// The first address that a daemon writes.
pub(crate) fn address(app: &mut App, folder: &Path) -> String {
    eventually("the daemon to serve", PATIENCE, || {
        assert!(app.exited().is_none(), "the daemon ended");
        testbed::daemon_addresses(folder)?.into_iter().next()
    })
}

/// The processes whose command line is exactly this, zombies left out.
pub(crate) fn running(command_line: &[&str]) -> Vec<i32> {
    processes(|line, state| state != 'Z' && line == command_line)
}

/// The processes that a filter of command line and state takes.
pub(crate) fn processes(filter: impl Fn(&[&str], char) -> bool) -> Vec<i32> {
    let entries = std::fs::read_dir("/proc").unwrap();
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok())
        .filter(|pid| {
            let line = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let line: Vec<&str> = line.split_terminator('\0').collect();
            let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            // The state follows the name, which is in parentheses and may hold anything.
            let state = status.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
            state.is_some_and(|state| filter(&line, state))
        })
        .collect()
}
