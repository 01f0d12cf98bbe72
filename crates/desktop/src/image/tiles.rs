//! What changed between two pictures, as rectangles on a grid.

use super::Frame;
use crate::backend::{Rect, Size};

/// The edge of a tile of a delta stream, in pixels of the delivered picture.
pub const TILE_EDGE: u32 = 64;

/// The tiles that a picture of `size` consists of, row by row from the top left; those at the right and lower edge are
/// smaller where the size is no multiple of `edge`. An `edge` of 0 counts as 1.
pub fn tiles(size: Size, edge: u32) -> Vec<Rect> {
    let grid = Grid::new(size, edge);
    (0..grid.rows)
        .flat_map(|row| (0..grid.columns).map(move |column| grid.tile(column, row)))
        .collect()
}

/// The tiles of [`TILE_EDGE`] in which `new` differs from `old`, row by row; none is larger than a tile, so that a consumer that keeps
/// tiles by their place finds each again. Only tiles that touch `dirty` are looked at, where it is given: what it
/// leaves out must be equal. All tiles where the sizes differ.
pub fn changed_tiles(old: &Frame, new: &Frame, dirty: Option<&[Rect]>) -> Vec<Rect> {
    let grid = Grid::new(new.size(), TILE_EDGE);
    if old.size() != new.size() {
        return tiles(new.size(), TILE_EDGE);
    }
    let mut looked_at = vec![dirty.is_none(); grid.columns as usize * grid.rows as usize];
    for rect in dirty.unwrap_or_default() {
        grid.mark(*rect, &mut looked_at);
    }
    let all = (0..grid.rows).flat_map(|row| (0..grid.columns).map(move |column| (column, row)));
    all.zip(looked_at)
        .filter(|(_, wanted)| *wanted)
        .map(|((column, row), _)| grid.tile(column, row))
        .filter(|tile| differ(old, new, *tile))
        .collect()
}

/// Whether two frames of one size differ inside `part`, which must be inside them.
fn differ(old: &Frame, new: &Frame, part: Rect) -> bool {
    let pitch = new.size().w as usize * 3;
    let (x, y) = (part.x.unsigned_abs() as usize, part.y.unsigned_abs() as usize);
    (y..y + part.h as usize).any(|row| {
        let start = row * pitch + x * 3;
        let bytes = start..start + part.w as usize * 3;
        old.rgb().get(bytes.clone()) != new.rgb().get(bytes)
    })
}

#[derive(Clone, Copy)]
struct Grid {
    size: Size,
    edge: u32,
    columns: u32,
    rows: u32,
}

impl Grid {
    fn new(size: Size, edge: u32) -> Self {
        let edge = edge.max(1);
        Self {
            size,
            edge,
            columns: size.w.div_ceil(edge),
            rows: size.h.div_ceil(edge),
        }
    }

    fn tile(&self, column: u32, row: u32) -> Rect {
        let (x, y) = (column * self.edge, row * self.edge);
        Rect {
            x: i32::try_from(x).unwrap_or(i32::MAX),
            y: i32::try_from(y).unwrap_or(i32::MAX),
            w: self.edge.min(self.size.w - x),
            h: self.edge.min(self.size.h - y),
        }
    }

    /// Marks the tiles that share a pixel with `rect`.
    fn mark(&self, rect: Rect, marks: &mut [bool]) {
        let columns = self.touched(rect.x, rect.w, self.columns);
        for row in self.touched(rect.y, rect.h, self.rows) {
            for column in columns.clone() {
                if let Some(mark) = marks.get_mut((row * self.columns + column) as usize) {
                    *mark = true;
                }
            }
        }
    }

    fn touched(&self, start: i32, length: u32, count: u32) -> std::ops::Range<u32> {
        let edge = i64::from(self.edge);
        let end = i64::from(start) + i64::from(length);
        if length == 0 || end <= 0 {
            return 0..0;
        }
        let first = i64::from(start).max(0) / edge;
        let last = (end - 1) / edge;
        let bound = |at: i64| u32::try_from(at).unwrap_or(u32::MAX).min(count);
        bound(first)..bound(last.saturating_add(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grey(w: u32, h: u32) -> Frame {
        Frame::new(Size { w, h }, vec![90; (w * h * 3) as usize]).unwrap()
    }

    fn paint(frame: &mut Frame, part: Rect, colour: u8) {
        let pitch = frame.size().w as usize * 3;
        for y in part.y as usize..part.y as usize + part.h as usize {
            let at = y * pitch + part.x as usize * 3;
            frame.rgb_mut()[at..at + part.w as usize * 3].fill(colour);
        }
    }

    fn composite(onto: &mut Frame, from: &Frame, part: Rect) {
        let pitch = onto.size().w as usize * 3;
        for y in part.y as usize..part.y as usize + part.h as usize {
            let at = y * pitch + part.x as usize * 3;
            let bytes = at..at + part.w as usize * 3;
            onto.rgb_mut()[bytes.clone()].copy_from_slice(&from.rgb()[bytes]);
        }
    }

    #[test]
    fn tiles_cover_each_pixel_once() {
        for (w, h) in [(1, 1), (64, 64), (65, 63), (200, 130), (1280, 800)] {
            let mut count = vec![0_u8; (w * h) as usize];
            for tile in tiles(Size { w, h }, 64) {
                assert!(tile.w <= 64 && tile.h <= 64 && tile.x % 64 == 0 && tile.y % 64 == 0);
                for y in tile.y as u32..tile.y as u32 + tile.h {
                    for x in tile.x as u32..tile.x as u32 + tile.w {
                        count[(y * w + x) as usize] += 1;
                    }
                }
            }
            assert!(count.iter().all(|n| *n == 1), "{w}x{h}");
        }
    }

    #[test]
    fn changed_tiles_composited_onto_the_old_give_the_new() {
        let mut seed = 7_u32;
        let mut next = |below: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) % below
        };
        for round in 0..200 {
            let (w, h) = (1 + next(300), 1 + next(300));
            let old = grey(w, h);
            let (mut new, mut dirty) = (old.clone(), Vec::new());
            for _ in 0..next(4) {
                let (x, y) = (next(w), next(h));
                let part = Rect {
                    x: x as i32,
                    y: y as i32,
                    w: 1 + next(w - x),
                    h: 1 + next(h - y),
                };
                paint(&mut new, part, next(255) as u8);
                dirty.push(part);
            }
            let with = changed_tiles(&old, &new, Some(&dirty));
            assert_eq!(with, changed_tiles(&old, &new, None), "round {round}");
            let mut built = old.clone();
            for tile in &with {
                composite(&mut built, &new, *tile);
            }
            assert_eq!(built, new, "round {round}");
        }
    }

    #[test]
    fn only_dirty_tiles_are_looked_at_and_only_differing_ones_told() {
        let old = grey(200, 200);
        let mut new = old.clone();
        paint(
            &mut new,
            Rect {
                x: 70,
                y: 70,
                w: 1,
                h: 1,
            },
            1,
        );
        paint(
            &mut new,
            Rect {
                x: 150,
                y: 10,
                w: 1,
                h: 1,
            },
            1,
        );
        let tile = Rect {
            x: 64,
            y: 64,
            w: 64,
            h: 64,
        };
        let near = Rect {
            x: 60,
            y: 60,
            w: 20,
            h: 20,
        };
        assert_eq!(changed_tiles(&old, &new, Some(&[near])), [tile]);
        assert_eq!(changed_tiles(&old, &new, Some(&[])), []);
        assert_eq!(changed_tiles(&old, &new, None).len(), 2);
        let far = Rect {
            x: -50,
            y: 5000,
            w: 20,
            h: u32::MAX,
        };
        assert_eq!(changed_tiles(&old, &new, Some(&[far])), []);
    }

    #[test]
    fn another_size_is_all_new() {
        assert_eq!(changed_tiles(&grey(64, 64), &grey(65, 64), Some(&[])).len(), 2);
    }
}
