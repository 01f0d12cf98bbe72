//! Copy and paste with a GTK program.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::Read as _;
use std::process::Stdio;

use desktop::DesktopError;
use desktop::backend::{Clipboard as _, Windows as _};
use desktop::x11::{X11Clipboard, X11Windows};
use testbed::{App, SessionBus, XServer, eventually};

use crate::clipboard_peers::{long_text, owner, xclip_reads};
use crate::windows_stage::{LONG, titled};

const MIB: usize = 1 << 20;

/// A dialog of GTK.
fn zenity(server: &XServer, bus: &SessionBus, options: &[&str]) -> App {
    App::spawn(
        server
            .command("zenity")
            .env("DBUS_SESSION_BUS_ADDRESS", bus.address())
            .env("LC_ALL", "C.UTF-8")
            .env("NO_AT_BRIDGE", "1")
            .args(options)
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
    // A line to edit, printed when it is confirmed.
    let title = "ask 日本";
    let options = ["--entry", "--title", title, "--entry-text", "café 日本 🎉"];
    let mut app = zenity(&server, &bus, &options);
    let id = titled(&mut windows, title).id;
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

#[test]
fn gtk_pastes_a_large_text_whole() {
    let (server, bus) = (XServer::start(800, 600), SessionBus::start());
    let _manager = server.window_manager();
    let mut clipboard = X11Clipboard::open(server.display(), MIB).unwrap();
    let mut windows = X11Windows::open(server.display()).unwrap();
    let _app = zenity(&server, &bus, &["--text-info", "--editable", "--title", "edit"]);
    let id = titled(&mut windows, "edit").id;
    windows.activate(id).unwrap();
    // A program that has just come up may lose the first keys.
    eventually("the editor to take keys", LONG, || {
        press(&server, &["x", "ctrl+a", "ctrl+c"]);
        clipboard
            .get()
            .is_ok_and(|copied| copied.starts_with('x'))
            .then_some(())
    });
    let text = long_text(MIB).replace("00,", "00\n");
    clipboard.set(text.clone()).unwrap();
    let ours = owner(&server);
    press(&server, &["ctrl+a", "ctrl+v"]);
    eventually("the whole text in the editor", LONG, || {
        press(&server, &["ctrl+a", "ctrl+c"]);
        let copied = xclip_reads(&server, &["-t", "UTF8_STRING"]);
        (owner(&server) != ours && copied == text.as_bytes()).then_some(())
    });
    // GTK gives it out in pieces.
    let outcome = clipboard.get();
    assert!(
        matches!(outcome, Err(DesktopError::ClipboardTooLarge(_))),
        "{:?}",
        outcome.map(|text| text.len())
    );
}
