//! Smaller pictures.

use std::fmt;

use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::U8x3;
use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions, Resizer};

use super::Frame;
use crate::backend::{Rect, Size};

/// How far the filter looks, in pixels of the smaller picture: Lanczos with three lobes, and one for rounding.
const REACH: u32 = 4;

/// Makes smaller pictures, and keeps its working memory from one to the next.
pub struct Scaler {
    resizer: Resizer,
    options: ResizeOptions,
}

impl Scaler {
    /// A scaler that works with the Lanczos filter (three lobes), which keeps small text readable.
    pub fn new() -> Self {
        Self {
            resizer: Resizer::new(),
            options: ResizeOptions::new()
                .resize_alg(ResizeAlg::Convolution(FilterType::Lanczos3))
                .use_alpha(false),
        }
    }

    /// The frame scaled down as [`scaled_size`] says; `None` where that is its own size already.
    pub fn scale(&mut self, frame: &Frame, max_long_edge: u32) -> Option<Frame> {
        let (from, to) = (frame.size(), scaled_size(frame.size(), max_long_edge));
        if from == to {
            return None;
        }
        let source = TypedImageRef::<U8x3>::from_buffer(from.w, from.h, frame.rgb()).ok()?;
        let mut rgb = vec![0; to.w as usize * to.h as usize * 3];
        let mut target = TypedImage::<U8x3>::from_buffer(to.w, to.h, &mut rgb).ok()?;
        self.resizer
            .resize_typed(&source, &mut target, &self.options)
            .ok()?;
        Frame::new(to, rgb)
    }
}

impl Default for Scaler {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Scaler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Scaler")
    }
}

/// The size of a picture whose longer edge may be `max_long_edge` pixels at most: the same shape as near as whole
/// pixels allow, at least 1 × 1, and never larger than `size`. A limit of 0 counts as 1.
pub fn scaled_size(size: Size, max_long_edge: u32) -> Size {
    let (long, limit) = (size.w.max(size.h), max_long_edge.max(1));
    if long <= limit {
        return size;
    }
    let shrink = |edge: u32| {
        let (edge, long, limit) = (u64::from(edge), u64::from(long), u64::from(limit));
        // At most `limit`, since no edge is longer than the long one.
        u32::try_from((edge * limit + long / 2) / long)
            .unwrap_or(max_long_edge)
            .max(1)
    };
    Size {
        w: shrink(size.w),
        h: shrink(size.h),
    }
}

/// Where a change inside `part` of a picture of size `from` can show in the same picture scaled to `to`: as far as
/// the filter reaches, cut at the edges.
pub fn scaled_part(part: Rect, from: Size, to: Size) -> Rect {
    if from == to {
        return part;
    }
    let (x, w) = scaled_span(part.x, part.w, from.w, to.w);
    let (y, h) = scaled_span(part.y, part.h, from.h, to.h);
    Rect { x, y, w, h }
}

fn scaled_span(start: i32, length: u32, from: u32, to: u32) -> (i32, u32) {
    let (from, wide) = (i64::from(from.max(1)), i64::from(to));
    let (start, end) = (i64::from(start), i64::from(start) + i64::from(length));
    let low = (start * wide).div_euclid(from) - i64::from(REACH);
    let high = -((-end * wide).div_euclid(from)) + i64::from(REACH);
    let low = low.clamp(0, wide);
    let high = high.clamp(low, wide);
    // Both lie between 0 and an edge of the picture.
    (
        i32::try_from(low).unwrap_or(i32::MAX),
        u32::try_from(high - low).unwrap_or(0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(size: Size, mut seed: u32) -> Frame {
        let bytes = size.w as usize * size.h as usize * 3;
        let rgb = (0..bytes)
            .map(|_| {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (seed >> 24) as u8
            })
            .collect();
        Frame::new(size, rgb).unwrap()
    }

    #[test]
    fn the_long_edge_is_the_limit_and_the_shape_is_kept() {
        let check = |w, h, limit, expect: (u32, u32)| {
            let to = scaled_size(Size { w, h }, limit);
            assert_eq!((to.w, to.h), expect, "{w}x{h} to {limit}");
        };
        check(1920, 1080, 960, (960, 540));
        check(1080, 1920, 960, (540, 960));
        check(1280, 800, 1280, (1280, 800));
        check(1280, 800, 5000, (1280, 800));
        check(1280, 800, 1, (1, 1));
        check(1280, 800, 0, (1, 1));
        check(4000, 1, 100, (100, 1));
        check(1366, 768, 1000, (1000, 562));
        check(u32::MAX, u32::MAX, 7, (7, 7));
    }

    #[test]
    fn one_colour_stays_that_colour() {
        let frame = Frame::new(Size { w: 301, h: 77 }, [10, 200, 30].repeat(301 * 77)).unwrap();
        let small = Scaler::new().scale(&frame, 100).unwrap();
        assert_eq!(small.size(), Size { w: 100, h: 26 });
        assert!(small.rgb().chunks(3).all(|pixel| pixel == [10, 200, 30]));
        assert!(Scaler::new().scale(&frame, 301).is_none());
    }

    #[test]
    fn a_change_shows_only_where_it_is_said_to() {
        let from = Size { w: 160, h: 120 };
        let mut scaler = Scaler::new();
        let before = noise(from, 1);
        for limit in [159, 120, 80, 53, 20, 7, 1] {
            let small = scaler.scale(&before, limit).unwrap();
            for (x, y, w, h) in [(0, 0, 1, 1), (159, 119, 1, 1), (77, 40, 13, 5), (30, 0, 1, 120)] {
                let part = Rect { x, y, w, h };
                let mut after = before.clone();
                for row in y as usize..y as usize + h as usize {
                    let at = (row * 160 + x as usize) * 3;
                    for byte in &mut after.rgb_mut()[at..at + w as usize * 3] {
                        *byte = 255 - *byte;
                    }
                }
                let changed = scaler.scale(&after, limit).unwrap();
                let to = small.size();
                let said = scaled_part(part, from, to);
                for row in 0..to.h as i32 {
                    for column in 0..to.w as i32 {
                        let at = (row as usize * to.w as usize + column as usize) * 3;
                        let inside = (said.x..said.x + said.w as i32).contains(&column)
                            && (said.y..said.y + said.h as i32).contains(&row);
                        assert!(
                            inside || small.rgb()[at..at + 3] == changed.rgb()[at..at + 3],
                            "{part:?} at {limit}: ({column}, {row}) is not in {said:?}"
                        );
                    }
                }
            }
        }
    }
}
