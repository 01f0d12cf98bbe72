//! Real programs that text is typed into, and what they have understood.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use desktop::backend::{Gesture, Holder, Input as _, Point, Windows as _};
use desktop::x11::{X11Input, X11Windows};
use testbed::{App, SessionBus, XServer, eventually};
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _};

pub(crate) const ME: Holder = Holder(1);
const PATIENCE: Duration = Duration::from_secs(60);

/// A folder that goes with the test.
#[derive(Debug)]
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("shinken-input-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

/// A desktop with a window manager and one program that has the focus.
#[derive(Debug)]
pub(crate) struct Stage {
    pub(crate) input: X11Input,
    pub(crate) program: Program,
    pub(crate) server: XServer,
    _manager: App,
    _bus: SessionBus,
    _folder: Folder,
}

/// A program and the way to read what was typed into it.
#[derive(Debug)]
pub(crate) struct Program {
    _app: App,
    reading: Reading,
    /// The keys that make it write its text down first.
    save: Option<&'static str>,
}

#[derive(Debug)]
enum Reading {
    File(PathBuf),
    Posted(Arc<Mutex<String>>),
}

impl Program {
    /// What it has understood so far.
    pub(crate) fn text(&self) -> String {
        match &self.reading {
            Reading::File(path) => {
                // A terminal sends a carriage return for the key.
                String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).replace('\r', "\n")
            }
            Reading::Posted(text) => text.lock().unwrap().clone(),
        }
    }
}

impl Reading {
    /// Whether what is typed from now on is read.
    fn has_begun(&self) -> bool {
        match self {
            Self::File(path) => path.exists(),
            Self::Posted(text) => text.lock().unwrap().is_empty(),
        }
    }
}

type Start = fn(&XServer, &SessionBus, &Folder) -> Program;

impl Stage {
    pub(crate) fn new(name: &str, start: Start) -> Self {
        Self::within(Folder::new(name), start)
    }

    /// The same in a folder that holds something already.
    pub(crate) fn within(folder: Folder, start: Start) -> Self {
        let server = XServer::start(1000, 700);
        let manager = server.window_manager();
        let bus = SessionBus::start();
        let input = X11Input::open(server.display()).unwrap();
        let program = start(&server, &bus, &folder);
        let mut stage = Self {
            input,
            program,
            server,
            _manager: manager,
            _bus: bus,
            _folder: folder,
        };
        stage.await_focus();
        eventually("the program to listen", PATIENCE, || {
            // Chromium drops keys until it has drawn a page for the first time.
            stage.key("shift");
            stage.input.settle().unwrap();
            stage.program.reading.has_begun().then_some(())
        });
        stage
    }

    /// The middle of the active window.
    pub(crate) fn middle(&self) -> Point {
        let mut windows = X11Windows::open(self.server.display()).unwrap();
        let active = windows
            .list()
            .unwrap()
            .into_iter()
            .find(|window| window.focused)
            .unwrap();
        Point {
            x: active.x + active.w as i32 / 2,
            y: active.y + active.h as i32 / 2,
        }
    }

    /// Waits until a window of the program has the focus.
    fn await_focus(&self) {
        let (conn, screen) = x11rb::connect(Some(self.server.display())).unwrap();
        let root = x11rb::connection::Connection::setup(&conn).roots[screen].root;
        let active = conn
            .intern_atom(false, b"_NET_ACTIVE_WINDOW")
            .unwrap()
            .reply()
            .unwrap()
            .atom;
        eventually("a window to be active", PATIENCE, || {
            let value = conn
                .get_property(false, root, active, AtomEnum::WINDOW, 0, 1)
                .unwrap()
                .reply()
                .unwrap();
            value.value32()?.next().filter(|&window| window != 0)
        });
    }

    pub(crate) fn layout(&self, args: &[&str]) {
        let status = self.server.command("setxkbmap").args(args).status().unwrap();
        assert!(status.success(), "setxkbmap {args:?}");
    }

    /// The whole keyboard map, as two programs print it.
    pub(crate) fn keyboard(&self) -> String {
        let mut printed = String::new();
        for (program, args) in [
            ("xmodmap", &["-pke"][..]),
            ("xkbcomp", &[self.server.display(), "-"]),
        ] {
            let mut command = self.server.command(program);
            let output = command.args(args).stdout(Stdio::piped()).output().unwrap();
            assert!(output.status.success(), "{program}");
            printed.push_str(&String::from_utf8_lossy(&output.stdout));
        }
        printed
    }

    pub(crate) fn key(&mut self, chord: &str) {
        self.input.perform(ME, &Gesture::Key(chord.to_owned())).unwrap();
    }

    pub(crate) fn perform(&mut self, gesture: Gesture) {
        self.input.perform(ME, &gesture).unwrap();
    }

    pub(crate) fn type_text(&mut self, text: &str) {
        self.input.perform(ME, &Gesture::Type(text.to_owned())).unwrap();
    }

    /// Has the program write down what it has.
    pub(crate) fn save(&mut self) {
        self.input.settle().unwrap();
        if let Some(save) = self.program.save {
            self.key(save);
            // Programs act on the press; who looks at the keyboard afterwards must not see the chord held.
            self.input.settle().unwrap();
        }
    }

    /// Waits until the program has understood this text, all that was typed so far.
    #[track_caller]
    pub(crate) fn expect(&mut self, text: &str) {
        self.save();
        let deadline = std::time::Instant::now() + Duration::from_secs(20);
        loop {
            let found = self.program.text();
            // Qt's editor ends every file with a line feed of its own.
            let ended = self.program.save.is_some() && found.strip_suffix('\n') == Some(text);
            if found == text || ended {
                return;
            }
            if std::time::Instant::now() > deadline {
                assert_eq!(found, text);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// xterm with a program that writes down every byte.
pub(crate) fn xterm(server: &XServer, _bus: &SessionBus, folder: &Folder) -> Program {
    let (file, ready) = (folder.file("typed"), folder.file("ready"));
    let script = format!(
        "stty raw -echo; : > '{}'; exec cat > '{}'",
        ready.display(),
        file.display()
    );
    let mut command = server.command("xterm");
    command
        .env("LC_ALL", "C.UTF-8")
        .args(["-u8", "-e", "sh", "-c", &script]);
    let app = App::spawn(&mut command);
    eventually("the shell in xterm", PATIENCE, || ready.exists().then_some(()));
    Program {
        _app: app,
        reading: Reading::File(file),
        save: None,
    }
}

/// A GTK editor with an empty file.
pub(crate) fn mousepad(server: &XServer, bus: &SessionBus, folder: &Folder) -> Program {
    editor(server, bus, folder, "mousepad", &["--disable-server"])
}

/// A Qt editor with an empty file.
pub(crate) fn featherpad(server: &XServer, bus: &SessionBus, folder: &Folder) -> Program {
    editor(server, bus, folder, "featherpad", &["--standalone"])
}

fn editor(server: &XServer, bus: &SessionBus, folder: &Folder, name: &str, args: &[&str]) -> Program {
    let file = folder.file("typed.txt");
    if !file.exists() {
        std::fs::write(&file, "").unwrap();
    }
    let mut command = server.command(name);
    command
        .env("LC_ALL", "C.UTF-8")
        .env("HOME", &folder.0)
        .env("XDG_CONFIG_HOME", folder.file("config"))
        .env("XDG_RUNTIME_DIR", &folder.0)
        .env("DBUS_SESSION_BUS_ADDRESS", bus.address())
        .env("NO_AT_BRIDGE", "1")
        .args(args)
        .arg(&file);
    Program {
        _app: App::spawn(&mut command),
        reading: Reading::File(file),
        save: Some("ctrl+s"),
    }
}

const PAGE: &str = "<!doctype html><meta charset=utf-8><title>typing</title>
<textarea id=t autofocus spellcheck=false autocomplete=off rows=20 cols=80></textarea>
<script>
let last = null, listening = false;
const tell = async () => {
  const now = t.value;
  if (now !== last && listening) { last = now; await fetch('/typed', {method: 'POST', body: now}); }
  setTimeout(tell, 20);
};
t.onkeydown = event => {
  listening = true;
  if (event.key !== 'Tab') return;
  event.preventDefault();
  t.setRangeText('\\t', t.selectionStart, t.selectionEnd, 'end');
};
t.focus(); tell();
</script>";

/// Chromium with a text area that tells this process what is in it.
pub(crate) fn chromium(server: &XServer, bus: &SessionBus, folder: &Folder) -> Program {
    browser(server, bus, folder, PAGE)
}

/// Chromium with a page that posts what it has to say to `/typed`, first an empty text.
pub(crate) fn browser(server: &XServer, bus: &SessionBus, folder: &Folder, page: &'static str) -> Program {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let typed = Arc::new(Mutex::new("not yet".to_owned()));
    let told = Arc::clone(&typed);
    // Ends with the process: the test's own, as nextest runs one test in each.
    std::thread::Builder::new()
        .name("page".to_owned())
        .spawn(move || {
            for stream in listener.incoming().flatten() {
                serve(stream, page, &told);
            }
        })
        .unwrap();
    let mut command = server.command("chromium");
    command
        .env("HOME", &folder.0)
        .env("XDG_CONFIG_HOME", folder.file("config"))
        .env("DBUS_SESSION_BUS_ADDRESS", bus.address())
        .args([
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
        ])
        .args([
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--password-store=basic",
        ])
        .arg(format!("--user-data-dir={}", folder.file("profile").display()))
        .arg(format!("--app=http://{address}/"));
    let app = App::spawn(&mut command);
    Program {
        _app: app,
        reading: Reading::Posted(typed),
        save: None,
    }
}

/// Answers one request: the page, or thanks for what was typed.
fn serve(mut stream: TcpStream, page: &str, typed: &Mutex<String>) -> Option<()> {
    stream.set_read_timeout(Some(Duration::from_secs(10))).ok()?;
    let mut request = Vec::new();
    let head = loop {
        if let Some(end) = request.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            break end + 4;
        }
        let mut bytes = [0; 4096];
        let count = stream.read(&mut bytes).ok().filter(|&count| count > 0)?;
        request.extend_from_slice(&bytes[..count]);
    };
    let text = String::from_utf8_lossy(&request[..head]).to_lowercase();
    let length = text
        .lines()
        .find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
    let mut body = request[head..].to_vec();
    while body.len() < length.unwrap_or(0) {
        let mut bytes = [0; 4096];
        let count = stream.read(&mut bytes).ok().filter(|&count| count > 0)?;
        body.extend_from_slice(&bytes[..count]);
    }
    let answer = if text.starts_with("post") {
        *typed.lock().unwrap() = String::from_utf8_lossy(&body).into_owned();
        ""
    } else {
        page
    };
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        answer.len()
    );
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(answer.as_bytes()).ok()
}
