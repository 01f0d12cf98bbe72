//! One window's own pixels, also where others cover it or the screen ends.

use x11rb::connection::SequenceNumber;
use x11rb::protocol::composite::ConnectionExt as _;
use x11rb::protocol::damage::{ConnectionExt as _, ReportLevel};
use x11rb::protocol::xproto::{ChangeWindowAttributesAux, ConnectionExt as _, EventMask};

use super::look::{Looked, View, answer, look, not_found};
use super::picture::{Generations, Picture};
use super::reader::{ReadError, Reader};
use super::screen::Scene;
use super::server::Server;
use crate::DesktopError;
use crate::backend::{Rect, Size};

/// A window that is watched since a picture of it was taken.
#[derive(Debug)]
pub(super) struct Window {
    id: u32,
    /// Reports drawing into the window and what is in it.
    damage: u32,
    /// The name for the pixels of its top-level window, used anew for each reading.
    pixmap: u32,
    /// The windows around it that report to us when they move.
    watched: Vec<u32>,
    seen: Option<Seen>,
    /// Whether a change has been reported since it was last looked at.
    stale: bool,
    /// Whether it was destroyed, and with it what reports drawing. The X server gives its id to another window sooner
    /// or later, often to the next program's first one.
    gone: bool,
    /// The request before which all reports are settled.
    settled: SequenceNumber,
}

/// What the last reading found.
#[derive(Debug)]
struct Seen {
    view: View,
    picture: Picture,
    /// What the picture shows, in pixels of the whole screen.
    source: Rect,
}

/// What an attempt to read a window gave.
pub(super) enum Taken {
    /// Its picture is up to date.
    Done(Scene),
    /// It moved or changed its size meanwhile; try again.
    Again,
}

impl Window {
    /// Begins to watch a window. Whether it exists shows only when it is looked at.
    ///
    /// # Errors
    /// `Gone`, `WindowNotFound` for an id that no window can have.
    pub(super) fn watch(server: &Server, id: u64) -> Result<Self, DesktopError> {
        let id = u32::try_from(id).map_err(|_| not_found(id))?;
        if id == server.root {
            return Err(DesktopError::WindowNotFound(format!(
                "{id} is the whole screen and no window; take a picture of the screen"
            )));
        }
        let (damage, pixmap) = (server.new_id()?, server.new_id()?);
        select(server, id, EventMask::STRUCTURE_NOTIFY | EventMask::FOCUS_CHANGE)?;
        server
            .conn
            .damage_create(damage, id, ReportLevel::NON_EMPTY)?
            .ignore_error();
        Ok(Self {
            id,
            damage,
            pixmap,
            watched: Vec::new(),
            seen: None,
            stale: true,
            gone: false,
            settled: 0,
        })
    }

    /// Stops to watch it.
    pub(super) fn forget(self, server: &Server) -> Result<(), DesktopError> {
        // It may be gone, and with it what watched it.
        server.conn.damage_destroy(self.damage)?.ignore_error();
        for window in self.watched.into_iter().chain([self.id]) {
            select(server, window, EventMask::NO_EVENT)?;
        }
        Ok(())
    }

    pub(super) fn id(&self) -> u32 {
        self.id
    }

    /// Picture and place as of the last reading, if nothing has been reported since.
    pub(super) fn current(&self) -> Option<(&Picture, Rect)> {
        let seen = self.seen.as_ref().filter(|_| !self.stale)?;
        Some((&seen.picture, seen.source))
    }

    /// Picture and place as of the last reading.
    pub(super) fn picture(&mut self) -> Option<(&mut Picture, Rect)> {
        self.seen.as_mut().map(|seen| (&mut seen.picture, seen.source))
    }

    /// Whether the picture is still right, seen from here and with all reports noted.
    pub(super) fn is_still(&self, view: &View) -> bool {
        !self.stale && self.seen.as_ref().is_some_and(|seen| seen.view == *view)
    }

    /// Takes note of a damage report; whether it was about this window.
    pub(super) fn note_damage(&mut self, damage: u32, at: SequenceNumber) -> bool {
        let ours = damage == self.damage;
        self.stale |= ours && at >= self.settled;
        ours
    }

    /// Takes note that a window was moved, resized, mapped or the like; whether it is this one or one around it.
    pub(super) fn note_structure(&mut self, window: u32, at: SequenceNumber) -> bool {
        let ours = window == self.id || self.watched.contains(&window);
        self.stale |= ours && at >= self.settled;
        ours
    }

    /// Takes note that a window was destroyed; whether it is this one or one around it.
    pub(super) fn note_destroyed(&mut self, window: u32) -> bool {
        self.gone |= window == self.id;
        self.stale |= self.gone;
        self.gone || self.watched.contains(&window)
    }

    /// Whether it was destroyed since it is watched; a window with its id is another one.
    pub(super) fn is_gone(&self) -> bool {
        self.gone
    }

    /// Brings the picture up to date, if that succeeds before the window changes its place.
    ///
    /// # Errors
    /// As [`look`]; `CaptureFailed` where it cannot be read.
    pub(super) fn take(
        &mut self,
        server: &Server,
        reader: &mut Reader,
        generations: &mut Generations,
    ) -> Result<Taken, DesktopError> {
        let conn = &server.conn;
        // What was drawn before this is in what is read after it.
        let settled = conn.damage_subtract(self.damage, x11rb::NONE, x11rb::NONE)?;
        self.settled = settled.sequence_number();
        settled.ignore_error();
        self.stale = true;
        let Looked::At(view, _) = look(server, self.id)? else {
            return Ok(Taken::Again);
        };
        self.follow(server, &view)?;
        let Some((source, in_pixmap)) = self.name_pixels(server, &view)? else {
            return Ok(Taken::Again);
        };
        let shift = (-in_pixmap.x, -in_pixmap.y);
        let read = reader.read(server, self.pixmap, &[in_pixmap], shift);
        conn.free_pixmap(self.pixmap)?.ignore_error();
        let pieces = match read {
            Ok(pieces) => pieces,
            Err(ReadError::Changed) => return Ok(Taken::Again),
            Err(ReadError::Failed(error)) => return Err(error),
        };
        let scene = match look(server, self.id)? {
            Looked::At(after, scene) if after == view => scene,
            Looked::At(..) | Looked::Again => return Ok(Taken::Again),
        };
        let size = Size {
            w: source.w,
            h: source.h,
        };
        let mut picture = match self.seen.take() {
            Some(seen) if seen.picture.size() == size => seen.picture,
            _ => Picture::new(size, generations)?,
        };
        picture.bring_in(&pieces, generations);
        self.seen = Some(Seen {
            view,
            picture,
            source,
        });
        self.stale = false;
        Ok(Taken::Done(scene))
    }

    /// Has the windows around this one report to us.
    fn follow(&mut self, server: &Server, view: &View) -> Result<(), DesktopError> {
        if self.watched == view.ancestors {
            return Ok(());
        }
        for window in self
            .watched
            .iter()
            .filter(|window| !view.ancestors.contains(window))
        {
            select(server, *window, EventMask::NO_EVENT)?;
        }
        for window in &view.ancestors {
            select(server, *window, EventMask::STRUCTURE_NOTIFY)?;
        }
        self.watched.clone_from(&view.ancestors);
        Ok(())
    }

    /// Names the pixels of the top-level window (CompositeNameWindowPixmap, which holds border and all) and finds the content in
    /// them: as pixels of the screen, and as pixels of that pixmap.
    fn name_pixels(&self, server: &Server, view: &View) -> Result<Option<(Rect, Rect)>, DesktopError> {
        let conn = &server.conn;
        conn.composite_name_window_pixmap(view.top_level(self.id), self.pixmap)?
            .ignore_error();
        let Some(whole) = answer(conn.get_geometry(self.pixmap)?.reply())? else {
            return Ok(None);
        };
        let content = view.content;
        let offset = (content.x - view.corner.0, content.y - view.corner.1);
        let (left, right) = overlap(offset.0, content.w, whole.width);
        let (top, bottom) = overlap(offset.1, content.h, whole.height);
        if left >= right || top >= bottom {
            conn.free_pixmap(self.pixmap)?.ignore_error();
            return Ok(None);
        }
        let inside = Rect {
            x: left,
            y: top,
            w: right.abs_diff(left),
            h: bottom.abs_diff(top),
        };
        let source = Rect {
            x: left + view.corner.0,
            y: top + view.corner.1,
            ..inside
        };
        Ok(Some((source, inside)))
    }
}

/// The part of `start .. start + length` that lies in `0 .. edge`.
fn overlap(start: i32, length: u32, edge: u16) -> (i32, i32) {
    let end = start.saturating_add_unsigned(length);
    (start.max(0), end.min(edge.into()))
}

/// Selects the events of a window that may be gone.
fn select(server: &Server, window: u32, mask: EventMask) -> Result<(), DesktopError> {
    server
        .conn
        .change_window_attributes(window, &ChangeWindowAttributesAux::new().event_mask(mask))?
        .ignore_error();
    Ok(())
}
