//! Programs at the other end of the clipboard.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};
use std::time::Duration;

use testbed::{App, XServer, eventually};
use x11rb::protocol::xproto::ConnectionExt as _;

/// Longer than anything takes on a busy machine.
pub(crate) const LONG: Duration = Duration::from_secs(30);

/// Has xclip own the clipboard with `bytes`; it stays in the foreground.
pub(crate) fn xclip_owns(server: &XServer, bytes: &[u8], options: &[&str]) -> App {
    let before = owner(server);
    let mut app = App::spawn(
        server
            .command("xclip")
            .args(["-i", "-quiet", "-selection", "clipboard"])
            .args(options)
            .stdin(Stdio::piped()),
    );
    app.child().stdin.take().unwrap().write_all(bytes).unwrap();
    eventually("xclip to take the clipboard", LONG, || {
        let now = owner(server);
        (now != before && now != x11rb::NONE).then_some(())
    });
    app
}

/// What xclip reads.
pub(crate) fn xclip_reads(server: &XServer, options: &[&str]) -> Vec<u8> {
    read_all(
        server
            .command("xclip")
            .args(["-o", "-selection", "clipboard"])
            .args(options),
    )
}

pub(crate) fn read_all(command: &mut Command) -> Vec<u8> {
    let mut app = App::spawn(command.stdout(Stdio::piped()));
    let mut bytes = Vec::new();
    app.child()
        .stdout
        .take()
        .unwrap()
        .read_to_end(&mut bytes)
        .unwrap();
    bytes
}

/// The window that has the clipboard.
pub(crate) fn owner(server: &XServer) -> u32 {
    let (conn, _) = x11rb::connect(Some(server.display())).unwrap();
    let clipboard = conn
        .intern_atom(false, b"CLIPBOARD")
        .unwrap()
        .reply()
        .unwrap()
        .atom;
    conn.get_selection_owner(clipboard)
        .unwrap()
        .reply()
        .unwrap()
        .owner
}
