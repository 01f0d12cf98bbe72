//! The way of a screencast to another connection, when its own is lost.

use std::sync::Arc;
use std::time::Duration;

use aci::error_code::ErrorCode;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout_at};
use tokio_util::sync::CancellationToken;

use super::{Cast, CastQueue, begin};
use crate::client::Client;
use crate::connection::Connection;
use crate::error::{ClientError, Limit};
use crate::options::Reconnect;

/// The longest wait between two attempts to connect again.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// The stream on its new connection.
#[derive(Debug)]
pub(super) struct Resumed {
    pub(super) connection: Arc<Connection>,
    pub(super) queue: Arc<CastQueue>,
}

/// A task that makes the connection again. It does not depend on who waits for it: its time is over when it is over, however
/// often the wait is cancelled and begun anew.
#[derive(Debug)]
pub(super) struct Resuming {
    client: Client,
    task: Option<JoinHandle<Result<Resumed, ClientError>>>,
    abandoned: CancellationToken,
}

impl Resuming {
    /// Begins, where it can help and is wished for; gives back why the connection was lost where not.
    pub(super) fn begin(
        why: ClientError,
        client: &Client,
        lost: &Arc<Connection>,
        cast: Cast,
        resume: Option<String>,
    ) -> Result<Self, ClientError> {
        let can_help = matches!(why, ClientError::SandboxDied { .. } | ClientError::Closed { .. });
        let Some(plan) = client.options().reconnect.filter(|_| can_help) else {
            return Err(why);
        };
        tracing::debug!("the connection of a screencast was lost, trying again: {why}");
        let abandoned = CancellationToken::new();
        let way = Way {
            client: client.clone(),
            lost: Arc::clone(lost),
            cast,
            resume,
            plan,
            abandoned: abandoned.clone(),
        };
        Ok(Self {
            client: client.clone(),
            task: Some(tokio::spawn(way.go(why))),
            abandoned,
        })
    }

    /// How it ended.
    ///
    /// # Cancel safety
    /// The task goes on when it is cancelled, and can be waited for again.
    pub(super) async fn done(&mut self) -> Result<Resumed, ClientError> {
        let Some(task) = &mut self.task else {
            return Err(ClientError::ClosedHere);
        };
        let done = task.await;
        self.task = None;
        done.unwrap_or(Err(ClientError::ClosedHere))
    }
}

impl Drop for Resuming {
    fn drop(&mut self) {
        self.abandoned.cancel();
        let (Some(task), Ok(runtime)) = (self.task.take(), tokio::runtime::Handle::try_current()) else {
            return;
        };
        // What it may have begun all the same is for nobody.
        let client = self.client.clone();
        runtime.spawn(async move {
            if let Ok(Ok(Resumed { connection, queue })) = task.await
                && connection.core().routes().drop_cast(&queue)
            {
                client.stop_on(&connection).await.ok();
            }
        });
    }
}

/// What the task needs.
struct Way {
    client: Client,
    lost: Arc<Connection>,
    cast: Cast,
    resume: Option<String>,
    plan: Reconnect,
    abandoned: CancellationToken,
}

impl Way {
    async fn go(self, why: ClientError) -> Result<Resumed, ClientError> {
        let deadline = Instant::now() + self.plan.within;
        let mut waits = Waits::new(self.plan);
        loop {
            let attempt = match timeout_at(deadline, self.attempt()).await {
                Ok(attempt) => attempt,
                Err(_) => Err(late(self.plan)),
            };
            match attempt {
                Ok(resumed) => return Ok(resumed),
                Err(error) if !worth_another(&error) => return Err(error),
                Err(error) => {
                    let wait = waits.next();
                    if Instant::now() + wait >= deadline {
                        // That it died says more than that it is still dead.
                        tracing::debug!("the last attempt to connect again: {error}");
                        return Err(why);
                    }
                    tokio::select! {
                        () = sleep(wait) => {}
                        () = self.abandoned.cancelled() => return Err(ClientError::ClosedHere),
                    }
                }
            }
        }
    }

    async fn attempt(&self) -> Result<Resumed, ClientError> {
        let connection = tokio::select! {
            connection = self.client.replace(&self.lost) => connection?,
            () = self.abandoned.cancelled() => return Err(ClientError::ClosedHere),
        };
        let queue = begin(&self.client, &connection, &self.cast, self.resume.as_deref()).await?;
        Ok(Resumed { connection, queue })
    }
}

/// Growing waits between attempts.
#[derive(Debug)]
pub(crate) struct Waits(Duration);

impl Waits {
    pub(crate) fn new(plan: Reconnect) -> Self {
        Self(plan.first_wait)
    }

    pub(crate) fn next(&mut self) -> Duration {
        let wait = self.0.clamp(Duration::from_millis(1), LONGEST_WAIT);
        self.0 = wait * 2;
        wait
    }
}

/// Whether trying again may end better.
pub(crate) fn worth_another(error: &ClientError) -> bool {
    match error {
        ClientError::SandboxDied { .. }
        | ClientError::Connect { .. }
        | ClientError::Closed { .. }
        | ClientError::Handshake { .. }
        | ClientError::Timeout {
            limit: Limit::Connect | Limit::Handshake | Limit::Call,
            ..
        } => true,
        // The runtime may not have noticed yet that the old connection is gone.
        ClientError::Refused { code, .. } => *code == ErrorCode::Busy,
        _ => false,
    }
}

pub(crate) fn late(plan: Reconnect) -> ClientError {
    ClientError::Timeout {
        what: "connecting again".to_owned(),
        after: plan.within,
        limit: Limit::Reconnect,
    }
}
