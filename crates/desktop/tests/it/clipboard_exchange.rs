//! Text to other programs and from them.

use std::io::Write as _;
use std::process::Stdio;
use std::thread;

use desktop::DesktopError;
use desktop::backend::Clipboard as _;
use desktop::x11::X11Clipboard;
use testbed::{App, XServer, eventually};

use crate::clipboard_peers::{LONG, long_text, read_all, xclip_owns, xclip_reads};

const MIB: usize = 1 << 20;

const TEXTS: [&str; 7] = [
    "",
    "plain",
    "café 日本 🎉",
    "line\r\nline\n",
    "trailing\n\n",
    "nul\0inside\0",
    "\u{feff}mark",
];

#[test]
fn an_unowned_clipboard_is_empty() {
    let server = XServer::start(320, 240);
    let mut clipboard = X11Clipboard::open(server.display(), MIB).unwrap();
    assert_eq!(clipboard.get().unwrap(), "");
}

#[test]
fn what_is_set_is_read_back_and_read_by_others_byte_for_byte() {
    let server = XServer::start(320, 240);
    let mut clipboard = X11Clipboard::open(server.display(), MIB).unwrap();
    for text in TEXTS {
        clipboard.set(text.to_owned()).unwrap();
        assert_eq!(clipboard.get().unwrap(), text);
        for target in ["UTF8_STRING", "text/plain;charset=utf-8", "text/plain", "TEXT"] {
            assert_eq!(
                xclip_reads(&server, &["-t", target]),
                text.as_bytes(),
                "{text:?} as {target}"
            );
        }
    }
}

#[test]
fn what_others_set_is_read_byte_for_byte() {
    let server = XServer::start(320, 240);
    let mut clipboard = X11Clipboard::open(server.display(), MIB).unwrap();
    for text in TEXTS {
        clipboard.set("ours".to_owned()).unwrap();
        let _owner = xclip_owns(&server, text.as_bytes(), &[]);
        assert_eq!(clipboard.get().unwrap(), text);
    }
}

#[test]
fn the_forms_on_offer_are_the_ones_that_work() {
    let server = XServer::start(320, 240);
    let mut clipboard = X11Clipboard::open(server.display(), MIB).unwrap();
    let offered = |clipboard: &mut X11Clipboard, text: &str| {
        clipboard.set(text.to_owned()).unwrap();
        let list = String::from_utf8(xclip_reads(&server, &["-t", "TARGETS"])).unwrap();
        list.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let latin = offered(&mut clipboard, "café");
    for target in [
        "TARGETS",
        "MULTIPLE",
        "TIMESTAMP",
        "UTF8_STRING",
        "STRING",
        "TEXT",
        "text/plain",
    ] {
        assert!(latin.iter().any(|offer| offer == target), "{target} in {latin:?}");
    }
    assert_eq!(xclip_reads(&server, &["-t", "STRING"]), b"caf\xe9");
    let other = offered(&mut clipboard, "日本");
    assert!(!other.iter().any(|offer| offer == "STRING"), "{other:?}");
    assert_eq!(xclip_reads(&server, &["-t", "STRING"]), b"");
}

#[test]
fn large_texts_reach_several_readers_at_once() {
    let server = XServer::start(320, 240);
    let mut clipboard = X11Clipboard::open(server.display(), 8 * MIB).unwrap();
    let text = long_text(5 * MIB + 3);
    clipboard.set(text.clone()).unwrap();
    thread::scope(|scope| {
        let readers: Vec<_> = (0..3)
            .map(|_| scope.spawn(|| xclip_reads(&server, &["-t", "UTF8_STRING"])))
            .collect();
        for reader in readers {
            assert!(reader.join().unwrap() == text.as_bytes(), "not the same text");
        }
    });
}

#[test]
fn texts_around_the_size_of_a_piece_are_whole() {
    let server = XServer::start(320, 240);
    let mut clipboard = X11Clipboard::open(server.display(), MIB).unwrap();
    for bytes in [262_143, 262_144, 262_145, 524_288, MIB] {
        let text = long_text(bytes);
        clipboard.set(text.clone()).unwrap();
        assert!(
            xclip_reads(&server, &["-t", "UTF8_STRING"]) == text.as_bytes(),
            "{bytes} bytes"
        );
        assert!(clipboard.get().unwrap() == text, "{bytes} bytes");
    }
}

#[test]
fn what_is_over_the_limit_is_refused_whole_and_the_next_one_works() {
    let server = XServer::start(320, 240);
    let mut clipboard = X11Clipboard::open(server.display(), 1000).unwrap();
    clipboard.set(long_text(1000)).unwrap();
    let refused = clipboard.set(long_text(1001));
    assert!(
        matches!(refused, Err(DesktopError::ClipboardTooLarge(_))),
        "{refused:?}"
    );
    assert_eq!(clipboard.get().unwrap(), long_text(1000), "kept");
    for bytes in [1001, 1004, 900_000, 3 * MIB] {
        let _owner = xclip_owns(&server, long_text(bytes).as_bytes(), &[]);
        let refused = clipboard.get();
        assert!(
            matches!(refused, Err(DesktopError::ClipboardTooLarge(_))),
            "{bytes} bytes: {refused:?}"
        );
    }
    let _owner = xclip_owns(&server, long_text(1000).as_bytes(), &[]);
    assert_eq!(clipboard.get().unwrap(), long_text(1000));
}

#[test]
fn large_texts_of_others_are_read_up_to_the_limit() {
    let server = XServer::start(320, 240);
    let mut clipboard = X11Clipboard::open(server.display(), MIB).unwrap();
    for bytes in [200_000, 900_000] {
        let text = long_text(bytes);
        let _owner = xclip_owns(&server, text.as_bytes(), &[]);
        assert!(clipboard.get().unwrap() == text, "{bytes} bytes");
    }
}

#[test]
fn the_mouse_selection_is_another_one() {
    let server = XServer::start(320, 240);
    let mut clipboard = X11Clipboard::open(server.display(), MIB).unwrap();
    clipboard.set("clipboard".to_owned()).unwrap();
    let primary = |server: &XServer| {
        let mut command = server.command("xclip");
        command.args(["-o", "-selection", "primary"]);
        read_all(&mut command)
    };
    assert_eq!(primary(&server), b"");
    let mut selected = App::spawn(
        server
            .command("xclip")
            .args(["-i", "-quiet", "-selection", "primary"])
            .stdin(Stdio::piped()),
    );
    selected
        .child()
        .stdin
        .take()
        .unwrap()
        .write_all(b"selected")
        .unwrap();
    eventually("xclip to select", LONG, || {
        (primary(&server) == b"selected").then_some(())
    });
    assert_eq!(clipboard.get().unwrap(), "clipboard");
    drop(clipboard);
    let mut clipboard = X11Clipboard::open(server.display(), MIB).unwrap();
    assert_eq!(clipboard.get().unwrap(), "");
}

#[test]
fn the_owner_gives_way_to_others_and_takes_it_back() {
    let server = XServer::start(320, 240);
    let mut clipboard = X11Clipboard::open(server.display(), MIB).unwrap();
    for round in 0..5 {
        let ours = format!("ours {round}");
        clipboard.set(ours.clone()).unwrap();
        let mut other = xclip_owns(&server, b"theirs", &[]);
        assert_eq!(clipboard.get().unwrap(), "theirs");
        assert_eq!(xclip_reads(&server, &[]), b"theirs");
        clipboard.set(ours.clone()).unwrap();
        assert_eq!(clipboard.get().unwrap(), ours);
        assert_eq!(xclip_reads(&server, &["-t", "UTF8_STRING"]), ours.as_bytes());
        eventually("xclip to end", LONG, || other.exited());
    }
}

#[test]
fn dropping_it_empties_the_clipboard_and_ends_its_thread() {
    let server = XServer::start(320, 240);
    let mut clipboard = X11Clipboard::open(server.display(), MIB).unwrap();
    clipboard.set("for a while".to_owned()).unwrap();
    drop(clipboard);
    let mut clipboard = X11Clipboard::open(server.display(), MIB).unwrap();
    assert_eq!(clipboard.get().unwrap(), "");
}
