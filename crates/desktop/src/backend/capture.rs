//! Pictures of the screen and of windows.

use std::sync::Arc;

use crate::DesktopError;
use crate::image::{Frame, FrameHash};

/// A rectangle in pixels; the origin is the top-left corner of the space it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rect {
    /// Left edge; may be negative for a window that is partly off the screen.
    pub x: i32,
    /// Top edge.
    pub y: i32,
    /// Width.
    pub w: u32,
    /// Height.
    pub h: u32,
}

/// Width and height in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Size {
    /// Width.
    pub w: u32,
    /// Height.
    pub h: u32,
}

/// What to take a picture of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Region {
    /// The whole screen.
    Screen,
    /// The window that is active (EWMH `_NET_ACTIVE_WINDOW`, the focused one where no window manager says).
    ActiveWindow,
    /// One window, by its id.
    Window(u64),
}

/// A picture with all that its reader needs.
#[derive(Debug, Clone)]
pub struct Grab {
    /// The pixels as delivered: after scaling, without the pointer.
    pub frame: Arc<Frame>,
    /// The hash of `frame`.
    pub hash: FrameHash,
    /// The whole screen.
    pub screen: Size,
    /// What the picture shows, in pixels of the whole screen, before scaling.
    pub source: Rect,
    /// Where the pointer is, in pixels of the whole screen.
    pub pointer: Option<(i32, i32)>,
    /// Rises with each change of the pixels of this region and size; equal numbers mean equal pixels.
    pub generation: u64,
    /// The parts of `frame`, in its own pixels, that can differ from the generation that was asked about;
    /// `None` when unknown, which means everything can.
    pub dirty: Option<Vec<Rect>>,
}

/// The one reader of the screen's pixels. Pictures never contain the pointer.
pub trait Capture: Send + std::fmt::Debug {
    /// Without waiting: the generation of the last picture of this region and size where nothing can have changed since
    /// it was taken, `None` where a new one must be taken.
    ///
    /// # Errors
    /// `Gone`.
    fn generation(&mut self, region: Region, max_long_edge: Option<u32>)
    -> Result<Option<u64>, DesktopError>;

    /// Without waiting: that picture itself. The pointer in it is current; where the server would have to be asked
    /// for it, this is `None`, too.
    ///
    /// # Errors
    /// `Gone`.
    fn unchanged(&mut self, region: Region, max_long_edge: Option<u32>)
    -> Result<Option<Grab>, DesktopError>;

    /// Takes a picture, scaled down so that its longer edge is at most `max_long_edge`; never scaled up. `since` is the
    /// generation of an earlier picture of the same region and size to say the dirty parts against. Blocks.
    ///
    /// # Errors
    /// `WindowNotFound`, `CaptureFailed` (also for a window that is not mapped or wholly without area), `Gone`.
    fn grab(
        &mut self,
        region: Region,
        max_long_edge: Option<u32>,
        since: Option<u64>,
    ) -> Result<Grab, DesktopError>;

    /// Tells that something may have changed the desktop since the last picture by our own doing (input, a program
    /// started), so that the next picture asks the display server even if it has reported nothing yet. Never waits.
    fn touch(&mut self);
}
