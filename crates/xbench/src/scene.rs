//! The desktop that everything is measured on: an X server, a window manager, a daemon, and windows in known states.

use std::cell::Cell;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use desktop::backend::{Capture as _, Region};
use desktop::x11::X11Capture;
use testbed::{App, XServer, eventually};
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    ChangeGCAux, ConfigureWindowAux, ConnectionExt as _, CreateGCAux, CreateWindowAux, EventMask, Rectangle,
    StackMode, WindowClass,
};
use x11rb::rust_connection::RustConnection;

use crate::process;
use crate::socket::Socket;

/// What agents are shown mostly.
const SIZE: (u16, u16) = (1280, 800);
const TOKEN: &str = "a token that only this run knows";
const PATIENCE: Duration = Duration::from_secs(30);

/// Everything that runs.
#[derive(Debug)]
pub(crate) struct Scene {
    // Dropped in this order: the daemon before its display.
    daemon: App,
    _echo: App,
    _terminal: App,
    _manager: App,
    pub(crate) painter: Painter,
    pub(crate) server: XServer,
    pub(crate) folder: tempfile::TempDir,
    address: String,
    echo_address: String,
}

impl Scene {
    /// Starts all of it, the daemon with room for so many sessions.
    pub(crate) fn start(program: &Path, sessions: usize) -> anyhow::Result<Self> {
        let server = XServer::start(SIZE.0.into(), SIZE.1.into());
        let manager = server.window_manager();
        let folder = tempfile::tempdir().context("no folder for this run")?;
        let terminal = App::spawn(
            server
                .command("xterm")
                .args(["-T", "typed into", "-geometry", "80x24+40+320", "-e"])
                .args(["sh", "-c", "stty -icanon; exec cat > /dev/null"]),
        );
        let token = folder.path().join("token");
        std::fs::write(&token, TOKEN).context("cannot write the token")?;
        let mut daemon = App::spawn(
            testbed::daemon_command(program, &server, folder.path())
                .args(["--listen", "127.0.0.1:0"])
                .args(["--max-connections", &(sessions + 16).to_string()])
                .arg("--token-file")
                .arg(&token)
                .args(["--grant", "run"])
                .env("SHINKEND_LOG", "warn"),
        );
        let address = eventually("the daemon to serve", PATIENCE, || {
            let addresses = testbed::daemon_addresses(folder.path());
            addresses
                .and_then(|addresses| addresses.into_iter().next())
                .or_else(|| daemon.exited().map(|status| format!("ended: {status}")))
        });
        ensure!(!address.starts_with("ended"), "the daemon {address}");
        let (echo, echo_address) = start_echo(server.display())?;
        let scene = Self {
            painter: Painter::new(server.display())?,
            daemon,
            _echo: echo,
            _terminal: terminal,
            _manager: manager,
            server,
            folder,
            address,
            echo_address,
        };
        scene.focus_terminal()?;
        Ok(scene)
    }

    /// A session with the daemon.
    pub(crate) fn session(&self) -> anyhow::Result<Socket> {
        Socket::welcomed(&self.address, TOKEN)
    }

    /// A connection to the server that only sends back.
    pub(crate) fn echo(&self) -> anyhow::Result<Socket> {
        Socket::open(&self.echo_address)
    }

    /// The daemon's address and token.
    pub(crate) fn address(&self) -> (&str, &str) {
        (&self.address, TOKEN)
    }

    /// The daemon's process.
    pub(crate) fn daemon(&self) -> u32 {
        self.daemon.id()
    }

    /// Its resident memory in MiB.
    pub(crate) fn daemon_memory(&self) -> anyhow::Result<f64> {
        process::memory_mib(self.daemon.id())
    }

    /// A program on this display, to its end.
    pub(crate) fn run(&self, program: &str, arguments: &[&str]) -> anyhow::Result<()> {
        let status = self
            .server
            .command(program)
            .args(arguments)
            .status()
            .with_context(|| format!("cannot start {program}"))?;
        ensure!(status.success(), "{program} failed: {status}");
        Ok(())
    }

    /// Sends keys to the terminal that swallows them.
    pub(crate) fn focus_terminal(&self) -> anyhow::Result<()> {
        let mut session = self.session()?;
        eventually("the terminal to have the focus", PATIENCE, || {
            let activate = serde_json::json!({"verb": "activate_window", "app": "typed into"});
            session.act(&activate).ok()?;
            let (_, answer) = session.query("list_windows").ok()?;
            let windows = answer.value()["value"].as_array()?;
            windows
                .iter()
                .any(|window| window["focused"] == true && window["title"] == "typed into")
                .then_some(())
        });
        self.wait_for_rest()
    }

    /// A terminal that covers the screen with small text.
    pub(crate) fn dense_text(&self) -> anyhow::Result<App> {
        let text = self.folder.path().join("text");
        let words = [
            "fn ", "let ", "self", "Result", "-> ", "{ }", "Some(x) ", "match ", "async ", "0x7f ", "// ",
        ];
        // A quadratic walk over the words, so that lines differ.
        let line = |row: usize| -> String {
            (0..60)
                .map(|column| words[(row * row + column * (row + 3)) % words.len()])
                .collect()
        };
        let lines: Vec<String> = (0..90).map(line).collect();
        std::fs::write(&text, lines.join("\n")).context("cannot write the text")?;
        let terminal = App::spawn(
            self.server
                .command("xterm")
                .args(["-T", "dense", "-maximized", "-fn", "6x10", "-e", "sh", "-c"])
                .arg(format!("cut -c 1-200 {}; exec sleep 3600", text.display())),
        );
        let mut session = self.session()?;
        eventually("the text's window", PATIENCE, || {
            let (_, answer) = session.query("list_windows").ok()?;
            let windows = answer.value()["value"].as_array()?;
            windows
                .iter()
                .any(|window| window["title"] == "dense" && window["w"].as_i64() > Some(1000))
                .then_some(())
        });
        self.wait_for_rest()?;
        Ok(terminal)
    }

    /// Waits until the picture stays the same for a while.
    pub(crate) fn wait_for_rest(&self) -> anyhow::Result<()> {
        let mut capture = X11Capture::open(self.server.display())?;
        let last = Cell::new(None);
        let still = Cell::new(0);
        eventually("the screen to rest", PATIENCE, || {
            let hash = capture.grab(Region::Screen, None, None).ok()?.hash;
            let same = last.replace(Some(hash)) == Some(hash);
            still.set(if same { still.get() + 1 } else { 0 });
            // Fifty looks with ten milliseconds between them.
            (still.get() >= 50).then_some(())
        });
        Ok(())
    }
}

/// Starts this program as the echo server.
fn start_echo(display: &str) -> anyhow::Result<(App, String)> {
    let this = std::env::current_exe().context("cannot tell where this program is")?;
    let mut echo = App::spawn(
        Command::new(this)
            .args(["--echo", display])
            .stdout(Stdio::piped()),
    );
    let stdout = echo.child().stdout.take().context("its output was piped")?;
    let mut address = String::new();
    BufReader::new(stdout).read_line(&mut address)?;
    Ok((echo, address.trim().to_owned()))
}

/// A client of the X server with a window that can be clicked without effect, and changed.
#[derive(Debug)]
pub(crate) struct Painter {
    conn: RustConnection,
    gc: u32,
    window: u32,
    colour: Cell<u32>,
}

impl Painter {
    /// The window's place.
    const PLACE: Rectangle = Rectangle {
        x: 960,
        y: 40,
        width: 280,
        height: 200,
    };
    /// A point inside it.
    pub(crate) const POINT: (i32, i32) = (1100, 140);

    fn new(display: &str) -> anyhow::Result<Self> {
        let (conn, screen) = x11rb::connect(Some(display)).context("cannot reach the X server")?;
        let root = conn.setup().roots[screen].root;
        let (window, gc) = (conn.generate_id()?, conn.generate_id()?);
        let place = Self::PLACE;
        // It takes clicks itself, or they would go on to the window manager, which opens menus.
        let attributes = CreateWindowAux::new()
            .override_redirect(1)
            .background_pixel(0x40_60_80)
            .event_mask(EventMask::BUTTON_PRESS | EventMask::BUTTON_RELEASE);
        conn.create_window(
            24,
            window,
            root,
            place.x,
            place.y,
            place.width,
            place.height,
            0,
            WindowClass::INPUT_OUTPUT,
            0,
            &attributes,
        )?;
        conn.map_window(window)?;
        conn.create_gc(gc, window, &CreateGCAux::new())?;
        let painter = Self {
            conn,
            gc,
            window,
            colour: Cell::new(0x20_40_60),
        };
        painter.repaint()?;
        Ok(painter)
    }

    /// Changes pixels: a square of 64 by 64 gets another colour.
    pub(crate) fn change(&self) -> anyhow::Result<()> {
        self.colour
            .set(self.colour.get().wrapping_add(0x03_05_07) & 0xff_ff_ff);
        self.repaint()
    }

    /// Draws the same pixels again, which is damage and no change. Done when the X server has done it.
    pub(crate) fn repaint(&self) -> anyhow::Result<()> {
        self.conn
            .change_gc(self.gc, &ChangeGCAux::new().foreground(self.colour.get()))?;
        let square = Rectangle {
            x: 20,
            y: 20,
            width: 64,
            height: 64,
        };
        self.conn.poly_fill_rectangle(self.window, self.gc, &[square])?;
        let above = ConfigureWindowAux::new().stack_mode(StackMode::ABOVE);
        self.conn.configure_window(self.window, &above)?;
        self.conn.get_input_focus()?.reply()?;
        Ok(())
    }

    /// How many presses of a button have arrived since this was last asked.
    pub(crate) fn presses(&self) -> anyhow::Result<usize> {
        self.conn.get_input_focus()?.reply()?;
        let mut presses = 0;
        while let Some(event) = self.conn.poll_for_event()? {
            presses += usize::from(matches!(event, Event::ButtonPress(_)));
        }
        Ok(presses)
    }
}
