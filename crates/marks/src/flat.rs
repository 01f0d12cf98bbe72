//! Surfaces: what is painted in one colour, or in one that changes slowly.

use crate::pixels::{Area, Picture};
use crate::unions::Unions;

/// How much neighbours on one surface differ in a channel; gradients of buttons change by less from row to row.
const ALIKE: u8 = 5;
/// A surface has room for a square of this size. Strokes of letters do not.
const SQUARE: u16 = 7;

/// A surface.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Surface {
    /// What it is in [`Flat::label`].
    pub(crate) label: u32,
    pub(crate) area: Area,
    /// How many pixels it has.
    pub(crate) pixels: usize,
}

/// A picture cut into surfaces and what is between them.
#[derive(Debug)]
pub(crate) struct Flat {
    width: usize,
    /// What each pixel belongs to: the number of a piece of like colour, some of which are surfaces.
    labels: Vec<u32>,
    is_surface: Vec<bool>,
    pub(crate) surfaces: Vec<Surface>,
}

impl Flat {
    pub(crate) fn new(picture: &Picture<'_>) -> Self {
        let (mut labels, mut unions) = labelled(picture);
        let width = picture.width();
        let mut pieces: Vec<Option<Surface>> = vec![None; unions.len()];
        // The side of the largest square of one piece that ends at a pixel, for this row and the one above it.
        let (mut above, mut here) = (vec![0_u16; width], vec![0_u16; width]);
        let mut thick = vec![false; unions.len()];
        for y in 0..picture.height() {
            for x in 0..width {
                let at = y * width + x;
                let label = unions.first(labels[at]);
                labels[at] = label;
                let same = |other: usize| labels[other] == label;
                here[x] = if x > 0 && y > 0 && same(at - 1) && same(at - width) && same(at - width - 1) {
                    here[x - 1].min(above[x]).min(above[x - 1]).saturating_add(1)
                } else {
                    1
                };
                let index = label as usize;
                thick[index] |= here[x] >= SQUARE;
                let piece = pieces[index].get_or_insert(Surface {
                    label,
                    area: Area::pixel(x, y),
                    pixels: 0,
                });
                piece.pixels += 1;
                piece.area.left = piece.area.left.min(x);
                piece.area.right = piece.area.right.max(x + 1);
                piece.area.bottom = y + 1;
            }
            std::mem::swap(&mut above, &mut here);
        }
        let surfaces = pieces
            .into_iter()
            .zip(&thick)
            .filter_map(|(piece, thick)| piece.filter(|_| *thick))
            .collect();
        Self {
            width,
            labels,
            is_surface: thick,
            surfaces,
        }
    }

    /// Which piece a pixel belongs to.
    pub(crate) fn label(&self, x: usize, y: usize) -> u32 {
        self.labels[y * self.width + x]
    }

    /// Whether a pixel is on no surface, but a part of something that is drawn.
    pub(crate) fn is_ink(&self, x: usize, y: usize) -> bool {
        !self.is_surface[self.label(x, y) as usize]
    }
}

/// Gives each pixel the number of a piece of like colour, which may have several that are joined.
fn labelled(picture: &Picture<'_>) -> (Vec<u32>, Unions) {
    let width = picture.width();
    let mut labels = vec![0_u32; width * picture.height()];
    let mut unions = Unions::default();
    for y in 0..picture.height() {
        let row = picture.row(y);
        let above = y.checked_sub(1).map(|above| picture.row(above));
        for x in 0..width {
            let at = y * width + x;
            let left = x > 0 && alike(row[x], row[x - 1]);
            let up = above.is_some_and(|above| alike(row[x], above[x]));
            labels[at] = match (left, up) {
                (false, false) => unions.add(),
                (true, false) => labels[at - 1],
                (false, true) => labels[at - width],
                (true, true) => {
                    let (left, up) = (labels[at - 1], labels[at - width]);
                    if left == up { left } else { unions.join(left, up) }
                }
            };
        }
    }
    (labels, unions)
}

fn alike(one: [u8; 3], other: [u8; 3]) -> bool {
    one.into_iter()
        .zip(other)
        .all(|(one, other)| one.abs_diff(other) <= ALIKE)
}
