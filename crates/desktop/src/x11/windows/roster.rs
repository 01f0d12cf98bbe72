//! Which windows there are, and which of them is active.

use x11rb::protocol::xproto::{ConnectionExt as _, MapState, Window, WindowClass};

use super::Server;
use super::manager;
use crate::DesktopError;
use crate::x11::connection::answer;

/// Levels of windows that are climbed from the focused one to its top-level window.
const DEPTH: usize = 32;

/// The top-level windows at one moment.
#[derive(Debug)]
pub(super) struct Roster {
    /// In the manager's order, or bottom to top.
    pub(super) windows: Vec<Window>,
    /// The active one.
    pub(super) active: Option<Window>,
    /// Whether a window manager made the list.
    pub(super) managed: bool,
}

/// Asks for them.
///
/// # Errors
/// `Gone`.
pub(super) fn read(server: &Server) -> Result<Roster, DesktopError> {
    if let Some(windows) = manager::clients(server)? {
        return Ok(Roster {
            windows,
            active: manager::active(server)?,
            managed: true,
        });
    }
    let children = server.conn.query_tree(server.root)?.reply()?.children;
    let asked = children
        .into_iter()
        .map(|window| Ok((window, server.conn.get_window_attributes(window)?)))
        .collect::<Result<Vec<_>, DesktopError>>()?;
    let mut windows = Vec::new();
    for (window, attributes) in asked {
        let shown = answer(attributes.reply())?.is_some_and(|attributes| {
            attributes.map_state == MapState::VIEWABLE
                && attributes.class == WindowClass::INPUT_OUTPUT
                && !attributes.override_redirect
        });
        if shown {
            windows.push(window);
        }
    }
    let active = focused(server, &windows)?;
    Ok(Roster {
        windows,
        active,
        managed: false,
    })
}

/// The one of `windows` that has the keyboard focus, or has it inside; none where the focus follows the pointer.
///
/// # Errors
/// `Gone`.
pub(super) fn focused(server: &Server, windows: &[Window]) -> Result<Option<Window>, DesktopError> {
    let mut window = server.conn.get_input_focus()?.reply()?.focus;
    for _ in 0..DEPTH {
        if windows.contains(&window) {
            return Ok(Some(window));
        }
        // 0 is no focus, 1 is the focus that follows the pointer.
        if window <= 1 || window == server.root {
            return Ok(None);
        }
        match answer(server.conn.query_tree(window)?.reply())? {
            Some(tree) => window = tree.parent,
            None => return Ok(None),
        }
    }
    Ok(None)
}
