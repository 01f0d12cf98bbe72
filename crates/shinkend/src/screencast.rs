//! Streams of pictures.
//!
//! A tick that finds nothing changed costs one non-blocking look at the X socket, so a resting screen costs nothing. A
//! frame is only made when there is room for it; what a slow client misses shows as a gap in `seq`, and a delta frame is
//! always against the last frame that was really sent.

mod streams;

use std::sync::Arc;
use std::time::Duration;

use aci::error_code::{CodedError, ErrorCode};
use aci::frame::Header;
use aci::message::ResultMsg;
use aci::observation::{BinaryFrameHeader, BinaryImage, BinaryTile, Image, Observation, Tile};
use aci::{Integer, Natural, NonEmpty, Positive};
use desktop::backend::{Grab, Rect, Region};
use desktop::image::{Frame, TILE_EDGE, changed_tiles, encode, encode_part};
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use crate::outbox::{self, Outgoing};
use crate::session::Session;
use crate::verbs::screenshot::{Request, display, to_base64};
pub(crate) use streams::{Lease, Streams};

/// A delta stream sends a whole picture at least so often while it has anything to send.
const KEYFRAME_EVERY: Duration = Duration::from_secs(10);
/// How long the place of the connection that a stream is taken from is waited for.
const HANDOVER: Duration = Duration::from_secs(1);
/// How long a screencast that was stopped may take to queue the frame at hand.
const LAST_FRAME: Duration = Duration::from_secs(1);

/// What was asked for.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) call_id: String,
    pub(crate) request: Request,
    pub(crate) fps: f64,
    pub(crate) delta: bool,
    pub(crate) resume: Option<String>,
}

/// A screencast that has its place and its stream, but does not run yet.
#[derive(Debug)]
pub(crate) struct Prepared {
    plan: Plan,
    lease: Lease,
    permit: OwnedSemaphorePermit,
}

/// A running screencast.
#[derive(Debug)]
pub(crate) struct Cast {
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Cast {
    /// Gets a place for the screencast.
    pub(crate) async fn prepare(session: &Session, plan: Plan) -> Result<Prepared, CodedError> {
        let daemon = session.daemon();
        let places = Arc::clone(&daemon.screencasts);
        let resumed = plan.resume.as_deref().and_then(|id| daemon.streams.resume(id));
        let permit = match &resumed {
            // Whoever sent on it until now, on a connection that is dead without knowing it, gives its place back.
            Some(_) => tokio::time::timeout(HANDOVER, places.acquire_owned())
                .await
                .ok()
                .and_then(Result::ok),
            None => places.try_acquire_owned().ok(),
        };
        let permit = permit.ok_or_else(|| {
            CodedError::new(
                ErrorCode::Busy,
                "as many screencasts run as may; stop one or try again later",
            )
        })?;
        let lease = resumed.unwrap_or_else(|| daemon.streams.begin());
        Ok(Prepared { plan, lease, permit })
    }

    /// Ends it, and waits until its last frame is queued; a frame that finds no room is not waited for.
    pub(crate) async fn stop(mut self) {
        self.stop.cancel();
        if tokio::time::timeout(LAST_FRAME, &mut self.task).await.is_err() {
            self.task.abort();
        }
    }
}

impl Prepared {
    /// Begins to send.
    pub(crate) fn start(self, session: &Session) -> Cast {
        let stop = session.over().child_token();
        let task = session
            .daemon()
            .tasks
            .spawn(run(session.clone(), self, stop.clone()));
        Cast { stop, task }
    }
}

/// The last frame that was really sent.
#[derive(Debug)]
struct Sent {
    frame: Arc<Frame>,
    generation: u64,
    keyframe_at: Instant,
}

/// What goes into one message.
#[derive(Debug)]
enum Content {
    Whole(Vec<u8>),
    Tiles(Vec<(Rect, Vec<u8>)>),
}

/// Why a screencast is over.
#[derive(Debug)]
enum End {
    /// It was stopped or replaced, or its client is gone: nobody waits to hear of it.
    Quiet,
    /// It ended by itself, and its starter hears why.
    Told(CodedError),
}

async fn run(session: Session, prepared: Prepared, stop: CancellationToken) {
    let Prepared { plan, lease, permit } = prepared;
    let running = session.run_beside();
    let end = send_frames(&session, &plan, &lease, &stop).await;
    // Before it is told, which may have to wait for room: on a connection that is dead without knowing it, for ever.
    drop((permit, lease, running));
    if let End::Told(error) = end {
        let failed = ResultMsg::failed(plan.call_id.as_str(), &error);
        session.outbox().send(failed).await.ok();
    }
}

/// Sends frame after frame, and returns why no more are to be sent.
async fn send_frames(session: &Session, plan: &Plan, lease: &Lease, stop: &CancellationToken) -> End {
    let mut ticks = tokio::time::interval(Duration::from_secs_f64(1.0 / plan.fps));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut sent = None;
    loop {
        tokio::select! {
            biased;
            () = stop.cancelled() => return End::Quiet,
            () = session.outbox().closed() => return End::Quiet,
            () = lease.taken_over() => return End::Told(taken_over()),
            _ = ticks.tick() => {}
        }
        let done = tokio::select! {
            biased;
            // The frame at hand may find no room for ever, on a connection that is dead.
            () = lease.taken_over() => return End::Told(taken_over()),
            done = frame(session, plan, lease, &mut sent) => done,
        };
        match done {
            Ok(None) => {}
            Ok(Some(end)) => return end,
            Err(error) if ends(&error, plan.request.region()) => return End::Told(error),
            // The window is hidden or being resized; the next tick may find it again.
            Err(_) => {}
        }
    }
}

fn taken_over() -> CodedError {
    CodedError::new(
        ErrorCode::Busy,
        "another connection goes on with this stream, by resume_stream; start a screencast anew to see more",
    )
}

/// Whether an error is for good.
fn ends(error: &CodedError, region: Region) -> bool {
    match error.code {
        ErrorCode::DesktopGone => true,
        ErrorCode::WindowNotFound => matches!(region, Region::Window(_)),
        _ => false,
    }
}

/// Looks, and sends a frame where there is something new; says so when it was the last.
async fn frame(
    session: &Session,
    plan: &Plan,
    lease: &Lease,
    sent: &mut Option<Sent>,
) -> Result<Option<End>, CodedError> {
    let known = sent.as_ref().map(|sent: &Sent| sent.generation);
    let request = plan.request;
    let Some(grab) = session
        .daemon()
        .desk
        .look(request.region(), request.max_long_edge, known)
        .await?
    else {
        return Ok(None);
    };
    let Some(place) = session.outbox().room_for_frame() else {
        lease.next_seq();
        return Ok(None);
    };
    let previous = match sent {
        Some(last)
            if plan.delta
                && last.frame.size() == grab.frame.size()
                && last.keyframe_at.elapsed() < KEYFRAME_EVERY =>
        {
            Some(Arc::clone(&last.frame))
        }
        _ => None,
    };
    let (grab, content) = encode_content(grab, previous, request).await?;
    let keyframe_at = match (&content, &*sent) {
        (Some(Content::Tiles(_)) | None, Some(last)) => last.keyframe_at,
        _ => Instant::now(),
    };
    let frame = Arc::clone(&grab.frame);
    let generation = grab.generation;
    if let Some(content) = content {
        let message = message(session, &grab, content, request, lease);
        if let Some(message) = message {
            let outbox = session.outbox();
            if let Err(error) = outbox.check_size(&message) {
                // The next frame would not be smaller.
                return Ok(Some(End::Told(error)));
            }
            if outbox.send_frame(message, place).await.is_err() {
                return Ok(Some(End::Quiet));
            }
        }
    }
    *sent = Some(Sent {
        frame,
        generation,
        keyframe_at,
    });
    Ok(None)
}

/// Encodes the whole picture, or the tiles that differ from `previous`; nothing where none does.
async fn encode_content(
    grab: Grab,
    previous: Option<Arc<Frame>>,
    request: Request,
) -> Result<(Grab, Option<Content>), CodedError> {
    let work = move || -> Result<_, desktop::image::EncodeError> {
        let Some(previous) = previous else {
            let bytes = encode(&grab.frame, request.codec)?;
            return Ok((grab, Some(Content::Whole(bytes))));
        };
        let changed = changed_tiles(&previous, &grab.frame, grab.dirty.as_deref());
        if changed.is_empty() {
            return Ok((grab, None));
        }
        let size = grab.frame.size();
        let all = size.w.div_ceil(TILE_EDGE) * size.h.div_ceil(TILE_EDGE);
        // Many small pictures cost more than one large one.
        if changed.len() as u64 * 2 > u64::from(all) {
            let bytes = encode(&grab.frame, request.codec)?;
            return Ok((grab, Some(Content::Whole(bytes))));
        }
        let tiles = changed
            .into_iter()
            .map(|tile| encode_part(&grab.frame, tile, request.codec).map(|bytes| (tile, bytes)))
            .collect::<Result<Vec<_>, _>>()?;
        Ok((grab, Some(Content::Tiles(tiles))))
    };
    match tokio::task::spawn_blocking(work).await {
        Ok(outcome) => outcome.map_err(|error| CodedError::new(ErrorCode::CaptureFailed, error.to_string())),
        Err(error) => Err(CodedError::new(
            ErrorCode::CaptureFailed,
            format!("the encoder did not finish: {error}"),
        )),
    }
}

fn message(
    session: &Session,
    grab: &Grab,
    content: Content,
    request: Request,
    lease: &Lease,
) -> Option<Outgoing> {
    let size = grab.frame.size();
    let (w, h) = (Integer::clamped(size.w), Integer::clamped(size.h));
    let (scope, format) = (Some(request.scope), Some(request.format));
    let obs_id = session.observation_id();
    let stream = Some(lease.id().to_owned());
    let seq = Some(Natural::clamped(lease.next_seq()));
    if !session.is_binary() {
        let mut observation = Observation::new(obs_id);
        (observation.stream, observation.seq, observation.display) = (stream, seq, display(grab));
        match content {
            Content::Whole(bytes) => {
                observation.image = Some(Image {
                    data_b64: to_base64(&bytes),
                    w,
                    h,
                    scope,
                    format,
                });
            }
            Content::Tiles(tiles) => {
                let tiles = tiles.into_iter().filter_map(|(at, bytes)| {
                    let (x, y, w, h) = edges(at)?;
                    Some(Tile {
                        x,
                        y,
                        w,
                        h,
                        data_b64: to_base64(&bytes),
                    })
                });
                observation.tiles = NonEmpty::new(tiles.collect());
            }
        }
        return Some(outbox::text(observation.into()));
    }
    let mut header = BinaryFrameHeader {
        obs_id,
        cause: None,
        stream,
        seq,
        display: display(grab),
        image: None,
        tiles: None,
        frame_hash: None,
        pointer: None,
    };
    match content {
        Content::Whole(bytes) => {
            let len = Natural::clamped(bytes.len());
            header.image = Some(BinaryImage {
                off: Natural::clamped(0),
                len,
                w,
                h,
                scope,
                format,
            });
            outbox::binary(Header::Observation(header), &[&bytes])
        }
        Content::Tiles(tiles) => {
            let mut off = 0;
            let entries = tiles.iter().filter_map(|(at, bytes)| {
                let (x, y, w, h) = edges(*at)?;
                let tile = BinaryTile {
                    x,
                    y,
                    w,
                    h,
                    off: Natural::clamped(off),
                    len: Natural::clamped(bytes.len()),
                };
                off += bytes.len();
                Some(tile)
            });
            header.tiles = NonEmpty::new(entries.collect());
            let parts: Vec<&[u8]> = tiles.iter().map(|(_, bytes)| bytes.as_slice()).collect();
            outbox::binary(Header::Observation(header), &parts)
        }
    }
}

/// A tile's place as the wire has it; tiles lie inside of their picture, so it always has one.
fn edges(tile: Rect) -> Option<(Natural, Natural, Positive, Positive)> {
    Some((
        Natural::new(tile.x.into())?,
        Natural::new(tile.y.into())?,
        Positive::new(tile.w.into())?,
        Positive::new(tile.h.into())?,
    ))
}
