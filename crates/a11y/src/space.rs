//! Where on the screen the areas are that toolkits tell.
//!
//! AT-SPI has areas in pixels of the screen. What toolkits give instead, as measured with those of Debian 12 and Chromium 148:
//!
//! - GTK 4 has areas within the window, whatever it is asked for, and those in a popover are off by where the popover
//!   would be in it.
//! - Where a desktop is scaled (`GDK_SCALE`, `QT_SCALE_FACTOR`, a device scale factor) all of them count in pixels of their own.
//!   Only the pages in Chromium do not.
//! - LibreOffice does not know of the menu bar that GTK draws above its own contents, which is all in a root pane.
//!
//! All of that is seen by holding what is told of windows against the windows of the display server. Where that is not
//! possible an area is left out.

use std::collections::HashMap;

use crate::node::{Facts, Rect};
use crate::toolkit::{Toolkit, TopLevel};
use crate::tree::{Handle, Tree};

/// How much larger a program is drawn than it believes.
const SCALES: [f64; 8] = [1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0];
/// The most that window managers draw around a window in width and height, which GTK 3 counts as its own.
const DECORATION: (i64, i64) = (24, 64);
/// What GTK 4 calls its popovers, which have no role of their own.
const POPOVERS: &[&str] = &["GtkPopover", "GtkPopoverMenu", "GtkTreePopover"];
/// The most that themes leave free around a popover in its window.
const MARGIN: i64 = 24;
/// How deep LibreOffice's root panes are at most.
const ROOT_PANE: usize = 6;

/// How an area becomes one of the screen.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Shift {
    /// So much it is larger there.
    scale: f64,
    /// So far right and down its origin is.
    origin: (i32, i32),
}

impl Shift {
    const NONE: Self = Self {
        scale: 1.0,
        origin: (0, 0),
    };

    fn scaled(scale: f64) -> Self {
        Self { scale, ..Self::NONE }
    }

    fn apply(self, rect: Rect) -> Rect {
        // Both are bounded by the edges of an i32 and a u32: casts of floats saturate.
        let place =
            |at: i32, origin: i32| ((f64::from(at) * self.scale).round() as i32).saturating_add(origin);
        let length = |length: u32| (f64::from(length) * self.scale).round() as u32;
        Rect {
            x: place(rect.x, self.origin.0),
            y: place(rect.y, self.origin.1),
            w: length(rect.w),
            h: length(rect.h),
        }
    }
}

/// How the areas of an application become those of the screen.
#[derive(Debug, Clone)]
pub(crate) struct Space {
    /// For a control and all below it; of several the innermost counts. `None` where it is not known.
    parts: HashMap<Handle, Option<Shift>>,
    /// For all others.
    otherwise: Option<Shift>,
    /// Whether it stays so while windows move; else it must be found anew before each act.
    lasting: bool,
}

impl Default for Space {
    fn default() -> Self {
        Self {
            parts: HashMap::new(),
            otherwise: Some(Shift::NONE),
            lasting: false,
        }
    }
}

impl Space {
    /// Looks at the windows of an application.
    pub(crate) fn find(
        toolkit: Toolkit,
        tree: &Tree,
        root: Handle,
        process: Option<u32>,
        windows: &[TopLevel],
    ) -> Self {
        let own: Vec<&TopLevel> = windows
            .iter()
            .filter(|window| window.process.is_some() && window.process == process)
            .collect();
        let (popups, own): (Vec<&TopLevel>, Vec<&TopLevel>) =
            own.into_iter().partition(|window| window.popup);
        match toolkit {
            Toolkit::Gtk4 => within_windows(tree, root, &own, &popups),
            Toolkit::Chromium | Toolkit::Other => on_the_screen(toolkit, tree, root, &own),
        }
    }

    /// Whether it stays so while windows move.
    pub(crate) fn is_lasting(&self) -> bool {
        self.lasting
    }

    /// An area of this control as an area of the screen.
    pub(crate) fn on_screen(&self, tree: &Tree, handle: Handle, rect: Rect) -> Option<Rect> {
        let shift = if self.parts.is_empty() {
            self.otherwise
        } else {
            let part = std::iter::once(handle)
                .chain(tree.ancestors(handle))
                .find_map(|handle| self.parts.get(&handle));
            part.copied().unwrap_or(self.otherwise)
        };
        shift.map(|shift| shift.apply(rect))
    }
}

fn within_windows(tree: &Tree, root: Handle, own: &[&TopLevel], popups: &[&TopLevel]) -> Space {
    let mut parts = HashMap::new();
    let around = (0, 0);
    for &handle in tree.children(root) {
        let Some((facts, window)) = tree
            .facts(handle)
            .and_then(|facts| Some((facts, window_of(facts, own, around)?)))
        else {
            continue;
        };
        let scale = scale_of(facts, window, around).unwrap_or(1.0);
        let shift = Shift {
            scale,
            origin: (
                window.rect.x.saturating_add_unsigned(window.shadow.0),
                window.rect.y.saturating_add_unsigned(window.shadow.1),
            ),
        };
        parts.insert(handle, Some(shift));
        add_popovers(tree, handle, scale, popups, &mut parts);
    }
    Space {
        parts,
        otherwise: None,
        lasting: false,
    }
}

/// Finds the popovers that are open in a window, each in a window of its own.
fn add_popovers(
    tree: &Tree,
    window: Handle,
    scale: f64,
    popups: &[&TopLevel],
    parts: &mut HashMap<Handle, Option<Shift>>,
) {
    let open: Vec<(Handle, Rect)> = tree
        .below(window)
        .filter_map(|handle| {
            let facts = tree.facts(handle)?;
            (is_popover(facts) && facts.is("showing")).then_some((handle, facts.rect?))
        })
        .collect();
    for &(handle, rect) in &open {
        let fitting = |popup: &&&TopLevel| margin(rect, scale, popup).is_some();
        let mut found = popups.iter().filter(fitting);
        let shift = match (found.next(), found.next()) {
            (Some(popup), None) => margin(rect, scale, popup).map(|(left, top)| {
                let scaled = Shift::scaled(scale).apply(rect);
                Shift {
                    scale,
                    origin: (
                        popup.rect.x.saturating_add(left).saturating_sub(scaled.x),
                        popup.rect.y.saturating_add(top).saturating_sub(scaled.y),
                    ),
                }
            }),
            // Where several fit it cannot be said which.
            _ => None,
        };
        parts.insert(handle, shift);
    }
}

/// Whether it is a popover of GTK 4.
pub(crate) fn is_popover(facts: &Facts) -> bool {
    POPOVERS.contains(&facts.name.as_str())
}

/// How much is left free to the left of a popover and above it in its window, where it can be in that. Themes leave room above only:
/// towards what it was opened from.
fn margin(popover: Rect, scale: f64, popup: &TopLevel) -> Option<(i32, i32)> {
    let scaled = Shift::scaled(scale).apply(popover);
    let free = |all: u32, own: u32| {
        let free = i64::from(all) - i64::from(own);
        (0..=MARGIN).contains(&free).then_some(free)
    };
    let (x, y) = (free(popup.rect.w, scaled.w)?, free(popup.rect.h, scaled.h)?);
    Some((i32::try_from(x / 2).ok()?, i32::try_from(y).ok()?))
}

fn on_the_screen(toolkit: Toolkit, tree: &Tree, root: Handle, own: &[&TopLevel]) -> Space {
    let around = DECORATION;
    let scales = tree.children(root).iter().filter_map(|&handle| {
        let facts = tree.facts(handle)?;
        scale_of(facts, window_of(facts, own, around)?, around)
    });
    // One scale is for all of a program; a window that is being resized may look like another.
    let scale = scales.reduce(f64::min);
    let mut parts = HashMap::new();
    if toolkit == Toolkit::Chromium {
        if scale.is_some_and(|scale| scale > 1.0) {
            let is_page = |&handle: &Handle| {
                tree.facts(handle)
                    .is_some_and(|facts| facts.role == "document-web")
            };
            let pages = tree.below(root).filter(is_page);
            parts.extend(pages.map(|handle| (handle, Some(Shift::NONE))));
        }
    } else {
        add_root_panes(tree, root, scale.unwrap_or(1.0), &mut parts);
    }
    Space {
        parts,
        otherwise: Some(Shift::scaled(scale.unwrap_or(1.0))),
        // A window that has just been made may not be with the display server yet.
        lasting: scale.is_some(),
    }
}

fn add_root_panes(tree: &Tree, root: Handle, scale: f64, parts: &mut HashMap<Handle, Option<Shift>>) {
    let mut generation = vec![root];
    for _ in 0..ROOT_PANE {
        generation = generation
            .iter()
            .flat_map(|&handle| tree.children(handle).iter().copied())
            .collect();
        for &handle in &generation {
            let around = tree.parent(handle).and_then(|parent| tree.facts(parent)?.rect);
            if let Some(facts) = tree.facts(handle)
                && facts.role == "root-pane"
                && let Some((own, around)) = facts.rect.zip(around)
                && (own.w, own.h) == (around.w, around.h)
                && (own.x, own.y) != (around.x, around.y)
            {
                let away =
                    |own: i32, around: i32| (f64::from(around.saturating_sub(own)) * scale).round() as i32;
                let shift = Shift {
                    scale,
                    origin: (away(own.x, around.x), away(own.y, around.y)),
                };
                parts.insert(handle, Some(shift));
            }
        }
    }
}

/// Which of an application's windows this control stands for, where only one can be meant; its program may count so much around it
/// as its own.
fn window_of<'a>(facts: &Facts, own: &[&'a TopLevel], around: (i64, i64)) -> Option<&'a TopLevel> {
    let titled: Vec<&TopLevel> = own
        .iter()
        .copied()
        .filter(|window| window.title == facts.name)
        .collect();
    match (titled.as_slice(), own) {
        // The second is a window whose title is not the name of its control, or which has none.
        ([only], _) | ([], [only]) => return Some(only),
        _ => {}
    }
    let mut fitting = titled
        .into_iter()
        .filter(|window| scale_of(facts, window, around).is_some());
    fitting.next().filter(|_| fitting.next().is_none())
}

/// How much larger a window is drawn than its program says; `None` where it does not fit at all.
fn scale_of(facts: &Facts, window: &TopLevel, around: (i64, i64)) -> Option<f64> {
    let rect = facts.rect?;
    let (w, h) = (
        window.rect.w.saturating_sub(2 * window.shadow.0),
        window.rect.h.saturating_sub(2 * window.shadow.1),
    );
    SCALES.into_iter().find(|&scale| {
        let fits = |told: u32, drawn: u32, around: i64| {
            let own = (f64::from(drawn) / scale).round() as i64;
            let around = (around as f64 / scale) as i64;
            // Halves are rounded to either side.
            (-1..=around.max(1)).contains(&(i64::from(told) - own))
        };
        let with_shadow = fits(rect.w, window.rect.w, 1) && fits(rect.h, window.rect.h, 1);
        with_shadow || (fits(rect.w, w, around.0) && fits(rect.h, h, around.1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::Place;
    use crate::tree::Fresh;

    const AT: Rect = Rect {
        x: 5,
        y: 6,
        w: 10,
        h: 10,
    };

    fn window(title: &str, x: i32, w: u32) -> TopLevel {
        TopLevel {
            process: Some(7),
            title: title.to_owned(),
            rect: Rect { x, y: 50, w, h: 100 },
            shadow: (0, 0),
            popup: false,
        }
    }

    /// Where a point of the first window of these titles and widths is found.
    fn found(controls: &[(&str, u32)], windows: &[TopLevel]) -> Option<(i32, i32)> {
        let fresh = |path: String, name: &str, w: u32, children| Fresh {
            place: Place::new(":1.1", path),
            facts: Facts {
                role: "frame".to_owned(),
                name: name.to_owned(),
                rect: Some(Rect {
                    x: 0,
                    y: 0,
                    w,
                    h: 100,
                }),
                ..Facts::default()
            },
            children,
            complete: true,
        };
        let children = controls
            .iter()
            .enumerate()
            .map(|(n, (name, w))| fresh(format!("/{n}"), name, *w, Vec::new()))
            .collect();
        let mut tree = Tree::default();
        let root = tree.put_root(fresh("/".to_owned(), "app", 1, children));
        let space = Space::find(Toolkit::Gtk4, &tree, root, Some(7), windows);
        let first = *tree.children(root).first()?;
        space.on_screen(&tree, first, AT).map(|rect| (rect.x, rect.y))
    }

    #[test]
    fn a_window_is_found_by_its_title() {
        let windows = [window("other", 300, 90), window("mine", 100, 90)];
        assert_eq!(found(&[("mine", 90), ("other", 90)], &windows), Some((105, 56)));
    }

    #[test]
    fn of_two_with_one_title_by_its_size_or_not_at_all() {
        let windows = [window("a", 300, 80), window("a", 100, 90)];
        assert_eq!(found(&[("a", 90)], &windows), Some((105, 56)));
        let windows = [window("a", 300, 90), window("a", 100, 90)];
        assert_eq!(found(&[("a", 90)], &windows), None);
    }

    #[test]
    fn windows_of_other_programs_do_not_count() {
        let mut other = window("a", 300, 90);
        other.process = Some(8);
        assert_eq!(found(&[("a", 90)], &[other.clone()]), None);
        assert_eq!(
            found(&[("a", 90)], &[other, window("b", 100, 90)]),
            Some((105, 56))
        );
    }

    #[test]
    fn a_shadow_is_no_part_of_the_window() {
        let mut own = window("a", 100, 90);
        own.shadow = (20, 16);
        assert_eq!(found(&[("a", 50)], &[own]), Some((125, 72)));
    }

    fn control(role: &str, name: &str, rect: (i32, i32, u32, u32), children: Vec<Fresh>) -> Fresh {
        let (x, y, w, h) = rect;
        Fresh {
            place: Place::new(":1.1", format!("/{role}/{name}/{x}/{y}")),
            facts: Facts {
                role: role.to_owned(),
                name: name.to_owned(),
                rect: Some(Rect { x, y, w, h }),
                states: vec!["showing"],
                ..Facts::default()
            },
            children,
            complete: true,
        }
    }

    /// Where the last control of a window is found; it is the only one of its generation.
    fn innermost(toolkit: Toolkit, window: Fresh, windows: &[TopLevel]) -> Option<(i32, i32)> {
        let mut tree = Tree::default();
        let root = tree.put_root(control("application", "app", (0, 0, 1, 1), vec![window]));
        let mut last = root;
        while let Some(&child) = tree.children(last).first() {
            last = child;
        }
        let space = Space::find(toolkit, &tree, root, Some(7), windows);
        let rect = tree.facts(last)?.rect?;
        space.on_screen(&tree, last, rect).map(|rect| (rect.x, rect.y))
    }

    #[test]
    fn a_program_that_is_drawn_larger_than_it_believes() {
        let button = || vec![control("button", "b", (30, 40, 10, 10), Vec::new())];
        // With what the window manager draws around it.
        let told = || control("frame", "a", (0, 0, 51, 60), button());
        assert_eq!(
            innermost(Toolkit::Other, told(), &[window("a", 1, 100)]),
            Some((60, 80))
        );
        let exact = |w, h| control("frame", "a", (0, 0, w, h), button());
        assert_eq!(
            innermost(Toolkit::Other, exact(60, 67), &[window("a", 1, 90)]),
            Some((45, 60))
        );
        assert_eq!(
            innermost(Toolkit::Other, exact(100, 100), &[window("a", 1, 100)]),
            Some((30, 40))
        );
        // Something else than a scale.
        assert_eq!(
            innermost(Toolkit::Other, exact(33, 90), &[window("a", 1, 100)]),
            Some((30, 40))
        );
        let page = control("document-web", "p", (2, 2, 90, 90), button());
        let browser = control("frame", "a", (0, 0, 50, 50), vec![page]);
        assert_eq!(
            innermost(Toolkit::Chromium, browser, &[window("a", 1, 100)]),
            Some((30, 40))
        );
    }

    #[test]
    fn a_popover_is_where_its_own_window_is() {
        let popup = TopLevel {
            popup: true,
            ..window("", 300, 46)
        };
        let item = control("label", "item", (10, 30, 10, 10), Vec::new());
        let popover = control("filler", "GtkPopover", (0, 20, 40, 94), vec![item]);
        let frame = control("frame", "a", (0, 0, 90, 100), vec![popover]);
        assert_eq!(
            innermost(Toolkit::Gtk4, frame, &[window("a", 100, 90), popup]),
            Some((300 + 3 + 10, 50 + 6 + 10))
        );
    }

    #[test]
    fn a_popover_without_a_window_of_its_own_is_nowhere() {
        let item = control("label", "item", (10, 30, 10, 10), Vec::new());
        let popover = control("filler", "GtkPopover", (0, 20, 40, 94), vec![item]);
        let frame = control("frame", "a", (0, 0, 90, 100), vec![popover]);
        assert_eq!(innermost(Toolkit::Gtk4, frame, &[window("a", 100, 90)]), None);
    }

    #[test]
    fn a_root_pane_is_where_what_it_fills_is() {
        let button = control("button", "b", (30, 40, 10, 10), Vec::new());
        let pane = control("root-pane", "r", (0, 19, 100, 70), vec![button]);
        let panel = control("panel", "p", (0, 44, 100, 70), vec![pane]);
        let frame = control("frame", "a", (0, 0, 100, 100), vec![panel]);
        assert_eq!(
            innermost(Toolkit::Other, frame, &[window("a", 0, 100)]),
            Some((30, 65))
        );
    }
}
