//! What is told of each window.

use x11rb::cookie::Cookie;
use x11rb::protocol::xproto::{
    AtomEnum, ConnectionExt as _, GetGeometryReply, GetPropertyReply, GetWindowAttributesReply, MapState,
    TranslateCoordinatesReply, Window,
};

use super::Server;
use super::roster::Roster;
use crate::DesktopError;
use crate::backend::WindowInfo;
use crate::x11::connection::{PatientConnection, answer};
use crate::x11::text;

/// What of a title is read, in units of four bytes: 64 KiB. No reader needs more of it.
const TITLE_UNITS: u32 = 16 << 10;

/// The questions about one window, sent but not answered yet.
struct Asked<'s> {
    window: Window,
    attributes: Cookie<'s, PatientConnection, GetWindowAttributesReply>,
    geometry: Cookie<'s, PatientConnection, GetGeometryReply>,
    position: Cookie<'s, PatientConnection, TranslateCoordinatesReply>,
    net_name: Cookie<'s, PatientConnection, GetPropertyReply>,
    name: Cookie<'s, PatientConnection, GetPropertyReply>,
    pid: Cookie<'s, PatientConnection, GetPropertyReply>,
    shadow: Cookie<'s, PatientConnection, GetPropertyReply>,
}

/// Describes all of them in one round trip; those that are gone by then are left out.
///
/// # Errors
/// `Gone`.
pub(super) fn describe(server: &Server, roster: &Roster) -> Result<Vec<WindowInfo>, DesktopError> {
    let asked = roster
        .windows
        .iter()
        .map(|window| ask(server, *window))
        .collect::<Result<Vec<_>, DesktopError>>()?;
    let mut windows = Vec::with_capacity(asked.len());
    for asked in asked {
        let focused = roster.active == Some(asked.window);
        windows.extend(take(server, asked, focused)?);
    }
    Ok(windows)
}

fn ask(server: &Server, window: Window) -> Result<Asked<'_>, DesktopError> {
    let (conn, atoms) = (&server.conn, &server.atoms);
    Ok(Asked {
        window,
        attributes: conn.get_window_attributes(window)?,
        geometry: conn.get_geometry(window)?,
        position: conn.translate_coordinates(window, server.root, 0, 0)?,
        net_name: conn.get_property(false, window, atoms._NET_WM_NAME, AtomEnum::ANY, 0, TITLE_UNITS)?,
        name: conn.get_property(false, window, AtomEnum::WM_NAME, AtomEnum::ANY, 0, TITLE_UNITS)?,
        pid: conn.get_property(false, window, atoms._NET_WM_PID, AtomEnum::CARDINAL, 0, 1)?,
        shadow: conn.get_property(false, window, atoms._GTK_FRAME_EXTENTS, AtomEnum::CARDINAL, 0, 4)?,
    })
}

fn take(server: &Server, asked: Asked<'_>, focused: bool) -> Result<Option<WindowInfo>, DesktopError> {
    let (
        Some(attributes),
        Some(geometry),
        Some(position),
        Some(net_name),
        Some(name),
        Some(pid),
        Some(shadow),
    ) = (
        answer(asked.attributes.reply())?,
        answer(asked.geometry.reply())?,
        answer(asked.position.reply())?,
        answer(asked.net_name.reply())?,
        answer(asked.name.reply())?,
        answer(asked.pid.reply())?,
        answer(asked.shadow.reply())?,
    )
    else {
        return Ok(None);
    };
    let title = title(server, net_name)
        .or_else(|| title(server, name))
        .unwrap_or_default();
    Ok(Some(WindowInfo {
        id: asked.window.into(),
        title,
        pid: pid
            .value32()
            .and_then(|mut pid| pid.next())
            .filter(|pid| *pid != 0),
        x: position.dst_x.into(),
        y: position.dst_y.into(),
        w: geometry.width.into(),
        h: geometry.height.into(),
        shadow: shadow_of(&shadow),
        focused,
        shown: attributes.map_state == MapState::VIEWABLE,
    }))
}

/// Left and top of `_GTK_FRAME_EXTENTS`: left, right, top, bottom.
fn shadow_of(property: &GetPropertyReply) -> (u32, u32) {
    let mut extents = property.value32().into_iter().flatten();
    match (extents.next(), extents.nth(1)) {
        (Some(left), Some(top)) => (left, top),
        _ => (0, 0),
    }
}

/// The text of a title, without the zero bytes that some programs end it with; `None` where there is none.
fn title(server: &Server, property: GetPropertyReply) -> Option<String> {
    if property.format != 8 || property.value.is_empty() {
        return None;
    }
    let (kind, cut) = (property.type_, property.bytes_after > 0);
    let mut bytes = property.value;
    if kind == server.atoms.UTF8_STRING && (cut || std::str::from_utf8(&bytes).is_err()) {
        bytes = readable(&bytes, cut);
    }
    let mut title = text::decode(&server.atoms, kind, bytes).ok()?;
    title.truncate(title.trim_end_matches('\0').len());
    Some(title)
}

/// Valid UTF-8 of bytes that may be broken, or cut inside a character at their end.
fn readable(mut bytes: &[u8], cut: bool) -> Vec<u8> {
    if cut
        && let Err(error) = std::str::from_utf8(bytes)
        && error.error_len().is_none()
    {
        bytes = &bytes[..error.valid_up_to()];
    }
    String::from_utf8_lossy(bytes).into_owned().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn a_cut_character_is_left_out_and_a_broken_one_is_marked() {
        assert_eq!(readable(b"caf\xc3", true), b"caf");
        assert_eq!(readable(b"caf\xc3", false), "caf\u{fffd}".as_bytes());
        assert_eq!(readable(b"a\xffb\xe6\x97", true), "a\u{fffd}b\u{fffd}".as_bytes());
        assert_eq!(readable("日本".as_bytes(), true), "日本".as_bytes());
    }
}
