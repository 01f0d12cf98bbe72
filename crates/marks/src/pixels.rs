//! Pictures and areas.

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
