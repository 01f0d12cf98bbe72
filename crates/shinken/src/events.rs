//! What a session says and hears, as it happens.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use serde_json::Value;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use tokio_tungstenite::tungstenite;

/// How many events are kept for a reader that is slow; the oldest make room.
const KEPT: usize = 1024;

/// Who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// This client.
    Sent,
    /// The runtime.
    Received,
}

/// One message of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// When it was written or read, since 1970.
    pub at: Duration,
    /// Who said it.
    pub direction: Direction,
    /// The message; of a binary one its header. The bytes of pictures and output are not part of it.
    pub message: Value,
    /// The size of the whole message.
    pub bytes: usize,
}

/// The messages of a session from now on, until its connection is over.
///
/// Reading it holds nothing up: where the reader is slow, the oldest events make room and are counted.
#[derive(Debug)]
pub struct Events {
    receiver: broadcast::Receiver<Arc<Event>>,
    missed: u64,
}

impl Events {
    /// The next message; `None` once the connection is over.
    ///
    /// # Cancel safety
    /// Nothing is lost when it is cancelled.
    pub async fn next(&mut self) -> Option<Arc<Event>> {
        loop {
            match self.receiver.recv().await {
                Ok(event) => return Some(event),
                Err(RecvError::Lagged(count)) => self.missed += count,
                Err(RecvError::Closed) => return None,
            }
        }
    }

    /// How many events made room before they were read.
    pub fn missed(&self) -> u64 {
        self.missed
    }
}

/// Where a connection's messages pass by. Nothing is kept, and next to nothing done, until somebody listens.
#[derive(Debug, Default)]
pub(crate) struct Tap(Mutex<State>);

#[derive(Debug, Default)]
enum State {
    #[default]
    Unheard,
    Heard(broadcast::Sender<Arc<Event>>),
    Closed,
}

impl Tap {
    /// The messages from now on; none where the connection is over.
    pub(crate) fn listen(&self) -> Events {
        let mut state = self.state();
        let receiver = match &*state {
            State::Heard(sender) => sender.subscribe(),
            State::Closed => broadcast::channel(1).1,
            State::Unheard => {
                let (sender, receiver) = broadcast::channel(KEPT);
                *state = State::Heard(sender);
                receiver
            }
        };
        Events { receiver, missed: 0 }
    }

    /// Those who listen get what was noted, and then the end.
    pub(crate) fn close(&self) {
        *self.state() = State::Closed;
    }

    /// Notes a message.
    pub(crate) fn note(&self, direction: Direction, message: &tungstenite::Message) {
        let sender = match &*self.state() {
            State::Heard(sender) if sender.receiver_count() > 0 => sender.clone(),
            _ => return,
        };
        let Some(value) = shown(message) else {
            return;
        };
        let event = Event {
            at: SystemTime::now()
                .duration_since(SystemTime::UNIX_EPOCH)
                .unwrap_or_default(),
            direction,
            message: value,
            bytes: message.len(),
        };
        // Nobody may listen any more, which is no fault.
        sender.send(Arc::new(event)).ok();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What of a message is told: all of a text without encoded bytes, the header of a binary one.
fn shown(message: &tungstenite::Message) -> Option<Value> {
    match message {
        tungstenite::Message::Text(text) => {
            let mut value = serde_json::from_str(text).ok()?;
            without_bytes(&mut value);
            Some(value)
        }
        tungstenite::Message::Binary(bytes) => {
            let (length, rest) = bytes.split_first_chunk()?;
            let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
            let header = rest.get(..length)?;
            serde_json::from_slice(header).ok()
        }
        _ => None,
    }
}

/// Takes base64 out of a message, which a peer without binary frames sends.
fn without_bytes(message: &mut Value) {
    if let Some(image) = message.get_mut("image").and_then(Value::as_object_mut) {
        image.remove("ref");
    }
    for tile in message
        .get_mut("tiles")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        if let Some(tile) = tile.as_object_mut() {
            tile.remove("ref");
        }
    }
    if let Some(fields) = message.as_object_mut() {
        fields.remove("data_b64");
        // A hello, should one ever pass by, has the token.
        fields.remove("token");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_slow_reader_is_told_what_it_missed_and_bytes_are_left_out() {
        let tap = Tap::default();
        let text = |text: &str| tungstenite::Message::text(text.to_owned());
        tap.note(Direction::Sent, &text(r#"{"n":0}"#));
        let mut events = tap.listen();
        for n in 0..KEPT + 5 {
            tap.note(
                Direction::Sent,
                &text(&format!(r#"{{"n":{n},"data_b64":"AAAA"}}"#)),
            );
        }
        let first = events.next().await.unwrap();
        assert_eq!(events.missed(), 5);
        assert_eq!(first.message, serde_json::json!({"n": 5}));
        let header = br#"{"type":"x"}"#;
        let mut binary = u32::try_from(header.len()).unwrap().to_le_bytes().to_vec();
        binary.extend(header);
        binary.extend([0; 9]);
        let mut fresh = tap.listen();
        tap.note(Direction::Received, &tungstenite::Message::binary(binary));
        let seen = fresh.next().await.unwrap();
        assert_eq!(
            (seen.direction, seen.bytes, &seen.message["type"]),
            (Direction::Received, 25, &serde_json::json!("x"))
        );
        tap.close();
        assert!(fresh.next().await.is_none());
        assert!(tap.listen().next().await.is_none());
    }
}
