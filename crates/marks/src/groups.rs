//! Rows of text, and icons: pieces that stand close to each other.

use crate::ink::Piece;
use crate::pixels::Area;
use crate::unions::Unions;

/// The largest letters.
const TALLEST: usize = 48;
/// The smallest sides of an icon, and the largest.
const ICON: (usize, usize) = (14, 72);
/// A row of text is at least so high.
const LOWEST: usize = 4;
/// The largest round corners.
const CORNER: usize = 10;
/// Rows of a picture that pieces are looked for in at a time.
const BAND: usize = 16;
/// With so many neighbours looked at, a piece has found its row.
const NEIGHBOURS: usize = 64;

/// Pieces that belong together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group {
    pub(crate) area: Area,
    pub(crate) is_icon: bool,
}

/// Rows of text and icons among these pieces; those that frame one of the boxes are none.
pub(crate) fn groups(pieces: &[Piece], boxes: &[Area]) -> Vec<Group> {
    let letters: Vec<Area> = pieces
        .iter()
        .filter(|piece| is_letter(piece))
        .map(|piece| piece.area)
        .filter(|area| {
            !boxes
                .iter()
                .any(|inside| area.grown_contains(inside) || is_corner(area, inside))
        })
        .collect();
    let words = joined(&letters, are_letters_of_a_word);
    let (icons, words): (Vec<Area>, Vec<Area>) = words.into_iter().partition(is_icon);
    let rows = joined(&words, are_words_of_a_row);
    let group = |is_icon: bool| move |area: Area| Group { area, is_icon };
    let rows = rows
        .into_iter()
        .filter(|area| area.height() >= LOWEST && area.pixels() >= 24);
    icons
        .into_iter()
        .map(group(true))
        .chain(rows.map(group(false)))
        .collect()
}

/// Whether a piece can be a letter, a part of one or of an icon: no rule and no frame.
fn is_letter(piece: &Piece) -> bool {
    let (w, h) = (piece.area.width(), piece.area.height());
    let is_rule = (h <= 3 && w >= 14) || (w <= 3 && h >= 22);
    let is_net = (w > ICON.1 || h > ICON.1) && piece.pixels * 12 < piece.area.pixels();
    h <= ICON.1 && !is_rule && !is_net
}

/// Whether this is what a round corner leaves of a box.
fn is_corner(area: &Area, of: &Area) -> bool {
    let near = |one: usize, other: usize| one.abs_diff(other) <= 2;
    area.width() <= CORNER
        && area.height() <= CORNER
        && (near(area.left, of.left) || near(area.right, of.right))
        && (near(area.top, of.top) || near(area.bottom, of.bottom))
}

fn is_icon(area: &Area) -> bool {
    let (w, h) = (area.width(), area.height());
    let fits = |side: usize| (ICON.0..=ICON.1).contains(&side);
    fits(w) && fits(h) && w * 10 <= h * 17 && h * 10 <= w * 17
}

fn are_letters_of_a_word(one: &Area, other: &Area) -> bool {
    let (low, high) = (one.height().min(other.height()), one.height().max(other.height()));
    if one.columns_between(other) == 0 {
        // The dot of an i, or the parts of an icon.
        return one.rows_between(other) <= 2 && low <= 4.max(high / 3);
    }
    let room = if high >= ICON.0 {
        high * 3 / 10
    } else {
        high.div_ceil(2)
    };
    stand_on_one_line(one, other) && one.columns_between(other) <= room.max(2)
}

fn are_words_of_a_row(one: &Area, other: &Area) -> bool {
    let high = one.height().max(other.height());
    stand_on_one_line(one, other) && one.columns_between(other) <= high.max(7)
}

fn stand_on_one_line(one: &Area, other: &Area) -> bool {
    let (low, high) = (one.height().min(other.height()), one.height().max(other.height()));
    high <= TALLEST && one.shared_rows(other) * 2 >= low && (high <= low * 2 + 2 || low * 3 <= high)
}

/// The areas around those that belong together by this rule, which is asked only of such as are near to each other.
fn joined(areas: &[Area], belong: impl Fn(&Area, &Area) -> bool) -> Vec<Area> {
    let mut unions = Unions::of(areas.len());
    let bands = areas.iter().map(|area| area.bottom / BAND + 1).max().unwrap_or(0);
    let mut lines: Vec<Vec<u32>> = vec![Vec::new(); bands];
    let mut order: Vec<u32> = (0..).take(areas.len()).collect();
    order.sort_by_key(|number| {
        let area = &areas[*number as usize];
        (area.left, area.top, area.right, area.bottom)
    });
    for number in order {
        let area = areas[number as usize];
        // One band more at each side, for what stands above or below.
        let near = (area.top / BAND).saturating_sub(1)..(area.bottom / BAND + 2).min(bands);
        for line in &lines[near.clone()] {
            for &before in line.iter().rev().take(NEIGHBOURS) {
                if belong(&areas[before as usize], &area) {
                    unions.join(before, number);
                }
            }
        }
        for line in &mut lines[area.top / BAND..=area.bottom / BAND] {
            line.push(number);
        }
    }
    let mut whole: Vec<Option<Area>> = vec![None; areas.len()];
    for (number, area) in (0..).zip(areas) {
        let joined = whole[unions.first(number) as usize].get_or_insert(*area);
        *joined = joined.around(area);
    }
    whole.into_iter().flatten().collect()
}

impl Area {
    /// Whether the other is in it but for its border.
    fn grown_contains(&self, other: &Self) -> bool {
        self.left <= other.left + 1
            && self.top <= other.top + 1
            && self.right + 1 >= other.right
            && self.bottom + 1 >= other.bottom
    }
}
