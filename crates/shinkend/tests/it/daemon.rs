//! A daemon for one test.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;
use testbed::{App, XServer, eventually};

use crate::client::Client;

pub(crate) const TOKEN: &str = "the-token-of-this-test";
/// Generous: the machine may be busy with other tests.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// An X server with a daemon on it.
#[derive(Debug)]
pub(crate) struct Daemon {
    pub(crate) app: App,
    pub(crate) server: XServer,
    pub(crate) folder: TempDir,
    pub(crate) address: String,
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
        let folder = tempfile::tempdir().unwrap();
        let token_file = folder.path().join("token");
        std::fs::write(&token_file, format!("{TOKEN}\n")).unwrap();
        let mut app = App::spawn(
            command(&server, folder.path())
                .args(["--listen", "127.0.0.1:0"])
                .arg("--token-file")
                .arg(token_file)
                .args(arguments),
        );
        let address = address(&mut app, folder.path());
        Self {
            app,
            server,
            folder,
            address,
        }
    }

    /// A client that has been welcomed, with text messages.
    pub(crate) fn client(&self) -> Client {
        Client::welcomed(&self.address, TOKEN, false)
    }

    /// The same with binary frames.
    pub(crate) fn binary_client(&self) -> Client {
        Client::welcomed(&self.address, TOKEN, true)
    }

    /// A path in the test's own folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// The daemon's command with its display and where it is to write its addresses.
pub(crate) fn command(server: &XServer, folder: &Path) -> Command {
    let mut command = server.command(env!("CARGO_BIN_EXE_shinkend"));
    command
        .env_remove("SHINKEND_TOKEN")
        .env("SHINKEND_LOG", "debug")
        .arg("--addr-file")
        .arg(folder.join("addresses"))
        .args(["--display", server.display()])
        .stderr(Stdio::inherit());
    command
}

/// The first address that a daemon writes.
pub(crate) fn address(app: &mut App, folder: &Path) -> String {
    let text = eventually("the daemon to serve", PATIENCE, || {
        assert!(app.exited().is_none(), "the daemon ended");
        std::fs::read_to_string(folder.join("addresses")).ok()
    });
    text.lines().next().unwrap().to_owned()
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
