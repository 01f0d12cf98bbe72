//! Whether a region still looks as it did.

use crate::pixels::{Area, Picture, Rect};
use crate::regions::{Kind, Region};

/// A text caret is so many columns wide at most.
const CARET: usize = 2;
/// It takes at least this share of a box's height, in hundredths. What is shorter may be a letter.
const TALL: usize = 60;
/// FNV-1a.
const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// How a region looks, and the rows of the picture that it is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    kind: Kind,
    height: usize,
    columns: Vec<Column>,
    rows: u64,
}

/// A column of a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Column {
    hash: u64,
    /// The longest run of one colour in it.
    colour: [u8; 3],
    start: usize,
    end: usize,
}

impl Fingerprint {
    /// How this region of the picture looks; `None` where it is not all in the picture, or has no pixels.
    pub fn new(picture: &Picture<'_>, region: &Region) -> Option<Self> {
        let area = area(picture, region.rect)?;
        let mut rows = BASIS;
        for y in area.top..area.bottom {
            picture.row(y).iter().for_each(|pixel| add(&mut rows, *pixel));
        }
        Some(Self {
            kind: region.kind,
            height: area.height(),
            columns: (area.left..area.right)
                .map(|x| Column::new(picture, x, &area))
                .collect(),
            rows,
        })
    }

    /// Whether both look the same; a box also where one of them has a text caret that the other has not.
    pub fn is_like(&self, other: &Self) -> bool {
        if (self.kind, self.height) != (other.kind, other.height) || self.columns.len() != other.columns.len()
        {
            return false;
        }
        let mut pairs = self.columns.iter().zip(&other.columns);
        let Some(first) = pairs.clone().position(|(one, other)| one != other) else {
            return true;
        };
        let Some(last) = pairs.rposition(|(one, other)| one != other) else {
            return true;
        };
        let (one, other) = (&self.columns[first..=last], &other.columns[first..=last]);
        let blinked = |with: &[Column], without: &[Column]| {
            let mut pairs = with.iter().zip(without);
            pairs.all(|(with, without)| with.is_caret_on(without, self.height))
        };
        self.kind == Kind::Box && one.len() <= CARET && (blinked(one, other) || blinked(other, one))
    }

    /// Whether all of the picture that is beside them looks the same, too.
    pub fn is_beside_the_like(&self, other: &Self) -> bool {
        self.rows == other.rows
    }
}

impl Column {
    fn new(picture: &Picture<'_>, x: usize, area: &Area) -> Self {
        let pixel = |y: usize| picture.row(y)[x];
        let mut column = Self {
            hash: BASIS,
            colour: pixel(area.top),
            start: 0,
            end: 0,
        };
        let mut start = area.top;
        for y in area.top..area.bottom {
            add(&mut column.hash, pixel(y));
            if pixel(y) != pixel(start) {
                start = y;
            }
            if y + 1 - start > column.end - column.start {
                column.colour = pixel(y);
                (column.start, column.end) = (start - area.top, y + 1 - area.top);
            }
        }
        column
    }

    /// Whether this is the other one with a caret drawn on it.
    fn is_caret_on(&self, ground: &Self, height: usize) -> bool {
        (self.end - self.start) * 100 >= height * TALL
            && self.colour != ground.colour
            && ground.start <= self.start
            && self.end <= ground.end
    }
}

fn add(hash: &mut u64, [red, green, blue]: [u8; 3]) {
    let pixel = u32::from_be_bytes([0, red, green, blue]);
    *hash = (*hash ^ u64::from(pixel)).wrapping_mul(PRIME);
}

fn area(picture: &Picture<'_>, rect: Rect) -> Option<Area> {
    let [left, top] = [rect.x, rect.y].map(|edge| usize::try_from(edge).ok());
    let [width, height] = [rect.w, rect.h].map(|side| usize::try_from(side).ok());
    let (left, top, width, height) = (left?, top?, width?, height?);
    let (right, bottom) = (left.checked_add(width)?, top.checked_add(height)?);
    let is_in = width > 0 && height > 0 && right <= picture.width() && bottom <= picture.height();
    is_in.then_some(Area {
        left,
        top,
        right,
        bottom,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECT: Rect = Rect {
        x: 5,
        y: 5,
        w: 20,
        h: 10,
    };

    /// What a white picture of 40 by 20 looks like in the middle, with these columns of it drawn in black over these rows.
    fn looks(kind: Kind, drawn: &[(usize, std::ops::Range<usize>)]) -> Fingerprint {
        let mut rgb = vec![255; 40 * 20 * 3];
        for (x, rows) in drawn {
            for y in rows.clone() {
                rgb[(y * 40 + x) * 3..][..3].fill(0);
            }
        }
        Fingerprint::new(&Picture::new(40, 20, &rgb).unwrap(), &Region { kind, rect: RECT }).unwrap()
    }

    #[test]
    fn what_is_outside_of_it_makes_no_difference_but_is_beside_it() {
        let before = looks(Kind::Text, &[]);
        let beside = looks(Kind::Text, &[(4, 5..15), (25, 5..15)]);
        assert!(before.is_like(&beside));
        assert!(!before.is_beside_the_like(&beside));
        let below = looks(Kind::Text, &[(10, 15..16)]);
        assert!(before.is_like(&below) && before.is_beside_the_like(&below));
    }

    #[test]
    fn only_a_caret_in_a_box_is_let_pass() {
        let caret = [(12, 7..14), (13, 7..14)];
        let (before, after) = (looks(Kind::Box, &[]), looks(Kind::Box, &caret));
        assert!(before.is_like(&after) && after.is_like(&before));
        assert!(!looks(Kind::Text, &[]).is_like(&looks(Kind::Text, &caret)));
        for other in [
            // Too wide, too low, two of them.
            vec![(12, 7..14), (13, 7..14), (14, 7..14)],
            vec![(12, 7..12)],
            vec![(6, 7..14), (20, 7..14)],
        ] {
            assert!(!before.is_like(&looks(Kind::Box, &other)), "{other:?}");
        }
        // A caret that has become another line has not blinked.
        assert!(!after.is_like(&looks(Kind::Box, &[(12, 6..14), (13, 7..14)])));
    }

    #[test]
    fn a_dot_is_a_difference() {
        for kind in [Kind::Box, Kind::Icon, Kind::Text] {
            assert!(!looks(kind, &[]).is_like(&looks(kind, &[(5, 5..6)])));
        }
    }

    #[test]
    fn what_is_not_all_in_the_picture_looks_like_nothing() {
        let rgb = vec![0; 40 * 20 * 3];
        let picture = Picture::new(40, 20, &rgb).unwrap();
        for (x, y, w, h) in [
            (-1, 0, 5, 5),
            (36, 0, 5, 5),
            (0, 16, 5, 5),
            (0, 0, 0, 5),
            (0, 0, u32::MAX, 5),
        ] {
            let region = Region {
                kind: Kind::Box,
                rect: Rect { x, y, w, h },
            };
            assert_eq!(Fingerprint::new(&picture, &region), None);
        }
    }
}
