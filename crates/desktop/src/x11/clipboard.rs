//! The CLIPBOARD selection of an X11 screen, by the protocol itself (ICCCM, chapter 2). PRIMARY, which is what the mouse
//! has selected, is never touched.
//!
//! X keeps no clipboard: whoever set it must live on and hand the text to each program that asks. That is what a thread
//! of its own is for, with its own connection and a window that is never shown. It ends when [`X11Clipboard`] is dropped
//! and when the X server goes.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::DesktopError;
use crate::backend::Clipboard;

mod conversion;
mod drain;
mod owner;
mod owning;
mod reading;
mod transfer;
mod wake;

use owner::Owner;

/// How long the thread may take for a call. It gives up waiting for other programs earlier; whatever takes longer than
/// this is an X server that does not answer.
const PATIENCE: Duration = Duration::from_millis(4500);

/// Calls that wait for the thread. There is one caller at a time; the rest are ones that were given up.
const QUEUED: usize = 4;

/// How long the end of the thread is waited for. It waits for nothing but the X server.
const ENDING: Duration = Duration::from_secs(1);

/// The clipboard of one X11 screen.
#[derive(Debug)]
pub struct X11Clipboard {
    /// Gone only while it is dropped.
    requests: Option<SyncSender<Request>>,
    wake: Arc<OwnedFd>,
    /// Never gives anything; it is disconnected when the thread has ended.
    ended: Receiver<()>,
    thread: Option<JoinHandle<()>>,
    limit_bytes: usize,
}

/// What the thread is asked for. Nothing is done for a caller who has stopped waiting.
#[derive(Debug)]
struct Request {
    kind: Kind,
    deadline: Instant,
}

#[derive(Debug)]
enum Kind {
    Get(SyncSender<Result<String, DesktopError>>),
    Set(Arc<str>, SyncSender<Result<(), DesktopError>>),
}

impl X11Clipboard {
    /// Connects to `display`, such as `:1`. Texts of more than `limit_bytes` bytes are neither read nor set.
    ///
    /// # Errors
    /// `Gone` where the display cannot be reached; `Unsupported` where it lacks XFIXES.
    pub fn open(display: &str, limit_bytes: usize) -> Result<Self, DesktopError> {
        let (requests, received) = sync_channel(QUEUED);
        let (alive, ended) = sync_channel(1);
        let wake = Arc::new(wake::new()?);
        let (opened, answer) = sync_channel(1);
        let (display, woken) = (display.to_owned(), Arc::clone(&wake));
        // The thread connects, so that it alone hangs with an X server that does not answer, and goes on when that does.
        let thread = std::thread::Builder::new()
            .name("x11-clipboard".to_owned())
            .spawn(move || {
                match Owner::new(&display, limit_bytes, received, woken) {
                    Ok(owner) => {
                        // Who has stopped waiting is gone, which ends the loop.
                        opened.send(Ok(())).ok();
                        if let Err(error) = owner.run() {
                            tracing::warn!("the clipboard has ended: {error}");
                        }
                    }
                    Err(error) => drop(opened.send(Err(error))),
                }
                drop(alive);
            })
            .map_err(|error| {
                DesktopError::Unsupported(format!("cannot start a thread for the clipboard: {error}"))
            })?;
        let silent = |_| Err(DesktopError::Gone("it did not answer in time".to_owned()));
        answer.recv_timeout(PATIENCE).unwrap_or_else(silent)?;
        Ok(Self {
            requests: Some(requests),
            wake,
            ended,
            thread: Some(thread),
            limit_bytes,
        })
    }

    /// Has the thread do something, and waits for the outcome.
    fn call<R>(
        &self,
        kind: impl FnOnce(SyncSender<Result<R, DesktopError>>) -> Kind,
    ) -> Result<R, DesktopError> {
        let gone = |what: &str| DesktopError::Gone(what.to_owned());
        let (reply, outcome) = sync_channel(1);
        let request = Request {
            kind: kind(reply),
            deadline: Instant::now() + PATIENCE,
        };
        let requests = self.requests.as_ref().ok_or_else(|| gone("it was closed"))?;
        match requests.try_send(request) {
            Ok(()) => wake::wake(&self.wake),
            Err(TrySendError::Full(_)) => return Err(gone("it has not answered earlier calls either")),
            Err(TrySendError::Disconnected(_)) => return Err(gone("its connection has ended")),
        }
        match outcome.recv_timeout(PATIENCE) {
            Ok(outcome) => outcome,
            Err(RecvTimeoutError::Timeout) => Err(gone("it did not answer in time")),
            Err(RecvTimeoutError::Disconnected) => Err(gone("its connection has ended")),
        }
    }
}

impl Clipboard for X11Clipboard {
    fn get(&mut self) -> Result<String, DesktopError> {
        self.call(Kind::Get)
    }

    fn set(&mut self, text: String) -> Result<(), DesktopError> {
        if text.len() > self.limit_bytes {
            return Err(DesktopError::ClipboardTooLarge(format!(
                "the text has {} bytes, the clipboard takes {} at most; write it to a file instead",
                text.len(),
                self.limit_bytes
            )));
        }
        self.call(|reply| Kind::Set(text.into(), reply))
    }
}

impl Drop for X11Clipboard {
    fn drop(&mut self) {
        drop(self.requests.take());
        wake::wake(&self.wake);
        // A thread that hangs with its X server is left to end by itself.
        if self.ended.recv_timeout(ENDING) == Err(RecvTimeoutError::Disconnected)
            && let Some(thread) = self.thread.take()
        {
            // It ends by a panic only if there is a fault in it, which has been printed.
            thread.join().ok();
        }
    }
}
