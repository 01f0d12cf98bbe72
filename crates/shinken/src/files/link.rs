//! One files channel, as the blocking thread sees it that works with it.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use aci::Wire as _;
use aci::files::{Cancel, Chunk, Greeting, REQUESTS_AHEAD, Reply, Request, natural};
use bytes::Bytes;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::sync::mpsc::{self, error::TryRecvError};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_util::sync::CancellationToken;

use crate::connection::closed;
use crate::error::{ClientError, Limit};
use crate::handshake::{Opened, Socket};
use crate::watched::Heard;

/// Messages that wait to be written; chunks among them are bounded by the window.
const OUT: usize = REQUESTS_AHEAD;
/// Messages that wait to be read: more than answers may be due, so that the daemon never waits for us to read while we wait for
/// it to do so.
const IN: usize = 2 * REQUESTS_AHEAD;
/// How long a channel that nobody uses is kept.
const IDLE: Duration = Duration::from_secs(10);
/// How long a cancelled transfer may take to say so.
const GOODBYE: Duration = Duration::from_secs(2);
/// How long a silence may be where [`crate::Options::keep_alive`] sets no limit.
const SILENCE: Duration = Duration::from_secs(600);

/// What the daemon says.
#[derive(Debug)]
pub(super) enum Said {
    Reply(Reply),
    Chunk(Chunk),
}

/// Why a work has stopped.
#[derive(Debug)]
pub(super) enum Stop {
    /// The channel is over; [`Link::why`] says why.
    Lost,
    /// It makes no sense to go on.
    Failed(ClientError),
}

impl From<ClientError> for Stop {
    fn from(error: ClientError) -> Self {
        Self::Failed(error)
    }
}

impl From<transfer::TransferError> for Stop {
    fn from(error: transfer::TransferError) -> Self {
        Self::Failed(error.into())
    }
}

/// A channel.
#[derive(Debug)]
pub(super) struct Link {
    out: mpsc::Sender<Message>,
    inbox: mpsc::Receiver<Said>,
    shared: Arc<Shared>,
    reader: JoinHandle<()>,
    next: u64,
    /// Requests without their last answer.
    open: BTreeSet<u64>,
    max_file_bytes: Option<u64>,
}

/// What the tasks of a channel and its user share.
#[derive(Debug, Default)]
struct Shared {
    why: OnceLock<ClientError>,
    /// Whether somebody works with it.
    used: AtomicBool,
    /// Whether anything was written since it was last looked.
    wrote: AtomicBool,
    cancelled: CancellationToken,
}

/// Ends the work of a channel from outside.
#[derive(Debug)]
pub(super) struct Canceller {
    shared: Arc<Shared>,
    reader: tokio::task::AbortHandle,
    armed: bool,
}

impl Canceller {
    /// The work is over.
    pub(super) fn disarm(mut self) {
        self.armed = false;
    }
}

impl Drop for Canceller {
    fn drop(&mut self) {
        if self.armed {
            self.shared.cancelled.cancel();
            // Whoever waits for the daemon is woken by the end of the reader.
            self.reader.abort();
        }
    }
}

impl Link {
    /// Starts the tasks of a channel that was opened.
    pub(super) fn start(opened: Opened, keep_alive: Option<Duration>) -> Result<Self, ClientError> {
        let greeting = serde_json::from_str(&opened.first)
            .map_err(|error| error.to_string())
            .and_then(|value| Greeting::decode(value).map_err(|fault| fault.to_string()))
            .map_err(|detail| ClientError::Handshake {
                detail: format!("no files channel is served there: {detail}"),
            })?;
        let (sink, source) = opened.socket.split();
        let (out, queue) = mpsc::channel(OUT);
        let (hand_on, inbox) = mpsc::channel(IN);
        let shared = Arc::new(Shared::default());
        let silence = keep_alive.unwrap_or(SILENCE);
        tokio::spawn(write(sink, queue, Arc::clone(&shared), silence));
        let reading = Reading {
            shared: Arc::clone(&shared),
            // The writer ends when the link is dropped.
            out: out.downgrade(),
            hand_on,
            heard: opened.heard,
            silence,
        };
        Ok(Self {
            out,
            inbox,
            shared,
            reader: tokio::spawn(reading.read(source)),
            next: 1,
            open: BTreeSet::new(),
            max_file_bytes: greeting.max_file_bytes.map(|bytes| bytes.to_u64()),
        })
    }

    /// Takes it for a work.
    pub(super) fn take(&mut self) -> Canceller {
        self.shared.used.store(true, Ordering::Relaxed);
        Canceller {
            shared: Arc::clone(&self.shared),
            reader: self.reader.abort_handle(),
            armed: true,
        }
    }

    /// Gives it back; `None` where it is good for nothing more.
    pub(super) fn give_back(self) -> Option<Self> {
        self.shared.used.store(false, Ordering::Relaxed);
        (self.open.is_empty() && self.is_alive()).then_some(self)
    }

    pub(super) fn is_alive(&self) -> bool {
        !self.reader.is_finished() && !self.shared.cancelled.is_cancelled() && self.inbox.is_empty()
    }

    /// Why it is over.
    pub(super) fn why(&self) -> ClientError {
        self.shared.why.get().cloned().unwrap_or(ClientError::ClosedHere)
    }

    /// The largest file that the daemon takes, where there is a limit.
    pub(super) fn max_file_bytes(&self) -> Option<u64> {
        self.max_file_bytes
    }

    /// A number for a request.
    pub(super) fn number(&mut self) -> u64 {
        let id = self.next;
        self.next += 1;
        id
    }

    /// Sends a request.
    pub(super) fn send(&mut self, request: impl Into<Request>) -> Result<(), Stop> {
        let request = request.into();
        if !matches!(request, Request::Ack(_) | Request::Cancel(_)) {
            self.open.insert(request.id());
        }
        self.write(Message::text(request.to_text()))
    }

    /// Sends a piece of a file.
    pub(super) fn send_chunk(&self, chunk: Bytes) -> Result<(), Stop> {
        self.write(Message::Binary(chunk))
    }

    fn write(&self, message: Message) -> Result<(), Stop> {
        if self.shared.cancelled.is_cancelled() {
            return Err(Stop::Lost);
        }
        self.out.blocking_send(message).map_err(|_| Stop::Lost)
    }

    /// What the daemon says next.
    pub(super) fn hear(&mut self) -> Result<Said, Stop> {
        let heard = self.inbox.blocking_recv().ok_or(Stop::Lost)?;
        Ok(self.noted(heard))
    }

    /// What the daemon has said already.
    pub(super) fn heard(&mut self) -> Result<Option<Said>, Stop> {
        match self.inbox.try_recv() {
            Ok(heard) => Ok(Some(self.noted(heard))),
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => Err(Stop::Lost),
        }
    }

    fn noted(&mut self, heard: Said) -> Said {
        if let Said::Reply(reply @ (Reply::Done(_) | Reply::Failed(_) | Reply::Artifacts(_))) = &heard {
            self.open.remove(&reply.id());
        }
        heard
    }

    /// A request has had its last answer, where its kind does not say so.
    pub(super) fn answered(&mut self, id: u64) {
        self.open.remove(&id);
    }

    /// Tells the daemon to stop, where the work was cancelled.
    pub(super) fn say_cancelled(&self) {
        if self.shared.cancelled.is_cancelled() {
            for id in self.open.iter().rev() {
                let request: Request = Cancel { id: natural(*id) }.into();
                // Where there is no room for it, the end of the connection says the same, only later.
                self.out.try_send(Message::text(request.to_text())).ok();
            }
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

/// Writes until the link is dropped or the channel is over.
async fn write(
    mut sink: SplitSink<Socket, Message>,
    mut queue: mpsc::Receiver<Message>,
    shared: Arc<Shared>,
    silence: Duration,
) {
    loop {
        let message = tokio::select! {
            biased;
            () = shared.cancelled.cancelled() => break,
            message = queue.recv() => match message {
                Some(message) => message,
                None => break,
            },
        };
        let written = tokio::select! {
            () = shared.cancelled.cancelled() => break,
            // What is written in pieces is told by the socket to the reader, in this time nothing was written at all.
            written = timeout(2 * silence, sink.send(message)) => written,
        };
        match written {
            Ok(Ok(())) => shared.wrote.store(true, Ordering::Relaxed),
            // The reader learns why.
            Ok(Err(_)) | Err(_) => return,
        }
    }
    let goodbye = async {
        while let Some(message) = queue.recv().await {
            // Of a cancelled upload no more bytes are needed.
            if !message.is_binary() {
                sink.send(message).await.ok();
            }
        }
        sink.close().await.ok();
    };
    timeout(GOODBYE, goodbye).await.ok();
}

/// What the reading task has.
struct Reading {
    shared: Arc<Shared>,
    out: mpsc::WeakSender<Message>,
    hand_on: mpsc::Sender<Said>,
    heard: Heard,
    silence: Duration,
}

impl Reading {
    /// Reads until the channel is over.
    async fn read(self, mut source: SplitStream<Socket>) {
        let why = loop {
            let message = match self.next(&mut source).await {
                Ok(Some(message)) => message,
                Ok(None) => return,
                Err(why) => break why,
            };
            let heard = match message {
                Message::Text(text) => Reply::parse(&text).map(Said::Reply),
                Message::Binary(bytes) => Chunk::decode(&bytes).map(Said::Chunk),
                Message::Close(frame) => break closed(frame),
                // Pings of the WebSocket itself are answered by the library.
                _ => continue,
            };
            match heard {
                Ok(heard) => {
                    if self.hand_on.send(heard).await.is_err() {
                        return;
                    }
                }
                Err(fault) => break ClientError::protocol(format!("on the files channel: {fault}")),
            }
        };
        // It is told once.
        self.shared.why.set(why).ok();
    }

    /// The next message; `None` where nobody needs the channel.
    async fn next(&self, source: &mut SplitStream<Socket>) -> Result<Option<Message>, ClientError> {
        let mut asked = false;
        self.heard.take();
        loop {
            let used = self.shared.used.load(Ordering::Relaxed);
            let patience = if used {
                self.silence
            } else {
                IDLE.min(self.silence)
            };
            match timeout(patience, source.next()).await {
                Ok(Some(Ok(message))) => return Ok(Some(message)),
                Ok(Some(Err(error))) => return Err(crate::connection::broken(error)),
                Ok(None) => return Err(crate::connection::died("the connection ended without a goodbye")),
                Err(_) => {}
            }
            let lives = self.heard.take() | self.shared.wrote.swap(false, Ordering::Relaxed);
            match (used, self.shared.used.load(Ordering::Relaxed)) {
                (false, false) => return Ok(None),
                (true, true) if lives => asked = false,
                (true, true) if asked => {
                    return Err(crate::connection::died(format!(
                        "no sign of life in twice {:?}, the client's limit {}",
                        self.silence,
                        Limit::KeepAlive
                    )));
                }
                (true, true) => {
                    asked = true;
                    if let Some(out) = self.out.upgrade() {
                        // Where the queue is full, what is in it asks for a sign of life as well.
                        out.try_send(Message::Ping(Bytes::new())).ok();
                    }
                }
                _ => {}
            }
        }
    }
}
