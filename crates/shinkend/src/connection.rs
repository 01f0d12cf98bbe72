//! One client: handshake, reader, writer.
//!
//! ```text
//! socket ─▶ reader ─(64)─▶ session ─(32)─▶ writer ─▶ socket
//!              └── pong ──────────────────▶
//! ```

mod gate;
mod handshake;
mod writer;

use std::sync::Arc;
use std::time::Duration;

use aci::error_code::CodedError;
use aci::extension::{Extensions, Incoming};
use aci::message::{Ack, Message, Pong, ResultMsg};
use futures_util::stream::{SplitSink, SplitStream, StreamExt as _};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::time::Instant;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::{self, Error};
use tokio_util::task::AbortOnDropHandle;

use crate::config::Limits;
use crate::files::{self, Files};
use crate::outbox::Outbox;
use crate::places::{Evicted, Place};
use crate::server::Access;
use crate::server::Daemon;
use crate::session::{Calls, Session};
pub(crate) use gate::Gated;
pub(crate) use handshake::HELLO_BYTES;

/// What a WebSocket is for.
#[derive(Debug)]
pub(crate) enum Channel {
    /// ACI.
    Actions,
    /// Files.
    Files(Arc<Files>),
}

impl Channel {
    /// The largest message that a client may send on it.
    pub(crate) fn message_bytes(&self, limits: &Limits) -> usize {
        match self {
            Self::Actions => limits.message_bytes,
            Self::Files(_) => files::MESSAGE_BYTES,
        }
    }
}

/// Why a connection is ended by us; the numbers are those of RFC 6455, section 7.4.1.
pub(crate) mod close {
    /// The daemon ends.
    pub(crate) const GOING_AWAY: u16 = 1001;
    /// What came breaks the rules of WebSockets.
    pub(crate) const PROTOCOL: u16 = 1002;
    /// A text was not UTF-8.
    pub(crate) const NOT_UTF8: u16 = 1007;
    /// The peer broke a rule: handshake, token, idle, lifetime.
    pub(crate) const POLICY: u16 = 1008;
    /// A message was larger than allowed.
    pub(crate) const TOO_BIG: u16 = 1009;
    /// What was sent is not something that is spoken here.
    pub(crate) const UNSUPPORTED: u16 = 1003;
}

pub(crate) const ENDS: &str = "the daemon ends";
const CROWDED: &str =
    "too many wait to say hello and this one has waited longest; connect again and say it at once";
pub(crate) const OLD: &str = "the connection has reached its longest life; connect again";
/// How many pings are read before their pongs must have left. The library queues a pong for each, so a peer that sends
/// pings and reads nothing would fill the memory.
const PINGS_AHEAD: usize = 64;
/// After a goodbye, what still comes is read until nothing has come for so long,
const LINGER_SILENCE: Duration = Duration::from_secs(1);
/// or for so long in all,
const LINGER: Duration = Duration::from_secs(10);
/// or so many bytes have come.
const LINGER_BYTES: usize = 256 << 20;
/// The same for one that was not welcomed.
const LINGER_BYTES_UNKNOWN: usize = 64 << 20;
/// How long a peer's last messages may take to leave,
const PARTING: Duration = Duration::from_secs(2);
/// and where its place has gone to another already.
const PARTING_EVICTED: Duration = Duration::from_millis(50);

/// Serves one WebSocket to its end; its peer takes messages of at most `peer_takes` bytes.
///
/// Until it is welcomed its place may go to another; then it ends at once.
pub(crate) async fn run<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    daemon: Arc<Daemon>,
    stream: WebSocketStream<Gated<S>>,
    (access, peer_takes): (Access, usize),
    mut place: Place,
    channel: Channel,
) {
    let gate = stream.get_ref().gate();
    let (sink, mut source) = stream.split();
    let (outbox, queue) = Outbox::new(peer_takes);
    let writer = daemon.tasks.spawn(writer::run(sink, queue, daemon.limits.idle));
    let writer = AbortOnDropHandle::new(writer);
    let greeting = tokio::select! {
        () = daemon.shutdown.cancelled() => Err((close::GOING_AWAY, ENDS.to_owned())),
        () = place.evicted() => Err((close::POLICY, CROWDED.to_owned())),
        greeting = handshake::greet(&daemon, &mut source, (&outbox, &gate), access) => greeting,
    };
    // It may have been evicted while the last of its hello came.
    let greeting = greeting.and_then(|greeting| match place.settle() {
        Ok(()) => Ok(greeting),
        Err(Evicted) => Err((close::POLICY, CROWDED.to_owned())),
    });
    let welcomed = greeting.is_ok();
    // What comes now is a client's, or thrown away.
    gate.open();
    match (greeting, &channel) {
        (Ok(_), Channel::Files(files)) => files::serve(&daemon, files, &mut source, &outbox).await,
        (Ok(greeting), Channel::Actions) => {
            if outbox
                .put(crate::welcome::message(
                    daemon.elements.is_some(),
                    &daemon.extensions,
                ))
                .await
                .is_ok()
            {
                serve(&daemon, &mut source, &outbox, greeting.binary_frames).await;
            }
        }
        (Err((code, reason)), _) => outbox.close(code, &reason).await,
    }
    drop(outbox);
    let unread = match welcomed {
        true => LINGER_BYTES,
        false => LINGER_BYTES_UNKNOWN,
    };
    part(writer, source, unread, &place).await;
}

/// Waits until the last messages have left and, unless the place is another's, until the peer has had time to read them.
async fn part<S: AsyncRead + AsyncWrite + Unpin>(
    writer: AbortOnDropHandle<Option<SplitSink<WebSocketStream<S>, tungstenite::Message>>>,
    source: SplitStream<WebSocketStream<S>>,
    unread: usize,
    place: &Place,
) {
    let patience = async {
        // The writer ends when the last sender is gone; a client that reads nothing must not hold us.
        tokio::select! {
            () = tokio::time::sleep(PARTING) => {}
            () = place.evicted() => tokio::time::sleep(PARTING_EVICTED).await,
        }
    };
    let sink = tokio::select! {
        () = patience => return tracing::debug!("a client did not take its last messages"),
        sink = writer => sink,
    };
    if let Ok(Some(sink)) = sink
        && let Ok(stream) = sink.reunite(source)
    {
        tokio::select! {
            biased;
            () = place.evicted() => {}
            () = drain(stream, unread) => {}
        }
    }
}

/// Reads on for a while without looking at it. A socket that is closed while something unread is in it is reset, and a
/// reset takes away from the peer what it has not read yet: the close frame with the reason.
async fn drain<S: AsyncRead + AsyncWrite + Unpin>(mut stream: WebSocketStream<S>, bytes: usize) {
    let socket = stream.get_mut();
    let reading = async {
        // The peer sees the end at once, and need not wait for ours.
        socket.shutdown().await?;
        let mut unread = vec![0; 64 * 1024];
        let mut left = bytes;
        while let Ok(read) = tokio::time::timeout(LINGER_SILENCE, socket.read(&mut unread)).await {
            let read = read?;
            left = left.saturating_sub(read);
            if read == 0 || left == 0 {
                break;
            }
        }
        Ok::<(), std::io::Error>(())
    };
    // Whether the peer has read its goodbye is not ours to know.
    tokio::time::timeout(LINGER, reading).await.ok();
}

async fn serve<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    daemon: &Arc<Daemon>,
    source: &mut SplitStream<WebSocketStream<S>>,
    outbox: &Outbox,
    binary_frames: bool,
) {
    let session = Session::new(Arc::clone(daemon), outbox.clone(), binary_frames);
    let calls = Calls::start(session.clone());
    let reason = read(daemon, source, outbox, &calls, &session).await;
    calls.end().await;
    if let Some((code, reason)) = reason {
        outbox.close(code, &reason).await;
    }
}

/// Reads until the connection ends; says how it is to be closed where that is on us.
async fn read<S: AsyncRead + AsyncWrite + Unpin>(
    daemon: &Daemon,
    source: &mut SplitStream<WebSocketStream<S>>,
    outbox: &Outbox,
    calls: &Calls,
    session: &Session,
) -> Option<(u16, String)> {
    let born = Instant::now();
    let end_of_life = born + daemon.limits.lifetime;
    let mut last_heard = born;
    let mut asked = false;
    let mut pings = Pings::default();
    loop {
        let idle_at = last_heard + daemon.limits.idle;
        let message = tokio::select! {
            biased;
            message = source.next() => message,
            () = daemon.shutdown.cancelled() => return Some((close::GOING_AWAY, ENDS.to_owned())),
            () = outbox.closed() => return None,
            () = tokio::time::sleep_until(end_of_life) => return Some((close::POLICY, OLD.to_owned())),
            () = tokio::time::sleep_until(idle_at) => {
                if asked {
                    return Some((close::POLICY, "no sign of life; the connection seems to be dead".to_owned()));
                }
                if session.is_busy() {
                    // A program or a screencast of this session runs, so a client may have nothing to say. That it is
                    // still there, its WebSocket says by itself.
                    outbox.ping();
                    (last_heard, asked) = (Instant::now(), true);
                    continue;
                }
                return Some((close::POLICY, "idle for too long; send a ping now and then".to_owned()));
            }
        };
        (last_heard, asked) = (Instant::now(), false);
        let message = match message? {
            Ok(tungstenite::Message::Binary(_)) => {
                return Some((close::UNSUPPORTED, "clients send text messages only".to_owned()));
            }
            Ok(tungstenite::Message::Close(_)) => return None,
            Ok(message) => message,
            Err(error) => return fault(&error, daemon.limits.message_bytes),
        };
        let handling = async {
            match message {
                tungstenite::Message::Text(text) => handle(&text, &daemon.extensions, outbox, calls).await,
                tungstenite::Message::Ping(_) => pings.one_more(outbox).await,
                _ => Ok(()),
            }
        };
        let handled = tokio::select! {
            biased;
            handled = handling => handled,
            // There may be no room for it for a long time.
            () = daemon.shutdown.cancelled() => return Some((close::GOING_AWAY, ENDS.to_owned())),
            () = outbox.closed() => return None,
            () = tokio::time::sleep_until(end_of_life) => return Some((close::POLICY, OLD.to_owned())),
        };
        if handled.is_err() {
            return None;
        }
    }
}

/// Counts the pings that came. The library answers them, whether or not the peer takes the answers.
#[derive(Debug, Default)]
pub(crate) struct Pings(usize);

impl Pings {
    /// Another one came; now and then waits until the pongs have left.
    pub(crate) async fn one_more(&mut self, outbox: &Outbox) -> Result<(), crate::outbox::Closed> {
        self.0 += 1;
        if self.0 < PINGS_AHEAD {
            return Ok(());
        }
        self.0 = 0;
        outbox.flushed().await
    }
}

/// How to end a connection on which something came that cannot be read; `None` where there is nobody to tell.
pub(crate) fn fault(error: &Error, limit: usize) -> Option<(u16, String)> {
    match error {
        Error::Capacity(error) => Some((
            close::TOO_BIG,
            format!("message too big: {error}; the limit is {limit} bytes"),
        )),
        Error::Utf8(_) => Some((close::NOT_UTF8, "text must be UTF-8".to_owned())),
        Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => {
            tracing::debug!("a connection broke off");
            None
        }
        Error::Protocol(error) => Some((close::PROTOCOL, error.to_string())),
        error => {
            tracing::debug!("a connection broke: {error}");
            None
        }
    }
}

async fn handle(
    text: &str,
    extensions: &Extensions,
    outbox: &Outbox,
    calls: &Calls,
) -> Result<(), crate::outbox::Closed> {
    match Incoming::parse(text, extensions) {
        Ok(Incoming::Plain(message)) => plain(message, outbox, calls).await,
        Ok(Incoming::Action(action)) => calls.extended_action(action).await,
        Ok(Incoming::Query(query)) => calls.extended_query(query).await,
        Ok(Incoming::View(_)) => outbox.send(ResultMsg::failed("", &not_from_a_client())).await,
        Err(refusal) => {
            let error = refusal.error;
            let call_id = refusal.call_id.unwrap_or_default();
            if refusal.kind.as_deref() == Some("action") {
                outbox.send(Ack::failed(call_id, &error)).await
            } else {
                outbox.send(ResultMsg::failed(call_id, &error)).await
            }
        }
    }
}

fn not_from_a_client() -> CodedError {
    crate::reply::invalid("only hello, ping, query and action come from a client")
}

async fn plain(message: Message, outbox: &Outbox, calls: &Calls) -> Result<(), crate::outbox::Closed> {
    match message {
        Message::Ping(ping) => outbox.send(Pong { t: ping.t }).await,
        // An answer to a ping that we never sent; it is a sign of life all the same.
        Message::Pong(_) => Ok(()),
        Message::Action(action) => calls.action(action).await,
        Message::Query(query) => calls.query(query).await,
        Message::Hello(_) => {
            outbox
                .send(ResultMsg::failed(
                    "",
                    &crate::reply::invalid("hello was said already"),
                ))
                .await
        }
        _ => outbox.send(ResultMsg::failed("", &not_from_a_client())).await,
    }
}
