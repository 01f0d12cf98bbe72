//! What is shown of applications, made from the tree.

use crate::node::{Facts, Rect};
use crate::sight::{is_scroller, is_shown};
use crate::space::{Space, is_popover};
use crate::text::Header;
use crate::tree::{Handle, Tree};
use crate::view::{Scene, Shown};

/// An application that is shown.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) root: Handle,
    pub(crate) name: String,
    /// What its areas are relative to.
    pub(crate) space: Space,
}

/// Makes the scene of these applications; `truncated` is why it is not all.
pub(crate) fn scene(tree: &Tree, parts: &[Part], truncated: String) -> Scene {
    let mut scene = Scene {
        header: Header {
            app: parts
                .iter()
                .map(|part| part.name.as_str())
                .collect::<Vec<_>>()
                .join(", "),
            window: String::new(),
        },
        shown: Vec::new(),
        truncated,
    };
    for part in parts {
        // An application itself is nothing that can be seen; its windows are.
        for &window in tree.children(part.root) {
            add(tree, &part.space, window, &mut scene);
        }
    }
    scene
}

/// What the controls below another can be seen in.
#[derive(Debug, Clone, Copy)]
enum Window {
    /// Anywhere.
    Open,
    /// This part of the screen.
    Part(Rect),
    /// Nowhere.
    Shut,
}

impl Window {
    fn shows(self, rect: Rect) -> bool {
        match self {
            Self::Open => true,
            Self::Part(part) => part.intersects(rect),
            Self::Shut => false,
        }
    }

    fn within(self, rect: Rect) -> Self {
        match self {
            Self::Open => Self::Part(rect),
            Self::Part(part) => part.common(rect).map_or(Self::Shut, Self::Part),
            Self::Shut => Self::Shut,
        }
    }
}

/// What is drawn in a window of its own, wherever it stands in the tree.
const POPUPS: &[&str] = &[
    "alert",
    "combo-box",
    "dialog",
    "frame",
    "menu",
    "popup-menu",
    "tool-tip",
    "window",
];

fn add(tree: &Tree, space: &Space, window: Handle, scene: &mut Scene) {
    let mut waiting = vec![(window, 0, Window::Open)];
    while let Some((handle, depth, around)) = waiting.pop() {
        let Some(facts) = tree.facts(handle) else {
            continue;
        };
        if !is_shown(tree, handle, facts) {
            continue;
        }
        if depth == 0 && facts.is("active") {
            scene.header.window.clone_from(&facts.name);
        }
        let mut facts = facts.clone();
        let drawn = facts.rect.and_then(|rect| space.on_screen(tree, handle, rect));
        facts.rect = drawn.filter(|&rect| around.shows(rect));
        if drawn.is_some() && facts.rect.is_none() {
            // Qt says of what was scrolled away that it is showing, and tells no change of where it would be.
            facts.states.retain(|&state| state != "showing");
        }
        let inside = match drawn {
            _ if is_popup(&facts) && depth > 0 => Window::Open,
            Some(rect) if depth == 0 || is_scroller(tree, handle) => around.within(rect),
            _ => around,
        };
        scene.shown.push(Shown { handle, depth, facts });
        let children = tree.children(handle).iter().rev();
        waiting.extend(children.map(|&child| (child, depth + 1, inside)));
    }
}

fn is_popup(facts: &Facts) -> bool {
    POPUPS.contains(&facts.role.as_str()) || is_popover(facts)
}
