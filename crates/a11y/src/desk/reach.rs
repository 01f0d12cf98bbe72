//! Whether a control is in sight, and what brings it there.
//!
//! What the toolkits of Debian 12 and Chromium 148 do, as measured: Chromium scrolls for `Component.ScrollTo`. GTK 3 answers
//! that with "no", but scrolls to what gets the focus. GTK 4 and Qt 6 have neither (Qt gives the focus and does not scroll).
//! So the wheel remains, as a person would use it.

use std::collections::HashSet;

use futures_util::future::join_all;

use super::Desk;
use super::acts::Present;
use crate::A11yError;
use crate::bus::{Bus, CallError, body};
use crate::engine::{Located, Reach, Wheel};
use crate::node::{Facts, Place, Rect};
use crate::sight::is_scroller;
use crate::space::Space;
use crate::toolkit::{Toolkit, TopLevel};
use crate::tree::Handle;
use crate::walk::{self, COMPONENT};

/// AT-SPI's `ScrollType` for "wherever it is seen".
const ANYWHERE: u32 = 6;
/// Of a control that is larger, so many pixels in either direction are enough to act on.
const ENOUGH: u32 = 8;
/// What the wheel changes where it is turned over it.
const TURNED: &[&str] = &[
    "combo-box",
    "dial",
    "page-tab",
    "page-tab-list",
    "slider",
    "spin-button",
];
/// The most controls of one scrolled part that are asked where they are.
const ASKED: usize = 200;

/// What cuts off whatever is below it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clip {
    pub(super) scroller: Handle,
    pub(super) rect: Rect,
}

impl Desk {
    pub(crate) async fn locate(
        &mut self,
        handle: Handle,
        windows: &[TopLevel],
    ) -> Result<Located, A11yError> {
        let (present, clips) = self.placed(handle, windows).await?;
        let Present { bus, place, facts } = present;
        let reach = match facts.rect {
            Some(rect) => match clips.iter().try_fold(rect, |part, clip| part.common(clip.rect)) {
                Some(part) if is_enough(rect, part) => Reach::Seen {
                    part,
                    surely: self.is_inside_all(&bus, handle, rect).await,
                },
                _ => Reach::Away,
            },
            None if !facts.is("showing") && self.may_be_away(handle, &facts) => Reach::Away,
            None => Reach::Nowhere,
        };
        let window = self.tree.ancestors(handle).filter_map(|handle| {
            let is_root = self.tree.parent(handle).is_none();
            (!is_root).then(|| self.tree.facts(handle))?
        });
        let window = window.last().map(|facts| facts.name.clone());
        Ok(Located {
            process: self.applications.process(&place.bus),
            window: window.unwrap_or_else(|| facts.name.clone()),
            facts,
            reach,
        })
    }

    pub(crate) async fn reveal(&mut self, handle: Handle) -> Result<bool, A11yError> {
        let Present { bus, place, facts } = self.present(handle).await?;
        let told = bus.call(&place, COMPONENT, "ScrollTo", &(ANYWHERE,)).await;
        match told.and_then(body::<bool>) {
            Ok(true) => Ok(true),
            Ok(false) if facts.is("focusable") => {
                let told = bus.call(&place, COMPONENT, "GrabFocus", &()).await;
                Ok(told.and_then(body::<bool>).unwrap_or(false))
            }
            Ok(false) | Err(CallError::Refused) => Ok(false),
            Err(late) => Err(self.lost(handle, late)),
        }
    }

    pub(crate) async fn wheel(
        &mut self,
        handle: Handle,
        windows: &[TopLevel],
    ) -> Result<Option<Wheel>, A11yError> {
        let (Present { bus, facts, .. }, clips) = self.placed(handle, windows).await?;
        let space = self.space_of(handle, windows);
        let mut clips = clips.into_iter();
        let Some(mut view) = clips.next() else {
            return Ok(None);
        };
        for inner in clips {
            match view.rect.common(inner.rect) {
                Some(part) if is_enough(inner.rect, part) => view = Clip { rect: part, ..inner },
                // What it is in must come first.
                _ => {
                    return Ok(self
                        .turn(&bus, view, distance(inner.rect, view.rect), &space)
                        .await);
                }
            }
        }
        let away = match facts.rect {
            Some(rect) => Some(distance(rect, view.rect)),
            None => self.by_order(&bus, handle, view, &space).await,
        };
        Ok(match away {
            Some(away) => self.turn(&bus, view, away, &space).await,
            None => None,
        })
    }

    /// A control with its area on the screen, and what cuts it off, from the outside inwards.
    pub(super) async fn placed(
        &mut self,
        handle: Handle,
        windows: &[TopLevel],
    ) -> Result<(Present, Vec<Clip>), A11yError> {
        let mut present = self.present(handle).await?;
        if !windows.is_empty() {
            self.read_window(&present.bus, handle).await;
        }
        let space = self.space_of(handle, windows);
        present.facts.rect = present
            .facts
            .rect
            .and_then(|rect| space.on_screen(&self.tree, handle, rect));
        let scrollers: Vec<(Handle, Handle)> = self.scrollers(handle);
        let asked = scrollers.iter().map(|&(scroller, inner)| {
            let bus = &present.bus;
            let (outer, inner) = (self.tree.place(scroller), self.tree.place(inner));
            async move {
                let (outer, inner) = (
                    walk::extents(bus, outer?).await?,
                    walk::extents(bus, inner?).await,
                );
                // Beside what it shows it may have scroll bars.
                let shown = inner.and_then(|inner| inner.common(outer)).unwrap_or(outer);
                Some((scroller, shown))
            }
        });
        let clips = join_all(asked).await.into_iter().flatten();
        let clips = clips
            .filter_map(|(scroller, rect)| {
                Some(Clip {
                    scroller,
                    rect: space.on_screen(&self.tree, scroller, rect)?,
                })
            })
            .collect();
        Ok((present, clips))
    }

    /// Reads the window of a control again, as it is held against those that there are now.
    async fn read_window(&mut self, bus: &Bus, handle: Handle) {
        let is_root = |handle: &Handle| self.tree.parent(*handle).is_none();
        let line = std::iter::once(handle).chain(self.tree.ancestors(handle));
        let Some(window) = line.take_while(|handle| !is_root(handle)).last() else {
            return;
        };
        if let Some(place) = self.tree.place(window).cloned() {
            let source = self.applications.known_source(bus, &place.bus);
            if let Ok(facts) = walk::facts(source, &place).await {
                self.tree.update(window, facts);
            }
        }
    }

    /// What is scrolled around a control, from the outside inwards, each with its child that this control is in.
    fn scrollers(&self, handle: Handle) -> Vec<(Handle, Handle)> {
        let mut inner = handle;
        let mut scrollers = Vec::new();
        for outer in self.tree.ancestors(handle) {
            if is_scroller(&self.tree, outer) {
                // The control itself is no frame for itself.
                scrollers.push((outer, if inner == handle { outer } else { inner }));
            }
            inner = outer;
        }
        scrollers.reverse();
        scrollers
    }

    pub(super) fn is_scroller(&self, handle: Handle) -> bool {
        is_scroller(&self.tree, handle)
    }

    fn may_be_away(&self, handle: Handle, facts: &Facts) -> bool {
        facts.is("visible") && !self.scrollers(handle).is_empty()
    }

    /// Whether all around a control in a web page has room for its middle. There anything may be scrolled, and does not say so.
    async fn is_inside_all(&self, bus: &Bus, handle: Handle, rect: Rect) -> bool {
        let in_chromium = |place: &Place| self.applications.toolkit(&place.bus) == Toolkit::Chromium;
        if !self.tree.place(handle).is_some_and(in_chromium) {
            return true;
        }
        let is_page = |&handle: &Handle| {
            let facts = self.tree.facts(handle);
            facts.is_none_or(|facts| facts.role != "document-web")
        };
        let around = self.tree.ancestors(handle).take_while(is_page);
        let around = around.filter_map(|handle| self.tree.place(handle));
        let areas = join_all(around.map(|place| walk::extents(bus, place))).await;
        areas
            .into_iter()
            .flatten()
            .all(|area| area.contains(rect.middle()))
    }

    /// How far a control is whose area is not told: the controls of the same part that can be seen are before or after it.
    async fn by_order(&self, bus: &Bus, handle: Handle, view: Clip, space: &Space) -> Option<(i32, i32)> {
        let line: HashSet<Handle> = self.tree.ancestors(handle).collect();
        let mut order = Vec::new();
        let mut waiting = vec![view.scroller];
        while let Some(next) = waiting.pop() {
            let is_bar = self
                .tree
                .facts(next)
                .is_some_and(|facts| facts.role == "scroll-bar");
            if !is_bar {
                order.push(next);
                waiting.extend(self.tree.children(next).iter().rev());
            }
        }
        let own = order.iter().position(|&other| other == handle)?;
        let every = order.len().div_ceil(ASKED);
        let asked = order.iter().enumerate().step_by(every);
        let asked = asked.filter(|(_, other)| !line.contains(other) && **other != handle);
        let asked = asked.filter_map(|(index, &other)| Some((index, other, self.tree.place(other)?)));
        let areas =
            asked.map(|(index, other, place)| async move { (index, other, walk::extents(bus, place).await) });
        let mut seen = join_all(areas)
            .await
            .into_iter()
            .filter_map(|(index, other, rect)| {
                let rect = space.on_screen(&self.tree, other, rect?)?;
                rect.intersects(view.rect).then_some(index < own)
            });
        let before = seen.next()?;
        let step = i32::try_from(view.rect.h / 2).unwrap_or(i32::MAX).max(1);
        // Where they are on both sides, it is nowhere that the wheel leads to.
        seen.all(|other| other == before)
            .then_some((0, if before { step } else { -step }))
    }

    /// Turns the wheel over this part.
    pub(super) async fn turn(
        &self,
        bus: &Bus,
        view: Clip,
        (right, down): (i32, i32),
        space: &Space,
    ) -> Option<Wheel> {
        let role = |handle: Handle| self.tree.facts(handle).map_or("", |facts| facts.role.as_str());
        let below = || {
            self.tree
                .below(view.scroller)
                .filter(|&other| other != view.scroller)
        };
        let turned = below().filter(|&other| TURNED.contains(&role(other)));
        let scrolled = below().filter(|&other| is_scroller(&self.tree, other));
        let (turned, scrolled) = (
            self.areas(bus, turned, space).await,
            self.areas(bus, scrolled, space).await,
        );
        // What fills all of it is what is to be scrolled.
        let is_all = |rect: &Rect| rect.common(view.rect) == Some(view.rect);
        let inner: Vec<Rect> = scrolled.into_iter().filter(|rect| !is_all(rect)).collect();
        let at = points(view.rect)
            .find(|&point| !turned.iter().chain(&inner).any(|rect| rect.contains(point)))
            .or_else(|| points(view.rect).find(|&point| !turned.iter().any(|rect| rect.contains(point))))?;
        Some(Wheel { at, right, down })
    }

    async fn areas(&self, bus: &Bus, handles: impl Iterator<Item = Handle>, space: &Space) -> Vec<Rect> {
        let places = handles.filter_map(|handle| Some((handle, self.tree.place(handle)?)));
        let areas = places
            .take(ASKED)
            .map(|(handle, place)| async move { (handle, walk::extents(bus, place).await) });
        let areas = join_all(areas).await.into_iter();
        areas
            .filter_map(|(handle, rect)| space.on_screen(&self.tree, handle, rect?))
            .collect()
    }

    /// How areas beside this control become those of the screen. Where that needs no windows, it is as it was seen last.
    pub(super) fn space_of(&mut self, handle: Handle, windows: &[TopLevel]) -> Space {
        let root = self.tree.ancestors(handle).last();
        match root {
            Some(root) if !windows.is_empty() => self.space(root, windows),
            Some(root) => self.spaces.get(&root).cloned().unwrap_or_default(),
            None => Space::default(),
        }
    }
}

/// Whether this part of a control is enough to act on it.
fn is_enough(rect: Rect, part: Rect) -> bool {
    part.contains(rect.middle()) || (part.w >= rect.w.min(ENOUGH) && part.h >= rect.h.min(ENOUGH))
}

/// How far to the right and down an area is from where it is seen.
fn distance(rect: Rect, view: Rect) -> (i32, i32) {
    let away = |from: i32, length: u32, begin: i32, room: u32| {
        let before = i64::from(from) - i64::from(begin);
        let after = before + i64::from(length) - i64::from(room);
        // Of what is larger than the room its beginning is shown.
        let away = if before < 0 || after <= 0 {
            before.min(0)
        } else {
            after.min(before)
        };
        i32::try_from(away).unwrap_or(if away < 0 { i32::MIN } else { i32::MAX })
    };
    (
        away(rect.x, rect.w, view.x, view.w),
        away(rect.y, rect.h, view.y, view.h),
    )
}

/// Points all over an area, the middle first.
fn points(area: Rect) -> impl Iterator<Item = (i32, i32)> {
    // In parts of a sixteenth of each edge; the outermost are the right and the left edge, where controls seldom are.
    const PARTS: [u32; 7] = [8, 15, 1, 4, 12, 6, 10];
    let along = |from: i32, length: u32, part: u32| {
        let way = u64::from(length) * u64::from(part) / 16;
        from.saturating_add_unsigned(u32::try_from(way).unwrap_or(u32::MAX))
    };
    PARTS.into_iter().flat_map(move |x| {
        PARTS
            .into_iter()
            .map(move |y| (along(area.x, area.w, x), along(area.y, area.h, y)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rect(x: i32, y: i32, w: u32, h: u32) -> Rect {
        Rect { x, y, w, h }
    }

    #[test]
    fn the_way_is_the_shortest_that_shows_all_of_it() {
        let view = rect(100, 100, 50, 50);
        for (x, w, way) in [
            (110, 10, 0),
            (100, 50, 0),
            (90, 10, -10),
            (145, 10, 5),
            (300, 20, 170),
            // Larger than the room.
            (120, 80, 20),
            (90, 80, -10),
        ] {
            assert_eq!(distance(rect(x, 110, w, 5), view), (way, 0), "{x} {w}");
            assert_eq!(distance(rect(110, x, 5, w), view), (0, way), "{x} {w}");
        }
        assert_eq!(
            distance(rect(i32::MAX, 0, 9, 9), rect(i32::MIN, 0, 9, 9)).0,
            i32::MAX
        );
    }

    #[test]
    fn a_few_pixels_are_enough_of_a_large_control_and_all_of_a_small_one() {
        let large = rect(0, 0, 100, 30);
        assert!(is_enough(large, rect(0, 22, 100, 8)));
        assert!(!is_enough(large, rect(0, 23, 100, 7)));
        assert!(is_enough(rect(0, 0, 5, 5), rect(0, 0, 5, 5)));
        assert!(!is_enough(rect(0, 0, 5, 5), rect(0, 0, 5, 2)));
    }

    #[test]
    fn all_points_are_in_the_area() {
        let area = rect(-5, 7, 3, 40);
        assert_eq!(points(area).next(), Some((-4, 27)));
        assert!(points(area).all(|point| area.contains(point)));
    }
}
