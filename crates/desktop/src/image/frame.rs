//! A picture in memory.

use std::fmt;

use crate::backend::Size;

/// Pixels as height × width × 3 bytes, red first, rows from the top, no padding.
#[derive(Clone, PartialEq, Eq)]
pub struct Frame {
    size: Size,
    rgb: Vec<u8>,
}

/// A 128-bit hash of a frame's pixels and dimensions: XXH3-128 over the RGB bytes, the dimensions as its seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FrameHash(u128);

impl Frame {
    /// A frame of this size, or `None` where the bytes do not fit it.
    pub fn new(size: Size, rgb: Vec<u8>) -> Option<Self> {
        let expected = (size.w as usize).checked_mul(size.h as usize)?.checked_mul(3)?;
        (rgb.len() == expected && expected > 0).then_some(Self { size, rgb })
    }

    /// Width and height.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The bytes.
    pub fn rgb(&self) -> &[u8] {
        &self.rgb
    }

    /// The bytes, to draw into.
    pub fn rgb_mut(&mut self) -> &mut [u8] {
        &mut self.rgb
    }

    /// The hash that stands for these pixels.
    pub fn hash(&self) -> FrameHash {
        let seed = (u64::from(self.size.w) << 32) | u64::from(self.size.h);
        FrameHash(xxhash_rust::xxh3::xxh3_128_with_seed(&self.rgb, seed))
    }
}

impl fmt::Debug for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Frame({}x{})", self.size.w, self.size.h)
    }
}

impl fmt::Display for FrameHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}
