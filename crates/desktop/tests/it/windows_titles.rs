//! Titles in all the ways that programs set them.

use desktop::backend::Windows as _;
use desktop::x11::X11Windows;
use testbed::XServer;
use x11rb::protocol::xproto::{ConnectionExt as _, PropMode};
use x11rb::wrapper::ConnectionExt as _;

use crate::capture_painter::{Painter, rect};
use crate::windows_stage::{atom, set_words, titles, top_level};

#[test]
fn titles_are_read_in_every_encoding() {
    let server = XServer::start(320, 240);
    let painter = Painter::new(&server);
    let atom = |name: &str| atom(&painter, name);
    let window = top_level(&painter, rect(10, 10, 50, 50));
    painter.conn.map_window(window).unwrap();
    let mut windows = X11Windows::open(server.display()).unwrap();
    let mut check = |properties: &[(&str, &str, &[u8])], wanted: &str| {
        for name in ["WM_NAME", "_NET_WM_NAME"] {
            painter.conn.delete_property(window, atom(name)).unwrap();
        }
        for (name, kind, bytes) in properties {
            let (mode, name, kind) = (PropMode::REPLACE, atom(name), atom(kind));
            painter
                .conn
                .change_property8(mode, window, name, kind, bytes)
                .unwrap();
        }
        painter.sync();
        assert_eq!(titles(&mut windows).0, [wanted], "{properties:?}");
    };
    check(&[], "");
    check(&[("WM_NAME", "STRING", b"caf\xe9")], "café");
    check(&[("WM_NAME", "UTF8_STRING", "日本".as_bytes())], "日本");
    check(
        &[("WM_NAME", "COMPOUND_TEXT", b"\x1b%G\xe6\x97\xa5\x1b%@ caf\xe9")],
        "日 café",
    );
    check(&[("WM_NAME", "WINDOW", b"what?")], "");
    check(
        &[
            ("WM_NAME", "STRING", b"plain"),
            ("_NET_WM_NAME", "UTF8_STRING", "é 日本 🎉".as_bytes()),
        ],
        "é 日本 🎉",
    );
    check(
        &[
            ("WM_NAME", "STRING", b"plain"),
            ("_NET_WM_NAME", "UTF8_STRING", b""),
        ],
        "plain",
    );
    check(&[("_NET_WM_NAME", "UTF8_STRING", b"ends\0")], "ends");
    check(
        &[("_NET_WM_NAME", "UTF8_STRING", b"bro\xffken")],
        "bro\u{fffd}ken",
    );
    let long = "日".repeat(70_000);
    // 64 KiB hold so many of them, and no half one.
    let cut = "日".repeat(21_845);
    check(&[("_NET_WM_NAME", "UTF8_STRING", long.as_bytes())], &cut);
}

#[test]
fn the_process_is_told_where_the_window_says_it() {
    let server = XServer::start(320, 240);
    let painter = Painter::new(&server);
    let window = top_level(&painter, rect(10, 10, 50, 50));
    painter.conn.map_window(window).unwrap();
    let mut windows = X11Windows::open(server.display()).unwrap();
    painter.sync();
    assert_eq!(windows.list().unwrap()[0].pid, None);
    for (told, wanted) in [(4321, Some(4321)), (0, None)] {
        set_words(&painter, window, "_NET_WM_PID", "CARDINAL", &[told]);
        painter.sync();
        assert_eq!(windows.list().unwrap()[0].pid, wanted);
    }
}
