//! Screencasts: whole pictures, put together from what the runtime sends.

mod canvas;
mod queue;
mod resume;

use std::sync::Arc;

use aci::action::{Action, Fps};
use aci::geometry::{CoordinateSpace, MappingError};
use aci::verb::Verb;
use futures_util::Stream;
use tokio::task::JoinHandle;

pub(crate) use canvas::Update;
use canvas::{Canvas, Composed};
pub(crate) use queue::CastQueue;
use resume::{Resumed, Resuming};
pub(crate) use resume::{Waits, late, worth_another};

use crate::client::Client;
use crate::connection::Connection;
use crate::error::ClientError;
use crate::picture::{Picture, Rect};
use crate::routes::Opens;
use crate::screenshot::Shot;

/// How many updates wait for a reader before they are put together.
const DEFAULT_QUEUE: usize = 8;

/// What a screencast shows and how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cast {
    shot: Shot,
    fps: Option<f64>,
    delta: bool,
    queue: usize,
}

impl Cast {
    /// Whole pictures of this kind, at the runtime's own rate.
    pub fn new(shot: Shot) -> Self {
        Self {
            shot,
            fps: None,
            delta: false,
            queue: DEFAULT_QUEUE,
        }
    }

    /// How many frames a second are wished for, 0.1 to 30.
    #[must_use]
    pub fn fps(self, fps: f64) -> Self {
        Self {
            fps: Some(fps),
            ..self
        }
    }

    /// Only the tiles that changed travel; what comes out are whole pictures all the same.
    #[must_use]
    pub fn delta(self, delta: bool) -> Self {
        Self { delta, ..self }
    }

    /// How many updates wait for a slow reader before they are put together into one; at least 1.
    #[must_use]
    pub fn queue(self, updates: usize) -> Self {
        Self {
            queue: updates.max(1),
            ..self
        }
    }

    fn action(&self, resume: Option<&str>) -> Result<Action, ClientError> {
        let mut action = self.shot.to_action(Verb::StartScreencast);
        action.fps = self
            .fps
            .map(|fps| {
                Fps::new(fps)
                    .ok_or_else(|| ClientError::invalid(format!("{fps} frames a second are not 0.1 to 30")))
            })
            .transpose()?;
        action.delta = self.delta.then_some(true);
        action.resume_stream = resume.map(str::to_owned);
        Ok(action)
    }
}

/// One picture of a screencast.
#[derive(Debug, Clone)]
pub struct CastFrame {
    /// The runtime's name for the stream.
    pub stream: String,
    /// The frame's number in the stream.
    pub seq: u64,
    /// How many frames since the last one were left out: by the runtime because this client was behind, on a connection
    /// that was lost, or by the queue because they were put together into this one.
    pub dropped: u64,
    /// Whether the runtime still had the stream after a reconnect; `false` on the first frame of any stream.
    pub continued: bool,
    /// Whether a whole picture was sent for it.
    pub keyframe: bool,
    /// What changed since the last frame; the whole picture for a keyframe.
    pub changed: Vec<Rect>,
    /// The whole picture.
    pub picture: Arc<Picture>,
    /// How its pixels lie on the screen.
    pub display: Option<CoordinateSpace>,
    /// The encoded bytes that were received for it.
    pub encoded_bytes: usize,
}

impl CastFrame {
    /// The pixel of the screen under the pixel (`x`, `y`) of this picture, by its own descriptor.
    ///
    /// # Errors
    /// [`ClientError::Mapping`].
    pub fn to_global(&self, x: f64, y: f64) -> Result<(i64, i64), ClientError> {
        let display = self.display.as_ref().ok_or(MappingError::NoDescriptor)?;
        Ok(display.pixel_to_screen(x, y)?)
    }
}

/// A running screencast.
///
/// A reader that is slow holds nothing up and never sees a wrong picture: updates that find the queue full are put
/// together with the last one in it, newer tiles over older ones, and [`CastFrame::dropped`] counts them. Only where even that
/// takes more than [`crate::Options::cast_buffer_bytes`], the stream ends with [`ClientError::Behind`]. A resting screen
/// sends nothing, so [`Self::next`] may wait for ever; that the connection still lives is watched by
/// [`crate::Options::keep_alive`].
///
/// When the connection is lost, it is made again as [`crate::Options::reconnect`] says and the stream goes on with a whole
/// picture; the client's other calls then use the new connection too. Dropping it stops the stream.
#[derive(Debug)]
pub struct Screencast {
    client: Client,
    cast: Cast,
    connection: Arc<Connection>,
    queue: Arc<CastQueue>,
    canvas: Canvas,
    /// A picture that is being put together; kept here so that cancelling `next` loses nothing.
    composing: Option<JoinHandle<(Canvas, Result<Composed, ClientError>)>>,
    /// The way to another connection; kept here so that cancelling `next` neither breaks it off nor gives it more time.
    resuming: Option<Resuming>,
    last: Option<(String, u64)>,
    over: bool,
}

impl Screencast {
    pub(crate) async fn start(client: Client, cast: Cast) -> Result<Self, ClientError> {
        let connection = client.connection();
        let queue = begin(&client, &connection, &cast, None).await?;
        Ok(Self {
            client,
            cast,
            connection,
            queue,
            canvas: Canvas::default(),
            composing: None,
            resuming: None,
            last: None,
            over: false,
        })
    }

    /// The next picture; `None` once the stream was stopped or replaced by another one of this session.
    ///
    /// # Errors
    /// Once, what ended the stream; then `None`.
    ///
    /// # Cancel safety
    /// Nothing is lost when it is cancelled.
    pub async fn next(&mut self) -> Option<Result<CastFrame, ClientError>> {
        loop {
            if self.over {
                return None;
            }
            if let Some(composing) = &mut self.composing {
                let done = composing.await;
                self.composing = None;
                let frame = match done {
                    Ok((canvas, composed)) => {
                        self.canvas = canvas;
                        composed.map(|composed| self.frame(composed))
                    }
                    Err(error) => Err(ClientError::Picture {
                        detail: format!("decoding did not finish: {error}"),
                    }),
                };
                self.over = frame.is_err();
                return Some(frame);
            }
            if let Some(resuming) = &mut self.resuming {
                let done = resuming.done().await;
                self.resuming = None;
                match done {
                    Ok(Resumed { connection, queue }) => {
                        self.connection = connection;
                        self.queue = queue;
                    }
                    Err(error) => {
                        self.over = true;
                        return Some(Err(error));
                    }
                }
            }
            match self.queue.pop().await {
                Ok(Some(update)) => {
                    let mut canvas = std::mem::take(&mut self.canvas);
                    self.composing = Some(tokio::task::spawn_blocking(move || {
                        let composed = canvas.apply(update);
                        (canvas, composed)
                    }));
                }
                Ok(None) => self.over = true,
                Err(why) => {
                    let resume = self.last.as_ref().map(|(stream, _)| stream.clone());
                    match Resuming::begin(why, &self.client, &self.connection, self.cast, resume) {
                        Ok(resuming) => self.resuming = Some(resuming),
                        Err(why) => {
                            self.over = true;
                            return Some(Err(why));
                        }
                    }
                }
            }
        }
    }

    /// The same as a [`Stream`].
    pub fn into_stream(self) -> impl Stream<Item = Result<CastFrame, ClientError>> + Send + Unpin {
        Box::pin(futures_util::stream::unfold(self, |mut cast| async move {
            let frame = cast.next().await?;
            Some((frame, cast))
        }))
    }

    /// Ends the stream; returns when the runtime has.
    ///
    /// # Errors
    /// As for any call.
    pub async fn stop(mut self) -> Result<(), ClientError> {
        self.over = true;
        if self.connection.core().routes().drop_cast(&self.queue) {
            return self.client.stop_on(&self.connection).await;
        }
        Ok(())
    }

    fn frame(&mut self, composed: Composed) -> CastFrame {
        let Composed {
            stream,
            seq,
            keyframe,
            changed,
            picture,
            display,
            encoded_bytes,
        } = composed;
        let (continued, dropped) = match &self.last {
            Some((last, number)) if *last == stream => (true, seq.saturating_sub(number + 1)),
            _ => (false, seq),
        };
        self.last = Some((stream.clone(), seq));
        CastFrame {
            stream,
            seq,
            dropped,
            continued,
            keyframe,
            changed,
            picture,
            display,
            encoded_bytes,
        }
    }
}

impl Drop for Screencast {
    fn drop(&mut self) {
        let ours = self.connection.core().routes().drop_cast(&self.queue);
        if !ours {
            return;
        }
        // Outside of a runtime nothing can be said to the peer; it stops when the connection ends.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let (client, connection) = (self.client.clone(), Arc::clone(&self.connection));
            runtime.spawn(async move { client.stop_on(&connection).await });
        }
    }
}

async fn begin(
    client: &Client,
    connection: &Arc<Connection>,
    cast: &Cast,
    resume: Option<&str>,
) -> Result<Arc<CastQueue>, ClientError> {
    let queue = CastQueue::new(cast.queue, client.options().cast_buffer_bytes);
    let action = cast.action(resume)?;
    let mut call = client
        .send_on(connection, action, Some(Opens::Cast(Arc::clone(&queue))))
        .await?;
    call.answer().await?.done()?;
    Ok(queue)
}
