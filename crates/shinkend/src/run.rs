//! Python code in an interpreter that keeps its state.
//!
//! ```text
//! sessions ──▶ Runner ─(--max-runs)─▶ Cells, one task ──▶ Interpreter: python3 with kernel.py
//!    ▲                                  │    ▲  └─ socket: cells and answers
//!    └────────── a task a result ◀──────┘    └──── pipe: what is written to 1 and 2
//! ```
//!
//! There is one interpreter for all sessions. It starts with the first cell and lives until it ends by itself, a cell does not
//! stop when it is interrupted, a client restarts it, or the daemon ends; the cell after that has a fresh one, and its result
//! says so. With an interpreter goes all that it has started. The task does one cell at a time and never waits for a client:
//! a result is sent by a task of its own, and the places for cells bound those, too.

mod answer;
mod interpreter;
mod interrupt;

use std::sync::Arc;
use std::time::Duration;

use aci::error_code::{CodedError, ErrorCode};
use aci::extension::action::RunControl;
use aci::message::ResultMsg;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

use crate::server::Daemon;
use crate::session::{Running, Session};
use answer::Outcome;
use interpreter::Interpreter;

/// How many controls may wait; each is done at once.
const CONTROLS: usize = 16;

/// Code that a client wants to be run.
#[derive(Debug)]
pub(crate) struct Cell {
    pub(crate) call_id: String,
    pub(crate) code: String,
    pub(crate) timeout: Duration,
    pub(crate) session: Session,
}

/// A cell in the queue.
#[derive(Debug)]
struct Queued {
    cell: Cell,
    /// Given back when the result has been sent.
    place: OwnedSemaphorePermit,
    beside: Running,
}

/// A control, and who waits for it.
type Controlled = (RunControl, oneshot::Sender<()>);

/// Takes cells and controls from sessions.
#[derive(Debug)]
pub(crate) struct Runner {
    places: Arc<Semaphore>,
    queue: mpsc::Sender<Queued>,
    controls: mpsc::Sender<Controlled>,
}

impl Runner {
    /// With so many places, and the task that does what comes.
    pub(crate) fn new(places: usize) -> (Self, Cells) {
        let (queue, queued) = mpsc::channel(places);
        let (controls, controlled) = mpsc::channel(CONTROLS);
        let runner = Self {
            places: Arc::new(Semaphore::new(places)),
            queue,
            controls,
        };
        let cells = Cells {
            queued,
            controlled,
            interpreter: None,
            begun: 0,
        };
        (runner, cells)
    }

    /// Puts a cell behind those that wait.
    pub(crate) fn queue(&self, cell: Cell) -> Result<(), CodedError> {
        let busy = || {
            CodedError::new(
                ErrorCode::ExecBusy,
                "as many cells wait as may; wait for the results of some",
            )
        };
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| busy())?;
        let beside = cell.session.run_beside();
        // There is room for as many as there are places.
        self.queue
            .try_send(Queued { cell, place, beside })
            .map_err(|_| busy())
    }

    /// Has a control done; what is given back is told when it is.
    pub(crate) fn control(&self, control: RunControl) -> Result<oneshot::Receiver<()>, CodedError> {
        let (done, told) = oneshot::channel();
        self.controls.try_send((control, done)).map_err(|_| {
            CodedError::new(
                ErrorCode::Busy,
                "the interpreter is being ended; try again in a moment",
            )
        })?;
        Ok(told)
    }
}

/// The task that does cells one after another.
#[derive(Debug)]
pub(crate) struct Cells {
    queued: mpsc::Receiver<Queued>,
    controlled: mpsc::Receiver<Controlled>,
    interpreter: Option<Interpreter>,
    /// How many interpreters have begun.
    begun: u64,
}

impl Cells {
    /// Works until the daemon ends.
    pub(crate) async fn work(mut self, daemon: Arc<Daemon>) {
        loop {
            tokio::select! {
                biased;
                () = daemon.shutdown.cancelled() => break,
                Some((control, done)) = self.controlled.recv() => {
                    if control == RunControl::Restart {
                        self.end().await;
                    }
                    // Whoever asked may be gone.
                    done.send(()).ok();
                }
                Some(queued) = self.queued.recv() => self.run(&daemon, queued).await,
                () = rest(self.interpreter.as_mut()) => self.end().await,
            }
        }
        self.end().await;
    }

    /// Ends the interpreter, where there is one.
    async fn end(&mut self) {
        if let Some(mut interpreter) = self.interpreter.take() {
            interpreter.end().await;
        }
    }

    /// Does a cell, unless its client is gone.
    async fn run(&mut self, daemon: &Arc<Daemon>, queued: Queued) {
        let Queued { cell, place, beside } = queued;
        if cell.session.over().is_cancelled() {
            return;
        }
        let done = self.done(daemon, &cell).await;
        daemon.desk.touch();
        daemon.tasks.spawn(async move {
            let _until_sent = (place, beside);
            let outbox = cell.session.outbox();
            // A client that is gone needs no answer.
            match done {
                Ok(outcome) => outbox.put(outcome.message(&cell)).await.ok(),
                Err(error) => outbox.send(ResultMsg::failed(cell.call_id, &error)).await.ok(),
            }
        });
    }

    async fn done(&mut self, daemon: &Arc<Daemon>, cell: &Cell) -> Result<Outcome, CodedError> {
        let interpreter = match &mut self.interpreter {
            Some(interpreter) => interpreter,
            none => {
                let fresh = Interpreter::start(daemon).await?;
                self.begun += 1;
                none.insert(fresh)
            }
        };
        let is_fresh = interpreter.cells() == 0 && self.begun > 1;
        let mut outcome = tokio::select! {
            biased;
            () = daemon.shutdown.cancelled() => {
                return Err(CodedError::new(ErrorCode::DesktopGone, "the daemon ends"));
            }
            outcome = interpreter.run(daemon, cell, &mut self.controlled) => outcome,
        };
        let last = cell.session.swap_interpreter(self.begun);
        outcome.result.restarted = is_fresh || (last != 0 && last != self.begun);
        if outcome.result.state_lost {
            self.interpreter = None;
        }
        Ok(outcome)
    }
}

/// Reads what an interpreter writes between cells; returns when it has ended.
async fn rest(interpreter: Option<&mut Interpreter>) {
    match interpreter {
        Some(interpreter) => interpreter.rest().await,
        None => std::future::pending().await,
    }
}
