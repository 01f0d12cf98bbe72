//! One client: a single task that reads, does and writes.
//!
//! ```text
//! accepted ─ upgrade ─▶ hello ─ token ─▶ welcomed: read ─▶ (64 calls) ─▶ do one after another ─▶ write
//!                                            └─ ping ─▶ pong, whatever waits
//! ```

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use aci::MAX_MESSAGE_HEADER;
use aci::extension::{Extensions, Incoming};
use aci::message::{Ack, Message, Pong, ResultMsg};
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::time::{Instant, timeout};
use tokio_tungstenite::tungstenite::http::header::ORIGIN;
use tokio_tungstenite::tungstenite::http::{HeaderMap, StatusCode};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{self, Error};
use websocket::{Refused, WebSocket};

use crate::desk::invalid;
use crate::server::Standin;
use crate::session::{Answer, Session, text};
use crate::welcome;

/// The largest message that a client may send: a clipboard's text, of which every character may be escaped.
const LARGEST: usize = 8 << 20;
/// The largest one before the welcome.
const HELLO_BYTES: usize = 64 << 10;
/// How many calls may wait; with so many the socket is not read.
const AHEAD: usize = 64;
/// The longest life of a connection, as the contract has it.
const LIFETIME: Duration = Duration::from_secs(4 * 3600);
/// How long the goodbye, and what a peer still sends, is waited for.
const PARTING: Duration = Duration::from_secs(1);

/// The longest reason that a close frame holds (RFC 6455, section 5.5).
const LONGEST_REASON: usize = 123;

/// Why a connection is ended by us; the numbers are those of RFC 6455, section 7.4.1.
type Goodbye = (u16, String);
const UNSUPPORTED: u16 = 1003;
const POLICY: u16 = 1008;
const TOO_BIG: u16 = 1009;

/// Serves a client from its first byte to its last.
pub(crate) async fn run<S: AsyncRead + AsyncWrite + Unpin>(shared: Arc<Standin>, stream: S, number: u64) {
    let waiting = Waiting(&shared, number);
    let deadline = Instant::now() + shared.handshake;
    let mut takes = usize::MAX;
    let upgraded = websocket::accept(stream, HELLO_BYTES, |request| {
        takes = limit_of(request.headers()).unwrap_or(takes);
        check(&shared, request)
    });
    let Ok(Ok(mut socket)) = tokio::time::timeout_at(deadline, upgraded).await else {
        return tracing::debug!("a peer was no WebSocket");
    };
    let greeted = match tokio::time::timeout_at(deadline, greet(&shared, &mut socket)).await {
        Ok(greeted) => greeted,
        Err(_) => Err((POLICY, "no hello came in time".to_owned())),
    };
    let place = shared.places.try_acquire();
    let greeted = greeted.and_then(|binary| match place {
        Ok(place) => Ok((binary, place)),
        Err(_) => Err((POLICY, FULL.to_owned())),
    });
    drop(waiting);
    let goodbye = match greeted {
        Ok((binary_frames, _place)) => {
            socket.set_max_message_bytes(LARGEST);
            let session = Session::new(Arc::clone(&shared), binary_frames, takes);
            // On the heap, so that a peer that was not welcomed holds no more than its hello.
            Box::pin(serve(&shared, &mut socket, session)).await
        }
        Err(goodbye) => Some(goodbye),
    };
    part(socket, goodbye).await;
}

const FULL: &str =
    "busy: as many sessions are open as may; close one, or start with a higher --max-connections";

/// A peer that is not welcomed yet, until this is dropped.
struct Waiting<'a>(&'a Standin, u64);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.newcomers.leave(self.1);
    }
}

fn limit_of(headers: &HeaderMap) -> Option<usize> {
    headers.get(MAX_MESSAGE_HEADER)?.to_str().ok()?.parse().ok()
}

fn check(shared: &Standin, request: &tungstenite::handshake::server::Request) -> Result<HeaderMap, Refused> {
    let refuse = |status, reason| Err(Refused { status, reason });
    if request.headers().contains_key(ORIGIN) {
        // Browsers send it with every WebSocket and nothing else does.
        return refuse(StatusCode::FORBIDDEN, "no page may connect to a stand-in");
    }
    if !matches!(request.uri().path(), "/" | "/aci") {
        return refuse(StatusCode::NOT_FOUND, "no such page; the WebSocket is at /aci");
    }
    if shared.places.available_permits() == 0 {
        return refuse(StatusCode::SERVICE_UNAVAILABLE, FULL);
    }
    let mut headers = HeaderMap::new();
    headers.insert(MAX_MESSAGE_HEADER, LARGEST.into());
    Ok(headers)
}

/// Waits for `hello`; says whether the client takes binary messages.
async fn greet<S: AsyncRead + AsyncWrite + Unpin>(
    shared: &Standin,
    socket: &mut WebSocket<S>,
) -> Result<bool, Goodbye> {
    let policy = |reason: &str| Err((POLICY, reason.to_owned()));
    let first = loop {
        match socket.next().await {
            Some(Ok(tungstenite::Message::Text(text))) => break text,
            Some(Ok(tungstenite::Message::Ping(_) | tungstenite::Message::Pong(_))) => {}
            Some(Err(error)) => return Err(fault(&error)),
            _ => return policy("the first message must be a hello as text"),
        }
    };
    let hello = match Message::parse(&first) {
        Ok(Message::Hello(hello)) => hello,
        Ok(_) => return policy("unauthorized: the first message must be hello"),
        Err(refusal) => return Err((POLICY, refusal.error.to_string())),
    };
    if let Some(token) = &shared.token
        && !token.matches(hello.token.as_deref())
    {
        return policy("unauthorized: the token is missing or wrong; send it in hello");
    }
    let accept = hello.accept.unwrap_or_default();
    Ok(accept.binary_frames.unwrap_or(false))
}

/// Reads and does until the connection ends; says how it is to be closed where that is on us.
async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    shared: &Standin,
    socket: &mut WebSocket<S>,
    mut session: Session,
) -> Option<Goodbye> {
    let end_of_life = Instant::now() + LIFETIME;
    let mut calls = VecDeque::new();
    // An answer that is not due yet; later calls wait for it.
    let mut due: Option<(Instant, Vec<tungstenite::Message>)> = None;
    let mut idle_at = Instant::now() + shared.idle;
    write(shared, socket, vec![text(welcome::welcome())]).await?;
    loop {
        while due.is_none()
            && let Some(call) = calls.pop_front()
        {
            let Answer { pause, messages } = perform(&mut session, call).await;
            if pause.is_zero() {
                write(shared, socket, messages).await?;
            } else {
                due = Some((Instant::now() + pause, messages));
            }
            // What it had took memory, and the next may be long in coming.
            if calls.is_empty() {
                calls = VecDeque::new();
            }
        }
        let due_at = due.as_ref().map(|(at, _)| *at);
        let wake_at = due_at.unwrap_or(idle_at).min(end_of_life);
        let message = tokio::select! {
            biased;
            message = socket.next(), if calls.len() < AHEAD => message?,
            () = tokio::time::sleep_until(wake_at) => {
                if Instant::now() >= end_of_life {
                    return Some((POLICY, "the connection has reached its longest life; connect again".to_owned()));
                }
                match due.take() {
                    Some((_, messages)) => write(shared, socket, messages).await?,
                    None => return Some((POLICY, "idle for too long; send a ping now and then".to_owned())),
                }
                continue;
            }
        };
        idle_at = Instant::now() + shared.idle;
        let message = match message {
            Ok(tungstenite::Message::Text(text)) => text,
            Ok(tungstenite::Message::Binary(_)) => {
                return Some((UNSUPPORTED, "clients send text messages only".to_owned()));
            }
            Ok(tungstenite::Message::Close(_)) => return None,
            Ok(_) => continue,
            Err(error) => return Some(fault(&error)),
        };
        match Incoming::parse(&message, &Extensions::NONE) {
            Ok(Incoming::Plain(Message::Ping(ping))) => {
                write(shared, socket, vec![text(Pong { t: ping.t })]).await?;
            }
            Ok(Incoming::Plain(Message::Pong(_))) => {}
            Ok(incoming) => calls.push_back(incoming),
            Err(refusal) => {
                let call_id = refusal.call_id.unwrap_or_default();
                let answer = if refusal.kind.as_deref() == Some("action") {
                    text(Ack::failed(call_id, &refusal.error))
                } else {
                    text(ResultMsg::failed(call_id, &refusal.error))
                };
                write(shared, socket, vec![answer]).await?;
            }
        }
    }
}

async fn perform(session: &mut Session, call: Incoming) -> Answer {
    let answer = match call {
        Incoming::Plain(Message::Action(message)) => return Box::pin(session.act(message)).await,
        Incoming::Plain(Message::Query(query)) => session.ask(query),
        Incoming::Plain(Message::Hello(_)) => text(ResultMsg::failed("", &invalid("hello was said already"))),
        _ => text(ResultMsg::failed(
            "",
            &invalid("only hello, ping, query and action come from a client"),
        )),
    };
    Answer {
        pause: Duration::ZERO,
        messages: vec![answer],
    }
}

/// Writes messages; `None` where the client is gone, or takes nothing for as long as it may be idle.
async fn write<S: AsyncRead + AsyncWrite + Unpin>(
    shared: &Standin,
    socket: &mut WebSocket<S>,
    messages: Vec<tungstenite::Message>,
) -> Option<()> {
    let writing = async {
        for message in messages {
            socket.feed(message).await?;
        }
        socket.flush().await
    };
    timeout(shared.idle, writing).await.ok()?.ok()
}

/// How to end a connection on which something came that cannot be read.
fn fault(error: &Error) -> Goodbye {
    match error {
        Error::Capacity(error) => (TOO_BIG, format!("message too big: {error}")),
        Error::Utf8(_) => (1007, "text must be UTF-8".to_owned()),
        error => (1002, error.to_string()),
    }
}

/// Says goodbye, and reads on for a moment: a socket that is closed with something unread in it takes the goodbye along.
async fn part<S: AsyncRead + AsyncWrite + Unpin>(mut socket: WebSocket<S>, goodbye: Option<Goodbye>) {
    let parting = async {
        if let Some((code, reason)) = goodbye {
            let mut end = reason.len().min(LONGEST_REASON);
            while !reason.is_char_boundary(end) {
                end -= 1;
            }
            let frame = CloseFrame {
                code: code.into(),
                reason: reason[..end].to_owned().into(),
            };
            socket.send(tungstenite::Message::Close(Some(frame))).await.ok();
        }
        socket.close().await.ok();
        let stream = socket.get_mut();
        stream.shutdown().await.ok();
        let mut rest = vec![0; 4096];
        while stream.read(&mut rest).await.is_ok_and(|read| read > 0) {}
    };
    // Whether the peer has read its goodbye is not ours to know.
    timeout(PARTING, parting).await.ok();
}
