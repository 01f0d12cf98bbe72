//! Programs that are run for a client, with their output.
//!
//! A program leads a session and process group of its own and carries two marks in its environment: the daemon's, by which
//! the guard finds it after the daemon's death, and one of this call, by which also its descendants in other sessions are
//! found when its time is over or its client is gone. What it leaves in the background after a normal end stays running
//! until the daemon ends.

mod buffered;
mod command;
mod life;
mod pipes;
mod streamed;
mod text;

use std::sync::Arc;
use std::time::Duration;

use aci::error_code::{CodedError, ErrorCode};
use tokio::sync::OwnedSemaphorePermit;

use crate::outbox::Closed;
use crate::server::Daemon;
use crate::session::{Running, Session};
pub(crate) use buffered::buffered;
pub(crate) use command::{What, base_environment, put_under_guard};
use life::Program;
pub(crate) use life::{call_mark, end_all, group_of};
pub(crate) use streamed::streamed;
pub(crate) use text::Text;

/// A program that may be started: what is asked for, and a place among those that run.
#[derive(Debug)]
pub(crate) struct Order {
    pub(crate) call_id: String,
    pub(crate) what: What,
    pub(crate) stdin: Option<String>,
    pub(crate) timeout: Duration,
    place: OwnedSemaphorePermit,
    beside: Running,
}

impl Order {
    /// Gets a place.
    pub(crate) fn new(
        session: &Session,
        call_id: &str,
        what: What,
        stdin: Option<String>,
        timeout: Duration,
    ) -> Result<Self, CodedError> {
        let place = Arc::clone(&session.daemon().execs)
            .try_acquire_owned()
            .map_err(|_| {
                CodedError::new(
                    ErrorCode::ExecBusy,
                    "as many programs run as may; wait for one of them to end",
                )
            })?;
        let beside = session.run_beside();
        Ok(Self {
            call_id: call_id.to_owned(),
            what,
            stdin,
            timeout,
            place,
            beside,
        })
    }

    /// Starts the program; the order's place is given back when it ends, not when its output has been taken.
    fn start(self, daemon: &Daemon) -> (String, Running, Result<Program, CodedError>) {
        let Self {
            call_id,
            what,
            stdin,
            timeout,
            place,
            beside,
        } = self;
        (
            call_id,
            beside,
            Program::start(daemon, &what, stdin, timeout, place),
        )
    }
}

/// What the output is handed to, piece by piece.
trait Taker: Send {
    /// Takes a piece; the program is held up until it has been taken.
    fn take(&mut self, piece: pipes::Piece) -> impl Future<Output = Result<(), Closed>> + Send;
}

/// Hands over all output until there is no more; a taker that has gone is no reason to stop draining.
async fn hand_over(mut pieces: tokio::sync::mpsc::Receiver<pipes::Piece>, taker: &mut impl Taker) {
    let mut gone = false;
    while let Some(piece) = pieces.recv().await {
        if !gone {
            gone = taker.take(piece).await.is_err();
        }
    }
}
