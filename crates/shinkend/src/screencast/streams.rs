//! Which streams can be gone on with after a connection was lost.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// How long a stream is remembered after its last use.
const KEPT: Duration = Duration::from_secs(600);
/// How many are remembered; beyond that the one that was used longest ago is forgotten.
const CAPACITY: usize = 256;

/// The streams of one daemon.
#[derive(Debug, Default)]
pub(crate) struct Streams(Mutex<HashMap<String, Stream>>);

#[derive(Debug)]
struct Stream {
    state: Arc<State>,
    holder: CancellationToken,
}

/// What a stream's holders share, one after another.
#[derive(Debug)]
struct State {
    /// The number of the next frame.
    next: AtomicU64,
    /// When somebody last began or ceased to send on it.
    used: Mutex<Instant>,
}

/// The right to send on a stream.
#[derive(Debug)]
pub(crate) struct Lease {
    id: String,
    state: Arc<State>,
    taken: CancellationToken,
}

impl Streams {
    /// The stream with this name, where it is remembered. Whoever sends on it still, on a connection that is dead without
    /// knowing it, loses it.
    pub(crate) fn resume(&self, id: &str) -> Option<Lease> {
        let mut streams = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        streams.retain(|_, stream| stream.is_remembered());
        let stream = streams.get_mut(id)?;
        let taken = CancellationToken::new();
        std::mem::replace(&mut stream.holder, taken.clone()).cancel();
        stream.state.touch();
        Some(Lease {
            id: id.to_owned(),
            state: Arc::clone(&stream.state),
            taken,
        })
    }

    /// A fresh stream.
    pub(crate) fn begin(&self) -> Lease {
        let mut streams = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        streams.retain(|_, stream| stream.is_remembered());
        if streams.len() >= CAPACITY
            && let Some(oldest) = streams
                .iter()
                .min_by_key(|(_, stream)| (stream.is_held(), stream.state.used()))
                .map(|(id, _)| id.clone())
        {
            streams.remove(&oldest);
        }
        let id = format!("s{:016x}", crate::guard::random());
        let taken = CancellationToken::new();
        let state = Arc::new(State {
            next: AtomicU64::new(0),
            used: Mutex::new(Instant::now()),
        });
        let stream = Stream {
            state: Arc::clone(&state),
            holder: taken.clone(),
        };
        streams.insert(id.clone(), stream);
        Lease { id, state, taken }
    }
}

impl Stream {
    /// Whether somebody sends on it.
    fn is_held(&self) -> bool {
        Arc::strong_count(&self.state) > 1
    }

    fn is_remembered(&self) -> bool {
        self.is_held() || self.state.used().elapsed() < KEPT
    }
}

impl State {
    fn used(&self) -> Instant {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn touch(&self) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }
}

impl Lease {
    /// The stream's name.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// The number of the next frame, sent or missed.
    pub(crate) fn next_seq(&self) -> u64 {
        self.state.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Returns when somebody else has taken the stream.
    pub(crate) async fn taken_over(&self) {
        self.taken.cancelled().await;
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // The time in which it can be gone on with begins now, however long it has run.
        self.state.touch();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_resumed_stream_goes_on_counting_and_the_old_holder_loses_it() {
        let streams = Streams::default();
        let first = streams.begin();
        assert_eq!((first.next_seq(), first.next_seq()), (0, 1));
        let second = streams.resume(first.id()).unwrap();
        first.taken_over().await;
        assert_eq!(second.id(), first.id());
        assert_eq!(second.next_seq(), 2);
        assert!(streams.resume("unknown").is_none());
        let other = streams.begin();
        assert_ne!(other.id(), second.id());
        assert_eq!(other.next_seq(), 0);
    }

    /// Lets the stream's last use be longer ago than streams are kept.
    fn age(streams: &Streams, id: &str) {
        let streams = streams.0.lock().unwrap();
        let long_ago = Instant::now().checked_sub(KEPT * 2).unwrap();
        *streams[id].state.used.lock().unwrap() = long_ago;
    }

    #[tokio::test]
    async fn a_stream_is_kept_from_its_end_on_and_not_from_its_beginning() {
        let streams = Streams::default();
        let long = streams.begin();
        let id = long.id().to_owned();
        age(&streams, &id);
        drop(long);
        let again = streams.resume(&id).unwrap();
        drop(again);
        age(&streams, &id);
        assert!(streams.resume(&id).is_none());
    }

    #[tokio::test]
    async fn a_stream_that_runs_is_not_forgotten_for_those_that_ended() {
        let streams = Streams::default();
        let running = streams.begin();
        for _ in 0..CAPACITY * 2 {
            streams.begin();
        }
        assert!(streams.resume(running.id()).is_some());
    }
}
