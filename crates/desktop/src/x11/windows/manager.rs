//! What the window manager says.

use x11rb::cookie::Cookie;
use x11rb::protocol::xproto::{Atom, AtomEnum, ConnectionExt as _, GetPropertyReply, Window};
use x11rb::rust_connection::RustConnection;

use super::Server;
use crate::DesktopError;
use crate::x11::connection::answer;

/// Windows of the manager's list that are read. A screen with more is broken.
const LISTED: u32 = 4096;

/// The windows on the list of a manager that lives; `None` where there is no manager, or it keeps no list.
///
/// # Errors
/// `Gone`.
pub(super) fn clients(server: &Server) -> Result<Option<Vec<Window>>, DesktopError> {
    let atoms = &server.atoms;
    let manager = windows(server, server.root, atoms._NET_SUPPORTING_WM_CHECK, 1)?;
    let list = windows(server, server.root, atoms._NET_CLIENT_LIST, LISTED)?;
    let (manager, list) = (read(manager)?, read(list)?);
    let Some(&manager) = manager.as_deref().and_then(<[Window]>::first) else {
        return Ok(None);
    };
    // A manager that has ended leaves its properties behind; its own window, which names itself, proves that it lives
    // (EWMH, _NET_SUPPORTING_WM_CHECK).
    let itself = read(windows(server, manager, atoms._NET_SUPPORTING_WM_CHECK, 1)?)?;
    let lives = itself.is_some_and(|itself| itself.first() == Some(&manager));
    Ok(list.filter(|_| lives))
}

/// The window that the manager says is active.
///
/// # Errors
/// `Gone`.
pub(super) fn active(server: &Server) -> Result<Option<Window>, DesktopError> {
    let active = read(windows(server, server.root, server.atoms._NET_ACTIVE_WINDOW, 1)?)?;
    Ok(active
        .and_then(|active| active.first().copied())
        .filter(|active| *active != x11rb::NONE))
}

type PropertyCookie<'s> = Cookie<'s, RustConnection, GetPropertyReply>;

fn windows(server: &Server, of: Window, name: Atom, most: u32) -> Result<PropertyCookie<'_>, DesktopError> {
    Ok(server
        .conn
        .get_property(false, of, name, AtomEnum::WINDOW, 0, most)?)
}

/// `None` where there is no such property.
fn read(cookie: PropertyCookie<'_>) -> Result<Option<Vec<Window>>, DesktopError> {
    Ok(answer(cookie.reply())?.and_then(|property| Some(property.value32()?.collect())))
}
