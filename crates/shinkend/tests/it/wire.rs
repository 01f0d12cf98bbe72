//! What a peer can do with the WebSocket itself.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::Write as _;
use std::time::Duration;

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::client::{Client, hello};
use crate::daemon::{Daemon, TOKEN, processes};

/// The daemon's resident memory in KiB.
fn resident(daemon: &Daemon) -> usize {
    let pids = processes(|line, _| line.contains(&daemon.path("addresses").to_str().unwrap()));
    let sizes = pids.iter().map(|pid| {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap()
    });
    sizes.max().unwrap()
}

/// A client that has said hello, or has not yet.
fn upgraded(daemon: &Daemon, welcomed: bool) -> Client {
    if welcomed {
        daemon.client()
    } else {
        Client::upgrade(daemon.address(), "/aci", None).unwrap()
    }
}

#[test]
fn pings_of_a_peer_that_reads_nothing_do_not_fill_the_memory() {
    let daemon = Daemon::start();
    for welcomed in [false, true] {
        let mut client = upgraded(&daemon, welcomed);
        let before = resident(&daemon);
        // A masked ping of 125 bytes, many at once.
        let mut ping = vec![0x89, 0xfd, 0, 0, 0, 0];
        ping.extend([b'x'; 125]);
        let pings = ping.repeat(1000);
        let stream = client.stream();
        stream.set_write_timeout(Some(Duration::from_secs(3))).unwrap();
        let mut left = 1500;
        // Either the daemon stops reading, or it ends the connection.
        while left > 0 && stream.write(&pings).is_ok() {
            left -= 1;
        }
        let more = resident(&daemon).saturating_sub(before);
        assert!(more < 32 * 1024, "{more} KiB more");
        assert_ne!(left, 0, "the daemon has taken all of it");
        assert_eq!(daemon.client().query("ready"), json!({"ready": true}));
    }
}

#[test]
fn every_ping_of_a_peer_that_reads_is_answered() {
    let daemon = Daemon::start();
    let mut client = Client::upgrade(daemon.address(), "/aci", None).unwrap();
    for number in 0..200_u32 {
        client.raw(Message::Ping(number.to_be_bytes().to_vec().into()));
        assert_eq!(client.pong(), number.to_be_bytes());
    }
    client.send(&hello(Some(TOKEN), false));
    assert_eq!(client.text()["type"], "welcome");
    for number in 0..200_u32 {
        client.raw(Message::Ping(number.to_be_bytes().to_vec().into()));
        assert_eq!(client.pong(), number.to_be_bytes());
    }
    // Those that come in one go may be answered by the last one's pong.
    for number in 0..500_u32 {
        client.raw(Message::Ping(number.to_be_bytes().to_vec().into()));
    }
    while client.pong() != 499_u32.to_be_bytes() {}
    assert_eq!(client.query("ready"), json!({"ready": true}));
}

#[test]
fn broken_frames_end_the_connection_with_their_code() {
    let daemon = Daemon::start();
    let frames: [(&str, &[u8], u16); 8] = [
        ("text that is not UTF-8", b"\x81\x81\0\0\0\0\xff", 1007),
        ("a frame without a mask", b"\x81\x05hello", 1002),
        ("a reserved opcode", b"\x83\x80abcd", 1002),
        ("a reserved control opcode", b"\x8b\x80abcd", 1002),
        ("a reserved bit", b"\xc1\x80abcd", 1002),
        ("a message in a message", b"\x01\x80abcd\x01\x80abcd", 1002),
        ("a piece of no message", b"\x80\x80abcd", 1002),
        ("a ping in pieces", b"\x09\x80abcd", 1002),
    ];
    for (what, frame, code) in frames {
        for welcomed in [false, true] {
            let mut client = upgraded(&daemon, welcomed);
            client.stream().write_all(frame).unwrap();
            let (closed, reason) = client.closed();
            assert_eq!(closed, code, "{what}, {welcomed}: {reason}");
        }
    }
}

#[test]
fn one_byte_more_than_the_default_limit_is_told_apart_from_a_broken_line() {
    let daemon = Daemon::start();
    for welcomed in [false, true] {
        let mut client = upgraded(&daemon, welcomed);
        client.raw(Message::Text(" ".repeat((16 << 20) + 1).into()));
        let (code, reason) = client.closed();
        assert_eq!(code, 1009, "{reason}");
        assert!(reason.contains("16777216"), "{reason}");
    }
}

#[test]
fn what_comes_before_the_welcome_is_bounded_and_what_comes_after_is_not() {
    let daemon = Daemon::start();
    // White space around JSON is nothing, so a hello may have any length.
    let padded =
        |message: Value, bytes: usize| Message::Text((message.to_string() + &" ".repeat(bytes)).into());
    let mut client = Client::upgrade(daemon.address(), "/aci", None).unwrap();
    client.raw(padded(hello(Some(TOKEN), false), 65_000));
    for _ in 0..4 {
        // Not waiting for the welcome is allowed.
        client.raw(padded(json!({"type": "ping"}), 100_000));
    }
    assert_eq!(client.text()["type"], "welcome");
    for _ in 0..4 {
        assert_eq!(client.text(), json!({"type": "pong"}));
    }
    let in_pieces = [0x01_u8, 0xfe, 0x03, 0xe8, 0, 0, 0, 0]
        .into_iter()
        .chain([b' '; 1000])
        .chain(
            [0x00_u8, 0xfe, 0x03, 0xe8, 0, 0, 0, 0]
                .into_iter()
                .chain([b' '; 1000])
                .cycle(),
        )
        .take(100_000)
        .collect();
    let one = {
        // A frame of 1 MiB, of which only a part is sent.
        let mut frame = vec![0x81, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0];
        frame.extend([b' '; 100_000]);
        frame
    };
    for bytes in [one, in_pieces] {
        let mut client = Client::upgrade(daemon.address(), "/aci", None).unwrap();
        client.stream().write_all(&bytes).unwrap();
        let (code, reason) = client.closed();
        assert_eq!(code, 1009, "{reason}");
        assert!(reason.contains("65536"), "{reason}");
    }
}
