//! What is drawn, read by this program itself.

use std::fmt;

use anyhow::Context as _;
use serde_json::Value;
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ConnectionExt as _, ImageFormat};
use x11rb::rust_connection::RustConnection;

/// The pixels of a display.
pub(crate) struct Screen {
    connection: RustConnection,
    root: u32,
    size: (u16, u16),
}

impl Screen {
    pub(crate) fn open(display: &str) -> anyhow::Result<Self> {
        let (connection, number) =
            x11rb::connect(Some(display)).with_context(|| format!("cannot reach {display}"))?;
        let screen = connection.setup().roots.get(number).context("no screen")?;
        let (root, size) = (screen.root, (screen.width_in_pixels, screen.height_in_pixels));
        Ok(Self {
            connection,
            root,
            size,
        })
    }

    /// All of it.
    pub(crate) fn all(&self) -> anyhow::Result<(Vec<u8>, usize)> {
        let (width, height) = (i32::from(self.size.0), i32::from(self.size.1));
        self.part(Bounds {
            x: 0,
            y: 0,
            width,
            height,
        })
    }

    /// The pixels of a box, as far as it is on the screen: four bytes each, row by row, and how many are in a row.
    pub(crate) fn part(&self, bounds: Bounds) -> anyhow::Result<(Vec<u8>, usize)> {
        let (left, top) = (bounds.x.max(0), bounds.y.max(0));
        let right = (bounds.x + bounds.width).min(self.size.0.into());
        let bottom = (bounds.y + bounds.height).min(self.size.1.into());
        anyhow::ensure!(left < right && top < bottom, "{bounds:?} is not on the screen");
        let (width, height) = (right - left, bottom - top);
        let image = self
            .connection
            .get_image(
                ImageFormat::Z_PIXMAP,
                self.root,
                i16::try_from(left)?,
                i16::try_from(top)?,
                u16::try_from(width)?,
                u16::try_from(height)?,
                u32::MAX,
            )?
            .reply()?;
        Ok((image.data, usize::try_from(width)?))
    }
}

/// A box in pixels of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) width: i32,
    pub(crate) height: i32,
}

impl Bounds {
    /// The smallest box around these points.
    pub(crate) fn around(points: impl IntoIterator<Item = (i32, i32)>) -> Option<Self> {
        let mut points = points.into_iter();
        let (x, y) = points.next()?;
        let (left, top, right, bottom) = points.fold((x, y, x, y), |(left, top, right, bottom), (x, y)| {
            (left.min(x), top.min(y), right.max(x), bottom.max(y))
        });
        let (width, height) = (right - left + 1, bottom - top + 1);
        Some(Self {
            x: left,
            y: top,
            width,
            height,
        })
    }

    /// Whether the other box is in this one, or sticks out by no more than this.
    pub(crate) fn holds(&self, other: &Self, by: i32) -> bool {
        other.x >= self.x - by
            && other.y >= self.y - by
            && other.x + other.width <= self.x + self.width + by
            && other.y + other.height <= self.y + self.height + by
    }

    /// The box of an element, if it has one that is not empty.
    pub(crate) fn of(element: &Value) -> Option<Self> {
        let at = |index: usize| i32::try_from(element["bbox"][index].as_i64()?).ok();
        let (x, y, width, height) = (at(0)?, at(1)?, at(2)?, at(3)?);
        (width > 0 && height > 0).then_some(Self { x, y, width, height })
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { x, y, width, height } = self;
        write!(out, "{x},{y} {width}×{height}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_around_points_holds_them() {
        let bounds = Bounds::around([(5, 9), (3, 10), (4, 7)]).expect("there are points");
        assert_eq!(bounds.to_string(), "3,7 3×4");
        assert!(bounds.holds(&bounds, 0));
        let wider = Bounds { x: 2, ..bounds };
        assert!(bounds.holds(&wider, 1) && !bounds.holds(&wider, 0));
        assert_eq!(Bounds::around([]), None);
    }
}
