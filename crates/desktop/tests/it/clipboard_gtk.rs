//! Copy and paste with a GTK program.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::Read as _;
use std::process::Stdio;

use desktop::backend::{Clipboard as _, Windows as _};
use desktop::x11::{X11Clipboard, X11Windows};
use testbed::{App, SessionBus, XServer, eventually};

use crate::windows_stage::{LONG, titled};

const MIB: usize = 1 << 20;

/// A dialog with a line to edit, which prints it when it is confirmed.
fn entry(server: &XServer, bus: &SessionBus, title: &str, text: &str) -> App {
    App::spawn(
        server
            .command("zenity")
            .env("DBUS_SESSION_BUS_ADDRESS", bus.address())
            .env("LC_ALL", "C.UTF-8")
            .env("NO_AT_BRIDGE", "1")
            .env("GTK_A11Y", "none")
            .args([
                "--entry",
                "--title",
                title,
                "--text",
                "Line:",
                "--entry-text",
                text,
            ])
            .stdout(Stdio::piped()),
    )
}

fn press(server: &XServer, keys: &[&str]) {
    let pressed = server.command("xdotool").arg("key").args(keys).status();
    assert!(pressed.unwrap().success());
}

#[test]
fn gtk_pastes_what_was_set_and_gives_what_it_copied() {
    let (server, bus) = (XServer::start(800, 600), SessionBus::start());
    let _manager = server.window_manager();
    let mut clipboard = X11Clipboard::open(server.display(), MIB).unwrap();
    let mut windows = X11Windows::open(server.display()).unwrap();
    let mut app = entry(&server, &bus, "ask 日本", "café 日本 🎉");
    let id = titled(&mut windows, "ask 日本").id;
    windows.activate(id).unwrap();
    // A program that has just come up may lose the first keys.
    eventually("the copy", LONG, || {
        press(&server, &["ctrl+a", "ctrl+c"]);
        let copied = clipboard.get();
        (copied.as_deref() == Ok("café 日本 🎉")).then_some(())
    });
    clipboard.set("pasted é 日本 🎉".to_owned()).unwrap();
    press(&server, &["ctrl+a", "ctrl+v", "Return"]);
    let mut printed = String::new();
    let mut out = app.child().stdout.take().unwrap();
    eventually("the dialog to end", LONG, || app.exited());
    out.read_to_string(&mut printed).unwrap();
    assert_eq!(printed, "pasted é 日本 🎉\n");
}
