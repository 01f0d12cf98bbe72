//! What is shown of applications, made from the tree.

use crate::sight::is_shown;
use crate::space::Space;
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

fn add(tree: &Tree, space: &Space, window: Handle, scene: &mut Scene) {
    let mut waiting = vec![(window, 0)];
    while let Some((handle, depth)) = waiting.pop() {
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
        facts.rect = facts.rect.and_then(|rect| space.on_screen(tree, handle, rect));
        scene.shown.push(Shown { handle, depth, facts });
        let children = tree.children(handle).iter().rev();
        waiting.extend(children.map(|&child| (child, depth + 1)));
    }
}
