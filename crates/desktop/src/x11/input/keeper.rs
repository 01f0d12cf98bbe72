//! Whether the window manager keeps the focus to itself.
//!
//! While no program has the focus, managers such as openbox put it on a window of their own, which reads no keys. That is
//! known by events here, so that a key costs no question.

use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    ChangeWindowAttributesAux, ConnectionExt as _, EventMask, NotifyDetail, NotifyMode, Window,
};

use crate::DesktopError;
use crate::x11::atoms::Atoms;
use crate::x11::connection::PatientConnection;
use crate::x11::ewmh::Screen;

/// Windows of one manager that are watched at most; those of the past are forgotten.
const WATCHED: usize = 8;

/// The manager, and where it keeps the focus.
#[derive(Debug)]
pub(super) struct Keeper {
    /// The window by which it is known; none without a manager.
    manager: Option<Window>,
    /// The windows of its that may have the focus.
    watched: Vec<Window>,
    /// There may be another manager by now.
    is_stale: bool,
    has_focus: bool,
}

impl Default for Keeper {
    fn default() -> Self {
        Self {
            manager: None,
            watched: Vec::new(),
            is_stale: true,
            has_focus: false,
        }
    }
}

impl Keeper {
    /// Whether the focus was with the manager when last heard of.
    pub(super) fn has_focus(&self) -> bool {
        self.has_focus
    }

    /// Whether the server must be asked before keys are said to reach somebody.
    pub(super) fn is_doubtful(&self) -> bool {
        self.is_stale || self.has_focus
    }

    pub(super) fn note(&mut self, event: &Event, root: Window, atoms: &Atoms) {
        match event {
            Event::PropertyNotify(event) if event.window == root => {
                // A new manager puts down who it is before its window proves it, and its lists after that.
                let lists = [atoms._NET_CLIENT_LIST, atoms._NET_ACTIVE_WINDOW];
                self.is_stale |= event.atom == atoms._NET_SUPPORTING_WM_CHECK
                    || (self.manager.is_none() && lists.contains(&event.atom));
            }
            Event::FocusIn(event) if is_own(event.mode, event.detail) => {
                self.has_focus = self.is_mine(event.event, root);
            }
            Event::FocusOut(event) if is_own(event.mode, event.detail) && self.is_mine(event.event, root) => {
                self.has_focus = false;
            }
            Event::DestroyNotify(event) if self.watched.contains(&event.window) => {
                self.watched.retain(|window| *window != event.window);
                self.is_stale = true;
            }
            _ => {}
        }
    }

    fn is_mine(&self, window: Window, root: Window) -> bool {
        self.watched.contains(&window) || (window == root && self.manager.is_some())
    }

    /// Finds out who manages the windows now.
    pub(super) fn refresh(&mut self, screen: &Screen<'_, PatientConnection>) -> Result<(), DesktopError> {
        if self.is_stale {
            self.is_stale = false;
            self.has_focus = false;
            self.watched.clear();
            self.manager = screen.manager()?;
            if let Some(manager) = self.manager {
                self.watch(screen, manager)?;
            }
        }
        Ok(())
    }

    /// Takes in which window has the focus.
    pub(super) fn found(
        &mut self,
        screen: &Screen<'_, PatientConnection>,
        focus: Window,
    ) -> Result<(), DesktopError> {
        let manager = self.manager;
        let is_kept = manager.is_some_and(|manager| screen.is_kept_by(manager, focus));
        self.has_focus = is_kept && !screen.has_audience(focus)?;
        if self.has_focus && focus != screen.root && !self.watched.contains(&focus) {
            self.watch(screen, focus)?;
        }
        Ok(())
    }

    fn watch(&mut self, screen: &Screen<'_, PatientConnection>, window: Window) -> Result<(), DesktopError> {
        if self.watched.len() == WATCHED {
            self.watched.remove(0);
        }
        let events = EventMask::FOCUS_CHANGE | EventMask::STRUCTURE_NOTIFY;
        let attributes = ChangeWindowAttributesAux::new().event_mask(events);
        screen
            .conn
            .change_window_attributes(window, &attributes)?
            .ignore_error();
        self.watched.push(window);
        Ok(())
    }
}

/// Whether an event tells of the focus on this very window. Those about its inferiors, the pointer and grabs of the
/// keyboard do not.
fn is_own(mode: NotifyMode, detail: NotifyDetail) -> bool {
    let own = [
        NotifyDetail::ANCESTOR,
        NotifyDetail::INFERIOR,
        NotifyDetail::NONLINEAR,
    ];
    matches!(mode, NotifyMode::NORMAL | NotifyMode::WHILE_GRABBED) && own.contains(&detail)
}
