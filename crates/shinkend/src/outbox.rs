//! What waits to be written to one client.
//!
//! The queue has a bound of 32. Answers wait for room in it; frames of a screencast are not made at all while the client
//! is behind ([`Outbox::room_for_frame`]).

use std::sync::Arc;
use std::time::Duration;

use aci::error_code::{CodedError, ErrorCode};
use aci::frame::Header;
use aci::message::Message;
use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio_tungstenite::tungstenite::Utf8Bytes;

/// How many messages may wait, as the contract says.
const CAPACITY: usize = 32;
/// How long a place for the goodbye is waited for.
const LAST_WORD: Duration = Duration::from_secs(1);
/// How many of them may be frames. More would only be old pictures, and a picture can have megabytes.
const FRAMES: usize = 2;

/// One message to write.
#[derive(Debug)]
pub(crate) enum Outgoing {
    Text(Utf8Bytes),
    Binary(Bytes),
    /// Asks the peer's WebSocket for a sign of life.
    Ping,
    /// Nothing of its own: the answer says that all before it has left.
    Flush(oneshot::Sender<()>),
    /// A frame; its permit is given back when it has been written.
    Frame(Box<Self>, OwnedSemaphorePermit),
    /// Ends the connection with a code and a reason.
    Close(u16, String),
}

/// The sending side; clones feed the same queue.
#[derive(Debug, Clone)]
pub(crate) struct Outbox {
    sender: mpsc::Sender<Outgoing>,
    frames: Arc<Semaphore>,
    peer_takes: usize,
}

/// The connection is over, so there is nobody to write to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Closed;

impl Outbox {
    /// An empty queue and its reading side, to a peer that takes messages of at most so many bytes.
    pub(crate) fn new(peer_takes: usize) -> (Self, mpsc::Receiver<Outgoing>) {
        let (sender, receiver) = mpsc::channel(CAPACITY);
        (
            Self {
                sender,
                frames: Arc::new(Semaphore::new(FRAMES)),
                peer_takes,
            },
            receiver,
        )
    }

    /// Queues a text message, and waits for room.
    pub(crate) async fn send(&self, message: impl Into<Message>) -> Result<(), Closed> {
        self.put(text(message.into())).await
    }

    /// Queues a binary message, and waits for room.
    pub(crate) async fn send_binary(&self, header: Header, payload: &[&[u8]]) -> Result<(), Closed> {
        match binary(header, payload) {
            Some(message) => self.put(message).await,
            None => Ok(()),
        }
    }

    /// Ends the connection, after what is queued.
    pub(crate) async fn close(&self, code: u16, reason: &str) {
        let close = self.put(Outgoing::Close(code, reason.to_owned()));
        // A connection that is over already needs no close, and a peer that takes nothing hears none.
        tokio::time::timeout(LAST_WORD, close).await.ok();
    }

    /// Asks the peer for a sign of life.
    pub(crate) fn ping(&self) {
        // Where the queue is full, the peer takes nothing, and the writer watches that.
        self.sender.try_send(Outgoing::Ping).ok();
    }

    /// Waits until everything that is queued here, and every pong of the WebSocket itself, has left.
    pub(crate) async fn flushed(&self) -> Result<(), Closed> {
        let (done, flushed) = oneshot::channel();
        self.put(Outgoing::Flush(done)).await?;
        flushed.await.map_err(|_| Closed)
    }

    /// Whether the peer takes a message of this size.
    ///
    /// # Errors
    /// What to do where it does not.
    pub(crate) fn check_size(&self, message: &Outgoing) -> Result<(), CodedError> {
        let (size, limit) = (message.size(), self.peer_takes);
        if size <= limit {
            return Ok(());
        }
        Err(CodedError::new(
            ErrorCode::CaptureFailed,
            format!(
                "the picture makes a message of {size} bytes, and this client takes {limit}; ask for jpeg or a smaller \
                 max_long_edge, or raise the client's own limit"
            ),
        ))
    }

    /// A place for a frame, or `None` while the client is behind.
    pub(crate) fn room_for_frame(&self) -> Option<OwnedSemaphorePermit> {
        if self.sender.capacity() == 0 {
            return None;
        }
        Arc::clone(&self.frames).try_acquire_owned().ok()
    }

    /// Queues a frame in the place that was got for it.
    pub(crate) async fn send_frame(
        &self,
        frame: Outgoing,
        place: OwnedSemaphorePermit,
    ) -> Result<(), Closed> {
        self.put(Outgoing::Frame(Box::new(frame), place)).await
    }

    /// Returns when the connection is over.
    pub(crate) async fn closed(&self) {
        self.sender.closed().await;
    }

    /// Queues what is ready to be written, and waits for room.
    pub(crate) async fn put(&self, message: Outgoing) -> Result<(), Closed> {
        self.sender.send(message).await.map_err(|_| Closed)
    }

    /// The same from a thread outside of the runtime.
    pub(crate) fn put_blocking(&self, message: Outgoing) -> Result<(), Closed> {
        self.sender.blocking_send(message).map_err(|_| Closed)
    }
}

impl Outgoing {
    fn size(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Binary(bytes) => bytes.len(),
            Self::Frame(inner, _) => inner.size(),
            Self::Ping | Self::Flush(_) | Self::Close(..) => 0,
        }
    }
}

/// A text message as it is written.
pub(crate) fn text(message: Message) -> Outgoing {
    Outgoing::Text(message.to_text().into())
}

/// A binary message as it is written; `None` for a header longer than a header can be, which ours never are.
pub(crate) fn binary(header: Header, payload: &[&[u8]]) -> Option<Outgoing> {
    aci::frame::encode(header, payload).map(|bytes| Outgoing::Binary(bytes.into()))
}
