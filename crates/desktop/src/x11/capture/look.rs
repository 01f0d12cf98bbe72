//! Where a window is at one moment, and whether there is anything of it to see.

use x11rb::errors::{ConnectionError, ReplyError};
use x11rb::protocol::xproto::{ConnectionExt as _, GetGeometryReply, MapState, QueryTreeReply, WindowClass};

use super::screen::Scene;
use super::server::Server;
use crate::DesktopError;
use crate::backend::{Rect, Size};

/// Levels of windows between a window and the root that are climbed; real ones have two or three.
const DEPTH: usize = 32;

/// A window's place. Two equal ones taken before and after a reading prove that it belongs to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct View {
    /// Its content without its border, in pixels of the whole screen; may reach over the screen's edges.
    pub(super) content: Rect,
    /// The windows it is in, from its parent to the child of the root; empty where it is a child of the root itself.
    pub(super) ancestors: Vec<u32>,
    /// The outer corner, border included, of the top-level window: where that one's pixels begin.
    pub(super) corner: (i32, i32),
}

impl View {
    /// The child of the root that has the pixels of `window`.
    pub(super) fn top_level(&self, window: u32) -> u32 {
        self.ancestors.last().copied().unwrap_or(window)
    }
}

/// What looking at a window gave.
pub(super) enum Looked {
    /// Here it is.
    At(View, Scene),
    /// Something moved between two questions; ask again.
    Again,
}

/// Asks where a window is: one round trip, and one more for each window around it.
///
/// # Errors
/// `WindowNotFound`; `CaptureFailed` where it has no pixels; `Gone`.
pub(super) fn look(server: &Server, window: u32) -> Result<Looked, DesktopError> {
    let conn = &server.conn;
    let attributes = conn.get_window_attributes(window)?;
    let geometry = conn.get_geometry(window)?;
    let position = conn.translate_coordinates(window, server.root, 0, 0)?;
    let tree = conn.query_tree(window)?;
    let pointer = conn.query_pointer(server.root)?;
    let screen = conn.get_geometry(server.root)?;
    // All answers are taken before any is judged, so that none is left to be matched with a later question.
    let (attributes, geometry) = (answer(attributes.reply())?, answer(geometry.reply())?);
    let (position, tree) = (answer(position.reply())?, answer(tree.reply())?);
    let (pointer, screen) = (pointer.reply()?, screen.reply()?);
    let (Some(attributes), Some(geometry), Some(position), Some(tree)) =
        (attributes, geometry, position, tree)
    else {
        return Err(not_found(window.into()));
    };
    if attributes.class == WindowClass::INPUT_ONLY {
        return Err(DesktopError::CaptureFailed(format!(
            "window {window} only takes input and has no pixels; list_windows names those that have"
        )));
    }
    if attributes.map_state != MapState::VIEWABLE {
        return Err(DesktopError::CaptureFailed(format!(
            "window {window} is not shown now (minimized, on another workspace, or not mapped yet); activate_window it first"
        )));
    }
    if !server.reads(attributes.visual) {
        return Err(DesktopError::CaptureFailed(format!(
            "window {window} has pixels in a format that cannot be read; take a picture of the screen instead"
        )));
    }
    let scene = Scene {
        size: Size {
            w: screen.width.into(),
            h: screen.height.into(),
        },
        pointer: pointer
            .same_screen
            .then(|| (pointer.root_x.into(), pointer.root_y.into())),
    };
    let content = Rect {
        x: position.dst_x.into(),
        y: position.dst_y.into(),
        w: geometry.width.into(),
        h: geometry.height.into(),
    };
    let Some((ancestors, top)) = climb(server, tree, geometry)? else {
        return Ok(Looked::Again);
    };
    let view = View {
        content,
        ancestors,
        corner: (top.x.into(), top.y.into()),
    };
    Ok(Looked::At(view, scene))
}

/// The windows from the parent up to the child of the root, and the geometry of the last; `None` where one went away.
fn climb(
    server: &Server,
    mut tree: QueryTreeReply,
    mut geometry: GetGeometryReply,
) -> Result<Option<(Vec<u32>, GetGeometryReply)>, DesktopError> {
    let mut ancestors = Vec::new();
    while tree.parent != server.root {
        let parent = tree.parent;
        if parent == x11rb::NONE || ancestors.len() == DEPTH {
            return Ok(None);
        }
        let next = server.conn.query_tree(parent)?;
        let place = server.conn.get_geometry(parent)?;
        let (next, place) = (answer(next.reply())?, answer(place.reply())?);
        let (Some(next), Some(place)) = (next, place) else {
            return Ok(None);
        };
        ancestors.push(parent);
        (tree, geometry) = (next, place);
    }
    Ok(Some((ancestors, geometry)))
}

/// An answer, or nothing where the server refused: what was asked about is not there.
pub(super) fn answer<T>(reply: Result<T, ReplyError>) -> Result<Option<T>, ConnectionError> {
    match reply {
        Ok(reply) => Ok(Some(reply)),
        Err(ReplyError::X11Error(_)) => Ok(None),
        Err(ReplyError::ConnectionError(error)) => Err(error),
    }
}

/// The error for a window that is not there.
pub(super) fn not_found(window: u64) -> DesktopError {
    DesktopError::WindowNotFound(format!(
        "there is no window {window} (any more); list_windows names those that there are"
    ))
}
