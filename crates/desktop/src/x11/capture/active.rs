//! Which window is active.

use x11rb::errors::ReplyError;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _, GetPropertyReply};

use super::server::Server;
use crate::DesktopError;

/// Levels of windows that are climbed from the focused one to its top-level window.
const DEPTH: usize = 32;

/// The active window: what the window manager says (EWMH `_NET_ACTIVE_WINDOW`); where there is none, the top-level window
/// that has the keyboard focus. `None` where no window is active, and where the focus follows the pointer.
///
/// # Errors
/// `Gone`.
pub(super) fn active_window(server: &Server) -> Result<Option<u32>, DesktopError> {
    let atoms = &server.atoms;
    let manager = window_property(server, server.root, atoms._NET_SUPPORTING_WM_CHECK)?;
    let active = window_property(server, server.root, atoms._NET_ACTIVE_WINDOW)?;
    let focus = server.conn.get_input_focus()?;
    let (manager, active, focus) = (
        first_window(manager)?,
        first_window(active)?,
        focus.reply()?.focus,
    );
    // A manager that has ended leaves its properties behind; its own window, named twice, proves that it lives
    // (EWMH, _NET_SUPPORTING_WM_CHECK).
    if let (Some(manager), Some(active)) = (manager, active) {
        let itself = window_property(server, manager, atoms._NET_SUPPORTING_WM_CHECK)?;
        if first_window(itself)? == Some(manager) {
            return Ok((active != x11rb::NONE).then_some(active));
        }
    }
    top_level(server, focus)
}

type PropertyCookie<'s> = x11rb::cookie::Cookie<'s, x11rb::rust_connection::RustConnection, GetPropertyReply>;

fn window_property(server: &Server, window: u32, name: u32) -> Result<PropertyCookie<'_>, DesktopError> {
    Ok(server
        .conn
        .get_property(false, window, name, AtomEnum::WINDOW, 0, 1)?)
}

fn first_window(answer: PropertyCookie<'_>) -> Result<Option<u32>, DesktopError> {
    match answer.reply() {
        Ok(property) => Ok(property.value32().and_then(|mut windows| windows.next())),
        // The window that was asked is gone.
        Err(ReplyError::X11Error(_)) => Ok(None),
        Err(ReplyError::ConnectionError(error)) => Err(error.into()),
    }
}

/// The child of the root that `window` is or is in; `None` for the root, for what is no window (0 is no focus, 1 is
/// the focus that follows the pointer), and for one that is gone.
fn top_level(server: &Server, mut window: u32) -> Result<Option<u32>, DesktopError> {
    if window <= 1 {
        return Ok(None);
    }
    for _ in 0..DEPTH {
        match server.conn.query_tree(window)?.reply() {
            Ok(tree) if tree.parent == server.root => return Ok(Some(window)),
            Ok(tree) if tree.parent == x11rb::NONE => return Ok(None),
            Ok(tree) => window = tree.parent,
            Err(ReplyError::X11Error(_)) => return Ok(None),
            Err(ReplyError::ConnectionError(error)) => return Err(error.into()),
        }
    }
    Ok(None)
}
