//! Fetches pixels from the X server, through shared memory where it can.

use std::os::fd::OwnedFd;

use sys::shared_memory::Segment;
use x11rb::connection::RequestConnection as _;
use x11rb::errors::{ReplyError, ReplyOrIdError};
use x11rb::protocol::shm::{self, ConnectionExt as _};
use x11rb::protocol::xproto::{ConnectionExt as _, ImageFormat};

use super::pixels::{Piece, Pixels, SERVER_PIXEL_BYTES};
use super::server::Server;
use crate::DesktopError;
use crate::backend::Rect;

/// Shared memory grows in steps of this, so that a window that is resized by a few pixels needs no new one.
const GROWTH_BYTES: usize = 1 << 20;

/// Shared memory beyond this is given back after use: a screen of 4096 × 4096.
const KEPT_BYTES: usize = 64 << 20;

/// What one picture takes at most: 8192 × 8192 pixels.
const PICTURE_BYTES: usize = 256 << 20;

/// Why pixels could not be fetched.
#[derive(Debug)]
pub(super) enum ReadError {
    /// The drawable went away, changed its size or is not on the screen: look again and retry.
    Changed,
    /// It will not work.
    Failed(DesktopError),
}

/// The way pixels come from the server.
#[derive(Debug)]
pub(super) struct Reader {
    /// Whether shared memory is worth trying (MIT-SHM 1.2 passes file descriptors).
    sharing: bool,
    shared: Option<Shared>,
}

#[derive(Debug)]
struct Shared {
    id: shm::Seg,
    segment: Segment,
}

impl Reader {
    /// Finds out whether the server shares memory.
    ///
    /// # Errors
    /// `Gone`.
    pub(super) fn new(server: &Server) -> Result<Self, DesktopError> {
        let present = server
            .conn
            .extension_information(shm::X11_EXTENSION_NAME)?
            .is_some();
        let sharing = present
            && match server.conn.shm_query_version()?.reply() {
                Ok(version) => (version.major_version, version.minor_version) >= (1, 2),
                Err(ReplyError::X11Error(_)) => false,
                Err(ReplyError::ConnectionError(error)) => return Err(error.into()),
            };
        Ok(Self {
            sharing,
            shared: None,
        })
    }

    /// Reads `rects` of a drawable, which must lie inside it, and places each at its own position moved by
    /// `shift`. All requests are sent before the first answer is awaited.
    pub(super) fn read(
        &mut self,
        server: &Server,
        drawable: u32,
        rects: &[Rect],
        shift: (i32, i32),
    ) -> Result<Vec<Piece<'_>>, ReadError> {
        let bytes = rects.iter().map(|rect| rect_bytes(*rect)).sum();
        if bytes > PICTURE_BYTES {
            return Err(too_large());
        }
        self.make_room(server, bytes).map_err(ReadError::Failed)?;
        let place = |rect: &Rect| Rect {
            x: rect.x + shift.0,
            y: rect.y + shift.1,
            ..*rect
        };
        match &self.shared {
            Some(shared) => {
                let offsets = read_shared(server, shared, drawable, rects)?;
                Ok(rects
                    .iter()
                    .zip(offsets)
                    .map(|(rect, offset)| Piece {
                        place: place(rect),
                        pixels: Pixels::Shared {
                            segment: &shared.segment,
                            offset,
                        },
                    })
                    .collect())
            }
            None => Ok(read_plain(server, drawable, rects)?
                .into_iter()
                .zip(rects)
                .map(|(bytes, rect)| Piece {
                    place: place(rect),
                    pixels: Pixels::Owned(bytes),
                })
                .collect()),
        }
    }

    /// Gives back memory that only an unusually large picture needed.
    pub(super) fn trim(&mut self, server: &Server) -> Result<(), DesktopError> {
        if self
            .shared
            .as_ref()
            .is_some_and(|shared| shared.segment.len() > KEPT_BYTES)
        {
            self.release(server)?;
        }
        Ok(())
    }

    fn release(&mut self, server: &Server) -> Result<(), DesktopError> {
        if let Some(shared) = self.shared.take() {
            server.conn.shm_detach(shared.id)?;
        }
        Ok(())
    }

    /// Sees to shared memory of this size; leaves none where the server refuses it.
    fn make_room(&mut self, server: &Server, bytes: usize) -> Result<(), DesktopError> {
        if !self.sharing
            || self
                .shared
                .as_ref()
                .is_some_and(|shared| shared.segment.len() >= bytes)
        {
            return Ok(());
        }
        self.release(server)?;
        self.shared = attach(server, bytes.div_ceil(GROWTH_BYTES).max(1) * GROWTH_BYTES)?;
        if self.shared.is_none() {
            tracing::info!("no shared memory with the X server; pictures come through the socket");
            self.sharing = false;
        }
        Ok(())
    }
}

/// Makes a segment and has the server map it; `None` where it will not, as over a network.
fn attach(server: &Server, bytes: usize) -> Result<Option<Shared>, DesktopError> {
    let Ok(segment) = Segment::new(bytes) else {
        return Ok(None);
    };
    let Ok(fd) = segment.fd().try_clone_to_owned() else {
        return Ok(None);
    };
    let fd: OwnedFd = fd;
    let id = match server.new_id() {
        Ok(id) => id,
        Err(ReplyOrIdError::ConnectionError(error)) => return Err(error.into()),
        Err(_) => return Ok(None),
    };
    // The server only ever writes; the descriptor is sealed against shrinking, so neither side can fault.
    let attached = match server.conn.shm_attach_fd(id, fd, false) {
        Ok(cookie) => cookie.check(),
        Err(x11rb::errors::ConnectionError::FdPassingFailed) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    match attached {
        Ok(()) => Ok(Some(Shared { id, segment })),
        Err(ReplyError::X11Error(_)) => Ok(None),
        Err(ReplyError::ConnectionError(error)) => Err(error.into()),
    }
}

/// Has the server write the rectangles one after another; returns where each begins.
fn read_shared(
    server: &Server,
    shared: &Shared,
    drawable: u32,
    rects: &[Rect],
) -> Result<Vec<usize>, ReadError> {
    let mut offset = 0;
    let mut asked = Vec::with_capacity(rects.len());
    for rect in rects {
        let at = At::of(*rect)?;
        let start = u32::try_from(offset).map_err(|_| too_large())?;
        let cookie = server.conn.shm_get_image(
            drawable,
            at.x,
            at.y,
            at.w,
            at.h,
            u32::MAX,
            ImageFormat::Z_PIXMAP.into(),
            shared.id,
            start,
        )?;
        asked.push((offset, cookie));
        offset += rect_bytes(*rect);
    }
    let mut offsets = Vec::with_capacity(rects.len());
    for (offset, cookie) in asked {
        check_depth(cookie.reply()?.depth)?;
        offsets.push(offset);
    }
    Ok(offsets)
}

/// Has the server send the rectangles through the socket.
fn read_plain(server: &Server, drawable: u32, rects: &[Rect]) -> Result<Vec<Vec<u8>>, ReadError> {
    let mut asked = Vec::with_capacity(rects.len());
    for rect in rects {
        let at = At::of(*rect)?;
        let format = ImageFormat::Z_PIXMAP;
        asked.push(
            server
                .conn
                .get_image(format, drawable, at.x, at.y, at.w, at.h, u32::MAX)?,
        );
    }
    let mut images = Vec::with_capacity(rects.len());
    for (cookie, rect) in asked.into_iter().zip(rects) {
        let image = cookie.reply()?;
        check_depth(image.depth)?;
        if image.data.len() < rect_bytes(*rect) {
            return Err(ReadError::Failed(DesktopError::CaptureFailed(
                "the X server sent fewer pixels than it was asked for; take the picture again".to_owned(),
            )));
        }
        images.push(image.data);
    }
    Ok(images)
}

fn rect_bytes(rect: Rect) -> usize {
    rect.w as usize * rect.h as usize * SERVER_PIXEL_BYTES
}

/// A rectangle in the protocol's narrow numbers.
struct At {
    x: i16,
    y: i16,
    w: u16,
    h: u16,
}

impl At {
    fn of(rect: Rect) -> Result<Self, ReadError> {
        let narrow = || {
            Some(Self {
                x: i16::try_from(rect.x).ok()?,
                y: i16::try_from(rect.y).ok()?,
                w: u16::try_from(rect.w).ok()?,
                h: u16::try_from(rect.h).ok()?,
            })
        };
        narrow().ok_or_else(too_large)
    }
}

fn too_large() -> ReadError {
    ReadError::Failed(DesktopError::CaptureFailed(
        "it is too large for a picture, which holds 8192 by 8192 pixels at most; make it smaller".to_owned(),
    ))
}

/// 24 and 32 bits deep pixels are four bytes each, which was checked when the display was opened.
fn check_depth(depth: u8) -> Result<(), ReadError> {
    if depth == 24 || depth == 32 {
        return Ok(());
    }
    Err(ReadError::Failed(DesktopError::CaptureFailed(format!(
        "its pixels are {depth} bits deep, only 24 and 32 can be read; take a picture of the screen instead"
    ))))
}

impl From<ReplyError> for ReadError {
    fn from(error: ReplyError) -> Self {
        match error {
            ReplyError::X11Error(_) => Self::Changed,
            ReplyError::ConnectionError(error) => error.into(),
        }
    }
}

impl From<x11rb::errors::ConnectionError> for ReadError {
    fn from(error: x11rb::errors::ConnectionError) -> Self {
        Self::Failed(error.into())
    }
}
