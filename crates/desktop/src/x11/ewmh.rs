//! What the window manager says (EWMH), and what is so where there is none.

use x11rb::connection::RequestConnection;
use x11rb::cookie::Cookie;
use x11rb::protocol::xproto::{Atom, AtomEnum, ConnectionExt as _, GetPropertyReply, Window};

use super::atoms::Atoms;
use super::connection::answer;
use crate::DesktopError;

/// Windows of the manager's list that are read. A screen with more is broken.
const LISTED: u32 = 4096;

/// Levels of windows that are climbed from the focused one to its top-level window.
const DEPTH: usize = 32;

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

impl<C: RequestConnection> Screen<'_, C> {
    /// The windows on the list of a manager that lives; `None` where there is no manager, or it keeps no list.
    ///
    /// # Errors
    /// `Gone`.
    pub(super) fn clients(&self) -> Result<Option<Vec<Window>>, DesktopError> {
        let manager = self.ask(self.root, self.atoms._NET_SUPPORTING_WM_CHECK, 1)?;
        let list = self.ask(self.root, self.atoms._NET_CLIENT_LIST, LISTED)?;
        let (manager, list) = (windows(manager)?, windows(list)?);
        Ok(match self.lives(manager)? {
            true => list,
            false => None,
        })
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
        if let Active::Known(active) = active
            && self.lives(manager)?
        {
            return Ok(active);
        }
        self.focused(|_, parent| parent == self.root)
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

    /// Whether a manager that has put itself down as such still lives. One that has ended leaves its properties behind;
    /// its own window, which names itself, proves that it lives (EWMH, _NET_SUPPORTING_WM_CHECK).
    fn lives(&self, manager: Option<Vec<Window>>) -> Result<bool, DesktopError> {
        let Some(&manager) = manager.as_deref().and_then(<[Window]>::first) else {
            return Ok(false);
        };
        let itself = windows(self.ask(manager, self.atoms._NET_SUPPORTING_WM_CHECK, 1)?)?;
        Ok(itself.is_some_and(|itself| itself.first() == Some(&manager)))
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
fn windows<C: RequestConnection>(
    property: Cookie<'_, C, GetPropertyReply>,
) -> Result<Option<Vec<Window>>, DesktopError> {
    Ok(answer(property.reply())?.and_then(|property| Some(property.value32()?.collect())))
}

fn told<C: RequestConnection>(property: Cookie<'_, C, GetPropertyReply>) -> Result<Active, DesktopError> {
    Ok(match windows(property)?.as_deref() {
        Some([active, ..]) => Active::Known((*active != x11rb::NONE).then_some(*active)),
        Some([]) | None => Active::Untold,
    })
}
