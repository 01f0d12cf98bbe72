//! Boxes: surfaces with straight sides, such as the inside of a button, an entry or a check box.

use crate::flat::{Flat, Surface};
use crate::pixels::{Area, Picture};

/// The least sides of a box.
const LEAST: usize = 7;
/// What is smaller than this at both sides may be round, as a radio button is.
const SMALL: usize = 30;

/// The boxes of a picture, with their borders.
pub(crate) fn boxes(picture: &Picture<'_>, flat: &Flat) -> Vec<Area> {
    flat.surfaces
        .iter()
        .filter(|surface| is_box(picture, flat, surface))
        .map(|surface| surface.area.grown(1, picture))
        .collect()
}

fn is_box(picture: &Picture<'_>, flat: &Flat, surface: &Surface) -> bool {
    let area = surface.area;
    if area.width() < LEAST || area.height() < LEAST {
        return false;
    }
    // What fills the window is the window.
    if area.width() * 20 > picture.width() * 19 && area.height() * 20 > picture.height() * 19 {
        return false;
    }
    if surface.pixels * 2 < area.pixels() {
        return false;
    }
    let small = area.width() <= SMALL && area.height() <= SMALL;
    let (along, upright) = if small { (30, 30) } else { (75, 50) };
    let across = |y: usize| {
        let on = (area.left..area.right).filter(|x| flat.label(*x, y) == surface.label);
        on.count() * 100 >= area.width() * along
    };
    let down = |x: usize| {
        let on = (area.top..area.bottom).filter(|y| flat.label(x, *y) == surface.label);
        on.count() * 100 >= area.height() * upright
    };
    across(area.top) && across(area.bottom - 1) && down(area.left) && down(area.right - 1)
}
