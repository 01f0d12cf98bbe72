//! A desktop with a daemon for one test.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use shinken::{Client, FrameCache, Options};
use tempfile::TempDir;
use testbed::{App, XServer, eventually};

pub(crate) const TOKEN: &str = "the-token-of-this-test";
/// Generous: the machine may be busy with other tests.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// An X server with a daemon on it.
#[derive(Debug)]
pub(crate) struct Daemon {
    pub(crate) app: App,
    pub(crate) server: XServer,
    folder: TempDir,
    addresses: Vec<String>,
}

impl Daemon {
    pub(crate) fn start() -> Self {
        Self::start_with(&[])
    }

    pub(crate) fn start_with(arguments: &[&str]) -> Self {
        let server = XServer::start(640, 480);
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("token"), TOKEN).unwrap();
        let (app, addresses) = serve(&server, &folder, "127.0.0.1:0", arguments);
        Self {
            app,
            server,
            folder,
            addresses,
        }
    }

    /// Starts the daemon again at the address that it had.
    pub(crate) fn start_again(&mut self) {
        let (app, addresses) = serve(&self.server, &self.folder, &self.addresses[0].clone(), &[]);
        (self.app, self.addresses) = (app, addresses);
    }

    /// Kills the daemon, as a crash would.
    pub(crate) fn kill(&mut self) {
        self.app.signal(rustix::process::Signal::KILL);
        eventually("the daemon to be gone", PATIENCE, || self.app.exited());
    }

    pub(crate) fn address(&self) -> &str {
        &self.addresses[0]
    }

    pub(crate) fn socket(&self) -> &str {
        &self.addresses[1]
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.path("log")
    }

    pub(crate) async fn client(&self) -> Client {
        self.client_with(Options::default()).await
    }

    pub(crate) async fn client_with(&self, options: Options) -> Client {
        Client::connect(self.address(), Some(TOKEN), options)
            .await
            .unwrap()
    }

    pub(crate) async fn client_with_cache(&self, cache: &Arc<FrameCache>) -> Client {
        let options = Options {
            frame_cache: Some(Arc::clone(cache)),
            ..Options::default()
        };
        self.client_with(options).await
    }

    /// Fills the whole screen with a colour.
    pub(crate) fn paint(&self, colour: &str) {
        let status = self
            .server
            .command("xsetroot")
            .args(["-solid", colour])
            .status()
            .unwrap();
        assert!(status.success());
    }
}

fn serve(server: &XServer, folder: &TempDir, listen: &str, arguments: &[&str]) -> (App, Vec<String>) {
    let file = |name: &str| folder.path().join(name);
    let log = std::fs::File::options()
        .create(true)
        .append(true)
        .open(file("log"))
        .unwrap();
    std::fs::remove_file(file("addresses")).ok();
    std::fs::remove_file(file("socket")).ok();
    let mut command = server.command(shinkend().to_str().unwrap());
    command
        .env_remove("SHINKEND_TOKEN")
        .arg("--addr-file")
        .arg(file("addresses"))
        .args(["--display", server.display(), "--listen", listen])
        .arg("--listen")
        .arg(format!("unix:{}", file("socket").display()))
        .arg("--token-file")
        .arg(file("token"))
        .args(arguments)
        .stderr(Stdio::from(log));
    let mut app = App::spawn(&mut command);
    let text = eventually("the daemon to serve", PATIENCE, || {
        if app.exited().is_some() {
            panic!("{}", std::fs::read_to_string(file("log")).unwrap_or_default());
        }
        std::fs::read_to_string(file("addresses")).ok()
    });
    (app, text.lines().map(str::to_owned).collect())
}

/// The daemon's program, beside our own; built where it is not there yet.
fn shinkend() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let program = own.ancestors().nth(2).unwrap().join("shinkend");
    if !program.exists() {
        let status = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--package", "shinkend"])
            .status()
            .unwrap();
        assert!(status.success(), "shinkend does not build");
    }
    program
}
