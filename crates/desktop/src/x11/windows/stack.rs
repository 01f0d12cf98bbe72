//! Which window is on top at a point.

use x11rb::protocol::xproto::{ConnectionExt as _, GetGeometryReply, MapState, Window, WindowClass};

use super::Server;
use super::describe;
use super::roster::{self, Roster};
use crate::DesktopError;
use crate::backend::{Point, WindowInfo};
use crate::x11::connection::answer;

/// The topmost window that is shown at a point of the screen; `None` where there is only the background.
///
/// # Errors
/// `Gone`.
pub(super) fn at(server: &Server, point: Point) -> Result<Option<WindowInfo>, DesktopError> {
    let Some(top) = topmost(server, point)? else {
        return Ok(None);
    };
    let roster = roster::read(server)?;
    // A manager's frame stands for the program's window in it; a menu is a window of its own.
    let mut inside = top;
    for &window in &roster.windows {
        if server.screen().top_level(window)? == Some(top) {
            inside = window;
        }
    }
    let roster = Roster {
        windows: vec![inside],
        ..roster
    };
    Ok(describe::describe(server, &roster)?.pop())
}

/// The root's child that is on top there.
fn topmost(server: &Server, point: Point) -> Result<Option<Window>, DesktopError> {
    let conn = &server.conn;
    let Some(tree) = answer(conn.query_tree(server.root)?.reply())? else {
        return Ok(None);
    };
    let mut asked = Vec::with_capacity(tree.children.len());
    for &window in tree.children.iter().rev() {
        asked.push((
            window,
            conn.get_window_attributes(window)?,
            conn.get_geometry(window)?,
        ));
    }
    let mut found = None;
    // All answers are taken, or they would pile up.
    for (window, attributes, geometry) in asked {
        let (Some(attributes), Some(geometry)) = (answer(attributes.reply())?, answer(geometry.reply())?)
        else {
            continue;
        };
        let shown =
            attributes.map_state == MapState::VIEWABLE && attributes.class == WindowClass::INPUT_OUTPUT;
        if found.is_none() && shown && contains(&geometry, point) {
            found = Some(window);
        }
    }
    Ok(found)
}

fn contains(geometry: &GetGeometryReply, point: Point) -> bool {
    let within = |at: i32, from: i16, length: u16| {
        let (from, border) = (i32::from(from), 2 * i32::from(geometry.border_width));
        (from..from + i32::from(length) + border).contains(&at)
    };
    within(point.x, geometry.x, geometry.width) && within(point.y, geometry.y, geometry.height)
}
