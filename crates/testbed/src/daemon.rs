//! The guest daemon on an X server of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use rustix::process::Signal;
use tempfile::TempDir;

use crate::{App, XServer, eventually};

/// The token of every daemon that tests start.
pub const TOKEN: &str = "the-token-of-this-test";
/// How long tests wait for what should be there at once. Generous: the machine may be busy with other tests.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// An X server with a daemon on it, which listens on TCP and at a socket file; both take [`TOKEN`].
#[derive(Debug)]
pub struct Daemon {
    /// The daemon's own process.
    pub app: App,
    /// The desktop that it serves.
    pub server: XServer,
    log: Log,
    folder: TempDir,
    program: PathBuf,
    addresses: Vec<String>,
}

impl Daemon {
    /// Starts `program`, which is the daemon's, and waits until it serves.
    ///
    /// # Panics
    /// When it does not come up.
    #[expect(clippy::expect_used, reason = "a test without its folder cannot go on")]
    pub fn start(program: PathBuf, server: XServer, arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder for the test");
        std::fs::write(folder.path().join("token"), format!("{TOKEN}\n")).expect("a token file");
        let (app, addresses) = serve(&program, &server, folder.path(), "127.0.0.1:0", arguments);
        Self {
            app,
            server,
            log: Log(folder.path().join("log")),
            folder,
            program,
            addresses,
        }
    }

    /// Starts it again at the TCP address that it had, with other arguments.
    ///
    /// # Panics
    /// When it does not come up.
    pub fn start_again(&mut self, arguments: &[&str]) {
        let address = self.address().to_owned();
        let (app, addresses) = serve(
            &self.program,
            &self.server,
            self.folder.path(),
            &address,
            arguments,
        );
        (self.app, self.addresses) = (app, addresses);
    }

    /// Kills it, as a crash would, and waits until it is gone.
    ///
    /// # Panics
    /// When it does not go.
    pub fn kill(&mut self) {
        self.app.signal(Signal::KILL);
        eventually("the daemon to be gone", PATIENCE, || self.app.exited());
    }

    /// Its TCP address, `HOST:PORT`.
    pub fn address(&self) -> &str {
        &self.addresses[0]
    }

    /// Its socket file, `unix:PATH`.
    pub fn socket(&self) -> &str {
        &self.addresses[1]
    }

    /// The test's own folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A path in the test's own folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The file that it writes its log to.
    pub fn log(&self) -> &Path {
        &self.log.0
    }

    /// Ends the daemon and leaves its desktop.
    pub fn into_server(self) -> XServer {
        self.server
    }
}

/// A log that is shown when its test has failed.
#[derive(Debug)]
struct Log(PathBuf);

impl Drop for Log {
    #[expect(clippy::print_stderr, reason = "it belongs to the failed test's output")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            let log = std::fs::read_to_string(&self.0).unwrap_or_default();
            eprintln!("the daemon's log:\n{log}");
        }
    }
}

#[expect(
    clippy::panic,
    clippy::expect_used,
    reason = "a test without its daemon cannot go on"
)]
fn serve(
    program: &Path,
    server: &XServer,
    folder: &Path,
    listen: &str,
    arguments: &[&str],
) -> (App, Vec<String>) {
    let log = folder.join("log");
    let stderr = std::fs::File::options()
        .create(true)
        .append(true)
        .open(&log)
        .expect("a log file");
    let mut command = daemon_command(program, server, folder);
    command
        .args(["--listen", listen, "--listen"])
        .arg(format!("unix:{}", folder.join("socket").display()))
        .arg("--token-file")
        .arg(folder.join("token"))
        .args(arguments)
        .stderr(stderr);
    let mut app = App::spawn(&mut command);
    let addresses = eventually("the daemon to serve", PATIENCE, || {
        if app.exited().is_some() {
            panic!(
                "the daemon ended: {}",
                std::fs::read_to_string(&log).unwrap_or_default()
            );
        }
        daemon_addresses(folder)
    });
    (app, addresses)
}

/// The daemon's command with its display and a file in `folder` for its addresses; where it is to listen, with which
/// token, is for the caller to add.
pub fn daemon_command(program: &Path, server: &XServer, folder: &Path) -> Command {
    let file = folder.join("addresses");
    // What a daemon that was killed has left would be taken for the new one's.
    std::fs::remove_file(&file).ok();
    let mut command = server.command(program);
    command
        .env_remove("SHINKEND_TOKEN")
        .env("SHINKEND_LOG", "debug")
        .arg("--addr-file")
        .arg(file)
        .args(["--display", server.display()])
        .stderr(Stdio::inherit());
    command
}

/// The addresses that a daemon of [`daemon_command`] has written, once it serves.
pub fn daemon_addresses(folder: &Path) -> Option<Vec<String>> {
    let text = std::fs::read_to_string(folder.join("addresses")).ok()?;
    Some(text.lines().map(str::to_owned).collect())
}

/// The daemon's program in the build folder of the test that asks; built where it is missing or older than its sources.
///
/// For the tests of other crates: cargo builds it for the daemon's own.
///
/// # Panics
/// When it cannot be built.
#[expect(clippy::expect_used, reason = "a test without its daemon cannot go on")]
pub fn daemon_program() -> PathBuf {
    let own = std::env::current_exe().expect("a test has a program");
    // target/debug/deps/it-….
    let folder = own.ancestors().nth(2).expect("it lies in a build folder");
    let program = folder.join("shinkend");
    if !is_fresh(&program, &folder.join("shinkend.d")) {
        let status = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--package", "shinkend", "--bin", "shinkend"])
            .status()
            .expect("cargo runs");
        assert!(status.success(), "shinkend does not build");
    }
    program
}

/// Whether a program is newer than all sources that cargo has listed beside it. Cargo itself would know better, but asking it
/// costs every test a good part of a second.
fn is_fresh(program: &Path, sources: &Path) -> bool {
    let changed = |path: &Path| -> Option<SystemTime> { std::fs::metadata(path).ok()?.modified().ok() };
    let (Some(built), Ok(list)) = (changed(program), std::fs::read_to_string(sources)) else {
        return false;
    };
    // "PROGRAM: SOURCE SOURCE …", with spaces in paths escaped, which then count as missing and lead to a build.
    let sources = list.split_once(": ").map_or("", |(_, sources)| sources);
    sources
        .split_whitespace()
        .all(|source| changed(Path::new(source)).is_some_and(|changed| changed <= built))
}
