//! The desktop as async code sees it.
//!
//! Each ability is one object behind a fair lock, so that its calls have one order over all sessions. What may block is
//! done on a blocking thread and waited for with a deadline; what cannot block (a few bytes to the X server) is done in
//! place, because two thread switches cost more than the call.
//!
//! Locking rule: no call holds two of the locks at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use aci::error_code::{CodedError, ErrorCode};
use desktop::DesktopError;
use desktop::backend::{Capture, Clipboard, Gesture, Grab, Holder, Input, Pace, Rect, Region, Windows};
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::reply::coded;

/// The longest that a call waits for its turn or for the desktop. The longest gestures take less.
const PATIENCE: Duration = Duration::from_secs(60);
/// The same for things that are over in milliseconds on a desktop that works.
const SHORT: Duration = Duration::from_secs(10);

/// What a typed character may take beyond that; one that needs a key of its own takes longest.
const TYPED: Duration = Duration::from_millis(20);
/// After so many characters a text that is being typed looks whether its client is still there.
const TYPED_AT_ONCE: usize = 500;

type Shared<T> = Arc<Mutex<Box<T>>>;

/// The abilities of one desktop.
#[derive(Debug, Clone)]
pub(crate) struct Desk {
    input: Shared<dyn Input>,
    capture: Shared<dyn Capture>,
    windows: Shared<dyn Windows>,
    clipboard: Shared<dyn Clipboard>,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Input was sent whose effect nobody has waited for yet.
    unsettled: AtomicBool,
    /// Something was done since the last picture that may draw, which the display server may not have reported yet.
    acted: AtomicBool,
    /// A call found the display server gone.
    gone: AtomicBool,
}

/// A picture that was asked for.
#[derive(Debug)]
pub(crate) enum Grabbed<R> {
    /// The caller has it already.
    Known(Grab),
    /// It is new to the caller; what was made of it.
    New(R),
}

impl Desk {
    /// Opens all abilities of an X display. Blocks.
    pub(crate) fn open(display: &str, clipboard_bytes: usize) -> Result<Self, DesktopError> {
        use desktop::x11::{X11Capture, X11Clipboard, X11Input, X11Windows};
        fn shared<T: ?Sized>(ability: Box<T>) -> Shared<T> {
            Arc::new(Mutex::new(ability))
        }
        // The capture comes first: it has windows keep their pixels while they are covered.
        let capture: Box<dyn Capture> = Box::new(X11Capture::open(display)?);
        let input: Box<dyn Input> = Box::new(X11Input::open(display)?);
        let windows: Box<dyn Windows> = Box::new(X11Windows::open(display)?);
        let clipboard: Box<dyn Clipboard> = Box::new(X11Clipboard::open(display, clipboard_bytes)?);
        Ok(Self {
            input: shared(input),
            capture: shared(capture),
            windows: shared(windows),
            clipboard: shared(clipboard),
            state: Arc::new(State::default()),
        })
    }

    /// Whether a call found the display server gone.
    pub(crate) fn is_gone(&self) -> bool {
        self.state.gone.load(Ordering::Relaxed)
    }

    /// Asks the display server for a sign of life.
    pub(crate) async fn probe(&self) -> Result<(), CodedError> {
        self.with(&self.windows, SHORT, |windows| windows.list().map(drop))
            .await
    }

    /// Does a gesture. On return its events are with the display server in order.
    pub(crate) async fn gesture(&self, holder: Holder, gesture: Gesture) -> Result<(), CodedError> {
        let mut input = self.lock(&self.input, PATIENCE).await?;
        self.state.unsettled.store(true, Ordering::Relaxed);
        self.touch();
        if input.pace(&gesture) == Pace::Immediate {
            return self.note(input.perform(holder, &gesture).map(drop));
        }
        self.blocking(input, PATIENCE, move |input| {
            input.perform(holder, &gesture).map(drop)
        })
        .await
    }

    /// Types a text as one gesture of its own, however long it is; what is left of it when the client is gone is not typed.
    pub(crate) async fn type_text(
        &self,
        holder: Holder,
        text: String,
        client_gone: CancellationToken,
    ) -> Result<(), CodedError> {
        let input = self.lock(&self.input, PATIENCE).await?;
        self.state.unsettled.store(true, Ordering::Relaxed);
        self.touch();
        let characters: Vec<char> = text.chars().collect();
        let patience = PATIENCE + TYPED.saturating_mul(u32::try_from(characters.len()).unwrap_or(u32::MAX));
        self.blocking(input, patience, move |input| {
            for part in characters.chunks(TYPED_AT_ONCE) {
                if client_gone.is_cancelled() {
                    break;
                }
                input.perform(holder, &Gesture::Type(part.iter().collect()))?;
            }
            Ok(())
        })
        .await
    }

    /// Waits until all input so far has taken effect; whatever looks at the desktop calls this first.
    pub(crate) async fn settle(&self) -> Result<(), CodedError> {
        if self.state.unsettled.swap(false, Ordering::Relaxed) {
            self.with(&self.input, PATIENCE, |input| input.settle()).await?;
        }
        Ok(())
    }

    /// Releases what a session holds.
    pub(crate) async fn release(&self, holder: Holder) {
        let released = self
            .with(&self.input, PATIENCE, move |input| input.release(holder))
            .await;
        if let Err(error) = released
            && error.code != ErrorCode::DesktopGone
        {
            tracing::warn!("could not release the input of session {}: {error}", holder.0);
        }
    }

    /// The screen's width and height.
    pub(crate) async fn screen_size(&self) -> Result<(u32, u32), CodedError> {
        self.with(&self.input, SHORT, |input| input.screen_size()).await
    }

    /// Takes a picture, or gives the last one where nothing has changed; `since` as in [`Capture::grab`].
    pub(crate) async fn grab(
        &self,
        region: Region,
        max_long_edge: Option<u32>,
        since: Option<u64>,
    ) -> Result<Grab, CodedError> {
        let mut capture = self.settled_capture().await?;
        if let Some(grab) = self.note(capture.unchanged(region, max_long_edge))? {
            return Ok(grab);
        }
        self.blocking(capture, SHORT, move |capture| {
            capture.grab(region, max_long_edge, since)
        })
        .await
    }

    /// The capture, when what was done so far has taken effect and will be looked for.
    async fn settled_capture(&self) -> Result<OwnedMutexGuard<Box<dyn Capture>>, CodedError> {
        self.settle().await?;
        let mut capture = self.lock(&self.capture, SHORT).await?;
        if self.state.acted.swap(false, Ordering::Relaxed) {
            capture.touch();
        }
        Ok(capture)
    }

    /// Takes a picture and works on it on the same thread, with the capture free for others meanwhile; one that the caller
    /// has already, by its hash, is given as it is.
    pub(crate) async fn grab_and_work<R: Send + 'static>(
        &self,
        region: Region,
        max_long_edge: Option<u32>,
        known: Option<String>,
        work: impl FnOnce(Grab) -> R + Send + 'static,
    ) -> Result<Grabbed<R>, CodedError> {
        let mut capture = self.settled_capture().await?;
        let is_known = move |grab: &Grab| known.as_deref() == Some(&*grab.hash.to_string());
        let task = match self.note(capture.unchanged(region, max_long_edge))? {
            Some(grab) if is_known(&grab) => return Ok(Grabbed::Known(grab)),
            Some(grab) => {
                drop(capture);
                tokio::task::spawn_blocking(move || Ok(Grabbed::New(work(grab))))
            }
            None => tokio::task::spawn_blocking(move || {
                let grab = capture.grab(region, max_long_edge, None)?;
                drop(capture);
                Ok(if is_known(&grab) {
                    Grabbed::Known(grab)
                } else {
                    Grabbed::New(work(grab))
                })
            }),
        };
        self.finished(task, SHORT).await
    }

    /// The picture where it differs from the generation `known`, for those who look again and again. It does not wait for
    /// input to take effect: what that draws will be reported.
    pub(crate) async fn look(
        &self,
        region: Region,
        max_long_edge: Option<u32>,
        known: Option<u64>,
    ) -> Result<Option<Grab>, CodedError> {
        let mut capture = self.lock(&self.capture, SHORT).await?;
        if let Some(same) = self.note(capture.generation(region, max_long_edge))?
            && Some(same) == known
        {
            return Ok(None);
        }
        let grab = self
            .blocking(capture, SHORT, move |capture| {
                capture.grab(region, max_long_edge, known)
            })
            .await?;
        Ok((Some(grab.generation) != known).then_some(grab))
    }

    /// The generation of the screen's picture now, and which of its areas have changed since the generation `known`; `None`
    /// where that is not known.
    pub(crate) async fn redrawn(
        &self,
        known: Option<u64>,
    ) -> Result<(Option<u64>, Option<Vec<Rect>>), CodedError> {
        drop(self.settled_capture().await?);
        Ok(match self.look(Region::Screen, None, known).await? {
            Some(grab) => (Some(grab.generation), grab.dirty),
            None => (known, Some(Vec::new())),
        })
    }

    /// Whether the screen may differ from its last picture, asked without waiting for the display server.
    pub(crate) async fn may_have_changed(
        &self,
        region: Region,
        max_long_edge: Option<u32>,
    ) -> Result<bool, CodedError> {
        let mut capture = self.lock(&self.capture, SHORT).await?;
        Ok(self.note(capture.generation(region, max_long_edge))?.is_none())
    }

    /// Has the next picture ask the display server, because something was started that may draw.
    pub(crate) fn touch(&self) {
        self.state.acted.store(true, Ordering::Relaxed);
    }

    /// Calls something of the windows on a blocking thread.
    pub(crate) async fn windows<R: Send + 'static>(
        &self,
        call: impl FnOnce(&mut dyn Windows) -> Result<R, DesktopError> + Send + 'static,
    ) -> Result<R, CodedError> {
        self.settle().await?;
        self.with(&self.windows, SHORT, |windows| call(windows.as_mut()))
            .await
    }

    /// Calls something of the clipboard on a blocking thread.
    pub(crate) async fn clipboard<R: Send + 'static>(
        &self,
        call: impl FnOnce(&mut dyn Clipboard) -> Result<R, DesktopError> + Send + 'static,
    ) -> Result<R, CodedError> {
        self.settle().await?;
        self.with(&self.clipboard, SHORT, |clipboard| call(clipboard.as_mut()))
            .await
    }

    async fn with<T: ?Sized + Send + 'static, R: Send + 'static>(
        &self,
        ability: &Shared<T>,
        patience: Duration,
        call: impl FnOnce(&mut Box<T>) -> Result<R, DesktopError> + Send + 'static,
    ) -> Result<R, CodedError> {
        let guard = self.lock(ability, patience).await?;
        self.blocking(guard, patience, call).await
    }

    async fn lock<T: ?Sized>(
        &self,
        ability: &Shared<T>,
        patience: Duration,
    ) -> Result<OwnedMutexGuard<Box<T>>, CodedError> {
        timeout(patience, Arc::clone(ability).lock_owned())
            .await
            .map_err(|_| late(patience))
    }

    async fn blocking<T: ?Sized + Send + 'static, R: Send + 'static>(
        &self,
        mut guard: OwnedMutexGuard<Box<T>>,
        patience: Duration,
        call: impl FnOnce(&mut Box<T>) -> Result<R, DesktopError> + Send + 'static,
    ) -> Result<R, CodedError> {
        let task = tokio::task::spawn_blocking(move || call(&mut guard));
        self.finished(task, patience).await
    }

    /// What a blocking thread found, if it finds it in time.
    async fn finished<R>(
        &self,
        task: JoinHandle<Result<R, DesktopError>>,
        patience: Duration,
    ) -> Result<R, CodedError> {
        match timeout(patience, task).await {
            Ok(Ok(outcome)) => self.note(outcome),
            Ok(Err(panic)) => Err(CodedError::new(
                ErrorCode::Busy,
                format!("the call did not finish: {panic}"),
            )),
            Err(_) => Err(late(patience)),
        }
    }

    fn note<R>(&self, outcome: Result<R, DesktopError>) -> Result<R, CodedError> {
        if matches!(outcome, Err(DesktopError::Gone(_))) {
            self.state.gone.store(true, Ordering::Relaxed);
        }
        outcome.map_err(coded)
    }
}

fn late(patience: Duration) -> CodedError {
    CodedError::new(
        ErrorCode::Busy,
        format!(
            "the desktop did not get to it within {} s; try again, or look at /healthz",
            patience.as_secs()
        ),
    )
}
