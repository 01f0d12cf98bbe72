//! Which controls can be seen, and which are out of sight.

use crate::node::{Facts, Rect};
use crate::tree::{Handle, Tree};

/// Parts of which more can be seen by scrolling.
const SCROLLED: &[&str] = &[
    "document-email",
    "document-frame",
    "document-presentation",
    "document-spreadsheet",
    "document-text",
    "document-web",
    "list",
    "list-box",
    "scroll-pane",
    "table",
    "tree",
    "tree-table",
    "viewport",
];

/// Whether a control is shown: it is drawn, or can be scrolled to. An item of a closed menu, a hidden tool bar and an
/// unneeded scroll bar are not.
pub(crate) fn is_shown(tree: &Tree, handle: Handle, facts: &Facts) -> bool {
    // LibreOffice has a second menu bar that is drawn nowhere, beside the one of GTK.
    if facts.role == "menu-bar" && facts.rect.is_none() {
        return false;
    }
    if facts.is("showing") {
        return true;
    }
    // A menu bar can be in something that scrolls; what is in its closed menus is not scrolled to.
    let role = |handle: Handle| tree.facts(handle).map_or("", |facts| facts.role.as_str());
    let mut around = tree
        .ancestors(handle)
        .take_while(|&ancestor| role(ancestor) != "menu");
    let scrolled = around.any(|ancestor| is_scrolled(tree, ancestor));
    scrolled && facts.is("visible") && facts.role != "scroll-bar"
}

/// The controls below this one that are nowhere, or outside of what cuts them off: their window, and what is scrolled.
pub(crate) fn hidden_below(tree: &Tree, above: Handle) -> Vec<Handle> {
    let clips: Vec<Rect> = std::iter::once(above)
        .chain(tree.ancestors(above))
        .filter_map(|handle| clip(tree, handle))
        .collect();
    let mut hidden = Vec::new();
    let mut waiting: Vec<(Handle, Vec<Rect>)> = vec![(above, clips)];
    while let Some((handle, clips)) = waiting.pop() {
        for &child in tree.children(handle) {
            let rect = tree.facts(child).and_then(|facts| facts.rect);
            if !rect.is_some_and(|rect| clips.iter().all(|clip| clip.intersects(rect))) {
                hidden.push(child);
            }
            let mut clips = clips.clone();
            clips.extend(clip(tree, child));
            waiting.push((child, clips));
        }
    }
    hidden
}

/// What a control lets be seen of those below it, where it cuts them off.
fn clip(tree: &Tree, handle: Handle) -> Option<Rect> {
    // The children of an application are its windows.
    let is_window = tree
        .parent(handle)
        .is_some_and(|parent| tree.parent(parent).is_none());
    if is_window || is_scroller(tree, handle) {
        tree.facts(handle)?.rect
    } else {
        None
    }
}

/// Whether a control scrolls what is in it: by its role, or because it has a scroll bar (Qt's scroll areas have no role of
/// their own, and their bars are in a box).
pub(crate) fn is_scroller(tree: &Tree, handle: Handle) -> bool {
    let is_bar = |&handle: &Handle| tree.facts(handle).is_some_and(|facts| facts.role == "scroll-bar");
    let children = tree.children(handle);
    is_scrolled(tree, handle)
        || children.iter().any(is_bar)
        || children
            .iter()
            .any(|&child| tree.children(child).first().is_some_and(is_bar))
}

fn is_scrolled(tree: &Tree, handle: Handle) -> bool {
    tree.facts(handle)
        .is_some_and(|facts| SCROLLED.contains(&facts.role.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::Place;
    use crate::tree::Fresh;

    fn control(role: &str, y: i32, children: Vec<Fresh>) -> Fresh {
        Fresh {
            place: Place::new(":1.1", format!("/{role}/{y}")),
            facts: Facts {
                role: role.to_owned(),
                rect: (y >= 0).then_some(Rect {
                    x: 0,
                    y,
                    w: 10,
                    h: 10,
                }),
                ..Facts::default()
            },
            children,
            complete: true,
        }
    }

    #[test]
    fn what_is_scrolled_away_is_hidden_with_all_that_is_in_it() {
        let away = control("row", 30, vec![control("label", 31, Vec::new())]);
        let pane = control("viewport", 5, vec![control("row", 6, Vec::new()), away]);
        let nowhere = control("label", -1, Vec::new());
        let mut tree = Tree::default();
        let root = tree.put_root(control(
            "application",
            0,
            vec![control("frame", 0, vec![pane, nowhere])],
        ));
        let mut hidden: Vec<&str> = hidden_below(&tree, root)
            .into_iter()
            .map(|handle| &*tree.place(handle).unwrap().path)
            .collect();
        hidden.sort_unstable();
        assert_eq!(hidden, ["/label/-1", "/label/31", "/row/30"]);
    }
}
