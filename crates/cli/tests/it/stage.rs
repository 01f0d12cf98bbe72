//! A place where one test starts desktops, and from which nothing of them escapes.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use sys::marked::Mark;
use tempfile::TempDir;
use testbed::{App, eventually};

/// Generous: the machine may be busy with other tests.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// A runtime folder and a folder for temporary files of its own, and a mark on every process that is started here. The
/// mark is the test's, not the product's, so it also finds what the product has lost track of.
#[derive(Debug)]
pub(crate) struct Stage {
    folder: TempDir,
    mark: Mark,
}

impl Stage {
    pub(crate) fn new() -> Self {
        // What a shell, a D-Bus address or a list of words would stumble over.
        let folder = tempfile::Builder::new().prefix("a b,c=é").tempdir().unwrap();
        std::fs::create_dir(folder.path().join("tmp")).unwrap();
        let mark = Mark::new("SHINKEN_TEST_STAGE", folder.path().display().to_string());
        Self { folder, mark }
    }

    /// A path in the test's own folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The command, here.
    pub(crate) fn shinken(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_shinken"));
        command
            .args(arguments)
            .env(self.mark.name(), self.mark.value())
            .env("XDG_RUNTIME_DIR", self.folder.path())
            .env("TMPDIR", self.folder.path().join("tmp"))
            .env_remove("SHINKEN_RUNTIME_DIR")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs the command to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.shinken(arguments).output().unwrap()
    }

    /// Runs the command, which must succeed, and gives what it printed.
    pub(crate) fn done(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs the command, which must fail with exit code 1, and gives its complaint.
    pub(crate) fn refused(&self, arguments: &[&str]) -> String {
        self.fails(arguments, 1)
    }

    /// Runs the command, which must find no desktop (exit code 3), and gives its complaint.
    pub(crate) fn nobody(&self, arguments: &[&str]) -> String {
        self.fails(arguments, 3)
    }

    /// Runs the command, which must be wrongly used (exit code 2), and gives its complaint.
    pub(crate) fn misused(&self, arguments: &[&str]) -> String {
        self.fails(arguments, 2)
    }

    fn fails(&self, arguments: &[&str], code: i32) -> String {
        let output = self.run(arguments);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{arguments:?}: {}",
            said(&output)
        );
        String::from_utf8(output.stderr).unwrap()
    }

    /// Starts a desktop that ends with its command.
    pub(crate) fn up(&self, arguments: &[&str]) -> Owned {
        self.up_with(arguments, &[])
    }

    /// The same, with more variables.
    pub(crate) fn up_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Owned {
        let mut command = self.shinken(&["up", "--json", "--size", "640x480"]);
        command.args(arguments).envs(variables.iter().copied());
        let mut app = App::spawn(&mut command);
        let mut line = String::new();
        BufReader::new(app.child().stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        if line.is_empty() {
            panic!("no desktop: {}", complaint(&mut app));
        }
        Owned {
            app,
            desktop: Desktop::read(&line),
        }
    }

    /// Starts a desktop that outlives its command.
    pub(crate) fn detached(&self, arguments: &[&str]) -> Desktop {
        let mut words = vec!["up", "--json", "--detach", "--size", "640x480"];
        words.extend(arguments);
        Desktop::read(&self.done(&words))
    }

    /// Every live process that was started here, with its command line.
    pub(crate) fn processes(&self) -> Vec<(Pid, String)> {
        let line = |pid: Pid| {
            let line = std::fs::read(format!("/proc/{}/cmdline", pid.as_raw_nonzero())).ok()?;
            Some((pid, String::from_utf8_lossy(&line).replace('\0', " ")))
        };
        self.mark.processes().into_iter().filter_map(line).collect()
    }

    /// The only process whose command line holds `words`.
    pub(crate) fn process(&self, words: &str) -> Pid {
        eventually(&format!("one process {words}"), PATIENCE, || {
            let found: Vec<Pid> = self
                .processes()
                .into_iter()
                .filter_map(|(pid, line)| line.contains(words).then_some(pid))
                .collect();
            (found.len() == 1).then(|| found[0])
        })
    }

    /// The folder with a folder for each desktop.
    pub(crate) fn runtime(&self) -> PathBuf {
        self.folder.path().join("shinken")
    }

    /// Waits until no process, no file and no socket of these desktops is there.
    pub(crate) fn assert_empty<'a>(&self, desktops: impl IntoIterator<Item = &'a Desktop>) {
        let desktops: Vec<&Desktop> = desktops.into_iter().collect();
        let mut left = Vec::new();
        let deadline = std::time::Instant::now() + PATIENCE;
        while std::time::Instant::now() < deadline {
            left = self.left(&desktops);
            if left.is_empty() {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("left over: {left:#?}");
    }

    fn left(&self, desktops: &[&Desktop]) -> Vec<String> {
        let mut left: Vec<String> = self
            .processes()
            .into_iter()
            .map(|(pid, line)| format!("{} {line}", pid.as_raw_nonzero()))
            .collect();
        for folder in [self.runtime(), self.folder.path().join("tmp")] {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            left.extend(entries.map(|entry| entry.path().display().to_string()));
        }
        for desktop in desktops {
            left.extend(desktop.x_files_left());
        }
        left
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.mark.kill_all(PATIENCE);
    }
}

/// A desktop and the command that has it.
#[derive(Debug)]
pub(crate) struct Owned {
    pub(crate) app: App,
    pub(crate) desktop: Desktop,
}

impl Owned {
    /// Waits for the command's end; gives its exit code and its complaint.
    pub(crate) fn ended(self) -> (Option<i32>, String) {
        ended(self.app)
    }
}

/// What a desktop's state says.
#[derive(Debug, Clone)]
pub(crate) struct Desktop {
    pub(crate) id: String,
    /// `HOST:PORT`.
    pub(crate) socket: String,
    pub(crate) token_file: PathBuf,
    pub(crate) display: String,
    pub(crate) authority: PathBuf,
    server: i64,
}

impl Desktop {
    pub(crate) fn read(json: &str) -> Self {
        let state: Value = serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {json}"));
        let text = |name: &str| state[name].as_str().unwrap().to_owned();
        let address = text("address");
        Self {
            id: text("id"),
            socket: address
                .strip_prefix("ws://")
                .and_then(|rest| rest.strip_suffix("/aci"))
                .unwrap()
                .to_owned(),
            token_file: text("token_file").into(),
            display: text("display"),
            authority: text("xauthority").into(),
            server: state["server"].as_i64().unwrap(),
        }
    }

    /// Whether the daemon says that all is well.
    pub(crate) fn is_well(&self) -> bool {
        let ask = || -> std::io::Result<String> {
            let mut stream = TcpStream::connect(&self.socket)?;
            stream.set_read_timeout(Some(PATIENCE))?;
            let request = format!(
                "GET /healthz HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
                self.socket
            );
            stream.write_all(request.as_bytes())?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer)?;
            Ok(answer)
        };
        ask().is_ok_and(|answer| answer.starts_with("HTTP/1.1 200"))
    }

    /// A property of the root window, as xprop prints it, with the desktop's own cookie or without any.
    pub(crate) fn root_property(&self, name: &str, authority: Option<&Path>) -> Output {
        Command::new("xprop")
            .args(["-display", &self.display, "-root", name])
            .env("XAUTHORITY", authority.unwrap_or(Path::new("/dev/null")))
            .output()
            .unwrap()
    }

    pub(crate) fn lock(&self) -> PathBuf {
        format!("/tmp/.X{}-lock", &self.display[1..]).into()
    }

    fn x_socket(&self) -> PathBuf {
        format!("/tmp/.X11-unix/X{}", &self.display[1..]).into()
    }

    /// The lock and the socket where they are still this desktop's. Another test's server may have the number already.
    pub(crate) fn x_files_left(&self) -> Vec<String> {
        let mut left = Vec::new();
        match std::fs::read_to_string(self.lock()) {
            Ok(holder) if holder.trim() == self.server.to_string() => {
                left.push(self.lock().display().to_string());
            }
            // Another server holds it, or is just taking it.
            Ok(_) => return left,
            Err(_) => {}
        }
        let socket = self.x_socket();
        if socket.exists() && std::os::unix::net::UnixStream::connect(&socket).is_err() {
            left.push(socket.display().to_string());
        }
        left
    }
}

/// Waits for a command's end; gives its exit code and its complaint.
pub(crate) fn ended(mut app: App) -> (Option<i32>, String) {
    let status = eventually("the command to end", PATIENCE, || app.exited());
    (status.code(), complaint(&mut app))
}

/// What a command complains of, to its end.
fn complaint(app: &mut App) -> String {
    let mut text = String::new();
    let mut stderr = app.child().stderr.take().unwrap();
    stderr.read_to_string(&mut text).unwrap();
    text
}

/// Kills a process at once.
pub(crate) fn kill(pid: Pid) {
    kill_process(pid, Signal::KILL).unwrap();
}

/// All that a command said.
pub(crate) fn said(output: &Output) -> String {
    format!(
        "{}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}
