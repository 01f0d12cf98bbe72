//! One WebSocket: a task reads it, callers write to it themselves.
//!
//! ```text
//! caller ── lock ──▶ sink ──▶ socket ──▶ reader ──▶ routes ──▶ caller | queue of a stream
//! ```
//!
//! A caller that writes its own message saves a switch of tasks each way. Reading never waits for anybody: answers go
//! into one-shot channels, frames and output into queues that bound themselves.

mod reader;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aci::extension::Extensions;
use aci::message::{Message, Ping};
use aci::welcome::Welcome;
use futures_util::stream::SplitSink;
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_tungstenite::tungstenite;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, frame::coding::CloseCode};
use tokio_util::sync::CancellationToken;

use crate::allowance::Allowance;
use crate::error::{ClientError, Limit};
use crate::events::{Direction, Events, Tap};
use crate::handshake::{Greeted, Socket};
use crate::reply::Answer;
use crate::routes::{Call, Opens, Routes};
pub(crate) use reader::{broken, closed, died};

/// How long a broken write waits for the reader to learn the real reason, which a close frame may tell.
const REASON: Duration = Duration::from_secs(1);

/// A connection that has been welcomed; dropping it ends it.
#[derive(Debug)]
pub(crate) struct Connection {
    core: Arc<Core>,
    welcome: Welcome,
    reader: JoinHandle<()>,
}

/// What the reader and the callers share.
pub(crate) struct Core {
    /// Gone once the connection is over, so that the socket is closed whoever still holds the core.
    sink: tokio::sync::Mutex<Option<SplitSink<Socket, tungstenite::Message>>>,
    /// The largest message that the peer takes, where it has said so.
    takes: Option<usize>,
    /// What the peer offers beyond the contract.
    extensions: Extensions,
    routes: Mutex<Routes>,
    next: AtomicU64,
    over: CancellationToken,
    log_file: Option<PathBuf>,
    tap: Tap,
}

impl std::fmt::Debug for Core {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Core")
            .field("routes", &self.routes)
            .finish_non_exhaustive()
    }
}

/// A call that has been noted and will be, or was, written.
#[derive(Debug)]
pub(crate) struct Pending {
    core: Arc<Core>,
    id: u64,
    what: String,
    first: Option<oneshot::Receiver<Answer>>,
    then: Option<oneshot::Receiver<Answer>>,
    after: Duration,
    limit: Limit,
    deadline: Instant,
}

impl Connection {
    pub(crate) fn start(greeted: Greeted, keep_alive: Option<Duration>, log_file: Option<PathBuf>) -> Self {
        let Greeted {
            socket,
            welcome,
            extensions,
            takes,
            heard,
        } = greeted;
        let (sink, source) = socket.split();
        let core = Arc::new(Core {
            sink: tokio::sync::Mutex::new(Some(sink)),
            takes,
            extensions,
            routes: Mutex::default(),
            next: AtomicU64::new(1),
            over: CancellationToken::new(),
            log_file,
            tap: Tap::default(),
        });
        let reader = tokio::spawn(reader::read(
            Arc::clone(&core),
            source,
            keep_alive.map(|silence| (silence, heard)),
        ));
        Self {
            core,
            welcome,
            reader,
        }
    }

    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.core
    }

    pub(crate) fn welcome(&self) -> &Welcome {
        &self.welcome
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.reader.abort();
        // Somebody may still hold the core and wait.
        self.core.finish(ClientError::ClosedHere);
        // Who writes at this moment lets go of the socket by the end of the core.
        if let Ok(mut sink) = self.core.sink.try_lock() {
            sink.take();
        }
    }
}

impl Core {
    pub(crate) fn routes(&self) -> MutexGuard<'_, Routes> {
        self.routes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the peer offers beyond the contract.
    pub(crate) fn extensions(&self) -> &Extensions {
        &self.extensions
    }

    /// Why the connection is over, where it is.
    pub(crate) fn ended(&self) -> Option<ClientError> {
        self.routes().end().cloned()
    }

    /// What passes by from now on.
    pub(crate) fn listen(&self) -> Events {
        self.tap.listen()
    }

    fn finish(&self, why: ClientError) {
        self.routes().finish(why);
        self.tap.close();
        self.over.cancel();
    }

    /// Notes a call under a new number.
    pub(crate) fn begin(
        self: &Arc<Self>,
        what: String,
        allowance: Allowance,
        observes: bool,
        opens: Option<Opens>,
    ) -> Result<Pending, ClientError> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (answer, first) = oneshot::channel();
        let (observation, then) = if observes {
            let (sender, receiver) = oneshot::channel();
            (Some(sender), Some(receiver))
        } else {
            (None, None)
        };
        let call = Call {
            holds_up: allowance.holds_up,
            cell: allowance.cell,
            first: Some(answer),
            then: observation,
            opens,
        };
        let before = self.routes().add_call(id, call)?;
        let after = match allowance.limit {
            Limit::Deadline => allowance.after,
            _ => allowance.after + allowance.own + before,
        };
        Ok(Pending {
            core: Arc::clone(self),
            id,
            what,
            first: Some(first),
            then,
            after,
            limit: allowance.limit,
            // Decades from now is as good as never, and has no overflow.
            deadline: Instant::now() + after.min(Duration::from_secs(1 << 30)),
        })
    }

    /// Writes messages one after another without anything between them; none of them where the peer does not take one.
    ///
    /// Not cancel safe in the sense that what was begun to be written is written.
    pub(crate) async fn write(
        &self,
        messages: Vec<tungstenite::Message>,
        deadline: Instant,
    ) -> Result<(), WriteError> {
        let largest = messages.iter().map(tungstenite::Message::len).max().unwrap_or(0);
        if let Some(takes) = self.takes.filter(|takes| largest > *takes) {
            return Err(WriteError::Over(ClientError::TooBig {
                detail: format!(
                    "a request of {largest} bytes was not sent because the runtime takes {takes}; send less at a time, or \
                     start the runtime with a larger --max-message-bytes"
                ),
                ended: false,
            }));
        }
        let writing = async {
            let mut sink = self.sink.lock().await;
            let Some(sink) = sink.as_mut() else {
                return Err(tungstenite::Error::AlreadyClosed);
            };
            for message in messages {
                self.tap.note(Direction::Sent, &message);
                sink.feed(message).await?;
            }
            sink.flush().await
        };
        let written = tokio::select! {
            biased;
            written = timeout_at(deadline, writing) => written,
            // A socket that takes nothing any more holds nobody longer than the connection lives.
            () = self.over.cancelled() => {
                return Err(WriteError::Over(self.ended().unwrap_or(ClientError::ClosedHere)));
            }
        };
        match written {
            Err(_) => Err(WriteError::Late),
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(WriteError::Over(self.broken(&error, largest).await)),
        }
    }

    /// Lets go of the socket.
    async fn hang_up(&self) {
        if let Some(mut sink) = self.sink.lock().await.take() {
            // The peer may be gone, or take nothing any more.
            timeout(REASON, sink.close()).await.ok();
        }
    }

    /// Why a write failed.
    async fn broken(&self, error: &tungstenite::Error, size: usize) -> ClientError {
        // The peer may have said why before it hung up.
        timeout(REASON, self.over.cancelled()).await.ok();
        self.ended().unwrap_or_else(|| ClientError::SandboxDied {
            why: format!("a message of {size} bytes could not be written: {error}"),
            log: Vec::new(),
        })
    }

    /// The time until a pong.
    pub(crate) async fn ping(&self, within: Duration) -> Result<Duration, ClientError> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, pong) = oneshot::channel();
        self.routes().add_ping(id, sender)?;
        let begun = Instant::now();
        let deadline = begun + within;
        let late = || ClientError::Timeout {
            what: "a ping".to_owned(),
            after: within,
            limit: Limit::Call,
        };
        let outcome = async {
            self.write(vec![ping(id)], deadline)
                .await
                .map_err(|error| match error {
                    WriteError::Late => late(),
                    WriteError::Over(error) => error,
                })?;
            match timeout_at(deadline, pong).await {
                Err(_) => Err(late()),
                Ok(Ok(())) => Ok(begun.elapsed()),
                Ok(Err(_)) => Err(self.ended().unwrap_or(ClientError::ClosedHere)),
            }
        };
        let outcome = outcome.await;
        self.routes().drop_call(id);
        outcome
    }

    /// Says goodbye and ends.
    pub(crate) async fn close(&self, within: Duration) {
        let goodbye = CloseFrame {
            code: CloseCode::Normal,
            reason: tungstenite::Utf8Bytes::from_static(""),
        };
        let message = tungstenite::Message::Close(Some(goodbye));
        self.routes().finish(ClientError::ClosedHere);
        // A peer that is gone needs no goodbye.
        if self.write(vec![message], Instant::now() + within).await.is_ok() {
            timeout(within, self.over.cancelled()).await.ok();
        }
        self.over.cancel();
    }
}

/// Why messages were not written.
#[derive(Debug)]
pub(crate) enum WriteError {
    /// The deadline was over.
    Late,
    /// The connection is over.
    Over(ClientError),
}

impl Pending {
    /// The name under which the call travels.
    pub(crate) fn call_id(&self) -> String {
        self.id.to_string()
    }

    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.core
    }

    pub(crate) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// What is said when the deadline is over.
    pub(crate) fn late(&self) -> ClientError {
        ClientError::Timeout {
            what: self.what.clone(),
            after: self.after,
            limit: self.limit,
        }
    }

    /// Writes the message with which the call travels.
    pub(crate) async fn send(&self, message: impl Into<Message>) -> Result<(), ClientError> {
        self.send_text(text(message)).await
    }

    /// Writes a text that is that message.
    pub(crate) async fn send_text(&self, text: tungstenite::Message) -> Result<(), ClientError> {
        self.core
            .write(vec![text], self.deadline)
            .await
            .map_err(|error| self.write_failed(error))
    }

    pub(crate) fn write_failed(&self, error: WriteError) -> ClientError {
        match error {
            WriteError::Late => self.late(),
            WriteError::Over(error) => error,
        }
    }

    /// The answer.
    pub(crate) async fn answer(&mut self) -> Answer {
        let waiting = self.first.take();
        self.wait(waiting).await
    }

    /// The observation after the answer.
    pub(crate) async fn observation(&mut self) -> Answer {
        let waiting = self.then.take();
        self.wait(waiting).await
    }

    async fn wait(&self, waiting: Option<oneshot::Receiver<Answer>>) -> Answer {
        let Some(waiting) = waiting else {
            return Err(ClientError::invalid("the answer was taken already"));
        };
        match timeout_at(self.deadline, waiting).await {
            Err(_) => Err(self.late()),
            Ok(Ok(answer)) => answer,
            // Only the end of the connection drops a call that is waited for.
            Ok(Err(_)) => Err(self.core.ended().unwrap_or(ClientError::ClosedHere)),
        }
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.core.routes().drop_call(self.id);
    }
}

/// A message as it is written.
pub(crate) fn text(message: impl Into<Message>) -> tungstenite::Message {
    tungstenite::Message::text(message.into().to_text())
}

/// A message beyond the contract as it is written.
pub(crate) fn text_beyond(message: impl aci::Wire) -> tungstenite::Message {
    tungstenite::Message::text(aci::extension::to_text(message))
}

fn ping(id: u64) -> tungstenite::Message {
    text(Ping {
        t: aci::Number::new(id as f64),
    })
}
