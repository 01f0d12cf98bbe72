//! The first message of a client.

use aci::message::Message;
use futures_util::stream::{SplitStream, StreamExt as _};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite;

use super::gate::Gate;
use super::{Pings, close, fault};
use crate::outbox::Outbox;
use crate::server::{Access, Daemon};

/// What may come before the welcome, in all. A hello has a name, a version and a token; nothing that long is one.
pub(crate) const HELLO_BYTES: usize = 64 * 1024;

/// A client whose token was right.
#[derive(Debug)]
pub(super) struct Greeting {
    pub(super) binary_frames: bool,
}

/// Waits for `hello`; on failure the code and reason to close with.
pub(super) async fn greet<S: AsyncRead + AsyncWrite + Unpin>(
    daemon: &Daemon,
    source: &mut SplitStream<WebSocketStream<S>>,
    (outbox, gate): (&Outbox, &Gate),
    access: Access,
) -> Result<Greeting, (u16, String)> {
    let policy = |reason: String| (close::POLICY, reason);
    let text = tokio::time::timeout(daemon.limits.handshake, first_text(source, outbox))
        .await
        .map_err(|_| policy("no hello came in time".to_owned()))?
        .map_err(|error| {
            if gate.is_spent() && matches!(error, Some(tungstenite::Error::Io(_))) {
                let reason = format!("message too big: a hello has at most {HELLO_BYTES} bytes");
                return (close::TOO_BIG, reason);
            }
            error
                .and_then(|error| fault(&error, daemon.limits.message_bytes))
                .unwrap_or_else(|| policy("the first message must be a hello as text".to_owned()))
        })?;
    let hello = match Message::parse(&text) {
        Ok(Message::Hello(hello)) => hello,
        Ok(_) => return Err(policy("unauthorized: the first message must be hello".to_owned())),
        Err(refusal) => return Err(policy(refusal.error.to_string())),
    };
    let allowed = match (&daemon.token, access) {
        (Some(token), _) => token.matches(hello.token.as_deref()),
        (None, Access::File) => true,
        (None, Access::Token) => false,
    };
    if !allowed {
        return Err(policy(
            "unauthorized: the token is missing or wrong; send it in hello".to_owned(),
        ));
    }
    tracing::debug!("{:?} {:?} connected", hello.client.name, hello.client.version);
    Ok(Greeting {
        binary_frames: hello
            .accept
            .and_then(|accept| accept.binary_frames)
            .unwrap_or(false),
    })
}

/// The first message where that is text; otherwise what was wrong on the wire, if anything was.
async fn first_text<S: AsyncRead + AsyncWrite + Unpin>(
    source: &mut SplitStream<WebSocketStream<S>>,
    outbox: &Outbox,
) -> Result<tungstenite::Utf8Bytes, Option<tungstenite::Error>> {
    let mut pings = Pings::default();
    loop {
        match source.next().await.ok_or(None)? {
            Ok(tungstenite::Message::Text(text)) => return Ok(text),
            Ok(tungstenite::Message::Ping(_)) => pings.one_more(outbox).await.map_err(|_| None)?,
            Ok(tungstenite::Message::Pong(_)) => {}
            Ok(_) => return Err(None),
            Err(error) => return Err(Some(error)),
        }
    }
}
