//! What the window manager says (EWMH), and what is so where there is none.

use x11rb::NONE;
use x11rb::connection::Connection;
use x11rb::cookie::Cookie;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ConnectionExt as _, GetPropertyReply, MapState, Window, WindowClass,
};

use super::atoms::Atoms;
use super::connection::answer;
use crate::DesktopError;

/// Windows of the manager's list that are read. A screen with more is broken.
const LISTED: u32 = 4096;

/// Levels of windows that are climbed from the focused one to its top-level window.
const DEPTH: usize = 32;

/// The least width and height in pixels of something that a person types into.
const SMALLEST_DIALOG: u16 = 8;

/// A screen to ask about.
#[derive(Debug)]
pub(super) struct Screen<'s, C> {
    pub(super) conn: &'s C,
    pub(super) root: Window,
    pub(super) atoms: &'s Atoms,
}

/// Which window the manager says is active.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Active {
    /// This one, or none.
    Known(Option<Window>),
    /// It does not say.
    Untold,
}

impl<C: Connection> Screen<'_, C> {
    /// The windows on the list of a manager that lives; `None` where there is no manager, or it keeps no list.
    ///
    /// # Errors
    /// `Gone`.
    pub(super) fn clients(&self) -> Result<Option<Vec<Window>>, DesktopError> {
        let manager = self.ask(self.root, self.atoms._NET_SUPPORTING_WM_CHECK, 1)?;
        let list = self.ask(self.root, self.atoms._NET_CLIENT_LIST, LISTED)?;
        let (manager, list) = (windows(manager)?, windows(list)?);
        Ok(self.living(manager)?.and(list))
    }

    /// The active window: what the manager says; where there is none, the top-level window that has the keyboard focus.
    /// `None` where no window is active, and where the focus follows the pointer.
    ///
    /// # Errors
    /// `Gone`.
    pub(super) fn active_window(&self) -> Result<Option<Window>, DesktopError> {
        let manager = self.ask(self.root, self.atoms._NET_SUPPORTING_WM_CHECK, 1)?;
        let active = self.ask(self.root, self.atoms._NET_ACTIVE_WINDOW, 1)?;
        let (manager, active) = (windows(manager)?, told(active)?);
        let Some(manager) = self.living(manager)? else {
            return self.focused(|_, parent| parent == self.root);
        };
        if let Active::Known(active) = active {
            return Ok(active);
        }
        // A manager that has had no window yet keeps the focus to itself, on a window that is nobody's.
        let focus = self.conn.get_input_focus()?.reply()?.focus;
        if self.is_kept_by(manager, focus) {
            return Ok(None);
        }
        self.climb(focus, |_, parent| parent == self.root)
    }

    /// The window by which a manager that lives is known.
    ///
    /// # Errors
    /// `Gone`.
    pub(super) fn manager(&self) -> Result<Option<Window>, DesktopError> {
        let manager = windows(self.ask(self.root, self.atoms._NET_SUPPORTING_WM_CHECK, 1)?)?;
        self.living(manager)
    }

    /// Whether the focus is on a window where the manager known by `manager` keeps it while no program has it: one of
    /// its own, or the root. The windows of one client have the same bits outside the mask (X11 protocol, section 8).
    pub(super) fn is_kept_by(&self, manager: Window, focus: Window) -> bool {
        let client = |window: Window| window & !self.conn.setup().resource_id_mask;
        focus == self.root || (focus > 1 && client(focus) == client(manager))
    }

    /// Whether keys reach somebody although the focus is where [`Screen::is_kept_by`] finds it: with the focus on the root they go
    /// to the window under the pointer (X11 protocol, `SetInputFocus`), and a manager may have dialogs of its own, such as one
    /// that runs a command. Where it only keeps the focus, its window is tiny, beside the screen or not shown.
    ///
    /// # Errors
    /// `Gone`.
    pub(super) fn has_audience(&self, focus: Window) -> Result<bool, DesktopError> {
        if focus == self.root {
            let pointer = self.conn.query_pointer(self.root)?;
            return Ok(answer(pointer.reply())?.is_some_and(|pointer| pointer.child != NONE));
        }
        let attributes = self.conn.get_window_attributes(focus)?;
        let geometry = self.conn.get_geometry(focus)?;
        let place = self.conn.translate_coordinates(focus, self.root, 0, 0)?;
        let screen = self.conn.get_geometry(self.root)?;
        let (Some(attributes), Some(own), Some(place), Some(screen)) = (
            answer(attributes.reply())?,
            answer(geometry.reply())?,
            answer(place.reply())?,
            answer(screen.reply())?,
        ) else {
            return Ok(false);
        };
        let on_screen = |from: i16, length: u16, limit: u16| {
            i32::from(from) < i32::from(limit) && i32::from(from) + i32::from(length) > 0
        };
        Ok(attributes.map_state == MapState::VIEWABLE
            && attributes.class == WindowClass::INPUT_OUTPUT
            && own.width.min(own.height) >= SMALLEST_DIALOG
            && on_screen(place.dst_x, own.width, screen.width)
            && on_screen(place.dst_y, own.height, screen.height))
    }

    /// The active one of the windows on the manager's list.
    ///
    /// # Errors
    /// `Gone`.
    pub(super) fn active_client(&self, clients: &[Window]) -> Result<Option<Window>, DesktopError> {
        match told(self.ask(self.root, self.atoms._NET_ACTIVE_WINDOW, 1)?)? {
            Active::Known(active) => Ok(active),
            Active::Untold => self.focused_of(clients),
        }
    }

    /// The one of these windows that has the keyboard focus, or has it inside.
    ///
    /// # Errors
    /// `Gone`.
    pub(super) fn focused_of(&self, among: &[Window]) -> Result<Option<Window>, DesktopError> {
        self.focused(|window, _| among.contains(&window))
    }

    /// The first that is wanted, by itself and its parent, of the focused window and those around it.
    fn focused(&self, wanted: impl Fn(Window, Window) -> bool) -> Result<Option<Window>, DesktopError> {
        let focus = self.conn.get_input_focus()?.reply()?.focus;
        self.climb(focus, wanted)
    }

    /// The child of the root that a window is or is in.
    ///
    /// # Errors
    /// `Gone`.
    pub(super) fn top_level(&self, window: Window) -> Result<Option<Window>, DesktopError> {
        self.climb(window, |_, parent| parent == self.root)
    }

    /// The first that is wanted, by itself and its parent, of a window and those around it.
    fn climb(
        &self,
        mut window: Window,
        wanted: impl Fn(Window, Window) -> bool,
    ) -> Result<Option<Window>, DesktopError> {
        for _ in 0..DEPTH {
            // 0 is no focus, 1 is the focus that follows the pointer.
            if window <= 1 || window == self.root {
                return Ok(None);
            }
            let Some(tree) = answer(self.conn.query_tree(window)?.reply())? else {
                return Ok(None);
            };
            if wanted(window, tree.parent) {
                return Ok(Some(window));
            }
            window = tree.parent;
        }
        Ok(None)
    }

    /// The window of a manager that has put itself down as such and still lives. One that has ended leaves its properties
    /// behind; its own window, which names itself, proves that it lives (EWMH, _NET_SUPPORTING_WM_CHECK).
    fn living(&self, manager: Option<Vec<Window>>) -> Result<Option<Window>, DesktopError> {
        let Some(&manager) = manager.as_deref().and_then(<[Window]>::first) else {
            return Ok(None);
        };
        let itself = windows(self.ask(manager, self.atoms._NET_SUPPORTING_WM_CHECK, 1)?)?;
        Ok(itself
            .is_some_and(|itself| itself.first() == Some(&manager))
            .then_some(manager))
    }

    fn ask(
        &self,
        of: Window,
        name: Atom,
        most: u32,
    ) -> Result<Cookie<'_, C, GetPropertyReply>, DesktopError> {
        Ok(self
            .conn
            .get_property(false, of, name, AtomEnum::WINDOW, 0, most)?)
    }
}

/// `None` where there is no such property.
fn windows<C: Connection>(
    property: Cookie<'_, C, GetPropertyReply>,
) -> Result<Option<Vec<Window>>, DesktopError> {
    Ok(answer(property.reply())?.and_then(|property| Some(property.value32()?.collect())))
}

fn told<C: Connection>(property: Cookie<'_, C, GetPropertyReply>) -> Result<Active, DesktopError> {
    Ok(match windows(property)?.as_deref() {
        Some([active, ..]) => Active::Known((*active != NONE).then_some(*active)),
        Some([]) | None => Active::Untold,
    })
}
