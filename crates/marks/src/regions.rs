//! The candidates of a picture, put together.

use crate::boxes::boxes;
use crate::flat::Flat;
use crate::groups::groups;
use crate::ink;
use crate::pixels::{Area, Picture, Rect};

/// The most regions of a picture.
pub const MOST: usize = 256;
/// Of so many candidates these are chosen.
const CANDIDATES: usize = 4096;
/// So many pixels around letters and icons belong to them.
const AROUND: usize = 2;
/// A box with more than this in it holds other things, and is none itself.
const ITEMS: usize = 3;
/// A text of several lines is at least so high.
const SEVERAL_LINES: usize = 40;

/// What a region looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Something with straight sides around it: a button, an entry, a check box; with the text on it, if there is one.
    Box,
    /// A small picture.
    Icon,
    /// Letters in a row.
    Text,
}

/// A part of a picture that looks like something to read or to click.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Region {
    /// What it looks like.
    pub kind: Kind,
    /// Where it is; inside of the picture.
    pub rect: Rect,
}

#[derive(Debug, Clone, Copy)]
struct Candidate {
    kind: Kind,
    area: Area,
}

/// The regions of a picture that look like something to read or to click, in reading order: rows from the top, each from the
/// left. They are guesses.
///
/// At most [`MOST`]; boxes and icons are left out last. Two of them share at most half of the smaller one, unless one is a box
/// at least twice as large that holds the other, give or take the two pixels around letters.
pub fn regions(picture: Picture<'_>) -> Vec<Region> {
    let flat = Flat::new(&picture);
    let boxes = boxes(&picture, &flat);
    let groups = groups(&ink::pieces(&picture, &flat), &boxes);
    let mut candidates: Vec<Candidate> = groups
        .into_iter()
        .map(|group| Candidate {
            kind: if group.is_icon { Kind::Icon } else { Kind::Text },
            // So that its edge, where it is drawn, is not drawn on the letters.
            area: group.area.grown(AROUND, &picture),
        })
        .chain(boxes.into_iter().map(|area| Candidate {
            kind: Kind::Box,
            area,
        }))
        .collect();
    candidates.sort_by_key(rank);
    candidates.truncate(CANDIDATES);
    let mut chosen = apart(&without_parts(&candidates));
    chosen.truncate(MOST);
    in_reading_order(chosen)
}

/// Boxes before icons and those before texts; the larger before the smaller; what is left comes from above.
fn rank(candidate: &Candidate) -> (Kind, usize, usize, usize) {
    let area = candidate.area;
    (candidate.kind, usize::MAX - area.pixels(), area.top, area.left)
}

/// Leaves out what only holds others, and what is only a part of a box.
fn without_parts(candidates: &[Candidate]) -> Vec<Candidate> {
    let mut dropped = vec![false; candidates.len()];
    // The smallest boxes first: what a button has taken is no part of the panel that it is in.
    for outer in (0..candidates.len()).rev() {
        if candidates[outer].kind != Kind::Box {
            continue;
        }
        let area = candidates[outer].area;
        let inside: Vec<usize> = (0..candidates.len())
            .filter(|inner| *inner != outer && !dropped[*inner] && holds(&area, &candidates[*inner].area))
            .collect();
        let only_text = inside.iter().all(|inner| candidates[*inner].kind == Kind::Text);
        let has_box = inside.iter().any(|inner| candidates[*inner].kind == Kind::Box);
        if inside.len() <= ITEMS && !has_box && area.height() < SEVERAL_LINES {
            inside.into_iter().for_each(|inner| dropped[inner] = true);
        } else if !(only_text && area.height() >= SEVERAL_LINES) {
            dropped[outer] = true;
        }
    }
    let kept = candidates.iter().zip(dropped);
    kept.filter(|(_, dropped)| !dropped)
        .map(|(candidate, _)| *candidate)
        .collect()
}

/// Whether all of the other but for what is around it is in this one.
fn holds(outer: &Area, inner: &Area) -> bool {
    inner.left + AROUND >= outer.left
        && inner.top + AROUND >= outer.top
        && inner.right <= outer.right + AROUND
        && inner.bottom <= outer.bottom + AROUND
}

/// Leaves out what is mostly the same as one before it.
fn apart(candidates: &[Candidate]) -> Vec<Candidate> {
    let mut chosen: Vec<Candidate> = Vec::new();
    for candidate in candidates {
        let area = candidate.area;
        let same = chosen.iter().any(|other| {
            let holds = other.kind == Kind::Box && holds(&other.area, &area);
            let mostly = area.shared(&other.area) * 2 > area.pixels().min(other.area.pixels());
            mostly && (!holds || area.pixels() * 2 > other.area.pixels())
        });
        if !same {
            chosen.push(*candidate);
        }
    }
    chosen
}

fn in_reading_order(mut candidates: Vec<Candidate>) -> Vec<Region> {
    candidates.sort_by_key(|candidate| (candidate.area.top, candidate.area.left));
    let mut ordered = Vec::with_capacity(candidates.len());
    let mut rest = candidates.as_slice();
    while let Some(first) = rest.first() {
        // What begins above the middle of the first one is on its line.
        let middle = first.area.top + first.area.height().min(SEVERAL_LINES) / 2;
        let end = rest.partition_point(|candidate| candidate.area.top <= middle);
        let (line, below) = rest.split_at(end);
        let mut line = line.to_vec();
        line.sort_by_key(|candidate| (candidate.area.left, candidate.area.top));
        ordered.extend(line);
        rest = below;
    }
    let region = |candidate: Candidate| Region {
        kind: candidate.kind,
        rect: candidate.area.rect(),
    };
    ordered.into_iter().map(region).collect()
}
