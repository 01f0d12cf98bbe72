//! The calls of one client, done in the order in which they came.
//!
//! `exec` is started in that order and then runs beside the others; everything else is over before the next begins.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use a11y::view::View;
use aci::error_code::{CodedError, ErrorCode};
use aci::extension::{ExtendedActionMsg, ExtendedQuery};
use aci::message::{Ack, ActionMsg, Query, ResultMsg};
use aci::verb::{Call, Reply as ReplyKind};
use desktop::backend::Holder;
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::elements::Elements;
use crate::outbox::{Closed, Outbox};
use crate::reply::{Outcome, Reply};
use crate::screencast::Cast;
use crate::server::Daemon;
use crate::verbs;

/// How many calls a client may have sent ahead; after that its socket is not read until there is room.
const CALLS_AHEAD: usize = 64;

/// What the verbs of one client share.
#[derive(Debug, Clone)]
pub(crate) struct Session(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    daemon: Arc<Daemon>,
    outbox: Outbox,
    binary: bool,
    holder: Holder,
    next_observation: AtomicU64,
    running: AtomicUsize,
    cast: Mutex<Option<Cast>>,
    view: Mutex<View>,
    interpreter: AtomicU64,
    over: CancellationToken,
}

impl Session {
    pub(crate) fn new(daemon: Arc<Daemon>, outbox: Outbox, binary: bool) -> Self {
        let diff_lines = daemon.limits.diff_lines;
        let holder = Holder(daemon.next_session.fetch_add(1, Ordering::Relaxed));
        Self(Arc::new(Inner {
            daemon,
            outbox,
            binary,
            holder,
            next_observation: AtomicU64::new(1),
            running: AtomicUsize::new(0),
            cast: Mutex::new(None),
            view: Mutex::new(View::new(diff_lines)),
            interpreter: AtomicU64::new(0),
            over: CancellationToken::new(),
        }))
    }

    /// The daemon that it belongs to.
    pub(crate) fn daemon(&self) -> &Arc<Daemon> {
        &self.0.daemon
    }

    /// Where its answers go.
    pub(crate) fn outbox(&self) -> &Outbox {
        &self.0.outbox
    }

    /// Whether pictures and output go as binary messages.
    pub(crate) fn is_binary(&self) -> bool {
        self.0.binary
    }

    /// In whose name it holds keys and buttons.
    pub(crate) fn holder(&self) -> Holder {
        self.0.holder
    }

    /// A new name for an observation.
    pub(crate) fn observation_id(&self) -> String {
        format!("o{}", self.0.next_observation.fetch_add(1, Ordering::Relaxed))
    }

    /// Its screencast.
    pub(crate) fn cast(&self) -> &Mutex<Option<Cast>> {
        &self.0.cast
    }

    /// The accessibility engine.
    pub(crate) fn elements(&self) -> Result<&Elements, CodedError> {
        self.0.daemon.elements.as_ref().ok_or_else(|| {
            CodedError::new(
                ErrorCode::Unsupported,
                "this daemon was started with --no-structured-observation; use pictures and pixels",
            )
        })
    }

    /// What it has seen of the accessibility tree.
    pub(crate) fn view(&self) -> &Mutex<View> {
        &self.0.view
    }

    /// Notes which interpreter of `run` it has a result of; that of its last one, 0 before the first.
    pub(crate) fn swap_interpreter(&self, number: u64) -> u64 {
        self.0.interpreter.swap(number, Ordering::Relaxed)
    }

    /// Cancelled when the client is gone.
    pub(crate) fn over(&self) -> &CancellationToken {
        &self.0.over
    }

    /// Counts something that runs beside the calls, until it is dropped.
    pub(crate) fn run_beside(&self) -> Running {
        self.0.running.fetch_add(1, Ordering::Relaxed);
        Running(self.clone())
    }

    /// Whether a program or a screencast of this session runs.
    pub(crate) fn is_busy(&self) -> bool {
        self.0.running.load(Ordering::Relaxed) > 0
    }
}

/// Something of a session that runs beside its calls.
#[derive(Debug)]
pub(crate) struct Running(Session);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.0.running.fetch_sub(1, Ordering::Relaxed);
    }
}

enum Job {
    Action(Box<ActionMsg>),
    Query(Query),
    ExtendedAction(Box<ExtendedActionMsg>),
    ExtendedQuery(ExtendedQuery),
}

/// The task that does a session's calls one after another.
#[derive(Debug)]
pub(crate) struct Calls {
    session: Session,
    jobs: mpsc::Sender<Job>,
    task: JoinHandle<()>,
}

impl Calls {
    /// Starts the task.
    pub(crate) fn start(session: Session) -> Self {
        let (jobs, queue) = mpsc::channel(CALLS_AHEAD);
        let task = session.daemon().tasks.spawn(work(session.clone(), queue));
        Self { session, jobs, task }
    }

    /// Queues an action; waits while too many are ahead.
    pub(crate) async fn action(&self, action: ActionMsg) -> Result<(), Closed> {
        self.jobs
            .send(Job::Action(Box::new(action)))
            .await
            .map_err(|_| Closed)
    }

    /// Queues a query; waits while too many are ahead.
    pub(crate) async fn query(&self, query: Query) -> Result<(), Closed> {
        self.jobs.send(Job::Query(query)).await.map_err(|_| Closed)
    }

    /// Queues an action beyond the contract; waits while too many are ahead.
    pub(crate) async fn extended_action(&self, action: ExtendedActionMsg) -> Result<(), Closed> {
        self.jobs
            .send(Job::ExtendedAction(Box::new(action)))
            .await
            .map_err(|_| Closed)
    }

    /// Queues a query beyond the contract; waits while too many are ahead.
    pub(crate) async fn extended_query(&self, query: ExtendedQuery) -> Result<(), Closed> {
        self.jobs
            .send(Job::ExtendedQuery(query))
            .await
            .map_err(|_| Closed)
    }

    /// Ends the session: its programs and its screencast end, and what it holds down is released.
    pub(crate) async fn end(self) {
        let Self { session, jobs, task } = self;
        session.over().cancel();
        drop(jobs);
        let stop = task.abort_handle();
        // The call at hand sees the cancellation; one that does not is cut off.
        if tokio::time::timeout(Duration::from_millis(500), task)
            .await
            .is_err()
        {
            stop.abort();
        }
        if let Some(cast) = session.cast().lock().await.take() {
            cast.stop().await;
        }
        // Last, so that no call at hand presses anything after it.
        session.daemon().desk.release(session.holder()).await;
    }
}

async fn work(session: Session, mut queue: mpsc::Receiver<Job>) {
    loop {
        let job = tokio::select! {
            biased;
            () = session.over().cancelled() => return,
            job = queue.recv() => job,
        };
        let done = match job {
            None => return,
            Some(Job::Action(message)) => tokio::select! {
                biased;
                done = act(&session, *message) => done,
                () = session.over().cancelled() => return,
            },
            Some(Job::ExtendedAction(message)) => tokio::select! {
                biased;
                done = act_beyond(&session, *message) => done,
                () = session.over().cancelled() => return,
            },
            Some(Job::Query(query)) => ask(&session, query).await,
            Some(Job::ExtendedQuery(query)) => ask_beyond(&session, query).await,
        };
        if done.is_err() {
            return;
        }
    }
}

async fn ask(session: &Session, query: Query) -> Result<(), Closed> {
    let answer = match verbs::query::answer(session, query.q).await {
        Ok(value) => ResultMsg::value(query.call_id, value),
        Err(error) => ResultMsg::failed(query.call_id, &error),
    };
    session.outbox().send(answer).await
}

async fn ask_beyond(session: &Session, query: ExtendedQuery) -> Result<(), Closed> {
    let answer = match verbs::query::answer_beyond(session, query.q).await {
        Ok(value) => ResultMsg::value(query.call_id, value),
        Err(error) => ResultMsg::failed(query.call_id, &error),
    };
    session.outbox().send(answer).await
}

async fn act_beyond(session: &Session, message: ExtendedActionMsg) -> Result<(), Closed> {
    let ExtendedActionMsg { call_id, action } = message;
    let (observe, reply) = (action.observe(), action.reply());
    let outcome = verbs::perform_beyond(session, &call_id, action).await;
    let worked = outcome.is_ok();
    answer(session, &call_id, reply, outcome).await?;
    match observe {
        Some(spec) if worked => verbs::screenshot::after_act(session, &call_id, spec).await,
        _ => Ok(()),
    }
}

async fn act(session: &Session, message: ActionMsg) -> Result<(), Closed> {
    let ActionMsg { call_id, action } = message;
    let observe = action.observe;
    let verb = action.verb;
    let outcome = match Call::from_action(action) {
        Ok(call) => verbs::perform(session, &call_id, call).await,
        Err(fault) => Err(crate::reply::invalid(fault.to_string())),
    };
    let worked = outcome.is_ok();
    answer(session, &call_id, verb.meta().reply, outcome).await?;
    match observe {
        Some(spec) if worked => verbs::screenshot::after_act(session, &call_id, spec).await,
        _ => Ok(()),
    }
}

async fn answer(session: &Session, call_id: &str, kind: ReplyKind, outcome: Outcome) -> Result<(), Closed> {
    let outbox = session.outbox();
    match outcome {
        Ok(Reply::Done) => outbox.send(Ack::done(call_id)).await,
        Ok(Reply::Value(value)) => outbox.send(ResultMsg::value(call_id, value)).await,
        Ok(Reply::Seen(observation)) => outbox.send(*observation).await,
        Ok(Reply::Picture(picture)) => match picture.message(session, call_id) {
            Ok(message) => outbox.put(message).await,
            Err(error) => outbox.send(Ack::failed(call_id, &error)).await,
        },
        Ok(Reply::Ready(message)) => outbox.put(message).await,
        Ok(Reply::Later) => Ok(()),
        Err(error) if kind == ReplyKind::Result && !refused(error.code) => {
            outbox.send(ResultMsg::failed(call_id, &error)).await
        }
        Err(error) => outbox.send(Ack::failed(call_id, &error)).await,
    }
}

/// Whether a call that ended so was turned away before it began, which an `ack` says whatever the verb answers with.
/// `unsupported` is not among them: only what was tried turns out to be so, such as reading a clipboard that holds a picture.
fn refused(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::InvalidAction | ErrorCode::ExecBusy | ErrorCode::Denied
    )
}
