//! Pictures, and the picture that follows an action.

use std::sync::Arc;
use std::time::Duration;

use aci::action::ObserveSpec;
use aci::error_code::{CodedError, ErrorCode};
use aci::frame::Header;
use aci::geometry::{CoordinateRect, CoordinateSize, CoordinateSpace, PixelRatio};
use aci::message::ResultMsg;
use aci::observation::{BinaryFrameHeader, BinaryImage, Image, Observation};
use aci::target::Scope;
use aci::verb::call;
use aci::welcome::ImageFormat;
use aci::{Array, Constant, Integer, Natural, Positive};
use base64::Engine as _;
use desktop::backend::{Grab, Region};
use desktop::image::{Codec, Frame};
use marks::overlay::Mark;
use tokio::time::Instant;

use crate::desk::Grabbed;
use crate::outbox::{self, Closed, Outgoing};
use crate::reply::{Outcome, Reply};
use crate::session::Session;

/// JPEG quality where a call names none: text stays readable at a tenth of PNG's size.
pub(crate) const DEFAULT_QUALITY: i64 = 80;
/// After an action the screen is given so long to begin to change,
const REACTION: Duration = Duration::from_millis(50);
/// must then rest for so long,
const QUIET: Duration = Duration::from_millis(30);
/// and is taken as it is after so long in all.
const PATIENCE: Duration = Duration::from_millis(300);
/// How often it is looked at meanwhile; a look costs microseconds.
const LOOK: Duration = Duration::from_millis(5);

/// What a picture is to be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request {
    pub(crate) scope: Scope,
    pub(crate) max_long_edge: Option<u32>,
    pub(crate) format: ImageFormat,
    pub(crate) codec: Codec,
}

/// A picture, encoded.
#[derive(Debug)]
pub(crate) struct Picture {
    grab: Grab,
    bytes: Vec<u8>,
    request: Request,
}

impl Request {
    pub(crate) fn new(
        scope: Option<Scope>,
        max_long_edge: Option<Positive>,
        format: Option<ImageFormat>,
        quality: Option<aci::action::Quality>,
    ) -> Self {
        let format = format.unwrap_or(ImageFormat::Png);
        let quality = quality.map_or(DEFAULT_QUALITY, |quality| quality.get());
        Self {
            scope: scope.unwrap_or_default(),
            max_long_edge: max_long_edge.map(|edge| edge.to_u32()),
            format,
            codec: match format {
                ImageFormat::Png => Codec::Png,
                ImageFormat::Jpeg => Codec::Jpeg {
                    quality: u8::try_from(quality).unwrap_or(100),
                },
            },
        }
    }

    pub(crate) fn region(&self) -> Region {
        match self.scope {
            Scope::Screen => Region::Screen,
            Scope::ActiveWindow => Region::ActiveWindow,
            Scope::Window(id) => Region::Window(id),
        }
    }
}

pub(super) async fn screenshot(session: &Session, call_id: &str, call: call::Screenshot) -> Outcome {
    let request = Request::new(call.scope, call.max_long_edge, call.format, call.quality);
    match grab(session, request, call.if_none_match).await? {
        Grabbed::Known(grab) => {
            let mut observation = Observation::new(session.observation_id());
            observation.cause = Some(call_id.to_owned());
            observation.not_modified = Some(Constant);
            observation.frame_hash = Some(grab.hash.to_string());
            observation.pointer = pointer(&grab);
            observation.display = display(&grab);
            Ok(Reply::Seen(Box::new(observation)))
        }
        Grabbed::New(picture) => Ok(Reply::Picture(Box::new(picture?))),
    }
}

/// The picture, unless it has this hash. It is encoded on the thread that took it: a switch between threads costs as much as
/// a tenth of a small picture.
async fn grab(
    session: &Session,
    request: Request,
    known: Option<String>,
) -> Result<Grabbed<Result<Picture, CodedError>>, CodedError> {
    session
        .daemon()
        .desk
        .grab_and_work(request.region(), request.max_long_edge, known, move |grab| {
            encode(grab, request)
        })
        .await
}

/// The picture as it is now.
pub(super) async fn picture(session: &Session, request: Request) -> Result<Picture, CodedError> {
    match grab(session, request, None).await? {
        Grabbed::New(picture) => picture,
        // Nothing was said to be known.
        Grabbed::Known(grab) => encode(grab, request),
    }
}

/// Sends the picture that an action asked for, or the error that kept it from being taken.
pub(crate) async fn after_act(session: &Session, call_id: &str, spec: ObserveSpec) -> Result<(), Closed> {
    let request = Request::new(spec.scope, spec.max_long_edge, spec.format, spec.quality);
    let taken = async {
        rest(session, request).await?;
        picture(session, request).await
    };
    match taken.await.and_then(|picture| picture.message(session, call_id)) {
        Ok(message) => session.outbox().put(message).await,
        Err(error) => session.outbox().send(ResultMsg::failed(call_id, &error)).await,
    }
}

/// Waits until the screen has reacted to an action and rests again, or the time for that is over.
async fn rest(session: &Session, request: Request) -> Result<(), CodedError> {
    let desk = &session.daemon().desk;
    // The picture before tells what counts as a change.
    let (region, edge) = (Region::Screen, request.max_long_edge);
    let mut last = desk.grab(region, edge, None).await?.generation;
    let start = Instant::now();
    let mut changed_at = None;
    while start.elapsed() < PATIENCE {
        match changed_at {
            None if start.elapsed() >= REACTION => break,
            Some(at) if Instant::now().duration_since(at) >= QUIET => break,
            _ => tokio::time::sleep(LOOK).await,
        }
        if desk.may_have_changed(region, edge).await? {
            let now = desk.grab(region, edge, None).await?.generation;
            if now != last {
                last = now;
                changed_at = Some(Instant::now());
            }
        }
    }
    Ok(())
}

fn encode(grab: Grab, request: Request) -> Result<Picture, CodedError> {
    match desktop::image::encode(&grab.frame, request.codec) {
        Ok(bytes) => Ok(Picture { grab, bytes, request }),
        Err(error) => Err(CodedError::new(ErrorCode::CaptureFailed, error.to_string())),
    }
}

impl Picture {
    /// The picture as the answer to a call, in the form that the session takes.
    ///
    /// # Errors
    /// Where it makes a larger message than the client takes.
    pub(crate) fn message(self, session: &Session, call_id: &str) -> Result<Outgoing, CodedError> {
        let message = self.encoded(session, call_id)?;
        session.outbox().check_size(&message)?;
        Ok(message)
    }

    /// Says in an observation how its pixels lie on the screen, and what stands for them.
    pub(super) fn describe(&self, seen: &mut Observation) {
        seen.display = display(&self.grab);
        seen.pointer = pointer(&self.grab);
        seen.frame_hash = Some(self.grab.hash.to_string());
    }

    /// The same with boxes drawn over it, which are given in pixels of the screen.
    pub(super) async fn with_marks(self, marks: Vec<Mark>) -> Result<Self, CodedError> {
        let Self { grab, request, .. } = self;
        let (size, source) = (grab.frame.size(), grab.source);
        let x = |x: i32| share(i64::from(x) - i64::from(source.x), size.w, source.w);
        let y = |y: i32| share(i64::from(y) - i64::from(source.y), size.h, source.h);
        let length = |length: u32, to: u32, from: u32| share(i64::from(length), to, from).unsigned_abs();
        let marks = marks.into_iter().map(|mark| Mark {
            rect: marks::Rect {
                x: x(mark.rect.x),
                y: y(mark.rect.y),
                w: length(mark.rect.w, size.w, source.w),
                h: length(mark.rect.h, size.h, source.h),
            },
            ..mark
        });
        let marks: Vec<Mark> = marks.collect();
        let drawn = tokio::task::spawn_blocking(move || {
            let mut rgb = grab.frame.rgb().to_vec();
            marks::overlay::draw(size.w, size.h, &mut rgb, &marks);
            let frame = Frame::new(size, rgb).map(Arc::new);
            (grab, frame)
        });
        let (grab, frame) = drawn.await.map_err(|error| failed(error.to_string()))?;
        let frame = frame.ok_or_else(|| failed("the marked picture has another size"))?;
        encode(Grab { frame, ..grab }, request)
    }

    /// Width and height in pixels.
    pub(super) fn size(&self) -> (u32, u32) {
        let size = self.grab.frame.size();
        (size.w, size.h)
    }

    /// What it shows.
    pub(super) fn scope(&self) -> Scope {
        self.request.scope
    }

    /// Its codec.
    pub(super) fn format(&self) -> ImageFormat {
        self.request.format
    }

    /// The codec's bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn encoded(self, session: &Session, call_id: &str) -> Result<Outgoing, CodedError> {
        let Self { grab, bytes, request } = self;
        let size = grab.frame.size();
        let (w, h) = (Integer::clamped(size.w), Integer::clamped(size.h));
        let (scope, format) = (Some(request.scope), Some(request.format));
        let cause = Some(call_id.to_owned());
        let frame_hash = Some(grab.hash.to_string());
        let obs_id = session.observation_id();
        if session.is_binary() {
            let image = BinaryImage {
                off: Natural::clamped(0),
                len: Natural::clamped(bytes.len()),
                w,
                h,
                scope,
                format,
            };
            let header = BinaryFrameHeader {
                obs_id,
                cause,
                stream: None,
                seq: None,
                display: display(&grab),
                image: Some(image),
                tiles: None,
                frame_hash,
                pointer: pointer(&grab),
            };
            return outbox::binary(Header::Observation(header), &[&bytes]).ok_or_else(|| {
                CodedError::new(
                    ErrorCode::CaptureFailed,
                    "the picture's header is too long for a frame",
                )
            });
        }
        let mut observation = Observation::new(obs_id);
        observation.cause = cause;
        observation.display = display(&grab);
        observation.frame_hash = frame_hash;
        observation.pointer = pointer(&grab);
        observation.image = Some(Image {
            data_b64: to_base64(&bytes),
            w,
            h,
            scope,
            format,
        });
        Ok(outbox::text(observation.into()))
    }
}

/// A length of `from` pixels where those are `to`.
fn share(length: i64, to: u32, from: u32) -> i32 {
    let scaled = length.saturating_mul(i64::from(to)) / i64::from(from.max(1));
    i32::try_from(scaled).unwrap_or(if scaled < 0 { i32::MIN } else { i32::MAX })
}

fn failed(why: impl Into<String>) -> CodedError {
    CodedError::new(ErrorCode::CaptureFailed, why)
}

/// How a picture lies on the screen. X11 has one device pixel per point.
pub(crate) fn display(grab: &Grab) -> Option<CoordinateSpace> {
    let size = grab.frame.size();
    Some(CoordinateSpace {
        w: Positive::new(grab.screen.w.into())?,
        h: Positive::new(grab.screen.h.into())?,
        dpr: PixelRatio::ONE,
        source_rect: CoordinateRect {
            x: Integer::clamped(grab.source.x),
            y: Integer::clamped(grab.source.y),
            w: Positive::new(grab.source.w.into())?,
            h: Positive::new(grab.source.h.into())?,
        },
        delivered: CoordinateSize {
            w: Positive::new(size.w.into())?,
            h: Positive::new(size.h.into())?,
        },
    })
}

pub(crate) fn to_base64(bytes: &[u8]) -> String {
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

fn pointer(grab: &Grab) -> Option<Array<Integer, 2>> {
    grab.pointer
        .map(|(x, y)| Array([Integer::clamped(x), Integer::clamped(y)]))
}
