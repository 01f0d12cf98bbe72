//! Top-level windows.

use super::Point;
use crate::DesktopError;

/// One top-level window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowInfo {
    /// The window's id, usable as [`super::Region::Window`].
    pub id: u64,
    /// Its title; empty where it has none.
    pub title: String,
    /// The process that made it, where the window says so.
    pub pid: Option<u32>,
    /// Left edge of its content in pixels of the whole screen.
    pub x: i32,
    /// Top edge.
    pub y: i32,
    /// Width.
    pub w: u32,
    /// Height.
    pub h: u32,
    /// Width and height of the shadow at its left and top edge that it draws by itself and counts as its own
    /// (`_GTK_FRAME_EXTENTS`); mostly none.
    pub shadow: (u32, u32),
    /// Whether it is the active one.
    pub focused: bool,
    /// Whether it is shown at all: neither minimized nor on another desktop.
    pub shown: bool,
}

/// The windows of a desktop.
pub trait Windows: Send + std::fmt::Debug {
    /// All top-level windows, in the window manager's order (oldest first), or bottom to top where there is none.
    ///
    /// # Errors
    /// `Gone`.
    fn list(&mut self) -> Result<Vec<WindowInfo>, DesktopError>;

    /// What programs show beside those: menus, popovers and tooltips (override-redirect windows), bottom to top.
    ///
    /// # Errors
    /// `Gone`.
    fn popups(&mut self) -> Result<Vec<WindowInfo>, DesktopError>;

    /// The topmost window that is shown at a point of the screen, menus included; `None` where there is only the background.
    ///
    /// # Errors
    /// `Gone`.
    fn at(&mut self, point: Point) -> Result<Option<WindowInfo>, DesktopError>;

    /// Raises and focuses a window, and waits a moment until that has taken effect. An open modal dialog of the window
    /// gets the focus in its place, and a window that never takes the focus is only raised.
    ///
    /// # Errors
    /// `WindowNotFound`, `Busy` (the window manager did not do it in time), `Gone`.
    fn activate(&mut self, id: u64) -> Result<(), DesktopError>;
}
