//! Programs: what is run, and their streamed output.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aci::action::Action;
use aci::exec::{Channel, ExecExit};
use aci::verb::Verb;
use aci::{NonEmpty, Positive};
use bytes::Bytes;
use futures_util::Stream;
use tokio::sync::Notify;
use tokio::time::timeout_at;

use crate::connection::Pending;
use crate::error::ClientError;

/// What the contract gives a program where a call names no time.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

/// What to run and in which surroundings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exec {
    what: What,
    cwd: Option<String>,
    env: BTreeMap<String, String>,
    timeout: Option<Duration>,
    stdin: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum What {
    Argv(Vec<String>),
    Shell(String),
}

impl Exec {
    /// A program and its arguments, run directly.
    pub fn argv(argv: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self::new(What::Argv(argv.into_iter().map(Into::into).collect()))
    }

    /// A command line for `/bin/sh -c`.
    pub fn shell(line: impl Into<String>) -> Self {
        Self::new(What::Shell(line.into()))
    }

    fn new(what: What) -> Self {
        Self {
            what,
            cwd: None,
            env: BTreeMap::new(),
            timeout: None,
            stdin: None,
        }
    }

    /// The folder that it runs in.
    #[must_use]
    pub fn cwd(mut self, folder: impl Into<String>) -> Self {
        self.cwd = Some(folder.into());
        self
    }

    /// One more variable of its environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// When the runtime kills it, with all that it has started; a minute if not said. Never the client's own limit, which
    /// is longer.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// What it reads; nothing if not said.
    #[must_use]
    pub fn stdin(mut self, text: impl Into<String>) -> Self {
        self.stdin = Some(text.into());
        self
    }

    pub(crate) fn into_action(self, stream: bool) -> Result<Action, ClientError> {
        let mut action = Action::new(Verb::Exec);
        match self.what {
            What::Argv(argv) => {
                let argv = NonEmpty::new(argv)
                    .ok_or_else(|| ClientError::invalid("argv is empty; it begins with the program"))?;
                action.argv = Some(argv);
            }
            What::Shell(line) => action.shell = Some(line),
        }
        action.cwd = self.cwd;
        action.env = (!self.env.is_empty()).then_some(self.env);
        action.stdin = self.stdin;
        // Said always, so that runtime and client agree on it.
        let timeout = self.timeout.unwrap_or(DEFAULT_TIMEOUT).as_millis();
        action.timeout_ms = Some(Positive::clamped(timeout.max(1)));
        action.stream = stream.then_some(true);
        Ok(action)
    }
}

/// Something that a streamed program did.
#[derive(Debug, Clone, PartialEq)]
pub enum ExecEvent {
    /// It wrote something.
    Output {
        /// Where to.
        channel: Channel,
        /// Counts the pieces of both channels together, from 0.
        seq: u64,
        /// What.
        bytes: Bytes,
    },
    /// It ended; nothing comes after this.
    Exit(ExecExit),
}

/// The output of a running program, in the order in which it was written.
///
/// What is not read is kept up to [`crate::Options::exec_buffer_bytes`]; beyond that the stream ends with [`ClientError::Behind`],
/// because holding up the socket would hold up every other answer, and leaving something out would be a lie. Dropping it
/// leaves the program running until its own end or time.
#[derive(Debug)]
pub struct ExecStream {
    call: Pending,
    queue: Arc<ExecQueue>,
    over: bool,
}

impl ExecStream {
    pub(crate) fn new(call: Pending, queue: Arc<ExecQueue>) -> Self {
        Self {
            call,
            queue,
            over: false,
        }
    }

    /// The next event; `None` after the exit or an error.
    ///
    /// # Errors
    /// [`ClientError::Behind`]; [`ClientError::Timeout`] where the program's own time and the client's are over and nothing came; what
    /// ended the session.
    ///
    /// # Cancel safety
    /// Nothing is lost when it is cancelled.
    pub async fn next(&mut self) -> Option<Result<ExecEvent, ClientError>> {
        if self.over {
            return None;
        }
        let event = match timeout_at(self.call.deadline(), self.queue.pop()).await {
            Ok(event) => event,
            Err(_) => Err(self.call.late()),
        };
        self.over = matches!(event, Ok(ExecEvent::Exit(_)) | Err(_));
        Some(event)
    }

    /// The same as a [`Stream`].
    pub fn into_stream(self) -> impl Stream<Item = Result<ExecEvent, ClientError>> + Send + Unpin {
        Box::pin(futures_util::stream::unfold(self, |mut exec| async move {
            let event = exec.next().await?;
            Some((event, exec))
        }))
    }
}

impl Drop for ExecStream {
    fn drop(&mut self) {
        self.call.core().routes().drop_exec(self.call.id());
    }
}

/// What a program has written and nobody has read yet.
#[derive(Debug)]
pub(crate) struct ExecQueue {
    limit: usize,
    state: Mutex<Waiting>,
    news: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    events: VecDeque<ExecEvent>,
    bytes: usize,
    failed: Option<ClientError>,
}

/// What an event takes beside its bytes, so that many tiny ones count too.
const OVERHEAD: usize = 64;

fn cost(event: &ExecEvent) -> usize {
    match event {
        ExecEvent::Output { bytes, .. } => bytes.len() + OVERHEAD,
        ExecEvent::Exit(_) => 0,
    }
}

impl ExecQueue {
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            state: Mutex::default(),
            news: Notify::new(),
        })
    }

    /// Keeps an event; `false` when there is no room for it, with which the stream is over.
    pub(crate) fn push(&self, event: ExecEvent) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let cost = cost(&event);
        let room = state.bytes + cost <= self.limit;
        if room {
            state.bytes += cost;
            state.events.push_back(event);
        } else if state.failed.is_none() {
            state.failed = Some(ClientError::Behind {
                what: "a program's output".to_owned(),
                limit: self.limit,
            });
        }
        drop(state);
        self.news.notify_one();
        room
    }

    /// Ends the stream after what is kept.
    pub(crate) fn fail(&self, why: ClientError) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.failed.get_or_insert(why);
        drop(state);
        self.news.notify_one();
    }

    async fn pop(&self) -> Result<ExecEvent, ClientError> {
        loop {
            let news = self.news.notified();
            {
                let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(event) = state.events.pop_front() {
                    state.bytes -= cost(&event);
                    return Ok(event);
                }
                if let Some(why) = &state.failed {
                    return Err(why.clone());
                }
            }
            news.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(seq: u64, size: usize) -> ExecEvent {
        ExecEvent::Output {
            channel: Channel::Stdout,
            seq,
            bytes: Bytes::from(vec![b'x'; size]),
        }
    }

    #[tokio::test]
    async fn a_reader_that_is_too_slow_hears_it_after_everything_that_was_kept() {
        let queue = ExecQueue::new(1000);
        assert!(queue.push(output(0, 400)));
        assert!(queue.push(output(1, 400)));
        assert!(!queue.push(output(2, 400)));
        assert_eq!(queue.pop().await.unwrap(), output(0, 400));
        assert_eq!(queue.pop().await.unwrap(), output(1, 400));
        assert!(matches!(
            queue.pop().await,
            Err(ClientError::Behind { limit: 1000, .. })
        ));
    }

    #[test]
    fn the_timeout_is_always_said() {
        let action = Exec::argv(["true"]).into_action(false).unwrap();
        assert_eq!(action.timeout_ms.unwrap().get(), 60_000);
        let action = Exec::shell("x")
            .timeout(Duration::ZERO)
            .into_action(true)
            .unwrap();
        assert_eq!((action.timeout_ms.unwrap().get(), action.stream), (1, Some(true)));
        assert!(Exec::argv(Vec::<String>::new()).into_action(false).is_err());
    }
}
