//! Pieces of what is drawn on surfaces: letters, parts of icons, borders.

use crate::flat::Flat;
use crate::pixels::{Area, Picture};
use crate::unions::Unions;

/// A piece whose pixels touch each other, also at their corners.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece {
    pub(crate) area: Area,
    /// How many pixels it has.
    pub(crate) pixels: usize,
}

/// A run of drawn pixels in a row.
struct Run {
    start: usize,
    end: usize,
    label: u32,
}

/// All pieces, in the order of their first pixels.
pub(crate) fn pieces(picture: &Picture<'_>, flat: &Flat) -> Vec<Piece> {
    let mut unions = Unions::default();
    let mut found: Vec<Piece> = Vec::new();
    let mut above: Vec<Run> = Vec::new();
    for y in 0..picture.height() {
        let mut here: Vec<Run> = Vec::new();
        let mut next_above = 0;
        let mut x = 0;
        while x < picture.width() {
            if !flat.is_ink(x, y) {
                x += 1;
                continue;
            }
            let start = x;
            while x < picture.width() && flat.is_ink(x, y) {
                x += 1;
            }
            let mut label = None;
            // Runs above that end before this one begins cannot touch a later one either.
            while next_above < above.len() && above[next_above].end < start {
                next_above += 1;
            }
            for run in above[next_above..].iter().take_while(|run| run.start <= x) {
                label = Some(match label {
                    Some(label) => unions.join(label, run.label),
                    None => run.label,
                });
            }
            let label = label.unwrap_or_else(|| {
                found.push(Piece {
                    area: Area::pixel(start, y),
                    pixels: 0,
                });
                unions.add()
            });
            let piece = &mut found[label as usize];
            piece.pixels += x - start;
            piece.area = piece.area.around(&Area {
                left: start,
                top: y,
                right: x,
                bottom: y + 1,
            });
            here.push(Run { start, end: x, label });
        }
        above = here;
    }
    joined(&found, &mut unions)
}

fn joined(parts: &[Piece], unions: &mut Unions) -> Vec<Piece> {
    let mut whole: Vec<Option<Piece>> = vec![None; parts.len()];
    for (number, part) in (0..).zip(parts) {
        let piece = whole[unions.first(number) as usize].get_or_insert(Piece { pixels: 0, ..*part });
        piece.area = piece.area.around(&part.area);
        piece.pixels += part.pixels;
    }
    whole.into_iter().flatten().collect()
}
