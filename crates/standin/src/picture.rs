//! Pictures: drawn when they are asked for, and kept only where others will ask for the same.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use aci::action::Quality;
use aci::error_code::{CodedError, ErrorCode};
use aci::geometry::{CoordinateRect, CoordinateSize, CoordinateSpace, PixelRatio};
use aci::target::Scope;
use aci::welcome::ImageFormat;
use aci::{Integer, Positive};
use bytes::Bytes;
use desktop::backend::{Rect, Size};
use desktop::image::{Codec, Frame, FrameHash, Scaler, encode};
use tokio::sync::Semaphore;

use crate::form::{Form, WINDOW};
use crate::screen;

/// The number of the one window.
pub(crate) const WINDOW_ID: u64 = 1;
/// JPEG quality where a call names none, as the daemon has it.
const DEFAULT_QUALITY: i64 = 80;
/// How many pictures are kept.
const KEPT: usize = 32;
/// Larger ones are not.
const LARGEST: usize = 1 << 20;

/// What a picture is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) scope: Scope,
    max_long_edge: Option<u32>,
    pub(crate) format: ImageFormat,
    codec: Codec,
    screen: Size,
}

/// A picture.
#[derive(Debug, Clone)]
pub(crate) struct Picture {
    pub(crate) hash: FrameHash,
    pub(crate) size: Size,
    pub(crate) source: Rect,
    /// Its bytes, unless the client has these pixels.
    pub(crate) bytes: Option<Bytes>,
}

/// Draws for all sessions, a few at a time: a screen has megabytes while it is drawn.
#[derive(Debug)]
pub(crate) struct Painter {
    places: Semaphore,
    /// The pictures that were asked for last. Sessions that did the same see the same.
    kept: Mutex<VecDeque<(Form, Request, Picture)>>,
}

impl Request {
    pub(crate) fn new(
        screen: Size,
        scope: Option<Scope>,
        max_long_edge: Option<Positive>,
        format: Option<ImageFormat>,
        quality: Option<Quality>,
    ) -> Result<Self, CodedError> {
        let scope = scope.unwrap_or_default();
        if let Scope::Window(id) = scope
            && id != WINDOW_ID
        {
            return Err(CodedError::new(
                ErrorCode::WindowNotFound,
                format!("no window has the number {id}; list_windows shows the present ones"),
            ));
        }
        let format = format.unwrap_or(ImageFormat::Png);
        let quality = quality.map_or(DEFAULT_QUALITY, |quality| quality.get());
        Ok(Self {
            scope,
            max_long_edge: max_long_edge.map(|edge| edge.to_u32()),
            format,
            codec: match format {
                ImageFormat::Png => Codec::Png,
                ImageFormat::Jpeg => Codec::Jpeg {
                    quality: u8::try_from(quality).unwrap_or(100),
                },
            },
            screen,
        })
    }

    /// What it shows of the screen.
    fn source(&self) -> Rect {
        match self.scope {
            Scope::Screen => Rect {
                x: 0,
                y: 0,
                w: self.screen.w,
                h: self.screen.h,
            },
            Scope::ActiveWindow | Scope::Window(_) => WINDOW,
        }
    }

    fn draw(&self, form: &Form) -> Option<Frame> {
        let whole = screen::draw(form, self.screen)?;
        let frame = match self.scope {
            Scope::Screen => whole,
            Scope::ActiveWindow | Scope::Window(_) => cut(&whole, self.source())?,
        };
        let edge = self.max_long_edge.unwrap_or(u32::MAX);
        Some(Scaler::new().scale(&frame, edge).unwrap_or(frame))
    }

    fn take(&self, form: &Form, known: Option<&str>) -> Result<Picture, CodedError> {
        let failed = |why: String| CodedError::new(ErrorCode::CaptureFailed, why);
        let frame = self
            .draw(form)
            .ok_or_else(|| failed("there is no such part of the screen".to_owned()))?;
        let hash = frame.hash();
        let is_known = known == Some(hash.to_string().as_str());
        let bytes = match is_known {
            true => None,
            false => Some(encode(&frame, self.codec).map_err(|error| failed(error.to_string()))?),
        };
        Ok(Picture {
            hash,
            size: frame.size(),
            source: self.source(),
            bytes: bytes.map(Bytes::from),
        })
    }
}

impl Painter {
    pub(crate) fn new() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, |count| count.get());
        Self {
            places: Semaphore::new(processors),
            kept: Mutex::default(),
        }
    }

    /// The picture; without its bytes where its pixels are those of `known`.
    pub(crate) async fn take(
        &self,
        form: &Form,
        request: Request,
        known: Option<String>,
    ) -> Result<Picture, CodedError> {
        let gone = |why: String| CodedError::new(ErrorCode::CaptureFailed, why);
        // Whoever has to wait may find that another has drawn the same meanwhile.
        if let Some(picture) = self.find(form, request, known.as_deref()) {
            return Ok(picture);
        }
        let _place = self
            .places
            .acquire()
            .await
            .map_err(|error| gone(error.to_string()))?;
        if let Some(picture) = self.find(form, request, known.as_deref()) {
            return Ok(picture);
        }
        let seen = form.clone();
        let drawing = tokio::task::spawn_blocking(move || {
            let picture = request.take(&seen, known.as_deref());
            picture.map(|picture| (seen, picture))
        });
        let (form, picture) = drawing.await.map_err(|error| gone(error.to_string()))??;
        if picture.bytes.as_ref().is_some_and(|bytes| bytes.len() <= LARGEST) {
            let mut kept = self.kept();
            kept.truncate(KEPT - 1);
            kept.push_front((form, request, picture.clone()));
        }
        Ok(picture)
    }

    fn find(&self, form: &Form, request: Request, known: Option<&str>) -> Option<Picture> {
        let mut kept = self.kept();
        let at = kept
            .iter()
            .position(|(seen, asked, _)| *asked == request && seen == form)?;
        let found = kept.remove(at)?;
        let mut picture = found.2.clone();
        kept.push_front(found);
        if known == Some(picture.hash.to_string().as_str()) {
            picture.bytes = None;
        }
        Some(picture)
    }

    fn kept(&self) -> MutexGuard<'_, VecDeque<(Form, Request, Picture)>> {
        // No change of it stops half way.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Picture {
    /// How it lies on the screen.
    pub(crate) fn display(&self, screen: Size) -> Option<CoordinateSpace> {
        let positive = |edge: u32| Positive::new(edge.into());
        Some(CoordinateSpace {
            w: positive(screen.w)?,
            h: positive(screen.h)?,
            dpr: PixelRatio::ONE,
            source_rect: CoordinateRect {
                x: Integer::clamped(self.source.x),
                y: Integer::clamped(self.source.y),
                w: positive(self.source.w)?,
                h: positive(self.source.h)?,
            },
            delivered: CoordinateSize {
                w: positive(self.size.w)?,
                h: positive(self.size.h)?,
            },
        })
    }
}

/// A part that is inside of the frame.
fn cut(frame: &Frame, part: Rect) -> Option<Frame> {
    let (x, y) = (usize::try_from(part.x).ok()?, usize::try_from(part.y).ok()?);
    let pitch = frame.size().w as usize * 3;
    let mut rgb = Vec::with_capacity(part.w as usize * part.h as usize * 3);
    for row in y..y + part.h as usize {
        let from = row * pitch + x * 3;
        rgb.extend_from_slice(frame.rgb().get(from..from + part.w as usize * 3)?);
    }
    Frame::new(Size { w: part.w, h: part.h }, rgb)
}
