//! A desktop with an accessibility bus, a daemon and one window.

use std::path::Path;
use std::process::Command;

use anyhow::Context as _;
use testbed::{App, Daemon, TOKEN, XServer};

use crate::socket::Socket;

/// Everything that runs. Dropped in this order.
pub(crate) struct Stage {
    window: App,
    daemon: Daemon,
    _manager: App,
    folder: tempfile::TempDir,
}

impl Stage {
    /// Starts everything; `window` gives the command that makes the window, which has a folder of its own.
    pub(crate) fn start(
        program: &Path,
        window: impl FnOnce(&XServer, &Path) -> anyhow::Result<Command>,
    ) -> anyhow::Result<Self> {
        let server = XServer::start(1280, 800).with_session();
        let manager = server.window_manager();
        let daemon = Daemon::start(program.to_owned(), server, &[]);
        let folder = tempfile::tempdir().context("no folder for this window")?;
        let mut command = window(&daemon.server, folder.path())?;
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
    pub(crate) fn session(&self) -> anyhow::Result<Socket> {
        Socket::welcomed(self.daemon.address(), TOKEN)
    }

    /// Ends the daemon and starts another, which knows no tree.
    pub(crate) fn restart_daemon(&mut self) {
        self.daemon.kill();
        self.daemon.start_again(&[]);
    }

    /// The window's process.
    pub(crate) fn process(&self) -> u32 {
        self.window.id()
    }

    /// The daemon's process.
    pub(crate) fn daemon(&self) -> u32 {
        self.daemon.app.id()
    }

    /// A command on this desktop.
    pub(crate) fn command(&self, program: &str) -> Command {
        self.daemon.server.command(program)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The address of the accessibility bus, as the session bus tells it.
    pub(crate) fn accessibility_bus(&self) -> anyhow::Result<String> {
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
    pub(crate) fn display(&self) -> &str {
        self.daemon.server.display()
    }
}

/// A program in Python.
pub(crate) fn script(
    server: &XServer,
    folder: &Path,
    text: &str,
    arguments: &[&str],
) -> anyhow::Result<Command> {
    let script = folder.join("window.py");
    std::fs::write(&script, text)?;
    let mut command = server.command("/usr/bin/python3");
    command.arg(script).args(arguments);
    Ok(command)
}

/// Chromium with a page, which is told something behind the `#` of its address.
pub(crate) fn browser(server: &XServer, folder: &Path, text: &str, told: &str) -> anyhow::Result<Command> {
    let page = folder.join("window.html");
    std::fs::write(&page, text)?;
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
        .arg(format!("--app=file://{}#{told}", page.display()));
    Ok(command)
}
