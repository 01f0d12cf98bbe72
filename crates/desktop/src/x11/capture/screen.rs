//! The whole screen, kept current by reading again only what was damaged.

use x11rb::NONE;
use x11rb::connection::SequenceNumber;
use x11rb::protocol::damage::{ConnectionExt as _, ReportLevel};
use x11rb::protocol::xfixes::{ConnectionExt as _, FetchRegionReply};
use x11rb::protocol::xproto::{ConnectionExt as _, Rectangle};

use super::history::around;
use super::picture::{Generations, Picture};
use super::reader::{ReadError, Reader};
use super::screen_rect;
use super::server::Server;
use crate::DesktopError;
use crate::backend::{Rect, Size};

/// How often a picture is tried again when the screen changes its size meanwhile.
const ATTEMPTS: u32 = 8;

/// Damaged rectangles that are read one by one; more are read as the one around them, since each is a request.
const READS: usize = 16;

/// The screen and its damage.
#[derive(Debug)]
pub(super) struct Screen {
    /// Collects the damage of the root window. Windows keep pixels of their own, which the server copies to the root
    /// before it goes to sleep; that copy is what is reported here.
    damage: u32,
    /// Receives the collected damage.
    region: u32,
    picture: Picture,
    /// Whether damage has been reported since it was last fetched, or all must be read for another reason.
    state: State,
    /// The request that fetched the damage last; reports from before it are settled.
    fetched: SequenceNumber,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Current,
    Damaged,
    /// Nothing, or not all, has been read.
    Unread,
}

/// What the server says about the screen at one moment.
pub(super) struct Scene {
    pub(super) size: Size,
    pub(super) pointer: Option<(i32, i32)>,
}

impl Screen {
    /// Begins to watch the screen.
    ///
    /// # Errors
    /// `Gone`, `Unsupported`.
    pub(super) fn new(server: &Server, generations: &mut Generations) -> Result<Self, DesktopError> {
        let conn = &server.conn;
        let (damage, region) = (server.new_id()?, server.new_id()?);
        conn.damage_create(damage, server.root, ReportLevel::NON_EMPTY)?
            .check()?;
        conn.xfixes_create_region(region, &[])?.check()?;
        let size = conn.get_geometry(server.root)?.reply()?;
        Ok(Self {
            damage,
            region,
            picture: Picture::new(
                Size {
                    w: size.width.into(),
                    h: size.height.into(),
                },
                generations,
            )?,
            state: State::Unread,
            fetched: 0,
        })
    }

    /// The picture as of the last [`Screen::refresh`], if nothing has been reported since.
    pub(super) fn current(&self) -> Option<&Picture> {
        (self.state == State::Current).then_some(&self.picture)
    }

    /// The picture as of the last [`Screen::refresh`].
    pub(super) fn picture(&mut self) -> &mut Picture {
        &mut self.picture
    }

    /// Takes note of a damage report; whether it was about the screen.
    pub(super) fn note_damage(&mut self, damage: u32, at: SequenceNumber) -> bool {
        if damage != self.damage {
            return false;
        }
        if at >= self.fetched && self.state == State::Current {
            self.state = State::Damaged;
        }
        true
    }

    /// Takes note that the screen may have another size.
    pub(super) fn note_resize(&mut self) {
        self.state = State::Unread;
    }

    /// Brings the picture up to date: one round trip to learn what was damaged, and another to read it.
    ///
    /// # Errors
    /// `Gone`; `CaptureFailed` where the screen does not stop changing its size.
    pub(super) fn refresh(
        &mut self,
        server: &Server,
        reader: &mut Reader,
        generations: &mut Generations,
    ) -> Result<Scene, DesktopError> {
        for _ in 0..ATTEMPTS {
            let (scene, damaged) = self.fetch(server)?;
            let whole = screen_rect(scene.size);
            let fits = self.picture.size() == scene.size;
            let rects = if fits && self.state != State::Unread {
                to_read(&damaged, scene.size)
            } else {
                vec![whole]
            };
            // Until it has been read: the damage has been fetched and will not be reported again.
            self.state = State::Unread;
            if !fits {
                self.picture = Picture::new(scene.size, generations)?;
            }
            if !rects.is_empty() {
                match reader.read(server, server.root, &rects, (0, 0)) {
                    Ok(pieces) => self.picture.bring_in(&pieces, generations),
                    Err(ReadError::Changed) => continue,
                    Err(ReadError::Failed(error)) => return Err(error),
                }
            }
            self.state = State::Current;
            return Ok(scene);
        }
        Err(DesktopError::CaptureFailed(
            "the screen keeps changing its size; take the picture again when it has settled".to_owned(),
        ))
    }

    /// Empties the damage into the answer, and asks for size and pointer in the same round trip.
    ///
    /// One round trip is enough for all that other programs have synchronized before: the server paints windows to the
    /// root before it waits for requests, so also before it reads these.
    fn fetch(&mut self, server: &Server) -> Result<(Scene, FetchRegionReply), DesktopError> {
        let conn = &server.conn;
        self.fetched = conn
            .damage_subtract(self.damage, NONE, self.region)?
            .sequence_number();
        let damaged = conn.xfixes_fetch_region(self.region)?;
        let pointer = conn.query_pointer(server.root)?;
        let geometry = conn.get_geometry(server.root)?;
        let damaged = damaged.reply()?;
        let pointer = pointer.reply()?;
        let geometry = geometry.reply()?;
        let scene = Scene {
            size: Size {
                w: geometry.width.into(),
                h: geometry.height.into(),
            },
            pointer: pointer
                .same_screen
                .then(|| (pointer.root_x.into(), pointer.root_y.into())),
        };
        Ok((scene, damaged))
    }
}

/// The rectangles to read for this damage: inside the screen, and not too many.
fn to_read(damaged: &FetchRegionReply, size: Size) -> Vec<Rect> {
    let inside = |rect: &Rectangle| {
        let (x, y) = (i32::from(rect.x), i32::from(rect.y));
        let span = |start: i32, length: u16, edge: u32| {
            let edge = i32::try_from(edge).unwrap_or(i32::MAX);
            (start.clamp(0, edge), (start + i32::from(length)).clamp(0, edge))
        };
        let (left, right) = span(x, rect.width, size.w);
        let (top, bottom) = span(y, rect.height, size.h);
        Rect {
            x: left,
            y: top,
            w: right.abs_diff(left),
            h: bottom.abs_diff(top),
        }
    };
    let rects: Vec<Rect> = damaged
        .rectangles
        .iter()
        .map(inside)
        .filter(|rect| rect.w > 0 && rect.h > 0)
        .collect();
    if rects.len() <= READS {
        return rects;
    }
    around(&rects).into_iter().collect()
}
