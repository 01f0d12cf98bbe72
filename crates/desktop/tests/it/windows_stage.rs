//! Windows for the tests of lists and activation.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::time::Duration;

use desktop::backend::{Rect, WindowInfo, Windows as _};
use desktop::x11::X11Windows;
use testbed::{App, XServer, eventually};
use x11rb::protocol::xproto::{ConnectionExt as _, PropMode};
use x11rb::wrapper::ConnectionExt as _;

use crate::capture_painter::{Painter, RED};

/// Longer than anything takes on a busy machine.
pub(crate) const LONG: Duration = Duration::from_secs(30);

/// An xterm with this title that does nothing.
pub(crate) fn xterm(server: &XServer, title: &str, geometry: &str) -> App {
    App::spawn(
        server
            .command("xterm")
            .env("LC_ALL", "C.UTF-8")
            .args(["-title", title, "-geometry", geometry])
            .args(["-e", "sleep", "1000"]),
    )
}

/// The window with this title, once it is there.
pub(crate) fn titled(windows: &mut X11Windows, title: &str) -> WindowInfo {
    eventually(title, LONG, || {
        windows
            .list()
            .unwrap()
            .into_iter()
            .find(|window| window.title == title)
    })
}

/// The titles of all windows, and which one is focused.
pub(crate) fn titles(windows: &mut X11Windows) -> (Vec<String>, Option<String>) {
    let list = windows.list().unwrap();
    let focused = list
        .iter()
        .filter(|window| window.focused)
        .map(|window| window.title.clone())
        .next();
    (list.into_iter().map(|window| window.title).collect(), focused)
}

/// A window that a manager may manage, not shown yet, without any property.
pub(crate) fn top_level(painter: &Painter, place: Rect) -> u32 {
    painter.child(painter.root, place, RED, false)
}

/// Sets a property of 32-bit numbers.
pub(crate) fn set_words(painter: &Painter, window: u32, name: &str, kind: &str, words: &[u32]) {
    let (name, kind) = (atom(painter, name), atom(painter, kind));
    painter
        .conn
        .change_property32(PropMode::REPLACE, window, name, kind, words)
        .unwrap();
}

pub(crate) fn atom(painter: &Painter, name: &str) -> u32 {
    let asked = painter.conn.intern_atom(false, name.as_bytes()).unwrap();
    asked.reply().unwrap().atom
}

/// Shows windows and waits until they are on the list.
pub(crate) fn show(painter: &Painter, windows: &mut X11Windows, shown: &[u32]) {
    for window in shown {
        painter.conn.map_window(*window).unwrap();
        painter.sync();
        eventually("the window on the list", LONG, || {
            // An openbox that has just come up can sleep over an event until the next one comes, which this makes.
            set_words(painter, painter.root, "WAKE", "CARDINAL", &[0]);
            painter.sync();
            let list = windows.list().unwrap();
            list.iter()
                .any(|info| info.id == u64::from(*window))
                .then_some(())
        });
    }
}

/// The id of the focused window.
pub(crate) fn focused(windows: &mut X11Windows) -> Option<u64> {
    let list = windows.list().unwrap();
    let mut focused = list.iter().filter(|window| window.focused);
    let first = focused.next().map(|window| window.id);
    assert_eq!(focused.next(), None, "two are focused");
    first
}
