//! The one task that writes to a client.

use std::time::Duration;

use bytes::Bytes;
use futures_util::SinkExt as _;
use futures_util::stream::SplitSink;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::outbox::Outgoing;

/// A close frame's reason has at most 123 bytes (RFC 6455, section 5.5).
const MAX_REASON: usize = 123;

/// Writes what is queued until the queue or the connection ends, or the peer takes nothing for `patience`; gives the sink
/// back where it is still good for something.
pub(super) async fn run<S: AsyncRead + AsyncWrite + Unpin>(
    mut sink: SplitSink<WebSocketStream<S>, Message>,
    mut queue: mpsc::Receiver<Outgoing>,
    patience: Duration,
) -> Option<SplitSink<WebSocketStream<S>, Message>> {
    while let Some(outgoing) = queue.recv().await {
        let (outgoing, place) = match outgoing {
            Outgoing::Frame(frame, place) => (*frame, Some(place)),
            other => (other, None),
        };
        let last = matches!(outgoing, Outgoing::Close(..));
        match tokio::time::timeout(patience, write(&mut sink, outgoing)).await {
            Ok(Ok(())) if last => break,
            Ok(Ok(())) => {}
            Ok(Err(_)) => return None,
            Err(_) => {
                tracing::info!("a client has taken nothing for {patience:?} and is let go");
                return None;
            }
        }
        drop(place);
    }
    // The peer may be gone already.
    sink.close().await.ok();
    Some(sink)
}

async fn write<S: AsyncRead + AsyncWrite + Unpin>(
    sink: &mut SplitSink<WebSocketStream<S>, Message>,
    outgoing: Outgoing,
) -> Result<(), Error> {
    if let Outgoing::Flush(done) = outgoing {
        sink.flush().await?;
        // Whoever has asked may be gone.
        done.send(()).ok();
        return Ok(());
    }
    match message(outgoing) {
        Some(message) => sink.send(message).await,
        None => Ok(()),
    }
}

fn message(outgoing: Outgoing) -> Option<Message> {
    Some(match outgoing {
        Outgoing::Text(text) => Message::Text(text),
        Outgoing::Binary(bytes) => Message::Binary(bytes),
        Outgoing::Ping => Message::Ping(Bytes::new()),
        Outgoing::Flush(_) => return None,
        Outgoing::Frame(inner, _) => return message(*inner),
        Outgoing::Close(code, reason) => {
            let mut end = reason.len().min(MAX_REASON);
            while !reason.is_char_boundary(end) {
                end -= 1;
            }
            Message::Close(Some(CloseFrame {
                code: code.into(),
                reason: reason[..end].to_owned().into(),
            }))
        }
    })
}
