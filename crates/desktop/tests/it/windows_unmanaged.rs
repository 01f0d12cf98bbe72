//! Windows without a window manager.

use desktop::DesktopError;
use desktop::backend::Windows as _;
use desktop::x11::X11Windows;
use testbed::XServer;
use x11rb::protocol::xproto::{ConnectionExt as _, InputFocus};

use crate::capture_painter::{Painter, RED, rect};
use crate::windows_stage::{focused, show, titled, titles, top_level, xterm};

#[test]
fn shown_top_level_windows_are_listed_bottom_to_top() {
    let server = XServer::start(1024, 768);
    let painter = Painter::new(&server);
    // A menu, which a manager would not touch, and a window that is not shown.
    painter.window(rect(0, 0, 50, 50), RED);
    painter.child(painter.root, rect(0, 0, 50, 50), RED, false);
    painter.sync();
    let mut windows = X11Windows::open(server.display()).unwrap();
    assert_eq!(windows.list().unwrap(), vec![]);
    let first = xterm(&server, "one", "40x10+30+40");
    let one = titled(&mut windows, "one");
    assert_eq!((one.pid, one.focused), (Some(first.id()), false));
    let _second = xterm(&server, "two", "40x10+100+100");
    titled(&mut windows, "two");
    assert_eq!(titles(&mut windows).0, ["one", "two"]);
    windows.activate(one.id).unwrap();
    assert_eq!(
        titles(&mut windows),
        (vec!["two".to_owned(), "one".to_owned()], Some("one".to_owned()))
    );
}

#[test]
fn a_hidden_window_is_shown_and_others_are_refused() {
    let server = XServer::start(1024, 768);
    let painter = Painter::new(&server);
    let mut windows = X11Windows::open(server.display()).unwrap();
    let menu = painter.window(rect(0, 0, 50, 50), RED);
    let hidden = painter.child(painter.root, rect(10, 20, 50, 60), RED, false);
    let inner = painter.child(hidden, rect(0, 0, 5, 5), RED, false);
    painter.sync();
    for refused in [menu, inner, painter.root, 0, 1, 0x7fff_fff0] {
        let outcome = windows.activate(refused.into());
        assert!(
            matches!(outcome, Err(DesktopError::WindowNotFound(_))),
            "{refused}: {outcome:?}"
        );
    }
    windows.activate(hidden.into()).unwrap();
    let list = windows.list().unwrap();
    assert_eq!(list.len(), 1, "{list:?}");
    let shown = &list[0];
    assert_eq!((shown.id, shown.focused), (hidden.into(), true));
    assert_eq!((shown.x, shown.y, shown.w, shown.h), (10, 20, 50, 60));
    assert_eq!((shown.title.as_str(), shown.pid), ("", None));
}

#[test]
fn a_focused_part_makes_its_window_the_focused_one() {
    let server = XServer::start(1024, 768);
    let painter = Painter::new(&server);
    let mut windows = X11Windows::open(server.display()).unwrap();
    let outer = top_level(&painter, rect(10, 20, 100, 100));
    let inner = painter.child(outer, rect(10, 10, 50, 50), RED, false);
    let innermost = painter.child(inner, rect(10, 10, 5, 5), RED, false);
    painter.conn.map_subwindows(outer).unwrap();
    painter.conn.map_subwindows(inner).unwrap();
    show(&painter, &mut windows, &[outer]);
    assert_eq!(focused(&mut windows), None, "the focus follows the pointer");
    for (part, wanted) in [
        (innermost, Some(outer.into())),
        (painter.root, None),
        (outer, Some(outer.into())),
        (x11rb::NONE, None),
    ] {
        painter
            .conn
            .set_input_focus(InputFocus::NONE, part, x11rb::CURRENT_TIME)
            .unwrap();
        painter.sync();
        assert_eq!(focused(&mut windows), wanted);
    }
}
