//! Which streams can be gone on with after a connection was lost.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

use super::{Counter, advance};

/// How long a stream is remembered after its last use.
const KEPT: Duration = Duration::from_secs(600);
/// How many are remembered; beyond that the one that was used longest ago is forgotten.
const CAPACITY: usize = 256;

/// The streams of one daemon.
#[derive(Debug, Default)]
pub(crate) struct Streams(Mutex<HashMap<String, Stream>>);

#[derive(Debug)]
struct Stream {
    counter: Counter,
    holder: CancellationToken,
    used: Instant,
}

/// The right to send on a stream.
#[derive(Debug)]
pub(crate) struct Lease {
    id: String,
    counter: Counter,
    taken: CancellationToken,
}

impl Streams {
    /// The stream `resume` where it is remembered, a fresh one otherwise. Whoever sends on it still, on a connection that
    /// is dead without knowing it, loses it.
    pub(crate) fn lease(&self, resume: Option<&str>) -> Lease {
        let mut streams = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        streams.retain(|_, stream| {
            now.duration_since(stream.used) < KEPT || Arc::strong_count(&stream.counter) > 1
        });
        let taken = CancellationToken::new();
        if let Some(stream) = resume.and_then(|id| streams.get_mut(id)) {
            std::mem::replace(&mut stream.holder, taken.clone()).cancel();
            stream.used = now;
            let counter = Arc::clone(&stream.counter);
            return Lease {
                id: resume.unwrap_or_default().to_owned(),
                counter,
                taken,
            };
        }
        if streams.len() >= CAPACITY
            && let Some(oldest) = streams
                .iter()
                .min_by_key(|(_, stream)| stream.used)
                .map(|(id, _)| id.clone())
        {
            streams.remove(&oldest);
        }
        let id = format!("s{:016x}", crate::guard::random());
        let counter = Counter::default();
        let stream = Stream {
            counter: Arc::clone(&counter),
            holder: taken.clone(),
            used: now,
        };
        streams.insert(id.clone(), stream);
        Lease { id, counter, taken }
    }
}

impl Lease {
    /// The stream's name.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// The number of the next frame, sent or missed.
    pub(crate) fn next_seq(&self) -> u64 {
        advance(&self.counter)
    }

    /// Returns when somebody else has taken the stream.
    pub(crate) async fn taken_over(&self) {
        self.taken.cancelled().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_resumed_stream_goes_on_counting_and_the_old_holder_loses_it() {
        let streams = Streams::default();
        let first = streams.lease(None);
        assert_eq!((first.next_seq(), first.next_seq()), (0, 1));
        let second = streams.lease(Some(first.id()));
        first.taken_over().await;
        assert_eq!(second.id(), first.id());
        assert_eq!(second.next_seq(), 2);
        let other = streams.lease(Some("unknown"));
        assert_ne!(other.id(), second.id());
        assert_eq!(other.next_seq(), 0);
    }
}
