//! What cannot be served is said in plain text, with what helps.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use testbed::App;

/// The exit code and the complaint of a daemon that does not start.
fn said(arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_shinkend"))
        .args(arguments)
        .env("XAUTHORITY", "/dev/null")
        .env_remove("SHINKEND_TOKEN")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(!text.contains('\x1b'), "{text:?}");
    (output.status.code(), text)
}

#[test]
fn a_display_that_cannot_be_used() {
    let folder = tempfile::tempdir().unwrap();
    let cookie = folder.path().join("cookie");
    // Any host, no address, any display; then a name and the cookie, each after its length.
    let mut entry = vec![0xff, 0xff, 0, 0, 0, 0, 0, 18];
    entry.extend(b"MIT-MAGIC-COOKIE-1");
    entry.extend([0, 16]);
    entry.extend([7; 16]);
    std::fs::write(&cookie, entry).unwrap();
    let mut server = App::spawn(
        Command::new("Xvfb")
            .args(["-displayfd", "1", "-nolisten", "tcp", "-auth"])
            .arg(&cookie)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null()),
    );
    let mut number = String::new();
    let output = server.child().stdout.take().unwrap();
    BufReader::new(output).read_line(&mut number).unwrap();
    let closed = format!(":{}", number.trim());
    let listen = format!("unix:{}", folder.path().join("socket").display());
    for (display, words) in [
        ("bla", "\"bla\" is not the name of a display"),
        (":59000", "nothing listens at display :59000"),
        (":65000", "the number is too large"),
        (closed.as_str(), "set XAUTHORITY"),
    ] {
        let (code, text) = said(&["--listen", &listen, "--display", display]);
        assert_eq!(code, Some(1), "{text}");
        assert!(
            text.contains(words) && !text.contains("is gone"),
            "{display}: {text}"
        );
    }
}

#[test]
fn an_address_that_is_none_is_wrong_usage() {
    for address in ["7350", ":7350", "127.0.0.1:99999", "unix:"] {
        let (code, text) = said(&["--display", "bla", "--listen", address]);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains("HOST:PORT"), "{address}: {text}");
    }
}
