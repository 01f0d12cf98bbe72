//! The worker that reads the accessibility bus, and its handle.
//!
//! It has a thread and a runtime of its own, so that nothing that an application does there (or does not do) keeps anybody else
//! waiting. Requests are done one after another; each has a deadline, and so has every answer of an application within it.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use crate::A11yError;
use crate::apps::{App, AppSelector};
use crate::desk::Desk;
use crate::node::{Facts, Rect};
use crate::scroll::Scrolled;
use crate::selection::Passage;
use crate::toolkit::TopLevel;
use crate::tree::Handle;
pub use crate::value::Set;
use crate::view::Scene;
use crate::walk::Limits;

/// So many requests may wait; the daemon's sessions ask one at a time each.
const WAITING: usize = 64;

/// What a look found.
#[derive(Debug, Clone)]
pub struct Capture {
    /// What there is to be written down.
    pub scene: Scene,
    /// Every control that lives, shown or not.
    pub living: Arc<HashSet<Handle>>,
    /// The processes of the applications in the scene that show what is in their windows, where the bus knows them.
    pub processes: Vec<u32>,
}

/// What is to be looked at.
#[derive(Debug, Clone)]
pub struct Look {
    /// The process of the active window, where the window manager says it.
    pub process: Option<u32>,
    /// The top-level windows that there are.
    pub windows: Vec<TopLevel>,
    /// The areas of the screen that have changed since the look before this one, by whomever; `None` where that is not known.
    pub redrawn: Option<Vec<Rect>>,
    /// Whether the applications came to rest before; what is found is said to be unsettled where not.
    pub rested: bool,
    /// The application to look at, whichever is active.
    pub selected: Option<AppSelector>,
}

/// A control as it is now.
#[derive(Debug, Clone, PartialEq)]
pub struct Located {
    /// What it is like.
    pub facts: Facts,
    /// The process of its application, where the bus knows it.
    pub process: Option<u32>,
    /// The name of the window that it is in.
    pub window: String,
    /// Whether it can be seen.
    pub reach: Reach,
}

/// Whether a control can be seen, as far as its application says: what other windows cover is not looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// This part of it can.
    Seen {
        /// Which.
        part: Rect,
        /// Whether nothing around it may cut it off. What is not sure is brought into sight first.
        surely: bool,
    },
    /// It is out of sight in something that is scrolled.
    Away,
    /// It has no area, or its application does not say it.
    Nowhere,
}

/// What the wheel has to do to bring a control nearer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wheel {
    /// A point of the screen where it scrolls, and changes nothing else.
    pub at: (i32, i32),
    /// So many pixels to the right, as far as that is known.
    pub right: i32,
    /// So many pixels down.
    pub down: i32,
}

/// What scrolls a control.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scroller {
    /// A point of the screen where the wheel scrolls it, and changes nothing else.
    pub at: (i32, i32),
    /// What of it can be seen.
    pub shown: Rect,
}

type Answer<T> = oneshot::Sender<Result<T, A11yError>>;

#[derive(Debug)]
enum Request {
    Settle(Duration, Answer<bool>),
    Capture(Look, Answer<Capture>),
    NeedsWindows(Handle, Answer<bool>),
    Locate(Handle, Vec<TopLevel>, Answer<Located>),
    Reveal(Handle, Answer<bool>),
    Wheel(Handle, Vec<TopLevel>, Answer<Option<Wheel>>),
    Invoke(Handle, Option<String>, Answer<()>),
    SetValue(Handle, String, Answer<Set>),
    HasValue(Handle, String, Answer<bool>),
    Select(Handle, Passage, Answer<()>),
    Scroller(Handle, Vec<TopLevel>, Answer<Option<Scroller>>),
    Scrolled(Handle, bool, Answer<Scrolled>),
    Apps(Option<u32>, Vec<TopLevel>, Answer<Vec<App>>),
}

/// The accessibility engine of a desktop. Dropping it ends its worker.
#[derive(Debug, Clone)]
pub struct Engine {
    requests: mpsc::Sender<Request>,
}

impl Engine {
    /// Starts the worker. The bus is looked for with the first request, and again when it was lost.
    ///
    /// # Errors
    /// `Unavailable` where the system gives no thread.
    pub fn start(limits: Limits) -> Result<Self, A11yError> {
        let (requests, queue) = mpsc::channel(WAITING);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| {
                A11yError::Unavailable(format!("no runtime for the accessibility engine: {error}"))
            })?;
        std::thread::Builder::new()
            .name("a11y".to_owned())
            // A task like those that note what applications tell, so that they take their turns in the order in which
            // messages came: what was told before an answer is noted before the answer is worked with.
            .spawn(move || runtime.block_on(async { tokio::spawn(work(queue, limits)).await.ok() }))
            .map_err(|error| {
                A11yError::Unavailable(format!("no thread for the accessibility engine: {error}"))
            })?;
        Ok(Self { requests })
    }

    /// Waits until no application has told of a change for so long; `false` where that took too long.
    ///
    /// # Errors
    /// `Unavailable` without a bus, `Timeout`.
    pub async fn settle(&self, quiet: Duration, within: Duration) -> Result<bool, A11yError> {
        self.ask(within, |answer| Request::Settle(quiet, answer)).await
    }

    /// Looks at the application of the active window: that of the process where it has a tree, else the one that says so of
    /// itself; at all, where none does.
    ///
    /// An application is read whole when it is looked at first. From then on only what it told of and what is drawn where the
    /// screen changed is read. So each change of the screen must be given to exactly one look; after one that failed, what
    /// has changed is not known.
    ///
    /// # Errors
    /// `Unavailable` without a bus or without an application on it, `Timeout` where the application does not answer.
    pub async fn capture(&self, look: Look, within: Duration) -> Result<Capture, A11yError> {
        self.ask(within, |answer| Request::Capture(look, answer)).await
    }

    /// Whether where a control is on the screen can be said only with the list of top-level windows.
    ///
    /// # Errors
    /// `Stale` where it is gone, `Timeout`, `Unavailable`.
    pub async fn needs_windows(&self, handle: Handle, within: Duration) -> Result<bool, A11yError> {
        self.ask(within, |answer| Request::NeedsWindows(handle, answer))
            .await
    }

    /// Asks anew what a control is like and where; `windows` may be empty where they are not needed.
    ///
    /// # Errors
    /// `Stale` where it is gone, `Timeout`, `Unavailable`.
    pub async fn locate(
        &self,
        handle: Handle,
        windows: Vec<TopLevel>,
        within: Duration,
    ) -> Result<Located, A11yError> {
        self.ask(within, |answer| Request::Locate(handle, windows, answer))
            .await
    }

    /// Has the control's application bring it into sight; `false` where it cannot.
    ///
    /// # Errors
    /// `Stale` where it is gone, `Timeout`, `Unavailable`.
    pub async fn reveal(&self, handle: Handle, within: Duration) -> Result<bool, A11yError> {
        self.ask(within, |answer| Request::Reveal(handle, answer)).await
    }

    /// Where the wheel brings a control that is out of sight nearer; `None` where that is not known.
    ///
    /// # Errors
    /// `Stale` where it is gone, `Timeout`, `Unavailable`.
    pub async fn wheel(
        &self,
        handle: Handle,
        windows: Vec<TopLevel>,
        within: Duration,
    ) -> Result<Option<Wheel>, A11yError> {
        self.ask(within, |answer| Request::Wheel(handle, windows, answer))
            .await
    }

    /// Does one of the control's own actions: the one of this name, or the one that activates it.
    ///
    /// # Errors
    /// `Unsupported` where it has no such action, `Stale`, `Timeout`, `Unavailable`.
    pub async fn invoke(
        &self,
        handle: Handle,
        name: Option<String>,
        within: Duration,
    ) -> Result<(), A11yError> {
        self.ask(within, |answer| Request::Invoke(handle, name, answer))
            .await
    }

    /// Whether a control that is typed into or switched has this value; of a password, one of its length.
    ///
    /// # Errors
    /// `Stale` where it is gone, `Unsupported`, `Timeout`, `Unavailable`.
    pub async fn has_value(
        &self,
        handle: Handle,
        value: String,
        within: Duration,
    ) -> Result<bool, A11yError> {
        self.ask(within, |answer| Request::HasValue(handle, value, answer))
            .await
    }

    /// Gives the control another value (a number, a text, `true` or `false`, one of what it offers), and reads it back. Nothing was
    /// done where the answer is another than [`Set::Done`].
    ///
    /// # Errors
    /// `Unsupported` where it takes none, `Invalid`, `Stale`, `Timeout`, `Unavailable`.
    pub async fn set_value(&self, handle: Handle, value: String, within: Duration) -> Result<Set, A11yError> {
        self.ask(within, |answer| Request::SetValue(handle, value, answer))
            .await
    }

    /// Finds a text in the control and selects it, or puts the caret at it, and reads that back.
    ///
    /// # Errors
    /// `Invalid` where the text is not there or more than once, `Unsupported` where it has no text or does not do it, `Stale`,
    /// `Timeout`, `Unavailable`.
    pub async fn select(&self, handle: Handle, passage: Passage, within: Duration) -> Result<(), A11yError> {
        self.ask(within, |answer| Request::Select(handle, passage, answer))
            .await
    }

    /// What scrolls the control: itself, or what it is in. `None` where it is nowhere, or the wheel would change something.
    ///
    /// # Errors
    /// `Stale`, `Timeout`, `Unavailable`.
    pub async fn scroller(
        &self,
        handle: Handle,
        windows: Vec<TopLevel>,
        within: Duration,
    ) -> Result<Option<Scroller>, A11yError> {
        self.ask(within, |answer| Request::Scroller(handle, windows, answer))
            .await
    }

    /// How far what scrolls the control is scrolled.
    ///
    /// # Errors
    /// `Stale`, `Timeout`, `Unavailable`.
    pub async fn scrolled(
        &self,
        handle: Handle,
        horizontal: bool,
        within: Duration,
    ) -> Result<Scrolled, A11yError> {
        self.ask(within, |answer| Request::Scrolled(handle, horizontal, answer))
            .await
    }

    /// The applications that have one of these windows or a tree; `active` is the process of the active window.
    ///
    /// # Errors
    /// `Unavailable` without a bus, `Timeout`.
    pub async fn apps(
        &self,
        active: Option<u32>,
        windows: Vec<TopLevel>,
        within: Duration,
    ) -> Result<Vec<App>, A11yError> {
        self.ask(within, |answer| Request::Apps(active, windows, answer))
            .await
    }

    async fn ask<T>(
        &self,
        within: Duration,
        request: impl FnOnce(Answer<T>) -> Request,
    ) -> Result<T, A11yError> {
        let (sender, receiver) = oneshot::channel();
        let asked = async {
            self.requests
                .send(request(sender))
                .await
                .map_err(|_| A11yError::Unavailable("the accessibility engine has ended".to_owned()))?;
            receiver
                .await
                .map_err(|_| A11yError::Unavailable("the accessibility engine has ended".to_owned()))?
        };
        timeout(within, asked).await.unwrap_or_else(|_| {
            Err(A11yError::Timeout(format!(
                "the applications did not answer within {} ms; try again, or use a screenshot",
                within.as_millis()
            )))
        })
    }
}

async fn work(mut queue: mpsc::Receiver<Request>, limits: Limits) {
    let mut desk = Desk::new(limits);
    loop {
        let request = tokio::select! {
            request = queue.recv() => request,
            () = desk.much_told() => {
                desk.sort_out();
                continue;
            }
        };
        let Some(request) = request else { return };
        // Whoever has given up is not worked for.
        match request {
            Request::Settle(quiet, answer) => serve(answer, desk.settle(quiet)).await,
            Request::Capture(look, answer) => serve(answer, desk.capture(&look)).await,
            Request::NeedsWindows(handle, answer) => {
                serve(answer, std::future::ready(desk.needs_windows(handle))).await;
            }
            Request::Locate(handle, windows, answer) => serve(answer, desk.locate(handle, &windows)).await,
            Request::Reveal(handle, answer) => serve(answer, desk.reveal(handle)).await,
            Request::Wheel(handle, windows, answer) => serve(answer, desk.wheel(handle, &windows)).await,
            Request::Invoke(handle, name, answer) => {
                serve(answer, desk.invoke(handle, name.as_deref())).await
            }
            Request::Select(handle, passage, answer) => serve(answer, desk.select(handle, &passage)).await,
            Request::Scroller(handle, windows, answer) => {
                serve(answer, desk.scroller_at(handle, &windows)).await
            }
            Request::Scrolled(handle, horizontal, answer) => {
                serve(answer, desk.scrolled(handle, horizontal)).await
            }
            Request::Apps(active, windows, answer) => serve(answer, desk.apps(active, &windows)).await,
            Request::HasValue(handle, value, answer) => serve(answer, desk.has_value(handle, &value)).await,
            Request::SetValue(handle, value, answer) => serve(answer, desk.set_value(handle, &value)).await,
        }
    }
}

async fn serve<T>(mut answer: Answer<T>, work: impl Future<Output = Result<T, A11yError>>) {
    let outcome = tokio::select! {
        () = answer.closed() => return,
        outcome = work => outcome,
    };
    // The asker may have given up at this moment.
    answer.send(outcome).ok();
}
