//! What waits to be written to one client.
//!
//! The queue has a bound of 32. Answers wait for room in it; frames of a screencast are not made at all while the client
//! is behind ([`Outbox::room_for_frame`]).

use std::sync::Arc;

use aci::frame::Header;
use aci::message::Message;
use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_tungstenite::tungstenite::Utf8Bytes;

/// How many messages may wait, as the contract says.
const CAPACITY: usize = 32;
/// How many of them may be frames. More would only be old pictures, and a picture can have megabytes.
const FRAMES: usize = 2;

/// One message to write.
#[derive(Debug)]
pub(crate) enum Outgoing {
    Text(Utf8Bytes),
    Binary(Bytes),
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
}

/// The connection is over, so there is nobody to write to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Closed;

impl Outbox {
    /// An empty queue and its reading side.
    pub(crate) fn new() -> (Self, mpsc::Receiver<Outgoing>) {
        let (sender, receiver) = mpsc::channel(CAPACITY);
        (
            Self {
                sender,
                frames: Arc::new(Semaphore::new(FRAMES)),
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
        // A connection that is over already needs no close.
        self.put(Outgoing::Close(code, reason.to_owned())).await.ok();
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

    async fn put(&self, message: Outgoing) -> Result<(), Closed> {
        self.sender.send(message).await.map_err(|_| Closed)
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
