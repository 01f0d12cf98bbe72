//! What toolkits say differently.

use std::collections::HashMap;
use std::time::Duration;

use crate::bus::{Bus, CallError};
use crate::node::{Facts, Place, Rect};
use crate::tree::{Handle, Tree};
use crate::walk::ACCESSIBLE;

/// The toolkit of an application, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Toolkit {
    /// GTK 4 gives areas within the window, whatever it is asked for (Wayland tells no program where it is), and does not
    /// say of the controls in a window that they are showing or enabled.
    Gtk4,
    /// Only its windows are there until somebody asks for what only screen readers ask for ([`awaken`]).
    Chromium,
    /// All others, which do as AT-SPI says.
    Other,
}

const APPLICATION: &str = "org.a11y.atspi.Application";

impl Toolkit {
    /// Asks an application. One that does not know is another; one that answers late may be any.
    pub(crate) async fn of(bus: &Bus, application: &Place) -> Result<Self, CallError> {
        let ask = async |name| match bus.property::<String>(application, APPLICATION, name).await {
            Err(CallError::Refused) => Ok(String::new()),
            answer => answer,
        };
        let (name, version) = futures_util::future::join(ask("ToolkitName"), ask("Version")).await;
        Ok(match (name?.as_str(), version?.as_str()) {
            ("GTK", version) if version.starts_with("4.") => Self::Gtk4,
            ("Chromium", _) => Self::Chromium,
            _ => Self::Other,
        })
    }
}

/// How long Chromium may tell of nothing until its tree is taken to be built, and how long that may take in all.
const BUILT: (Duration, Duration) = (Duration::from_millis(150), Duration::from_secs(2));
/// The windows that are asked; one is enough for all of the program.
const WINDOWS_ASKED: usize = 4;

/// Has Chromium build its tree, and waits until it has; `false` where it has no window yet that could be asked.
///
/// Version 148 does not look at `org.a11y.Status`, but at what is asked: the attributes of an object
/// are asked for by nobody but screen readers.
pub(crate) async fn awaken(bus: &Bus, windows: &[Place]) -> bool {
    let asked = windows.iter().take(WINDOWS_ASKED);
    let asked = asked.map(|window| bus.call(window, ACCESSIBLE, "GetAttributes", &()));
    let answers = futures_util::future::join_all(asked).await;
    let told = answers.iter().any(Result::is_ok);
    if told {
        bus.rest(BUILT.0, BUILT.1).await;
    }
    told
}

/// A top-level window as the display server knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopLevel {
    /// The process that made it, where the window says so.
    pub process: Option<u32>,
    /// Its title.
    pub title: String,
    /// Where it is, with the shadow that the program draws around its window by itself.
    pub rect: Rect,
    /// Width and height of the shadow at its left and top edge (`_GTK_FRAME_EXTENTS`).
    pub shadow: (u32, u32),
}

/// What the areas of an application are relative to.
#[derive(Debug, Clone)]
pub(crate) enum Space {
    /// The screen.
    Screen,
    /// The window that each is in.
    Windows(Origins),
}

impl Space {
    /// An area in this window as an area of the screen.
    pub(crate) fn on_screen(&self, window: Handle, rect: Rect) -> Option<Rect> {
        match self {
            Self::Screen => Some(rect),
            Self::Windows(origins) => origins.on_screen(window, rect),
        }
    }
}

/// Where the windows of an application begin, which give areas relative to that. A window of which this is not known is left out:
/// then nothing in it has an area.
#[derive(Debug, Clone, Default)]
pub(crate) struct Origins(HashMap<Handle, (i32, i32)>);

impl Origins {
    pub(crate) fn find(tree: &Tree, root: Handle, process: Option<u32>, windows: &[TopLevel]) -> Self {
        let own: Vec<&TopLevel> = windows
            .iter()
            .filter(|window| window.process.is_some() && window.process == process)
            .collect();
        let origin = |handle: Handle| {
            let facts = tree.facts(handle)?;
            let window = window_of(facts, &own)?;
            Some((
                window.rect.x.saturating_add_unsigned(window.shadow.0),
                window.rect.y.saturating_add_unsigned(window.shadow.1),
            ))
        };
        let found = tree
            .children(root)
            .iter()
            .filter_map(|&window| Some((window, origin(window)?)));
        Self(found.collect())
    }

    fn on_screen(&self, window: Handle, rect: Rect) -> Option<Rect> {
        let &(x, y) = self.0.get(&window)?;
        Some(Rect {
            x: rect.x.saturating_add(x),
            y: rect.y.saturating_add(y),
            ..rect
        })
    }
}

/// Which of an application's windows this control stands for, where only one can be meant.
fn window_of<'a>(facts: &Facts, own: &[&'a TopLevel]) -> Option<&'a TopLevel> {
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
    let size = facts.rect.map(|rect| (rect.w, rect.h))?;
    let mut fitting = titled.into_iter().filter(|window| {
        let (w, h) = (window.rect.w, window.rect.h);
        let without_shadow = (
            w.saturating_sub(2 * window.shadow.0),
            h.saturating_sub(2 * window.shadow.1),
        );
        size == without_shadow || size == (w, h)
    });
    fitting.next().filter(|_| fitting.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let origins = Origins::find(&tree, root, Some(7), windows);
        let first = *tree.children(root).first()?;
        origins.on_screen(first, AT).map(|rect| (rect.x, rect.y))
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
}
