//! A client that blocks and does nothing of its own accord, so that what is measured is the daemon.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::{self, Bytes, Message, WebSocket};

/// How long anything may take before the measurement is given up.
const PATIENCE: Duration = Duration::from_secs(30);

/// A message from the daemon.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// With its length in bytes.
    Text(Value, usize),
    /// The header, with the length of the whole message in bytes.
    Binary(Value, usize),
}

impl Incoming {
    /// The text, or the header of the binary message.
    pub(crate) fn value(&self) -> &Value {
        match self {
            Self::Text(value, _) | Self::Binary(value, _) => value,
        }
    }
}

/// A connection.
#[derive(Debug)]
pub(crate) struct Socket {
    socket: WebSocket<TcpStream>,
    calls: u64,
}

impl Socket {
    /// Connects, and says nothing yet.
    pub(crate) fn open(address: &str) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).with_context(|| format!("cannot reach {address}"))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let (socket, _) = tungstenite::client(format!("ws://{address}/aci"), stream)
            .map_err(|error| anyhow::anyhow!("the WebSocket upgrade failed: {error}"))?;
        Ok(Self { socket, calls: 0 })
    }

    /// Connects to a daemon, and is welcomed.
    pub(crate) fn welcomed(address: &str, token: &str) -> anyhow::Result<Self> {
        let mut socket = Self::open(address)?;
        socket.send(&json!({
            "type": "hello", "v": 0, "token": token,
            "client": {"name": "xbench", "version": env!("CARGO_PKG_VERSION")},
            "accept": {"binary_frames": true},
        }))?;
        let welcome = socket.next()?;
        ensure!(welcome.value()["type"] == "welcome", "not welcomed: {welcome:?}");
        Ok(socket)
    }

    /// Sends a message.
    pub(crate) fn send(&mut self, message: &Value) -> anyhow::Result<()> {
        Ok(self.socket.send(Message::text(message.to_string()))?)
    }

    /// The next message.
    pub(crate) fn next(&mut self) -> anyhow::Result<Incoming> {
        loop {
            match self.socket.read()? {
                Message::Text(text) => {
                    return Ok(Incoming::Text(serde_json::from_str(&text)?, text.len()));
                }
                Message::Binary(bytes) => return Ok(Incoming::Binary(header(&bytes)?, bytes.len())),
                Message::Close(frame) => bail!("the connection was closed: {frame:?}"),
                Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
            }
        }
    }

    /// The next message, if one begins to arrive in time.
    pub(crate) fn next_within(&mut self, time: Duration) -> anyhow::Result<Option<Incoming>> {
        self.socket.get_ref().set_read_timeout(Some(time))?;
        let waiting = self.socket.get_ref().peek(&mut [0]);
        self.socket.get_ref().set_read_timeout(Some(PATIENCE))?;
        match waiting {
            Ok(_) => self.next().map(Some),
            Err(_) => Ok(None),
        }
    }

    /// What one message there and back costs, with nothing read in it.
    pub(crate) fn echo(&mut self, text: &str) -> anyhow::Result<Duration> {
        let start = Instant::now();
        self.socket.send(Message::text(text))?;
        let answer = self.socket.read()?;
        let time = start.elapsed();
        ensure!(answer.to_text()? == text, "this is no echo: {answer:?}");
        Ok(time)
    }

    /// The WebSocket's own ping.
    pub(crate) fn control_ping(&mut self) -> anyhow::Result<Duration> {
        let start = Instant::now();
        self.socket.send(Message::Ping(Bytes::from_static(b"x")))?;
        loop {
            match self.socket.read()? {
                Message::Pong(_) => return Ok(start.elapsed()),
                Message::Close(frame) => bail!("the connection was closed: {frame:?}"),
                _ => {}
            }
        }
    }

    /// The protocol's ping.
    pub(crate) fn ping(&mut self) -> anyhow::Result<Duration> {
        let text = json!({"type": "ping"}).to_string();
        let (time, pong) = self.timed(text)?;
        ensure!(pong.value()["type"] == "pong", "no pong: {pong:?}");
        Ok(time)
    }

    /// An action until its first answer, which must not be a refusal.
    pub(crate) fn act(&mut self, action: &Value) -> anyhow::Result<(Duration, Incoming)> {
        let call = self.name_call();
        let text = json!({"type": "action", "call_id": call, "action": action}).to_string();
        let (time, answer) = self.timed(text)?;
        check(&call, &answer)?;
        Ok((time, answer))
    }

    /// An action with `observe`, until the picture is there.
    pub(crate) fn act_and_observe(&mut self, action: &Value) -> anyhow::Result<Duration> {
        let start = Instant::now();
        let (_, ack) = self.act(action)?;
        let picture = self.next()?;
        let time = start.elapsed();
        ensure!(
            matches!(picture, Incoming::Binary(..)),
            "no picture after {ack:?}: {picture:?}"
        );
        Ok(time)
    }

    /// A question until its answer.
    pub(crate) fn query(&mut self, question: &str) -> anyhow::Result<(Duration, Incoming)> {
        let call = self.name_call();
        let text = json!({"type": "query", "call_id": call, "q": question}).to_string();
        let (time, answer) = self.timed(text)?;
        check(&call, &answer)?;
        Ok((time, answer))
    }

    fn name_call(&mut self) -> String {
        self.calls += 1;
        format!("c{}", self.calls)
    }

    /// A message until the next one, the text made beforehand.
    fn timed(&mut self, text: String) -> anyhow::Result<(Duration, Incoming)> {
        let start = Instant::now();
        self.socket.send(Message::text(text))?;
        let message = self.socket.read()?;
        // Reading the JSON is this program's cost, which a client in earnest has, too; it is left out on both sides.
        let time = start.elapsed();
        let incoming = match message {
            Message::Text(text) => Incoming::Text(serde_json::from_str(&text)?, text.len()),
            Message::Binary(bytes) => Incoming::Binary(header(&bytes)?, bytes.len()),
            other => bail!("unexpected: {other:?}"),
        };
        Ok((time, incoming))
    }
}

/// That the answer is one to this call, and no refusal.
fn check(call: &str, answer: &Incoming) -> anyhow::Result<()> {
    let value = answer.value();
    ensure!(
        value["call_id"] == call || value["cause"] == call,
        "an answer to another call than {call}: {value}"
    );
    ensure!(value["ok"] != false, "refused: {value}");
    Ok(())
}

fn header(bytes: &[u8]) -> anyhow::Result<Value> {
    let (length, rest) = bytes.split_first_chunk::<4>().context("no header length")?;
    let length = usize::try_from(u32::from_le_bytes(*length))?;
    Ok(serde_json::from_slice(
        rest.get(..length).context("the header is cut off")?,
    )?)
}
