//! Pictures and areas.

/// A picture as it lies in memory: height × width × 3 bytes, red first, rows from the top, no padding.
#[derive(Debug, Clone, Copy)]
pub struct Picture<'a> {
    width: usize,
    height: usize,
    rgb: &'a [u8],
}

impl<'a> Picture<'a> {
    /// A picture of this size; `None` where the bytes do not fit it, or there are none.
    pub fn new(width: u32, height: u32, rgb: &'a [u8]) -> Option<Self> {
        let (width, height) = sides(width, height, rgb.len())?;
        Some(Self { width, height, rgb })
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    pub(crate) fn height(&self) -> usize {
        self.height
    }

    /// A row of it, which must be one.
    pub(crate) fn row(&self, y: usize) -> &'a [[u8; 3]] {
        let row = y * self.width * 3;
        self.rgb[row..row + self.width * 3].as_chunks().0
    }
}

/// Width and height of a picture with so many bytes, where they fit.
pub(crate) fn sides(width: u32, height: u32, bytes: usize) -> Option<(usize, usize)> {
    let (width, height) = (usize::try_from(width).ok()?, usize::try_from(height).ok()?);
    let expected = width.checked_mul(height)?.checked_mul(3)?;
    (bytes == expected && expected > 0).then_some((width, height))
}

/// An area in pixels. It may reach over the edges of the picture, or lie outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rect {
    /// Left edge.
    pub x: i32,
    /// Top edge.
    pub y: i32,
    /// Width.
    pub w: u32,
    /// Height.
    pub h: u32,
}

/// A part of a picture that has pixels in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Area {
    pub(crate) left: usize,
    pub(crate) top: usize,
    /// The first column behind it.
    pub(crate) right: usize,
    /// The first row below it.
    pub(crate) bottom: usize,
}

impl Area {
    /// The area of one pixel.
    pub(crate) fn pixel(x: usize, y: usize) -> Self {
        Self {
            left: x,
            top: y,
            right: x + 1,
            bottom: y + 1,
        }
    }

    pub(crate) fn width(&self) -> usize {
        self.right - self.left
    }

    pub(crate) fn height(&self) -> usize {
        self.bottom - self.top
    }

    pub(crate) fn pixels(&self) -> usize {
        self.width() * self.height()
    }

    /// The smallest area that has both in it.
    pub(crate) fn around(&self, other: &Self) -> Self {
        Self {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }

    /// How many pixels are in both.
    pub(crate) fn shared(&self, other: &Self) -> usize {
        let width = self
            .right
            .min(other.right)
            .saturating_sub(self.left.max(other.left));
        let height = self
            .bottom
            .min(other.bottom)
            .saturating_sub(self.top.max(other.top));
        width * height
    }

    /// How many rows both have.
    pub(crate) fn shared_rows(&self, other: &Self) -> usize {
        self.bottom
            .min(other.bottom)
            .saturating_sub(self.top.max(other.top))
    }

    /// How many columns lie between them; none where they stand above each other.
    pub(crate) fn columns_between(&self, other: &Self) -> usize {
        other
            .left
            .saturating_sub(self.right)
            .max(self.left.saturating_sub(other.right))
    }

    /// How many rows lie between them.
    pub(crate) fn rows_between(&self, other: &Self) -> usize {
        other
            .top
            .saturating_sub(self.bottom)
            .max(self.top.saturating_sub(other.bottom))
    }

    /// The same with so many pixels more at each side, as far as the picture goes.
    pub(crate) fn grown(&self, by: usize, picture: &Picture<'_>) -> Self {
        Self {
            left: self.left.saturating_sub(by),
            top: self.top.saturating_sub(by),
            right: (self.right + by).min(picture.width()),
            bottom: (self.bottom + by).min(picture.height()),
        }
    }

    /// The same for others; a picture's sides are numbers that came as `u32`.
    pub(crate) fn rect(&self) -> Rect {
        let edge = |edge: usize| i32::try_from(edge).unwrap_or(i32::MAX);
        let side = |side: usize| u32::try_from(side).unwrap_or(u32::MAX);
        Rect {
            x: edge(self.left),
            y: edge(self.top),
            w: side(self.width()),
            h: side(self.height()),
        }
    }
}
