//! Peers that say nothing, more of them than there are places.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::json;
use testbed::eventually;

use crate::client::{Client, Incoming, hello};
use crate::daemon::{Daemon, PATIENCE, TOKEN};

/// How many sockets that are not WebSockets yet a daemon for two clients holds.
const SOCKETS: usize = 20;
/// No test may pass because a silent peer's time was up.
const PATIENT: [&str; 2] = ["--handshake-timeout-ms", "600000"];
/// What an upgrade asks for; its refusal ends the socket.
const UPGRADE: &str = "Connection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                       Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";

fn daemon_for(clients: &str) -> Daemon {
    Daemon::start_with(&["--max-connections", clients, PATIENT[0], PATIENT[1]])
}

fn connect(daemon: &Daemon) -> TcpStream {
    let stream = TcpStream::connect(daemon.address()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Whether the daemon still holds its end of a socket from which everything has been read.
fn is_held(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    let peeked = stream.peek(&mut [0]);
    stream.set_nonblocking(false).unwrap();
    matches!(peeked, Err(error) if error.kind() == std::io::ErrorKind::WouldBlock)
}

fn write_request(stream: &mut TcpStream, path: &str, headers: &str) {
    write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\n{headers}\r\n").unwrap();
}

/// Asks for the health and leaves the socket open.
fn healthy(daemon: &Daemon) -> TcpStream {
    let mut stream = connect(daemon);
    write_request(&mut stream, "/healthz", "");
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\nok") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        answer.push(byte[0]);
    }
    stream
}

fn is_ready(client: &mut Client) {
    assert_eq!(client.query("ready"), json!({"ready": true}));
}

#[test]
fn silent_sockets_keep_no_client_out() {
    let daemon = daemon_for("2");
    let mut early = daemon.client();
    let silent: Vec<TcpStream> = (0..5 * SOCKETS).map(|_| connect(&daemon)).collect();
    let (older, newest) = silent.split_at(4 * SOCKETS);
    eventually("the older ones to be dropped", PATIENCE, || {
        older.iter().all(|stream| !is_held(stream)).then_some(())
    });
    assert!(newest.iter().all(is_held));
    let mut late = daemon.client();
    is_ready(&mut late);
    is_ready(&mut early);
    drop(healthy(&daemon));
}

#[test]
fn a_request_that_is_there_is_answered_before_those_that_came_after_it_count() {
    let daemon = daemon_for("2");
    for _ in 0..5 {
        // All of them are there at once.
        daemon.app.signal(rustix::process::Signal::STOP);
        let mut client = connect(&daemon);
        write_request(&mut client, "/aci", UPGRADE);
        let silent: Vec<TcpStream> = (0..5 * SOCKETS).map(|_| connect(&daemon)).collect();
        daemon.app.signal(rustix::process::Signal::CONT);
        let mut status = [0; 12];
        client.read_exact(&mut status).unwrap();
        assert_eq!(&status, b"HTTP/1.1 101");
        // The next round's would not fit beside those that wait still.
        eventually("all of them to be taken", PATIENCE, || {
            let (older, _) = silent.split_at(4 * SOCKETS);
            older.iter().all(|stream| !is_held(stream)).then_some(())
        });
    }
}

#[test]
fn sockets_that_idle_after_an_answer_give_way_too() {
    let daemon = daemon_for("2");
    let idle: Vec<TcpStream> = (0..SOCKETS).map(|_| healthy(&daemon)).collect();
    assert!(idle.iter().all(is_held));
    let silent: Vec<TcpStream> = (0..SOCKETS).map(|_| connect(&daemon)).collect();
    eventually("the idle ones to be dropped", PATIENCE, || {
        idle.iter().all(|stream| !is_held(stream)).then_some(())
    });
    assert!(silent.iter().all(is_held));
}

#[test]
fn every_wait_for_a_request_has_an_end() {
    let daemon = Daemon::start_with(&["--handshake-timeout-ms", "300"]);
    let mut half = connect(&daemon);
    half.write_all(b"GET /healthz HTTP/1.1\r\nHost:").unwrap();
    for mut stream in [connect(&daemon), half, healthy(&daemon)] {
        // What the daemon says to it, if anything, is not the point; the wait for its end is.
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).unwrap();
    }
}

#[test]
fn websockets_without_a_hello_keep_no_client_out() {
    let daemon = daemon_for("2");
    let mut early = daemon.client();
    let mut silent: Vec<Client> = (0..10)
        .map(|_| Client::upgrade(daemon.address(), "/aci", None).unwrap())
        .collect();
    let mut last = silent.pop().unwrap();
    for evicted in &mut silent {
        let (code, reason) = evicted.closed();
        assert_eq!(code, 1008);
        assert!(reason.contains("connect again"), "{reason}");
    }
    assert!(is_held(last.stream()));
    let mut late = daemon.client();
    is_ready(&mut late);
    assert_eq!(last.closed().0, 1008);
    is_ready(&mut early);
}

#[test]
fn one_that_was_sent_away_keeps_no_client_out_while_it_lingers() {
    let daemon = daemon_for("1");
    let mut wrong = Client::upgrade(daemon.address(), "/aci", None).unwrap();
    wrong.send(&hello(Some("wrong"), false));
    let (code, reason) = wrong.closed();
    assert_eq!(code, 1008);
    assert!(reason.starts_with("unauthorized: "), "{reason}");
    is_ready(&mut daemon.client());
}

#[test]
fn where_all_are_welcomed_the_next_is_told_what_to_do() {
    let daemon = daemon_for("2");
    let (mut first, second) = (daemon.client(), daemon.client());
    let mut refused = connect(&daemon);
    write_request(&mut refused, "/aci", UPGRADE);
    let mut answer = String::new();
    refused.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    assert!(answer.contains("--max-connections"), "{answer}");
    is_ready(&mut first);
    drop(second);
    let mut third = eventually("a free place", PATIENCE, || {
        Client::upgrade(daemon.address(), "/aci", None).ok()
    });
    third.send(&hello(Some(TOKEN), false));
    assert_eq!(third.text()["type"], "welcome");
    is_ready(&mut first);
}

#[test]
fn of_many_that_say_hello_at_once_as_many_as_allowed_are_welcomed() {
    let daemon = daemon_for("2");
    let outcomes: Vec<Option<Client>> = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..8).map(|_| scope.spawn(|| greeted(&daemon))).collect();
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    });
    let mut welcomed: Vec<Client> = outcomes.into_iter().flatten().collect();
    assert_eq!(welcomed.len(), 2);
    welcomed.iter_mut().for_each(is_ready);
}

/// A client where it was welcomed; one that was not got 503 or lost its place.
fn greeted(daemon: &Daemon) -> Option<Client> {
    let mut client = match Client::upgrade(daemon.address(), "/aci", None) {
        Ok(client) => client,
        Err(status) => {
            assert_eq!(status, 503);
            return None;
        }
    };
    client.send(&hello(Some(TOKEN), false));
    match client.next() {
        Incoming::Text(message) => {
            assert_eq!(message["type"], "welcome");
            Some(client)
        }
        end => {
            // A hello that came too late to be read takes the close frame with it.
            assert!(matches!(end, Incoming::Closed(1008 | 1006, _)), "{end:?}");
            None
        }
    }
}
