//! Peers that are no clients, and clients that misbehave.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use shinken::{Client, ClientError, Options};
use testbed::{PATIENCE, Standin, TOKEN};
use tokio_tungstenite::tungstenite::{self, Message, WebSocket};

use crate::stage::{client, start};

/// A peer by hand.
#[derive(Debug)]
pub(crate) struct Peer(WebSocket<TcpStream>);

impl Peer {
    pub(crate) fn upgraded(standin: &Standin) -> Self {
        let stream = TcpStream::connect(standin.address()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let url = format!("ws://{}/aci", standin.address());
        Self(tungstenite::client(url, stream).unwrap().0)
    }

    pub(crate) fn welcomed(standin: &Standin) -> (Self, Value) {
        let mut peer = Self::upgraded(standin);
        peer.send(&hello(TOKEN));
        let welcome = peer.read();
        (peer, welcome)
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string());
    }

    pub(crate) fn send_text(&mut self, text: &str) {
        self.0.send(Message::text(text)).unwrap();
    }

    pub(crate) fn read(&mut self) -> Value {
        serde_json::from_str(self.0.read().unwrap().to_text().unwrap()).unwrap()
    }

    pub(crate) fn ask(&mut self, message: &Value) -> Value {
        self.send(message);
        self.read()
    }

    pub(crate) fn act(&mut self, action: &Value) -> Value {
        self.ask(&json!({"type": "action", "call_id": "c", "action": action}))
    }

    /// The code and the reason of the goodbye that comes next.
    fn goodbye(&mut self) -> (u16, String) {
        match self.0.read().unwrap() {
            Message::Close(Some(frame)) => (frame.code.into(), frame.reason.to_string()),
            other => panic!("{other:?}"),
        }
    }
}

fn hello(token: &str) -> Value {
    json!({"type": "hello", "v": 0, "client": {"name": "n", "version": "1"}, "token": token})
}

#[tokio::test]
async fn only_the_right_token_is_welcomed() {
    let standin = start(&[]);
    for token in [None, Some(""), Some("wrong"), Some("the-token-of-this-tes")] {
        let refused = Client::connect(standin.address(), token, Options::default()).await;
        assert!(
            matches!(refused, Err(ClientError::Unauthorized { .. })),
            "{refused:?}"
        );
    }
    let program = Path::new(env!("CARGO_BIN_EXE_shinken-standin"));
    let by_file = Standin::start_at_socket(program, &[]);
    assert!(by_file.address().starts_with("unix:"));
    let refused = Client::connect(by_file.address(), Some("wrong"), Options::default()).await;
    assert!(
        matches!(refused, Err(ClientError::Unauthorized { .. })),
        "{refused:?}"
    );
    assert!(client(&by_file).await.ready().await.unwrap());
    let output = std::process::Command::new(program)
        .env_remove("SHINKEND_TOKEN")
        .args(["--listen", "127.0.0.1:0"])
        .output()
        .unwrap();
    assert!(!output.status.success());
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("--token-file"), "{error}");
}

#[test]
fn who_begins_wrongly_is_told_why() {
    let standin = start(&[]);
    for (first, code, said) in [
        (Message::text("no JSON"), 1008, "not JSON"),
        (
            Message::text(json!({"type": "ping"}).to_string()),
            1008,
            "must be hello",
        ),
        (Message::binary(vec![1, 2]), 1008, "as text"),
        (Message::text(" ".repeat(70_000)), 1009, "65536"),
    ] {
        let mut peer = Peer::upgraded(&standin);
        peer.0.send(first).unwrap();
        let (closed, reason) = peer.goodbye();
        assert!(closed == code && reason.contains(said), "{closed} {reason}");
    }
    let (mut peer, _) = Peer::welcomed(&standin);
    peer.0.send(Message::binary(vec![1])).unwrap();
    assert_eq!(peer.goodbye().0, 1003);
    for (head, status) in [
        ("GET /aci HTTP/1.1\r\nHost: x\r\nOrigin: http://x\r\n\r\n", "403"),
        ("GET /other HTTP/1.1\r\nHost: x\r\n\r\n", "404"),
        ("GET /aci HTTP/1.1\r\nHost: x\r\n\r\n", "426"),
    ] {
        let mut stream = TcpStream::connect(standin.address()).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert_eq!(answer.split(' ').nth(1), Some(status), "{answer}");
    }
}

#[tokio::test]
async fn silent_peers_keep_nobody_out_and_are_let_go() {
    let standin = start(&["--handshake-timeout-ms", "1500", "--max-connections", "2"]);
    let mut silent: Vec<TcpStream> = (0..300)
        .map(|_| TcpStream::connect(standin.address()).unwrap())
        .collect();
    let mut upgraded = Peer::upgraded(&standin);
    let one = client(&standin).await;
    let other = client(&standin).await;
    let third = Client::connect(standin.address(), Some(TOKEN), Options::default()).await;
    let third = third.unwrap_err().to_string();
    assert!(third.contains("busy"), "{third}");
    assert!(one.ready().await.unwrap() && other.ready().await.unwrap());
    let (code, reason) = upgraded.goodbye();
    assert!(code == 1008 && reason.contains("in time"), "{code} {reason}");
    for stream in &mut silent {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        assert_eq!(stream.read(&mut [0]).unwrap(), 0);
    }
    drop(one);
    // Its place is free as soon as its end was noticed.
    let free = async {
        while Client::connect(standin.address(), Some(TOKEN), Options::default())
            .await
            .is_err()
        {}
    };
    tokio::time::timeout(PATIENCE, free).await.unwrap();
}

#[test]
fn who_says_nothing_for_too_long_is_let_go() {
    let standin = start(&["--idle-timeout-ms", "1500"]);
    let (mut peer, _) = Peer::welcomed(&standin);
    // Anything is a sign of life, also what has no answer yet.
    for _ in 0..3 {
        std::thread::sleep(Duration::from_millis(100));
        assert_eq!(peer.ask(&json!({"type": "ping"})), json!({"type": "pong"}));
    }
    let (code, reason) = peer.goodbye();
    assert!(code == 1008 && reason.contains("idle"), "{code} {reason}");
}
