//! Which windows there are, and which of them is active.

use x11rb::protocol::xproto::{ConnectionExt as _, MapState, Window, WindowClass};

use super::Server;
use crate::DesktopError;
use crate::x11::connection::answer;

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
    if let Some(windows) = server.screen().clients()? {
        let active = server.screen().active_client(&windows)?;
        return Ok(Roster {
            windows,
            active,
            managed: true,
        });
    }
    let windows = shown(server, false)?;
    let active = server.screen().focused_of(&windows)?;
    Ok(Roster {
        windows,
        active,
        managed: false,
    })
}

/// The windows that are shown and that no manager manages.
///
/// # Errors
/// `Gone`.
pub(super) fn popups(server: &Server) -> Result<Roster, DesktopError> {
    Ok(Roster {
        windows: shown(server, true)?,
        active: None,
        managed: false,
    })
}

/// The children of the root that are shown, bottom to top, with or without override-redirect.
fn shown(server: &Server, override_redirect: bool) -> Result<Vec<Window>, DesktopError> {
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
                && attributes.override_redirect == override_redirect
        });
        if shown {
            windows.push(window);
        }
    }
    Ok(windows)
}
