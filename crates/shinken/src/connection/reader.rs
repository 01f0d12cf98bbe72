//! The task that reads: it hands on what comes and notices when nothing comes any more.

use std::sync::Arc;
use std::time::Duration;

use aci::extension::Incoming;
use futures_util::StreamExt as _;
use futures_util::stream::SplitStream;
use tokio::time::{Instant, timeout};
use tokio_tungstenite::tungstenite;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, frame::coding::CloseCode};

use super::{Core, ping};
use crate::error::{ClientError, Limit};
use crate::events::Direction;
use crate::handshake::Socket;
use crate::log_tail;
use crate::watched::Heard;

/// Reads until the connection ends, and ends it for everybody.
pub(super) async fn read(
    core: Arc<Core>,
    mut source: SplitStream<Socket>,
    keep_alive: Option<(Duration, Heard)>,
) {
    let why = loop {
        let message = match next(&core, &mut source, keep_alive.as_ref()).await {
            Ok(message) => message,
            Err(why) => break why,
        };
        core.tap.note(Direction::Received, &message);
        let handled = match message {
            tungstenite::Message::Text(text) => {
                match Incoming::parse(&text, &core.extensions) {
                    Ok(Incoming::Plain(message)) => core.routes().text(Ok(message)),
                    Ok(Incoming::View(view)) => core.routes().view(*view),
                    // A client is not asked anything.
                    Ok(Incoming::Action(_) | Incoming::Query(_)) => Ok(()),
                    Err(refusal) => core.routes().text(Err(refusal)),
                }
            }
            tungstenite::Message::Binary(bytes) => match aci::frame::decode_with(bytes, &core.extensions) {
                Ok(frame) => core.routes().binary(frame),
                Err(error) => Err(ClientError::protocol(format!("a broken binary message: {error}"))),
            },
            tungstenite::Message::Close(frame) => Err(closed(frame)),
            // Pings of the WebSocket itself are answered by the library.
            _ => Ok(()),
        };
        if let Err(why) = handled {
            break why;
        }
    };
    let why = log_tail::attach(why, core.log_file.as_deref()).await;
    core.finish(why);
    drop(source);
    core.hang_up().await;
}

/// The next message; a long silence is broken by a ping, a longer one ends the connection.
async fn next(
    core: &Core,
    source: &mut SplitStream<Socket>,
    keep_alive: Option<&(Duration, Heard)>,
) -> Result<tungstenite::Message, ClientError> {
    let received = match keep_alive {
        None => source.next().await,
        Some((silence, heard)) => match timeout(*silence, source.next()).await {
            Ok(received) => received,
            Err(_) => asked(core, source, *silence, heard).await?,
        },
    };
    match received {
        Some(Ok(message)) => Ok(message),
        Some(Err(error)) => Err(broken(error)),
        None => Err(died("the connection ended")),
    }
}

/// What comes after a ping, however long it takes as long as something comes.
async fn asked(
    core: &Core,
    source: &mut SplitStream<Socket>,
    silence: Duration,
    heard: &Heard,
) -> Result<Option<Result<tungstenite::Message, tungstenite::Error>>, ClientError> {
    heard.take();
    let asking = async {
        // Zero is the number of no call, so that the pong wakes nobody.
        core.write(vec![ping(0)], Instant::now() + silence).await.ok();
        std::future::pending().await
    };
    let answered = async {
        tokio::select! {
            received = source.next() => received,
            never = asking => never,
        }
    };
    tokio::pin!(answered);
    loop {
        if let Ok(received) = timeout(silence, &mut answered).await {
            return Ok(received);
        }
        if !heard.take() {
            let limit = Limit::KeepAlive;
            return Err(died(format!(
                "no sign of life in twice {silence:?}, the client's limit {limit}"
            )));
        }
    }
}

pub(crate) fn died(why: impl Into<String>) -> ClientError {
    ClientError::SandboxDied {
        why: why.into(),
        log: Vec::new(),
    }
}

pub(crate) fn broken(error: tungstenite::Error) -> ClientError {
    match error {
        tungstenite::Error::Capacity(error) => ClientError::TooBig {
            detail: format!(
                "the runtime sent one beyond this client's max_message_bytes: {error}; ask for jpeg or a smaller \
                 max_long_edge, or raise the option"
            ),
            ended: true,
        },
        tungstenite::Error::Protocol(ProtocolError::ResetWithoutClosingHandshake)
        | tungstenite::Error::ConnectionClosed
        | tungstenite::Error::AlreadyClosed => died("the connection ended without a goodbye"),
        tungstenite::Error::Io(error) => died(format!("the connection broke: {error}")),
        other => ClientError::protocol(other.to_string()),
    }
}

pub(crate) fn closed(frame: Option<CloseFrame>) -> ClientError {
    let Some(CloseFrame { code, reason }) = frame else {
        return died("the connection was closed without a reason");
    };
    match code {
        CloseCode::Size => ClientError::TooBig {
            detail: format!("the runtime refused one: {reason}"),
            ended: true,
        },
        CloseCode::Away => died(reason.to_string()),
        code => ClientError::Closed {
            code: code.into(),
            reason: reason.to_string(),
        },
    }
}
