//! One client's files channel: the task that reads it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use aci::files::{Chunk, Failed, Greeting, MAX_CHUNK_BYTES, Reply, Request, natural};
use bytes::Bytes;
use futures_util::stream::{SplitStream, StreamExt as _};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_util::sync::CancellationToken;

use super::Files;
use super::worker::{Incoming, Worker};
use crate::connection::{ENDS, OLD, Pings, close, fault};
use crate::outbox::{Outbox, Outgoing};
use crate::server::Daemon;

/// How many messages wait before the worker.
const INBOX: usize = 32;
/// How often uploads that broke off are looked through.
const SWEEP: std::time::Duration = std::time::Duration::from_secs(30);

/// Serves a client that was let in, until it goes.
pub(crate) async fn serve<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    daemon: &Arc<Daemon>,
    files: &Arc<Files>,
    source: &mut SplitStream<WebSocketStream<S>>,
    outbox: &Outbox,
) {
    let greeting = Greeting {
        max_chunk_bytes: natural(MAX_CHUNK_BYTES as u64),
        max_file_bytes: files.file_bytes.map(natural),
    };
    if outbox
        .put(Outgoing::Text(aci::extension::to_text(greeting).into()))
        .await
        .is_err()
    {
        return;
    }
    let (sender, inbox) = mpsc::channel(INBOX);
    let replaced = CancellationToken::new();
    let busy = Arc::new(AtomicBool::new(false));
    let worker = Worker::new(
        (Arc::clone(daemon), Arc::clone(files)),
        (inbox, outbox.clone()),
        replaced.clone(),
        Arc::clone(&busy),
    );
    let started = std::thread::Builder::new()
        .name("files-worker".to_owned())
        .spawn(move || worker.run());
    if let Err(error) = started {
        tracing::warn!("no thread for a files channel: {error}");
        outbox
            .close(close::POLICY, "busy: no thread can be had; try again later")
            .await;
        return;
    }
    let reading = Reading {
        daemon,
        files,
        outbox,
        sender,
        replaced,
        busy,
    };
    // The worker ends when its queue does, which is dropped here.
    if let Some((code, reason)) = reading.read(source).await {
        outbox.close(code, &reason).await;
    }
}

struct Reading<'a> {
    daemon: &'a Daemon,
    files: &'a Files,
    outbox: &'a Outbox,
    sender: mpsc::Sender<Incoming>,
    /// Cancelled when another connection goes on with an upload of this one.
    replaced: CancellationToken,
    busy: Arc<AtomicBool>,
}

/// How to close, where that is on us.
type End = Option<(u16, String)>;

impl Reading<'_> {
    /// Reads until the connection ends.
    async fn read<S: AsyncRead + AsyncWrite + Unpin>(
        self,
        source: &mut SplitStream<WebSocketStream<S>>,
    ) -> End {
        let policy = |reason: &str| Some((close::POLICY, reason.to_owned()));
        let end_of_life = Instant::now() + self.daemon.limits.lifetime;
        let mut last_heard = Instant::now();
        let mut asked = false;
        let mut pings = Pings::default();
        let mut sweeps = tokio::time::interval(SWEEP);
        loop {
            let idle_at = last_heard + self.daemon.limits.idle;
            let message = tokio::select! {
                biased;
                () = self.replaced.cancelled() => return policy("another connection goes on with the upload"),
                message = source.next() => message?,
                () = self.daemon.shutdown.cancelled() => return Some((close::GOING_AWAY, ENDS.to_owned())),
                () = self.outbox.closed() => return None,
                () = tokio::time::sleep_until(end_of_life) => return policy(OLD),
                _ = sweeps.tick() => {
                    self.files.partials.sweep();
                    continue;
                }
                () = tokio::time::sleep_until(idle_at) => {
                    if asked || !self.busy.load(Ordering::Relaxed) {
                        return policy("idle for too long; connect again when there is something to transfer");
                    }
                    self.outbox.ping();
                    (last_heard, asked) = (Instant::now(), true);
                    continue;
                }
            };
            (last_heard, asked) = (Instant::now(), false);
            let handling = async {
                match message {
                    Ok(Message::Text(text)) => self.text(&text).await,
                    Ok(Message::Binary(bytes)) => self.chunk(&bytes).await,
                    Ok(Message::Ping(_)) => pings.one_more(self.outbox).await.map_err(|_| None),
                    Ok(Message::Close(_)) => Err(None),
                    Ok(_) => Ok(()),
                    Err(error) => Err(fault(&error, super::MESSAGE_BYTES)),
                }
            };
            let handled = tokio::select! {
                biased;
                handled = handling => handled,
                // There may be no room for it for a long time.
                () = self.replaced.cancelled() => return policy("another connection goes on with the upload"),
                () = self.daemon.shutdown.cancelled() => return Some((close::GOING_AWAY, ENDS.to_owned())),
                () = self.outbox.closed() => return None,
                () = tokio::time::sleep_until(end_of_life) => return policy(OLD),
            };
            if let Err(end) = handled {
                return end;
            }
        }
    }

    async fn text(&self, text: &str) -> Result<(), End> {
        match Request::parse(text) {
            Ok(request) => self.hand_on(Incoming::Request(request)).await,
            Err(fault) => {
                // With its number the client can be told which one it was.
                let id = serde_json::from_str::<Value>(text)
                    .ok()
                    .and_then(|value| value["id"].as_u64());
                let Some(id) = id else {
                    return Err(Some((close::UNSUPPORTED, fault.to_string())));
                };
                let reply: Reply = Failed {
                    id: natural(id),
                    error: crate::reply::invalid(fault.to_string()).to_string(),
                }
                .into();
                self.outbox
                    .put(Outgoing::Text(reply.to_text().into()))
                    .await
                    .map_err(|_| None)
            }
        }
    }

    async fn chunk(&self, bytes: &Bytes) -> Result<(), End> {
        let chunk = Chunk::decode(bytes)
            .map_err(|fault| Some((close::UNSUPPORTED, format!("no chunk of a file: {fault}"))))?;
        self.hand_on(Incoming::Chunk(chunk)).await
    }

    async fn hand_on(&self, incoming: Incoming) -> Result<(), End> {
        self.sender.send(incoming).await.map_err(|_| {
            Some((
                close::POLICY,
                "more was sent ahead than a client may; wait for answers".to_owned(),
            ))
        })
    }
}
