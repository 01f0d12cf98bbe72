//! Windows under openbox.

use desktop::DesktopError;
use desktop::backend::Windows as _;
use desktop::x11::X11Windows;
use rustix::process::Signal;
use testbed::{App, SessionBus, XServer, eventually};
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _};

use crate::capture_painter::{Painter, RED, rect};
use crate::clipboard_peers::read_all;
use crate::windows_stage::{LONG, atom, focused, set_words, show, titled, titles, top_level, xterm};

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

#[test]
fn a_window_on_another_desktop_is_gone_to() {
    let server = XServer::start(1024, 768);
    let _manager = server.window_manager();
    let mut windows = X11Windows::open(server.display()).unwrap();
    let _apps = ["here", "there"].map(|title| {
        let app = xterm(&server, title, "40x10+30+40");
        titled(&mut windows, title);
        app
    });
    let there = titled(&mut windows, "there").id.to_string();
    let here = titled(&mut windows, "here");
    for command in [
        vec!["set_num_desktops", "3"],
        vec!["set_desktop_for_window", &there, "2"],
    ] {
        assert!(
            server
                .command("xdotool")
                .args(command)
                .status()
                .unwrap()
                .success()
        );
    }
    windows.activate(here.id).unwrap();
    windows.activate(there.parse().unwrap()).unwrap();
    assert_eq!(titles(&mut windows).1.as_deref(), Some("there"));
    let mut asked = server.command("xdotool");
    assert_eq!(read_all(asked.arg("get_desktop")), b"2\n");
    assert_eq!(
        titles(&mut windows).0,
        ["here", "there"],
        "both desktops' are listed"
    );
}

#[test]
fn an_open_modal_dialog_is_activated_for_its_window() {
    let server = XServer::start(1024, 768);
    let _manager = server.window_manager();
    let painter = Painter::new(&server);
    let mut windows = X11Windows::open(server.display()).unwrap();
    let [parent, dialog, other] = [
        rect(10, 40, 300, 200),
        rect(50, 90, 100, 50),
        rect(10, 40, 300, 200),
    ]
    .map(|place| top_level(&painter, place));
    set_words(&painter, dialog, "WM_TRANSIENT_FOR", "WINDOW", &[parent]);
    let modal = atom(&painter, "_NET_WM_STATE_MODAL");
    set_words(&painter, dialog, "_NET_WM_STATE", "ATOM", &[modal]);
    show(&painter, &mut windows, &[parent, dialog, other]);
    windows.activate(other.into()).unwrap();
    assert_eq!(focused(&mut windows), Some(other.into()));
    windows.activate(parent.into()).unwrap();
    assert_eq!(focused(&mut windows), Some(dialog.into()));
}

#[test]
fn a_window_that_takes_no_focus_is_raised() {
    let server = XServer::start(1024, 768);
    let _manager = server.window_manager();
    let painter = Painter::new(&server);
    let mut windows = X11Windows::open(server.display()).unwrap();
    let [clock, other] =
        [rect(10, 40, 300, 200), rect(10, 40, 300, 200)].map(|place| top_level(&painter, place));
    // The flag of the input hint, and its value: no input.
    set_words(
        &painter,
        clock,
        "WM_HINTS",
        "WM_HINTS",
        &[1, 0, 0, 0, 0, 0, 0, 0, 0],
    );
    show(&painter, &mut windows, &[clock, other]);
    windows.activate(other.into()).unwrap();
    windows.activate(clock.into()).unwrap();
    eventually("the window on top", LONG, || {
        let (name, kind) = (atom(&painter, "_NET_CLIENT_LIST_STACKING"), AtomEnum::WINDOW);
        let asked = painter.conn.get_property(false, painter.root, name, kind, 0, 100);
        let stacking = asked.unwrap().reply().unwrap();
        (stacking.value32().unwrap().last() == Some(clock)).then_some(())
    });
}

#[test]
fn a_gtk_file_dialog_is_listed_and_its_menus_are_not() {
    let (server, bus) = (XServer::start(1024, 768), SessionBus::start());
    let _manager = server.window_manager();
    let mut windows = X11Windows::open(server.display()).unwrap();
    let app = App::spawn(
        server
            .command("zenity")
            .env("DBUS_SESSION_BUS_ADDRESS", bus.address())
            .env("LC_ALL", "C.UTF-8")
            .env("NO_AT_BRIDGE", "1")
            .args(["--file-selection", "--title", "Öffnen"]),
    );
    let dialog = titled(&mut windows, "Öffnen");
    assert_eq!(dialog.pid, Some(app.id()));
    assert!(dialog.w > 200 && dialog.h > 200, "{dialog:?}");
    windows.activate(dialog.id).unwrap();
    assert_eq!(focused(&mut windows), Some(dialog.id));
    // A menu: it is shown, but managed by nobody.
    let painter = Painter::new(&server);
    let menu = painter.window(rect(50, 50, 80, 100), RED);
    assert_eq!(titles(&mut windows).0, ["Öffnen"]);
    let refused = windows.activate(menu.into());
    assert!(
        matches!(refused, Err(DesktopError::WindowNotFound(_))),
        "{refused:?}"
    );
}

#[test]
fn after_the_manager_has_died_windows_are_found_without_it() {
    let server = XServer::start(1024, 768);
    let manager = server.window_manager();
    let mut windows = X11Windows::open(server.display()).unwrap();
    let _apps = ["one", "two"].map(|title| {
        let app = xterm(&server, title, "40x10+30+40");
        titled(&mut windows, title);
        app
    });
    manager.signal(Signal::KILL);
    drop(manager);
    // The server gives the windows back to the root; what the manager said about them stays.
    for title in ["one", "two", "one"] {
        let id = titled(&mut windows, title).id;
        windows.activate(id).unwrap();
        let (all, active) = titles(&mut windows);
        assert_eq!(active.as_deref(), Some(title));
        assert_eq!(all.last().map(String::as_str), Some(title), "raised");
    }
    let _manager = server.window_manager();
    for title in ["one", "two"] {
        let id = titled(&mut windows, title).id;
        windows.activate(id).unwrap();
        assert_eq!(titles(&mut windows).1.as_deref(), Some(title));
    }
}
