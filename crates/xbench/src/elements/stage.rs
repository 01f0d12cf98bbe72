//! A desktop with an accessibility bus, a daemon and one window.

use std::path::Path;
use std::process::Command;

use anyhow::Context as _;
use testbed::{App, Daemon, TOKEN, XServer};

use crate::socket::Socket;

const GRID: &str = include_str!("../../programs/grid.py");
const PAGE: &str = include_str!("../../programs/grid.html");

/// Everything that runs. Dropped in this order.
pub(super) struct Stage {
    window: App,
    daemon: Daemon,
    _manager: App,
    folder: tempfile::TempDir,
}

impl Stage {
    pub(super) fn start(program: &Path, toolkit: &str, count: usize) -> anyhow::Result<Self> {
        let server = XServer::start(1280, 800).with_session();
        let manager = server.window_manager();
        let daemon = Daemon::start(program.to_owned(), server, &[]);
        let folder = tempfile::tempdir().context("no folder for this window")?;
        let mut command = if toolkit == "chromium" {
            browser(&daemon.server, folder.path(), count)?
        } else {
            let script = folder.path().join("grid.py");
            std::fs::write(&script, GRID)?;
            let mut command = daemon.server.command("/usr/bin/python3");
            command.arg(script).args([toolkit, &count.to_string()]);
            command
        };
        command
            .env("HOME", folder.path())
            .env("GSETTINGS_BACKEND", "memory");
        Ok(Self {
            window: App::spawn(&mut command),
            daemon,
            _manager: manager,
            folder,
        })
    }

    /// A session with the daemon.
    pub(super) fn session(&self) -> anyhow::Result<Socket> {
        Socket::welcomed(self.daemon.address(), TOKEN)
    }

    /// Ends the daemon and starts another, which knows no tree.
    pub(super) fn restart_daemon(&mut self) {
        self.daemon.kill();
        self.daemon.start_again(&[]);
    }

    /// The window's process.
    pub(super) fn process(&self) -> u32 {
        self.window.id()
    }

    /// The daemon's process.
    pub(super) fn daemon(&self) -> u32 {
        self.daemon.app.id()
    }

    /// A command on this desktop.
    pub(super) fn command(&self, program: &str) -> Command {
        self.daemon.server.command(program)
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The address of the accessibility bus, as the session bus tells it.
    pub(super) fn accessibility_bus(&self) -> anyhow::Result<String> {
        let output = self
            .command("dbus-send")
            .args(["--session", "--print-reply=literal", "--dest=org.a11y.Bus"])
            .args(["/org/a11y/bus", "org.a11y.Bus.GetAddress"])
            .stdout(std::process::Stdio::piped())
            .output()
            .context("dbus-send does not start")?;
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }

    /// The display that it is on.
    pub(super) fn display(&self) -> &str {
        self.daemon.server.display()
    }
}

/// Chromium with the page.
fn browser(server: &XServer, folder: &Path, count: usize) -> anyhow::Result<Command> {
    let page = folder.join("grid.html");
    std::fs::write(&page, PAGE)?;
    let mut command = server.command("chromium");
    command
        .args([
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-sync",
        ])
        .args(["--disable-background-networking", "--disable-component-update"])
        .args(["--disable-dev-shm-usage", "--password-store=basic"])
        .args(["--window-position=0,0", "--window-size=1200,760"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(format!("--app=file://{}#{count}", page.display()));
    Ok(command)
}
