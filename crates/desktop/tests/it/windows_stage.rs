//! Windows for the tests of lists and activation.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::time::Duration;

use desktop::backend::{WindowInfo, Windows as _};
use desktop::x11::X11Windows;
use testbed::{App, XServer, eventually};

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
