//! Pages of Chromium that are not there yet.
//!
//! Chromium replaces a large page by another one while it loads, and tells neither that the first is gone nor that the second has
//! come; the contents of that come long after its document. So where a page is to be expected it is asked for at each look.

use crate::tree::{Handle, Tree};

/// The controls below which a page is still to come: documents that are empty, and in a window without any document the panels
/// in which nothing is drawn, one of which it will be in. Beside the page such a panel has what is hidden at the moment.
pub(crate) fn awaited(tree: &Tree, root: Handle) -> Vec<Handle> {
    let mut awaited = Vec::new();
    for &window in tree.children(root) {
        let (mut pages, mut panels) = (Vec::new(), Vec::new());
        for handle in tree.below(window) {
            match tree.facts(handle).map_or("", |facts| &facts.role) {
                PAGE => pages.push(handle),
                PANEL => panels.push(handle),
                _ => {}
            }
        }
        if pages.is_empty() {
            awaited.extend(panels.into_iter().filter(|&panel| {
                let mut children = tree.children(panel).iter();
                !children.any(|&child| tree.facts(child).is_some_and(|facts| facts.is("showing")))
            }));
        } else {
            awaited.extend(pages.into_iter().filter(|&page| tree.children(page).is_empty()));
        }
    }
    awaited
}

const PAGE: &str = "document-web";
const PANEL: &str = "panel";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::{Facts, Place};
    use crate::tree::Fresh;

    fn control(path: &str, role: &str, children: Vec<Fresh>) -> Fresh {
        Fresh {
            place: Place::new(":1.1", path),
            facts: Facts {
                role: role.to_owned(),
                states: if path.starts_with("/hidden") {
                    vec![]
                } else {
                    vec!["showing"]
                },
                ..Facts::default()
            },
            children,
            complete: true,
        }
    }

    /// The paths that are asked for in a window with these contents.
    fn awaited_in(contents: Vec<Fresh>) -> Vec<String> {
        let mut tree = Tree::default();
        let window = control("/w", "frame", contents);
        let root = tree.put_root(control("/", "application", vec![window]));
        let mut paths: Vec<String> = awaited(&tree, root)
            .into_iter()
            .filter_map(|handle| Some(tree.place(handle)?.path.to_string()))
            .collect();
        paths.sort();
        paths
    }

    fn panel(path: &str, children: Vec<Fresh>) -> Fresh {
        control(path, PANEL, children)
    }

    #[test]
    fn a_window_whose_page_was_taken_away_is_asked_where_it_was() {
        let button = control("/3", "button", vec![]);
        let hidden = control("/hidden", "button", vec![]);
        let contents = vec![panel("/1", vec![panel("/2", vec![hidden])]), button];
        assert_eq!(awaited_in(contents), ["/2"]);
    }

    #[test]
    fn an_empty_page_is_asked_and_nothing_beside_it() {
        let page = control("/2", PAGE, vec![]);
        let contents = vec![panel("/1", vec![page]), panel("/3", vec![])];
        assert_eq!(awaited_in(contents), ["/2"]);
    }

    #[test]
    fn a_page_with_contents_is_kept_by_what_is_told() {
        let page = control("/2", PAGE, vec![panel("/4", vec![])]);
        assert_eq!(awaited_in(vec![panel("/1", vec![page])]), [] as [&str; 0]);
    }
}
