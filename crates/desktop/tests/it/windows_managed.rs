//! Windows under openbox.

use desktop::DesktopError;
use desktop::backend::Windows as _;
use desktop::x11::X11Windows;
use testbed::{XServer, eventually};

use crate::windows_stage::{LONG, titled, titles, xterm};

#[test]
fn windows_are_listed_oldest_first_with_all_that_is_known_of_them() {
    let server = XServer::start(1024, 768);
    let _manager = server.window_manager();
    let mut windows = X11Windows::open(server.display()).unwrap();
    assert_eq!(windows.list().unwrap(), vec![]);
    let first = xterm(&server, "café", "40x10+30+40");
    let one = titled(&mut windows, "café");
    let second = xterm(&server, "second", "20x5+500+300");
    let two = titled(&mut windows, "second");
    assert_eq!((one.pid, two.pid), (Some(first.id()), Some(second.id())));
    assert!(one.w > one.h && one.h > two.h && one.w > two.w, "{one:?} {two:?}");
    // Inside the decoration.
    assert!(one.x >= 30 && one.y > 40 && one.y < 100, "{one:?}");
    assert!(two.x >= 500 && two.y > 300 && two.y < 360, "{two:?}");
    assert_eq!(titles(&mut windows).0, ["café", "second"]);
}

#[test]
fn a_covered_window_is_raised_and_focused() {
    let server = XServer::start(1024, 768);
    let _manager = server.window_manager();
    let mut windows = X11Windows::open(server.display()).unwrap();
    let _apps = ["one", "two", "three"].map(|title| {
        let app = xterm(&server, title, "40x10+30+40");
        titled(&mut windows, title);
        app
    });
    for title in ["one", "three", "two", "two", "one"] {
        let id = titled(&mut windows, title).id;
        windows.activate(id).unwrap();
        assert_eq!(titles(&mut windows).1.as_deref(), Some(title));
    }
}

#[test]
fn a_minimized_window_comes_back() {
    let server = XServer::start(1024, 768);
    let _manager = server.window_manager();
    let mut windows = X11Windows::open(server.display()).unwrap();
    let _one = xterm(&server, "one", "40x10+30+40");
    let one = titled(&mut windows, "one");
    let _two = xterm(&server, "two", "40x10+30+40");
    let two = titled(&mut windows, "two");
    windows.activate(two.id).unwrap();
    let minimized = server
        .command("xdotool")
        .args(["windowminimize", "--sync", &one.id.to_string()])
        .status();
    assert!(minimized.unwrap().success());
    assert_eq!(titles(&mut windows).0, ["one", "two"], "still listed");
    windows.activate(one.id).unwrap();
    assert_eq!(titles(&mut windows).1.as_deref(), Some("one"));
    assert_eq!(titled(&mut windows, "one").w, one.w);
}

#[test]
fn what_is_no_top_level_window_is_refused() {
    let server = XServer::start(1024, 768);
    let _manager = server.window_manager();
    let mut windows = X11Windows::open(server.display()).unwrap();
    let mut app = xterm(&server, "short-lived", "40x10+30+40");
    let id = titled(&mut windows, "short-lived").id;
    for unknown in [0, 1, 0x7fff_fff0, u64::from(u32::MAX), u64::MAX, id + 1] {
        let refused = windows.activate(unknown);
        assert!(
            matches!(refused, Err(DesktopError::WindowNotFound(_))),
            "{unknown}: {refused:?}"
        );
    }
    app.child().kill().unwrap();
    eventually("the window to go", LONG, || {
        windows.list().unwrap().is_empty().then_some(())
    });
    let refused = windows.activate(id);
    assert!(
        matches!(refused, Err(DesktopError::WindowNotFound(_))),
        "{refused:?}"
    );
}
