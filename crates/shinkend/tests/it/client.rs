//! A client that knows nothing but WebSockets and JSON, so that it sees what is really on the wire.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{self, Message, WebSocket, http};

use crate::daemon::PATIENCE;

/// What arrived.
#[derive(Debug)]
pub(crate) enum Incoming {
    Text(Value),
    Binary(Value, Vec<u8>),
    Closed(u16, String),
}

#[derive(Debug)]
pub(crate) struct Client {
    socket: WebSocket<TcpStream>,
    calls: u32,
}

impl Client {
    /// Upgrades at `path` with an optional Origin; the HTTP status where that is refused.
    pub(crate) fn upgrade(address: &str, path: &str, origin: Option<&str>) -> Result<Self, u16> {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        let mut request = format!("ws://{address}{path}").into_client_request().unwrap();
        if let Some(origin) = origin {
            request
                .headers_mut()
                .insert(http::header::ORIGIN, origin.parse().unwrap());
        }
        match tungstenite::client(request, stream) {
            Ok((socket, _)) => Ok(Self { socket, calls: 0 }),
            Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(response))) => {
                Err(response.status().as_u16())
            }
            Err(error) => panic!("the upgrade failed: {error}"),
        }
    }

    /// Connects and says hello.
    pub(crate) fn welcomed(address: &str, token: &str, binary: bool) -> Self {
        let mut client = Self::upgrade(address, "/aci", None).unwrap();
        client.send(&hello(Some(token), binary));
        let welcome = client.text();
        assert_eq!(welcome["type"], "welcome", "{welcome}");
        client
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.raw(Message::Text(message.to_string().into()));
    }

    pub(crate) fn raw(&mut self, message: Message) {
        self.socket.send(message).unwrap();
    }

    /// The socket below, to write what no WebSocket library writes.
    pub(crate) fn stream(&mut self) -> &mut TcpStream {
        self.socket.get_mut()
    }

    /// The next answer to a ping of the WebSocket itself; other messages are passed over.
    pub(crate) fn pong(&mut self) -> Vec<u8> {
        loop {
            if let Message::Pong(payload) = self.socket.read().unwrap() {
                return payload.to_vec();
            }
        }
    }

    /// The next message, or the end.
    pub(crate) fn next(&mut self) -> Incoming {
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => return Incoming::Text(serde_json::from_str(&text).unwrap()),
                Ok(Message::Binary(bytes)) => {
                    let (length, rest) = bytes.split_at(4);
                    let length = u32::from_le_bytes(length.try_into().unwrap()) as usize;
                    let header = serde_json::from_slice(&rest[..length]).unwrap();
                    return Incoming::Binary(header, rest[length..].to_vec());
                }
                Ok(Message::Close(Some(frame))) => {
                    return Incoming::Closed(frame.code.into(), frame.reason.to_string());
                }
                Ok(Message::Close(None)) => return Incoming::Closed(1005, String::new()),
                Ok(_) => {}
                Err(tungstenite::Error::Io(error)) if error.kind() == std::io::ErrorKind::WouldBlock => {
                    panic!("nothing arrived in {PATIENCE:?}")
                }
                Err(_) => return Incoming::Closed(1006, String::new()),
            }
        }
    }

    /// The next message, which is text.
    pub(crate) fn text(&mut self) -> Value {
        match self.next() {
            Incoming::Text(value) => value,
            other => panic!("expected text, got {other:?}"),
        }
    }

    /// How the connection was closed; what arrives before is passed over.
    pub(crate) fn closed(&mut self) -> (u16, String) {
        loop {
            if let Incoming::Closed(code, reason) = self.next() {
                return (code, reason);
            }
        }
    }

    /// The next message, if one arrives in time.
    pub(crate) fn next_within(&mut self, time: Duration) -> Option<Incoming> {
        self.socket.get_ref().set_read_timeout(Some(time)).unwrap();
        // A message that has begun is read to its end; what is waited for is its beginning.
        let waiting = self.socket.get_ref().peek(&mut [0]).is_err();
        self.socket.get_ref().set_read_timeout(Some(PATIENCE)).unwrap();
        if waiting { None } else { Some(self.next()) }
    }

    /// Whether nothing arrives for so long.
    pub(crate) fn silent_for(&mut self, time: Duration) -> bool {
        self.next_within(time).is_none()
    }

    /// Sends an action without waiting; returns its call_id.
    pub(crate) fn act(&mut self, action: Value) -> String {
        self.calls += 1;
        let call_id = format!("c{}", self.calls);
        self.send(&json!({"type": "action", "call_id": call_id, "action": action}));
        call_id
    }

    /// Sends an action and returns the next message about it; others are passed over.
    pub(crate) fn call(&mut self, action: Value) -> Value {
        let call_id = self.act(action);
        self.about(&call_id)
    }

    /// Sends an action that must be refused before it begins, as one that makes no sense.
    #[track_caller]
    pub(crate) fn invalid(&mut self, action: Value) {
        let ack = self.call(action);
        assert_eq!(
            (&ack["type"], &ack["ok"]),
            (&json!("ack"), &json!(false)),
            "{ack}"
        );
        let error = ack["error"].as_str().unwrap();
        assert!(error.starts_with("invalid_action: "), "{ack}");
    }

    /// The next text message about a call.
    pub(crate) fn about(&mut self, call_id: &str) -> Value {
        loop {
            match self.next() {
                Incoming::Text(value) if value["call_id"] == call_id || value["cause"] == call_id => {
                    return value;
                }
                Incoming::Closed(code, reason) => {
                    panic!("closed while waiting for {call_id}: {code} {reason}")
                }
                _ => {}
            }
        }
    }

    /// Asks a question and returns the result's value.
    pub(crate) fn query(&mut self, question: &str) -> Value {
        self.send(&json!({"type": "query", "call_id": question, "q": question}));
        let result = self.about(question);
        assert_eq!(result["ok"], true, "{result}");
        result["value"].clone()
    }

    /// Runs a shell line to its end.
    pub(crate) fn shell(&mut self, line: &str) -> Value {
        self.exec(json!({"shell": line}))
    }

    /// Runs a buffered exec with these fields; returns the result's value.
    pub(crate) fn exec(&mut self, fields: Value) -> Value {
        let result = self.call(exec(fields));
        assert_eq!(
            (&result["type"], &result["ok"]),
            (&json!("result"), &json!(true)),
            "{result}"
        );
        result["value"].clone()
    }
}

/// An exec action with these fields.
pub(crate) fn exec(mut fields: Value) -> Value {
    fields["verb"] = json!("exec");
    fields
}

/// A hello message.
pub(crate) fn hello(token: Option<&str>, binary: bool) -> Value {
    let mut hello = json!({
        "type": "hello",
        "v": 0,
        "client": {"name": "test", "version": "0"},
        "accept": {"binary_frames": binary},
    });
    if let Some(token) = token {
        hello["token"] = json!(token);
    }
    hello
}
