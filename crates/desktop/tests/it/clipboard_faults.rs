//! Owners that are silent, slow, dead or strange, and X servers that go.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::thread;
use std::time::{Duration, Instant};

use desktop::DesktopError;
use desktop::backend::Clipboard as _;
use desktop::x11::X11Clipboard;
use rustix::process::Signal;
use testbed::{XServer, eventually};

use crate::clipboard_peers::{LONG, Peer, long_text, xclip_owns, xclip_reads};

const MIB: usize = 1 << 20;

fn open(server: &XServer) -> X11Clipboard {
    X11Clipboard::open(server.display(), MIB).unwrap()
}

#[test]
fn a_silent_owner_is_given_up_and_can_be_replaced() {
    let server = XServer::start(320, 240);
    let mut clipboard = open(&server);
    let peer = Peer::new(&server);
    peer.own();
    let begun = Instant::now();
    let outcome = clipboard.get();
    assert!(
        matches!(outcome, Err(DesktopError::ClipboardTimeout(_))),
        "{outcome:?}"
    );
    assert!(begun.elapsed() < LONG, "{:?}", begun.elapsed());
    clipboard.set("ours".to_owned()).unwrap();
    assert_eq!(clipboard.get().unwrap(), "ours");
}

#[test]
fn a_stopped_owner_is_read_once_it_goes_on() {
    let server = XServer::start(320, 240);
    let mut clipboard = open(&server);
    let owner = xclip_owns(&server, b"patience", &[]);
    owner.signal(Signal::STOP);
    for _ in 0..2 {
        let outcome = clipboard.get();
        assert!(
            matches!(outcome, Err(DesktopError::ClipboardTimeout(_))),
            "{outcome:?}"
        );
    }
    owner.signal(Signal::CONT);
    for _ in 0..3 {
        assert_eq!(clipboard.get().unwrap(), "patience");
    }
    assert_eq!(xclip_reads(&server, &[]), b"patience", "it has survived");
}

#[test]
fn a_late_answer_is_not_taken_for_that_of_a_later_question() {
    let server = XServer::start(320, 240);
    let mut clipboard = open(&server);
    let peer = Peer::new(&server);
    peer.own();
    clipboard.get().unwrap_err();
    let old = peer.asked();
    thread::scope(|scope| {
        let reading = scope.spawn(|| clipboard.get());
        let new = peer.asked();
        peer.answer(&old, Some(("UTF8_STRING", b"old")));
        peer.answer(&new, Some(("UTF8_STRING", b"new")));
        assert_eq!(reading.join().unwrap().unwrap(), "new");
    });
}

#[test]
fn an_owner_that_dies_when_asked_leaves_an_empty_clipboard() {
    let server = XServer::start(320, 240);
    let mut clipboard = open(&server);
    let peer = Peer::new(&server);
    peer.own();
    thread::scope(|scope| {
        let reading = scope.spawn(|| clipboard.get());
        peer.asked();
        drop(peer);
        assert_eq!(reading.join().unwrap().unwrap(), "");
    });
}

#[test]
fn an_owner_that_is_replaced_when_asked_is_not_waited_for() {
    let server = XServer::start(320, 240);
    let mut clipboard = open(&server);
    let (old, new) = (Peer::new(&server), Peer::new(&server));
    old.own();
    thread::scope(|scope| {
        let reading = scope.spawn(|| clipboard.get());
        old.asked();
        new.own();
        new.answer(&new.asked(), Some(("UTF8_STRING", b"of the new one")));
        assert_eq!(reading.join().unwrap().unwrap(), "of the new one");
    });
}

/// The form that an owner must be asked for, and its answer: bytes of a type, or a refusal.
type Exchange<'t> = (&'t str, Option<(&'t str, &'t [u8])>);

/// What a reading gives when an owner answers its one or two requests so.
fn reading(server: &XServer, answers: &[Exchange<'_>]) -> Result<String, DesktopError> {
    let mut clipboard = open(server);
    let peer = Peer::new(server);
    peer.own();
    thread::scope(|scope| {
        let reading = scope.spawn(|| clipboard.get());
        for (target, answer) in answers {
            let request = peer.asked();
            assert_eq!(request.target, peer.atom(target));
            peer.answer(&request, *answer);
        }
        reading.join().unwrap()
    })
}

#[test]
fn owners_are_asked_for_what_they_may_have() {
    let server = XServer::start(320, 240);
    let check = |answers: &[Exchange<'_>], wanted: Result<&str, &str>| {
        let outcome = reading(&server, answers);
        match (&outcome, wanted) {
            (Ok(text), Ok(wanted)) => assert_eq!(text, wanted),
            (Err(DesktopError::Unsupported(why)), Err(wanted)) => assert!(why.contains(wanted), "{why}"),
            _ => panic!("{outcome:?} instead of {wanted:?}"),
        }
    };
    let utf8 = "UTF8_STRING";
    check(&[(utf8, Some((utf8, b"")))], Ok(""));
    check(&[(utf8, Some(("STRING", b"caf\xe9")))], Ok("café"));
    check(
        &[(utf8, Some(("COMPOUND_TEXT", b"\x1b%Gcaf\xc3\xa9\x1b%@")))],
        Ok("café"),
    );
    check(
        &[(utf8, None), ("STRING", Some(("STRING", b"caf\xe9\0\r\n")))],
        Ok("café\0\r\n"),
    );
    check(
        &[
            (utf8, Some((utf8, b"caf\xe9"))),
            ("STRING", Some(("STRING", b"caf\xe9"))),
        ],
        Ok("café"),
    );
    check(&[(utf8, None), ("STRING", None)], Err("holds no text"));
    check(
        &[(utf8, Some(("image/png", b"\x89PNG"))), ("STRING", None)],
        Err("holds no text"),
    );
    check(
        &[(utf8, Some((utf8, b"\xff"))), ("STRING", None)],
        Err("not valid UTF-8"),
    );
}

#[test]
fn a_text_in_pieces_is_refused_and_its_owner_serves_on() {
    let server = XServer::start(320, 240);
    let mut clipboard = open(&server);
    let text = long_text(2 * MIB);
    let _owner = xclip_owns(&server, text.as_bytes(), &[]);
    for _ in 0..3 {
        let outcome = clipboard.get();
        assert!(
            matches!(outcome, Err(DesktopError::ClipboardTooLarge(_))),
            "{outcome:?}"
        );
    }
    assert!(
        xclip_reads(&server, &[]) == text.as_bytes(),
        "others still get all of it"
    );
}

#[test]
fn a_late_offer_of_pieces_does_not_block_its_owner() {
    let server = XServer::start(320, 240);
    let mut clipboard = open(&server);
    let text = long_text(2 * MIB);
    let owner = xclip_owns(&server, text.as_bytes(), &[]);
    owner.signal(Signal::STOP);
    let outcome = clipboard.get();
    assert!(
        matches!(outcome, Err(DesktopError::ClipboardTimeout(_))),
        "{outcome:?}"
    );
    owner.signal(Signal::CONT);
    eventually("the owner to serve again", LONG, || match clipboard.get() {
        Err(DesktopError::ClipboardTooLarge(_)) => Some(()),
        Err(DesktopError::ClipboardTimeout(_)) => None,
        other => panic!("{other:?}"),
    });
    assert!(
        xclip_reads(&server, &[]) == text.as_bytes(),
        "others still get all of it"
    );
}

#[test]
fn an_owner_that_stops_between_pieces_holds_nobody_up() {
    let server = XServer::start(320, 240);
    let mut clipboard = open(&server);
    let peer = Peer::new(&server);
    peer.own();
    thread::scope(|scope| {
        let reading = scope.spawn(|| clipboard.get());
        // Pieces are announced, and none ever comes.
        peer.answer(&peer.asked(), Some(("INCR", &[0, 0, 0, 1])));
        let outcome = reading.join().unwrap();
        assert!(
            matches!(outcome, Err(DesktopError::ClipboardTooLarge(_))),
            "{outcome:?}"
        );
    });
    thread::scope(|scope| {
        let reading = scope.spawn(|| clipboard.get());
        peer.answer(&peer.asked(), Some(("UTF8_STRING", b"small")));
        assert_eq!(reading.join().unwrap().unwrap(), "small");
    });
}

#[test]
fn two_who_fight_for_it_end_with_one_text() {
    let server = XServer::start(320, 240);
    let (mut one, mut two) = (open(&server), open(&server));
    thread::scope(|scope| {
        for (name, clipboard) in [("one", &mut one), ("two", &mut two)] {
            scope.spawn(move || {
                for round in 0..200 {
                    match clipboard.set(format!("{name} {round}")) {
                        Ok(()) | Err(DesktopError::Busy(_)) => {}
                        Err(error) => panic!("{error}"),
                    }
                    // The other one's, or ours; never a refusal or an endless wait.
                    clipboard.get().unwrap();
                }
            });
        }
    });
    let text = one.get().unwrap();
    assert!(text.ends_with(" 199"), "{text}");
    assert_eq!(two.get().unwrap(), text);
    assert_eq!(xclip_reads(&server, &["-t", "UTF8_STRING"]), text.as_bytes());
}

fn assert_gone<R: std::fmt::Debug>(outcome: Result<R, DesktopError>, begun: Instant) {
    assert!(matches!(outcome, Err(DesktopError::Gone(_))), "{outcome:?}");
    // The promise is about 5 s; the rest is for a busy machine.
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[test]
fn a_killed_x_server_ends_every_call() {
    let mut server = XServer::start(320, 240);
    let (mut reader, mut owner) = (open(&server), open(&server));
    owner.set("text".to_owned()).unwrap();
    let peer = Peer::new(&server);
    peer.own();
    thread::scope(|scope| {
        let reading = scope.spawn(|| {
            let outcome = reader.get();
            (outcome, Instant::now())
        });
        peer.asked();
        server.app().signal(Signal::KILL);
        eventually("the X server to end", LONG, || server.app().exited());
        let killed = Instant::now();
        let (outcome, _) = reading.join().unwrap();
        assert_gone(outcome, killed);
    });
    for _ in 0..2 {
        let begun = Instant::now();
        assert_gone(owner.get(), begun);
        assert_gone(owner.set("more".to_owned()), begun);
        assert_gone(reader.get(), begun);
    }
}

#[test]
fn a_stopped_x_server_ends_every_call_and_the_drop() {
    let mut server = XServer::start(320, 240);
    let mut clipboard = open(&server);
    clipboard.set("text".to_owned()).unwrap();
    server.app().signal(Signal::STOP);
    let begun = Instant::now();
    assert_gone(clipboard.set("more".to_owned()), begun);
    let begun = Instant::now();
    assert_gone(clipboard.get(), begun);
    let begun = Instant::now();
    drop(clipboard);
    assert!(begun.elapsed() < LONG, "{:?}", begun.elapsed());
    server.app().signal(Signal::CONT);
}

#[test]
fn an_x_server_that_goes_on_finds_the_text_still_there() {
    let mut server = XServer::start(320, 240);
    let mut clipboard = open(&server);
    clipboard.set("text".to_owned()).unwrap();
    server.app().signal(Signal::STOP);
    let begun = Instant::now();
    assert_gone(clipboard.get(), begun);
    server.app().signal(Signal::CONT);
    eventually("the clipboard to work again", LONG, || {
        clipboard.get().ok().filter(|text| text == "text")
    });
    assert_eq!(xclip_reads(&server, &["-t", "UTF8_STRING"]), b"text");
}
