//! Pictures of the screen and of windows, by DAMAGE, COMPOSITE and MIT-SHM.
//!
//! The screen is kept in memory as it was last read. Damage reports say that it is out of date; the next picture then fetches
//! what was damaged and reads only that. While nothing is reported, a picture is what is in memory, and the server is not asked at all.
//!
//! ```text
//!            damage reported               fetched and read
//!  Current ------------------> Damaged ---------------------> Current
//!     ^                                                          |
//!     |  read whole                  size changed, read failed   |
//!     +------------------------ Unread <-------------------------+
//! ```
//!
//! Windows are redirected (COMPOSITE, automatic), so each keeps pixels of its own; those of its client area are its
//! picture, wherever it is and whatever covers it. What is a window of its own is not part of it: menus, tooltips and
//! dialogs are on pictures of the screen, or of their own ids, and so are the window manager's frames and titles.
//!
//! The pointer's image is never in a picture: the X server leaves it out of what it hands over.

mod grabs;
mod history;
mod look;
mod picture;
mod pixels;
mod reader;
mod screen;
mod server;
mod window;

use std::time::{Duration, Instant};

use x11rb::connection::{Connection as _, SequenceNumber};
use x11rb::protocol::Event;

use self::grabs::Wanted;
use self::picture::Generations;
use self::reader::Reader;
use self::screen::{Scene, Screen};
use self::server::Server;
use self::window::Window;
use crate::DesktopError;
use crate::backend::{Capture, Grab, Rect, Region, Size};
use crate::image::Scaler;

/// How old the pointer's position may become without being asked for. Movements are reported, but a warp by a program
/// inside a window that listens to movements itself is not; this bounds how long such a one can go unnoticed.
const POINTER_KEPT: Duration = Duration::from_secs(1);

/// Events that one call takes in at most.
const EVENTS_AT_ONCE: u32 = 10_000;

/// Takes pictures of an X11 display.
#[derive(Debug)]
pub struct X11Capture {
    server: Server,
    reader: Reader,
    scaler: Scaler,
    generations: Generations,
    screen: Screen,
    size: Size,
    /// The most recently used last.
    windows: Vec<Window>,
    /// The active window, as long as nothing reported can have changed it.
    active: Option<u32>,
    /// The window of the last picture of the active window.
    pictured: Option<u32>,
    pointer: Pointer,
    touched: bool,
}

/// Where the pointer was, and whether that can be relied on.
#[derive(Debug)]
struct Pointer {
    at: Option<(i32, i32)>,
    moved: bool,
    asked: Instant,
}

impl X11Capture {
    /// Connects to `display` (such as `:1`), has its windows redirected, and begins to watch it. No picture is taken yet.
    ///
    /// # Errors
    /// `Gone` where the display cannot be reached; `Unsupported` where it lacks COMPOSITE, DAMAGE or XFIXES, or is not
    /// 24 bits deep.
    pub fn open(display: &str) -> Result<Self, DesktopError> {
        let server = Server::open(display)?;
        let reader = Reader::new(&server)?;
        let mut generations = Generations::default();
        let mut screen = Screen::new(&server, &mut generations)?;
        let size = screen.picture().size();
        Ok(Self {
            server,
            reader,
            scaler: Scaler::new(),
            generations,
            screen,
            size,
            windows: Vec::new(),
            active: None,
            pictured: None,
            pointer: Pointer {
                at: None,
                moved: true,
                asked: Instant::now(),
            },
            touched: true,
        })
    }

    /// Takes in what the server has reported, without waiting; `true` when there is no more.
    fn drain(&mut self) -> Result<bool, DesktopError> {
        for _ in 0..EVENTS_AT_ONCE {
            match self.server.conn.poll_for_event_with_sequence()? {
                Some((event, at)) => self.note(&event, at),
                None => return Ok(true),
            }
        }
        Ok(false)
    }

    fn note(&mut self, event: &Event, at: SequenceNumber) {
        match event {
            Event::DamageNotify(report) => self.note_damage(report.damage, at),
            Event::ConfigureNotify(configured) if configured.window == self.server.root => {
                self.size = Size {
                    w: configured.width.into(),
                    h: configured.height.into(),
                };
                self.screen.note_resize();
            }
            Event::ConfigureNotify(event) => self.note_structure(event.window, at),
            Event::GravityNotify(event) => self.note_structure(event.window, at),
            Event::MapNotify(event) => self.note_structure(event.window, at),
            Event::UnmapNotify(event) => self.note_structure(event.window, at),
            Event::ReparentNotify(event) => self.note_structure(event.window, at),
            Event::DestroyNotify(event) => {
                for watched in &mut self.windows {
                    if watched.note_destroyed(event.window) {
                        self.active = None;
                    }
                }
                self.note_structure(event.window, at);
            }
            Event::FocusOut(_) => self.active = None,
            Event::PropertyNotify(event) => {
                let atoms = &self.server.atoms;
                if [atoms._NET_ACTIVE_WINDOW, atoms._NET_SUPPORTING_WM_CHECK].contains(&event.atom) {
                    self.active = None;
                }
            }
            Event::XinputRawMotion(_) | Event::XinputMotion(_) => self.pointer.moved = true,
            // Errors are answers to requests about windows that were gone by then; nothing else was asked for.
            _ => {}
        }
    }

    fn note_damage(&mut self, damage: u32, at: SequenceNumber) {
        if self.screen.note_damage(damage, at) {
            return;
        }
        for window in &mut self.windows {
            window.note_damage(damage, at);
        }
    }

    fn note_structure(&mut self, window: u32, at: SequenceNumber) {
        let mut known = false;
        for watched in &mut self.windows {
            known |= watched.note_structure(window, at);
        }
        if known {
            self.active = None;
        }
    }

    /// Whether the pointer is where it was when it was asked for last.
    fn knows_pointer(&self) -> bool {
        self.server.reports_pointer && !self.pointer.moved && self.pointer.asked.elapsed() < POINTER_KEPT
    }

    /// What is kept of this region and size, without the pointer, where nothing that was reported can have changed it.
    fn kept(&mut self, region: Region, max_long_edge: Option<u32>) -> Result<Option<Grab>, DesktopError> {
        // Also where nothing can be answered: reports must not pile up in the server.
        let quiet = self.drain()?;
        if self.touched || !quiet {
            return Ok(None);
        }
        let id = match region {
            Region::Screen => None,
            Region::Window(id) => Some(id),
            Region::ActiveWindow if self.active == self.pictured => self.active.map(u64::from),
            Region::ActiveWindow => None,
        };
        let current = match (region, id) {
            (Region::Screen, _) => self
                .screen
                .current()
                .map(|picture| (picture, screen_rect(self.size))),
            (_, Some(id)) => self
                .windows
                .iter()
                .find(|window| u64::from(window.id()) == id)
                .and_then(Window::current),
            (_, None) => None,
        };
        let Some((picture, source)) = current else {
            return Ok(None);
        };
        let Some((frame, hash)) = picture.kept(max_long_edge) else {
            return Ok(None);
        };
        let generation = picture.generation();
        Ok(Some(Grab {
            frame,
            hash,
            screen: self.size,
            source,
            pointer: None,
            generation,
            dirty: None,
        }))
    }

    /// Takes over what the server said in the course of a picture, and what it reported meanwhile.
    fn settle(&mut self, scene: &Scene) -> Result<(), DesktopError> {
        self.size = scene.size;
        self.pointer = Pointer {
            at: scene.pointer,
            moved: false,
            asked: Instant::now(),
        };
        self.touched = false;
        self.reader.trim(&self.server)?;
        // The pointer may have moved since; that it is asked for once more than needed does no harm.
        self.drain()?;
        Ok(())
    }
}

impl Capture for X11Capture {
    fn generation(
        &mut self,
        region: Region,
        max_long_edge: Option<u32>,
    ) -> Result<Option<u64>, DesktopError> {
        Ok(self.kept(region, max_long_edge)?.map(|kept| kept.generation))
    }

    fn unchanged(
        &mut self,
        region: Region,
        max_long_edge: Option<u32>,
    ) -> Result<Option<Grab>, DesktopError> {
        let kept = self.kept(region, max_long_edge)?;
        Ok(kept.filter(|_| self.knows_pointer()).map(|kept| Grab {
            pointer: self.pointer.at,
            ..kept
        }))
    }

    fn grab(
        &mut self,
        region: Region,
        max_long_edge: Option<u32>,
        since: Option<u64>,
    ) -> Result<Grab, DesktopError> {
        let wanted = Wanted { max_long_edge, since };
        match region {
            Region::Screen => self.grab_screen(wanted),
            Region::ActiveWindow => self.grab_active(wanted),
            Region::Window(id) => self.grab_window(id, wanted),
        }
    }

    fn touch(&mut self) {
        self.touched = true;
    }
}

/// All of a screen of this size.
fn screen_rect(size: Size) -> Rect {
    Rect {
        x: 0,
        y: 0,
        w: size.w,
        h: size.h,
    }
}
