//! A picture with boxes drawn over it, each with its number.
//!
//! Each number is where it covers least: of the places around its box the one with the fewest edges under it and no other
//! number. What is small is drawn over what is large.

use crate::Rect;
use crate::pixels::{Area, sides};

mod digits;

use digits::{HEIGHT, WIDTH};

/// Pixels around the digits on their ground.
const MARGIN: usize = 1;
/// How much worse it is to cover a pixel of another number than an edge in the picture.
const COVERED: usize = 16;
/// How different neighbours are where there is an edge, as the sum over their channels.
const EDGE: u32 = 40;

/// Grounds for the numbers and colours of the boxes, with the colour of the digits on them. Each differs from what desktops are made of
/// and from the one after it.
const COLOURS: &[([u8; 3], [u8; 3])] = &[
    ([214, 0, 28], [255, 255, 255]),
    ([0, 92, 230], [255, 255, 255]),
    ([0, 130, 50], [255, 255, 255]),
    ([200, 0, 200], [255, 255, 255]),
    ([180, 80, 0], [255, 255, 255]),
    ([0, 125, 140], [255, 255, 255]),
    ([255, 200, 0], [0, 0, 0]),
    ([100, 40, 190], [255, 255, 255]),
];

/// A box that is to be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// The number beside it; its colour follows from this.
    pub number: u64,
    /// The area, in pixels of the picture. What is outside of the picture is not drawn.
    pub rect: Rect,
}

/// Draws the boxes and their numbers into a picture (height × width × 3 bytes, red first, rows from the top, no padding).
///
/// Gives how many of them are seen; the others are outside or have no area. A picture whose bytes do not fit its size stays as
/// it is.
pub fn draw(width: u32, height: u32, rgb: &mut [u8], marks: &[Mark]) -> usize {
    let Some((width, height)) = sides(width, height, rgb.len()) else {
        return 0;
    };
    let mut canvas = Canvas {
        width,
        height,
        pixels: rgb.as_chunks_mut().0,
    };
    let mut seen: Vec<(u64, Area)> = marks
        .iter()
        .filter_map(|mark| Some((mark.number, canvas.area(mark.rect)?)))
        .collect();
    // The largest first; of equal ones in the order of their numbers.
    seen.sort_by_key(|(number, area)| (usize::MAX - area.pixels(), *number));
    let mut taken = vec![false; width * height];
    // The small ones choose their places first: they have the fewest.
    let mut tags: Vec<(u64, Area)> = Vec::with_capacity(seen.len());
    for &(number, area) in seen.iter().rev() {
        if let Some(tag) = canvas.place(number, area, &taken) {
            for y in tag.top..tag.bottom {
                taken[y * width + tag.left..y * width + tag.right].fill(true);
            }
            tags.push((number, tag));
        }
    }
    for &(number, area) in &seen {
        canvas.outline(area, colour(number).0);
    }
    for &(number, tag) in &tags {
        canvas.write(number, tag);
    }
    seen.len()
}

fn colour(number: u64) -> ([u8; 3], [u8; 3]) {
    let count = COLOURS.len() as u64;
    usize::try_from(number % count).map_or(COLOURS[0], |index| COLOURS[index])
}

struct Canvas<'a> {
    width: usize,
    height: usize,
    pixels: &'a mut [[u8; 3]],
}

impl Canvas<'_> {
    /// What of this is in the picture.
    fn area(&self, rect: Rect) -> Option<Area> {
        let within = |from: i32, length: u32, limit: usize| {
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            let end = i64::from(from) + i64::from(length);
            let (first, end) = (i64::from(from).clamp(0, limit), end.clamp(0, limit));
            // Both lie in the picture, whose sides are of this type.
            (first < end).then(|| Some((usize::try_from(first).ok()?, usize::try_from(end).ok()?)))?
        };
        let (left, right) = within(rect.x, rect.w, self.width)?;
        let (top, bottom) = within(rect.y, rect.h, self.height)?;
        Some(Area {
            left,
            top,
            right,
            bottom,
        })
    }

    /// Where the number of this area goes; `None` in a picture that is too small for it.
    fn place(&self, number: u64, of: Area, taken: &[bool]) -> Option<Area> {
        let w = digits::of(number).count() * (WIDTH + 1) - 1 + 2 * MARGIN;
        let h = HEIGHT + 2 * MARGIN;
        let (most_left, most_top) = (self.width.checked_sub(w)?, self.height.checked_sub(h)?);
        let (before, above) = (of.left.checked_sub(w), of.top.checked_sub(h));
        let last_left = of.right.saturating_sub(w);
        let last_top = of.bottom.saturating_sub(h);
        let places = [
            (Some(of.left), above),
            (Some(last_left), above),
            (before, Some(of.top)),
            (Some(of.right), Some(of.top)),
            (Some(of.left), Some(of.bottom)),
            (Some(of.left), Some(of.top)),
            (Some(last_left), Some(of.top)),
            (Some(last_left), Some(last_top)),
            (Some(of.left), Some(last_top)),
        ];
        let tag = |left: usize, top: usize| Area {
            left,
            top,
            right: left + w,
            bottom: top + h,
        };
        places
            .into_iter()
            .filter_map(|(left, top)| Some((left?, top?)))
            .filter(|&(left, top)| left <= most_left && top <= most_top)
            // Inside of the picture in any case.
            .chain([(of.left.min(most_left), of.top.min(most_top))])
            .map(|(left, top)| tag(left, top))
            .min_by_key(|tag| self.covered(*tag, taken))
    }

    /// How much is lost under this.
    fn covered(&self, tag: Area, taken: &[bool]) -> usize {
        let mut lost = 0;
        for y in tag.top..tag.bottom {
            let row = y * self.width;
            let pixels = &self.pixels[row + tag.left..row + tag.right];
            lost += pixels
                .windows(2)
                .filter(|pair| difference(pair[0], pair[1]) > EDGE)
                .count();
            lost += COVERED
                * taken[row + tag.left..row + tag.right]
                    .iter()
                    .filter(|taken| **taken)
                    .count();
        }
        lost
    }

    fn outline(&mut self, area: Area, colour: [u8; 3]) {
        for y in [area.top, area.bottom - 1] {
            self.pixels[y * self.width + area.left..y * self.width + area.right].fill(colour);
        }
        for y in area.top..area.bottom {
            self.pixels[y * self.width + area.left] = colour;
            self.pixels[y * self.width + area.right - 1] = colour;
        }
    }

    fn write(&mut self, number: u64, tag: Area) {
        let (ground, ink) = colour(number);
        for y in tag.top..tag.bottom {
            self.pixels[y * self.width + tag.left..y * self.width + tag.right].fill(ground);
        }
        for (index, glyph) in digits::of(number).enumerate() {
            let left = tag.left + MARGIN + index * (WIDTH + 1);
            for (row, bits) in glyph.iter().enumerate() {
                let start = (tag.top + MARGIN + row) * self.width + left;
                for column in (0..WIDTH).filter(|column| bits & (1 << (WIDTH - 1 - column)) != 0) {
                    self.pixels[start + column] = ink;
                }
            }
        }
    }
}

fn difference(one: [u8; 3], other: [u8; 3]) -> u32 {
    one.into_iter()
        .zip(other)
        .map(|(one, other)| u32::from(one.abs_diff(other)))
        .sum()
}
