//! The clipboard word by word: what others may ask for, and what they may do wrong.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use desktop::backend::Clipboard as _;
use desktop::x11::X11Clipboard;
use testbed::XServer;
use x11rb::protocol::xproto::{ConnectionExt as _, PropMode};
use x11rb::wrapper::ConnectionExt as _;

use crate::clipboard_peers::{Peer, long_text, owner, xclip_reads};

const MIB: usize = 1 << 20;

fn offering(server: &XServer, text: &str) -> X11Clipboard {
    let mut clipboard = X11Clipboard::open(server.display(), 8 * MIB).unwrap();
    clipboard.set(text.to_owned()).unwrap();
    clipboard
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes
        .chunks_exact(4)
        .map(|word| u32::from_ne_bytes(word.try_into().unwrap()))
        .collect()
}

#[test]
fn targets_and_timestamp_are_told_in_their_types() {
    let server = XServer::start(320, 240);
    let _clipboard = offering(&server, "text");
    let peer = Peer::new(&server);
    assert!(peer.convert("TARGETS", "P"));
    let (kind, targets) = peer.take("P");
    assert_eq!(kind, "ATOM");
    assert!(words(&targets).contains(&peer.atom("UTF8_STRING")));
    assert!(peer.convert("TIMESTAMP", "P"));
    let (kind, time) = peer.take("P");
    assert_eq!(kind, "INTEGER");
    assert_ne!(
        words(&time),
        [x11rb::CURRENT_TIME],
        "the true time, as ICCCM asks"
    );
    assert!(!peer.convert("image/png", "P"));
    assert_eq!(peer.take("P").1, b"");
    for (target, kind) in [
        ("UTF8_STRING", "UTF8_STRING"),
        ("STRING", "STRING"),
        ("TEXT", "UTF8_STRING"),
        ("text/plain", "text/plain"),
        ("text/plain;charset=utf-8", "text/plain;charset=utf-8"),
    ] {
        assert!(peer.convert(target, "P"));
        assert_eq!(peer.take("P"), (kind.to_owned(), b"text".to_vec()));
    }
}

#[test]
fn several_forms_are_had_with_one_request() {
    let server = XServer::start(320, 240);
    let text = long_text(700_000);
    let _clipboard = offering(&server, &text);
    let peer = Peer::new(&server);
    let pairs = [
        ("UTF8_STRING", "A"),
        ("image/png", "B"),
        ("TIMESTAMP", "C"),
        ("STRING", "D"),
    ];
    let list: Vec<u32> = pairs
        .iter()
        .flat_map(|(target, property)| [peer.atom(target), peer.atom(property)])
        .collect();
    let (list_name, kind) = (peer.atom("LIST"), peer.atom("ATOM_PAIR"));
    peer.conn
        .change_property32(PropMode::REPLACE, peer.window, list_name, kind, &list)
        .unwrap();
    assert!(peer.convert("MULTIPLE", "LIST"));
    let mut wanted = list;
    wanted[3] = x11rb::NONE;
    assert_eq!(words(&peer.take("LIST").1), wanted, "the refused one is marked");
    assert_eq!(peer.take("C").0, "INTEGER");
    for property in ["A", "D"] {
        assert_eq!(peer.take(property).0, "INCR");
        assert!(peer.pieces(property) == text.as_bytes(), "not the same text");
    }
}

#[test]
fn a_list_that_is_none_is_refused() {
    let server = XServer::start(320, 240);
    let _clipboard = offering(&server, "text");
    let peer = Peer::new(&server);
    assert!(!peer.convert("MULTIPLE", "NOTHING"));
    let (list, kind) = (peer.atom("LIST"), peer.atom("ATOM_PAIR"));
    peer.conn
        .change_property8(PropMode::REPLACE, peer.window, list, kind, b"bytes")
        .unwrap();
    assert!(!peer.convert("MULTIPLE", "LIST"));
    let long = vec![peer.atom("UTF8_STRING"); 10_000];
    peer.conn
        .change_property32(PropMode::REPLACE, peer.window, list, kind, &long)
        .unwrap();
    assert!(!peer.convert("MULTIPLE", "LIST"));
    assert_eq!(xclip_reads(&server, &["-t", "UTF8_STRING"]), b"text");
}

#[test]
fn a_slow_reader_gets_the_text_that_it_began_with() {
    let server = XServer::start(320, 240);
    let text = long_text(MIB);
    let mut clipboard = offering(&server, &text);
    let peer = Peer::new(&server);
    assert!(peer.convert("UTF8_STRING", "P"));
    let (kind, size) = peer.take("P");
    assert_eq!(kind, "INCR");
    assert!(words(&size)[0] as usize <= text.len());
    let mut got = peer.piece("P");
    // Meanwhile others are served, the text changes, and even another program takes over.
    assert!(xclip_reads(&server, &["-t", "UTF8_STRING"]) == text.as_bytes());
    clipboard.set("newer".to_owned()).unwrap();
    assert_eq!(xclip_reads(&server, &["-t", "UTF8_STRING"]), b"newer");
    got.extend(peer.piece("P"));
    Peer::new(&server).own();
    got.extend(peer.pieces("P"));
    assert!(got == text.as_bytes(), "not the same text");
}

#[test]
fn who_asks_again_gets_the_text_anew() {
    let server = XServer::start(320, 240);
    let text = long_text(MIB);
    let _clipboard = offering(&server, &text);
    let peer = Peer::new(&server);
    for pieces in [0, 1, 2] {
        assert!(peer.convert("UTF8_STRING", "P"));
        if pieces > 0 {
            assert_eq!(peer.take("P").0, "INCR");
            peer.piece("P");
        }
        if pieces > 1 {
            peer.piece("P");
        }
    }
    assert!(peer.convert("UTF8_STRING", "P"));
    assert_eq!(peer.take("P").0, "INCR");
    assert!(peer.pieces("P") == text.as_bytes(), "not the same text");
}

#[test]
fn readers_that_vanish_do_no_harm() {
    let server = XServer::start(320, 240);
    let text = long_text(MIB);
    let _clipboard = offering(&server, &text);
    // More than there can be transfers at a time.
    for round in 0..100 {
        let peer = Peer::new(&server);
        assert!(peer.convert("UTF8_STRING", "P"), "round {round}");
        if round % 3 > 0 {
            assert_eq!(peer.take("P").0, "INCR");
        }
        if round % 3 > 1 {
            peer.piece("P");
        }
    }
    assert!(xclip_reads(&server, &["-t", "UTF8_STRING"]) == text.as_bytes());
}

#[test]
fn more_transfers_than_allowed_are_refused_and_small_texts_are_not() {
    let server = XServer::start(320, 240);
    let mut clipboard = offering(&server, &long_text(MIB));
    let peers: Vec<Peer> = (0..64).map(|_| Peer::new(&server)).collect();
    for peer in &peers {
        assert!(peer.convert("UTF8_STRING", "P"));
    }
    let late = Peer::new(&server);
    assert!(!late.convert("UTF8_STRING", "P"));
    clipboard.set("small".to_owned()).unwrap();
    assert!(late.convert("UTF8_STRING", "P"));
    assert_eq!(late.take("P").1, b"small");
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    let server = XServer::start(320, 240);
    let _clipboard = offering(&server, "text");
    let ours = owner(&server);
    let peer = Peer::new(&server);
    // In the name of the owner's own window, of one that does not exist, and about another selection.
    for (requestor, selection) in [
        (ours, "CLIPBOARD"),
        (0x7fff_fff0, "CLIPBOARD"),
        (peer.window, "PRIMARY"),
    ] {
        let request = x11rb::protocol::xproto::SelectionRequestEvent {
            response_type: x11rb::protocol::xproto::SELECTION_REQUEST_EVENT,
            sequence: 0,
            time: x11rb::CURRENT_TIME,
            owner: ours,
            requestor,
            selection: peer.atom(selection),
            target: peer.atom("UTF8_STRING"),
            property: peer.atom("P"),
        };
        let mask = x11rb::protocol::xproto::EventMask::NO_EVENT;
        peer.conn.send_event(false, ours, mask, request).unwrap();
    }
    assert!(peer.convert("STRING", "Q"), "still served");
    assert_eq!(peer.take("Q").1, b"text");
    assert_eq!(peer.take("P").1, b"", "not handed out as another selection");
}
