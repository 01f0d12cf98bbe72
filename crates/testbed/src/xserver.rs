//! An X server (Xvfb) and a session bus for one test.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};

use rustix::io::{FdFlags, fcntl_setfd};

use crate::App;

/// A virtual X server on a display number that was free.
#[derive(Debug)]
pub struct XServer {
    app: App,
    display: String,
    /// The launcher of the accessibility bus, and the session bus that it is on.
    session: Option<(App, SessionBus)>,
}

impl XServer {
    /// A server with one screen of `width` × `height` pixels, 24 bits deep, and no window manager.
    ///
    /// # Panics
    /// When Xvfb is missing or does not come up.
    pub fn start(width: u32, height: u32) -> Self {
        Self::start_with(width, height, &[])
    }

    /// The same, with more arguments for Xvfb.
    ///
    /// # Panics
    /// When Xvfb is missing or does not come up.
    #[expect(clippy::expect_used, reason = "a test without its X server cannot go on")]
    pub fn start_with(width: u32, height: u32, more: &[&str]) -> Self {
        let (reader, writer) = rustix::pipe::pipe().expect("a pipe");
        // The read end stays ours; the write end goes to Xvfb under its own number.
        fcntl_setfd(&reader, FdFlags::CLOEXEC).expect("a descriptor flag");
        let number = std::os::fd::AsRawFd::as_raw_fd(&writer).to_string();
        let app = App::spawn(
            Command::new("Xvfb")
                .args([
                    "-displayfd",
                    &number,
                    "-screen",
                    "0",
                    &format!("{width}x{height}x24"),
                ])
                .args(["-nolisten", "tcp", "-noreset", "-ac"])
                .args(more)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null()),
        );
        drop(writer);
        let mut line = String::new();
        BufReader::new(std::fs::File::from(reader))
            .read_line(&mut line)
            .expect("Xvfb says its display");
        assert!(!line.trim().is_empty(), "Xvfb ended before it had a display");
        Self {
            app,
            display: format!(":{}", line.trim()),
            session: None,
        }
    }

    /// Gives the desktop a session bus with the accessibility bus. Programs that are started from now on offer their trees.
    ///
    /// # Panics
    /// When they do not start; they are in the packages dbus and at-spi2-core.
    #[must_use]
    pub fn with_session(mut self) -> Self {
        let bus = SessionBus::start();
        let places = [
            "/usr/libexec/at-spi-bus-launcher",
            "/usr/lib/at-spi2-core/at-spi-bus-launcher",
        ];
        let launcher = places.iter().find(|path| std::path::Path::new(path).exists());
        let launcher = App::spawn(
            self.command(launcher.unwrap_or(&places[0]))
                .args(["--launch-immediately", "--a11y=1"])
                .env("DBUS_SESSION_BUS_ADDRESS", bus.address())
                // That accessibility is on here is not to be written into the user's own settings.
                .env("GSETTINGS_BACKEND", "memory"),
        );
        self.session = Some((launcher, bus));
        self
    }

    /// The session bus's address, where there is one.
    pub fn session_bus(&self) -> Option<&str> {
        self.session.as_ref().map(|(_, bus)| bus.address())
    }

    /// The display's name, such as `:3`.
    pub fn display(&self) -> &str {
        &self.display
    }

    /// The server's own process.
    pub fn app(&mut self) -> &mut App {
        &mut self.app
    }

    /// A command with `DISPLAY` set to this server, and no other session's addresses.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env("DISPLAY", &self.display)
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("XAUTHORITY")
            .env_remove("SESSION_MANAGER")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if let Some(bus) = self.session_bus() {
            command.env("DBUS_SESSION_BUS_ADDRESS", bus);
        }
        command
    }

    /// Starts openbox, and waits until it manages the screen.
    ///
    /// # Panics
    /// When openbox is missing or does not take the screen.
    #[expect(clippy::expect_used, reason = "a test without its folder cannot go on")]
    pub fn window_manager(&self) -> App {
        // It runs this as it begins to wait for events. One that comes while it still starts can lie unseen until the next.
        let folder = tempfile::tempdir().expect("a folder for the window manager's sign");
        let started = folder.path().join("started");
        let sign = format!("sh -c ': > \"{}\"'", started.display());
        let app = App::spawn(self.command("openbox").args(["--startup", &sign]));
        crate::eventually(
            "openbox to wait for events",
            std::time::Duration::from_secs(20),
            || started.exists().then_some(()),
        );
        crate::eventually(
            "openbox to manage the screen",
            std::time::Duration::from_secs(20),
            || {
                let mut child = self
                    .command("xprop")
                    .args(["-root", "_NET_CLIENT_LIST"])
                    .stdout(Stdio::piped())
                    .spawn()
                    .ok()?;
                let mut text = String::new();
                child.stdout.take()?.read_to_string(&mut text).ok()?;
                child.wait().ok()?;
                // Among the last things that openbox writes; windows that ask to be shown much earlier are not.
                text.contains("window id").then_some(())
            },
        );
        app
    }
}

/// A D-Bus session bus of its own.
#[derive(Debug)]
pub struct SessionBus {
    _app: App,
    address: String,
}

/// Where the bus looks for services; the first one of a name counts.
const SERVICES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data:/usr/local/share:/usr/share");

impl SessionBus {
    /// Starts the bus.
    ///
    /// # Panics
    /// When `dbus-daemon` is missing or does not say its address.
    #[expect(clippy::expect_used, reason = "a test without its bus cannot go on")]
    pub fn start() -> Self {
        let mut app = App::spawn(
            Command::new("dbus-daemon")
                .args(["--session", "--nofork", "--nopidfile", "--print-address=1"])
                .env("XDG_DATA_DIRS", SERVICES)
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::null()),
        );
        let mut address = String::new();
        let stdout = app.child().stdout.take().expect("stdout was piped");
        BufReader::new(stdout)
            .read_line(&mut address)
            .expect("the bus says its address");
        Self {
            _app: app,
            address: address.trim().to_owned(),
        }
    }

    /// The value for `DBUS_SESSION_BUS_ADDRESS`.
    pub fn address(&self) -> &str {
        &self.address
    }
}
