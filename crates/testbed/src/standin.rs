//! The stand-in as a process of its own.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::{App, PATIENCE, TOKEN, eventually};

/// A stand-in that takes [`TOKEN`].
#[derive(Debug)]
pub struct Standin {
    /// Its process.
    pub app: App,
    address: String,
    _folder: TempDir,
}

impl Standin {
    /// Starts `program`, which is the stand-in's, at a free TCP port, and waits until it serves.
    ///
    /// # Panics
    /// When it does not come up.
    pub fn start(program: &Path, arguments: &[&str]) -> Self {
        Self::start_at(program, |_| "127.0.0.1:0".to_owned(), arguments)
    }

    /// The same at a socket file.
    ///
    /// # Panics
    /// When it does not come up.
    pub fn start_at_socket(program: &Path, arguments: &[&str]) -> Self {
        let socket = |folder: &Path| format!("unix:{}", folder.join("socket").display());
        Self::start_at(program, socket, arguments)
    }

    #[expect(clippy::expect_used, reason = "a test without its folder cannot go on")]
    fn start_at(program: &Path, listen: impl FnOnce(&Path) -> String, arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let (token, address) = (folder.path().join("token"), folder.path().join("address"));
        std::fs::write(&token, TOKEN).expect("a token file");
        let mut command = Command::new(program);
        command
            .env_remove("SHINKEND_TOKEN")
            .args(["--listen", &listen(folder.path())])
            .arg("--token-file")
            .arg(&token)
            .arg("--addr-file")
            .arg(&address)
            .args(arguments);
        let mut app = App::spawn(&mut command);
        let address = eventually("the stand-in to serve", PATIENCE, || {
            assert!(app.exited().is_none(), "the stand-in ended");
            std::fs::read_to_string(&address).ok()
        });
        Self {
            app,
            address: address.trim().to_owned(),
            _folder: folder,
        }
    }

    /// Where it listens: `HOST:PORT` or `unix:PATH`.
    pub fn address(&self) -> &str {
        &self.address
    }
}
