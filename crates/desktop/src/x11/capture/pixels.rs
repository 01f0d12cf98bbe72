//! Pixels as the X server gives them, compared with and written into a frame.

use std::sync::Arc;

use sys::shared_memory::Segment;

use crate::backend::Rect;
use crate::image::Frame;

/// Bytes of a pixel in the server's image: blue, green, red, and one that means nothing.
pub(super) const SERVER_PIXEL_BYTES: usize = 4;

/// A rectangle of fresh pixels.
#[derive(Debug)]
pub(super) struct Piece<'r> {
    /// Where it belongs in the frame.
    pub(super) place: Rect,
    /// Its pixels, without padding between the rows.
    pub(super) pixels: Pixels<'r>,
}

/// Where fresh pixels lie.
#[derive(Debug)]
pub(super) enum Pixels<'r> {
    /// In memory that the X server has written to.
    Shared {
        /// The memory.
        segment: &'r Segment,
        /// The byte at which the first row begins.
        offset: usize,
    },
    /// In a reply of the X server.
    Owned(Vec<u8>),
}

impl Pixels<'_> {
    /// Copies row `index` out; `false` where there is no such row.
    fn row(&self, index: usize, into: &mut [u8]) -> bool {
        let start = index * into.len();
        match self {
            Self::Shared { segment, offset } => segment.copy_out(offset + start, into),
            Self::Owned(bytes) => bytes.get(start..start + into.len()).is_some_and(|row| {
                into.copy_from_slice(row);
                true
            }),
        }
    }
}

/// Brings a piece into the frame; returns the smallest rectangle that holds all pixels that really changed, or
/// nothing where none did. The frame is copied first where somebody else still reads it.
pub(super) fn bring_in(frame: &mut Arc<Frame>, piece: &Piece<'_>) -> Option<Rect> {
    let place = piece.place;
    let (x, y) = (place.x.unsigned_abs() as usize, place.y.unsigned_abs() as usize);
    let (w, pitch) = (place.w as usize, frame.size().w as usize * 3);
    let mut raw = vec![0; w * SERVER_PIXEL_BYTES];
    let mut fresh = vec![0; w * 3];
    let mut changed: Option<Bounds> = None;
    for row in 0..place.h as usize {
        if !piece.pixels.row(row, &mut raw) {
            break;
        }
        to_rgb(&raw, &mut fresh);
        let start = (y + row) * pitch + x * 3;
        let Some(columns) = frame
            .rgb()
            .get(start..start + fresh.len())
            .and_then(|old| differing_columns(old, &fresh))
        else {
            continue;
        };
        if let Some(target) = Arc::make_mut(frame).rgb_mut().get_mut(start..start + fresh.len()) {
            target.copy_from_slice(&fresh);
        }
        let bounds = changed.get_or_insert(Bounds {
            left: columns.0,
            right: columns.1,
            top: row,
            bottom: row,
        });
        bounds.left = bounds.left.min(columns.0);
        bounds.right = bounds.right.max(columns.1);
        bounds.bottom = row;
    }
    changed.map(|bounds| bounds.inside(place))
}

/// The changed part of a piece, in its own pixels, all ends included.
struct Bounds {
    left: usize,
    right: usize,
    top: usize,
    bottom: usize,
}

impl Bounds {
    fn inside(&self, place: Rect) -> Rect {
        // All are below the piece's own width and height, which are 32-bit numbers; a frame's edges fit in 16 bits.
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Rect {
            x: place.x.saturating_add_unsigned(number(self.left)),
            y: place.y.saturating_add_unsigned(number(self.top)),
            w: number(self.right - self.left + 1),
            h: number(self.bottom - self.top + 1),
        }
    }
}

/// Turns blue-green-red-nothing into red-green-blue. Four pixels at a time, which the compiler makes into a few vector
/// instructions.
fn to_rgb(bgrx: &[u8], rgb: &mut [u8]) {
    let (quads, rest) = bgrx.as_chunks::<16>();
    let (quad_targets, rest_target) = rgb.as_chunks_mut::<12>();
    for (s, target) in quads.iter().zip(quad_targets) {
        *target = [
            s[2], s[1], s[0], s[6], s[5], s[4], s[10], s[9], s[8], s[14], s[13], s[12],
        ];
    }
    let pixels = rest.as_chunks::<4>().0.iter();
    for (s, target) in pixels.zip(rest_target.as_chunks_mut::<3>().0) {
        *target = [s[2], s[1], s[0]];
    }
}

/// The first and the last pixel in which two rows differ.
fn differing_columns(old: &[u8], new: &[u8]) -> Option<(usize, usize)> {
    if old == new {
        return None;
    }
    let first = old.iter().zip(new).position(|(a, b)| a != b)?;
    let last = old.iter().zip(new).rposition(|(a, b)| a != b)?;
    Some((first / 3, last / 3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Size;

    fn piece(place: Rect, pixel: impl Fn(u32, u32) -> [u8; 3]) -> Piece<'static> {
        let bytes = (0..place.h)
            .flat_map(|y| (0..place.w).map(move |x| (x, y)))
            .flat_map(|(x, y)| {
                let [r, g, b] = pixel(x, y);
                [b, g, r, 0xff]
            })
            .collect();
        Piece {
            place,
            pixels: Pixels::Owned(bytes),
        }
    }

    #[test]
    fn what_changed_is_told_to_the_pixel() {
        let size = Size { w: 40, h: 30 };
        let mut frame = Arc::new(Frame::new(size, vec![0; 40 * 30 * 3]).unwrap());
        let place = Rect {
            x: 3,
            y: 5,
            w: 31,
            h: 20,
        };
        let inked = |x: u32, y: u32| (x, y) == (7, 4) || (x, y) == (9, 2);
        let fresh = piece(place, |x, y| if inked(x, y) { [1, 2, 3] } else { [0, 0, 0] });
        let kept = Arc::clone(&frame);
        let changed = bring_in(&mut frame, &fresh);
        assert_eq!(
            changed,
            Some(Rect {
                x: 10,
                y: 7,
                w: 3,
                h: 3
            })
        );
        assert!(
            kept.rgb().iter().all(|byte| *byte == 0),
            "a reader's frame stays as it was"
        );
        let at = (9 * 40 + 10) * 3;
        assert_eq!(frame.rgb()[at..at + 3], [1, 2, 3]);
        assert_eq!(bring_in(&mut frame, &fresh), None);
    }

    #[test]
    fn every_width_is_converted_whole() {
        for w in 1..20 {
            let size = Size { w, h: 2 };
            let mut frame = Arc::new(Frame::new(size, vec![0; w as usize * 6]).unwrap());
            let place = Rect { x: 0, y: 0, w, h: 2 };
            bring_in(
                &mut frame,
                &piece(place, |x, y| [x as u8 + 1, y as u8 + 100, 200]),
            );
            for (at, pixel) in frame.rgb().chunks(3).enumerate() {
                let (x, y) = (at % w as usize, at / w as usize);
                assert_eq!(pixel, [x as u8 + 1, y as u8 + 100, 200], "width {w}");
            }
        }
    }
}
