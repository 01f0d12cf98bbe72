//! A client that shares no line with this repository's crates: Python, a plain socket, and the protocol's text.
//!
//! Its checks are in `tests/outside`, a file for each matter; the test fails where one of them does.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use testbed::{App, XServer, eventually};

use crate::daemon::{Daemon, TOKEN};

/// All checks of one file, of which the longest take half a minute on a machine with nothing else to do.
const PATIENCE: Duration = Duration::from_secs(180);

fn passes(file: &str) {
    let server = XServer::start(1024, 768);
    let _manager = server.window_manager();
    passes_on(server, file);
}

fn passes_on(server: XServer, file: &str) {
    let daemon = Daemon::start_on(server, &[]);
    let client = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/outside/client.py");
    let mut client = App::spawn(
        daemon
            .server
            .command("python3")
            .arg(client)
            .arg(file)
            .stdout(Stdio::inherit())
            .stderr(Stdio::inherit())
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("ACI_ADDRESS", format!("ws://{}/aci", daemon.address()))
            .env("ACI_TOKEN", TOKEN),
    );
    let status = eventually("the outside client to end", PATIENCE, || client.exited());
    assert!(status.success(), "a check of {file} failed: {status}");
}

#[test]
fn greetings_questions_and_the_order_of_answers() {
    passes("checks_talk");
}

#[test]
fn frames_and_limits_of_the_connection() {
    passes("checks_socket");
}

#[test]
fn programs_and_their_output() {
    passes("checks_exec");
}

#[test]
fn pictures_and_streams() {
    passes("checks_pictures");
}

#[test]
fn input_clipboard_and_windows() {
    passes("checks_desktop");
}

#[test]
fn input_clipboard_and_windows_without_a_window_manager() {
    passes_on(XServer::start(800, 600), "checks_desktop");
}
