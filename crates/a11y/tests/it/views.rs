//! What a session sees.

use a11y::node::{Facts, Place, Rect};
use a11y::text::Header;
use a11y::tree::{Fresh, Tree};
use a11y::view::{Rendering, Scene, Shown, View};

fn control(path: &str, role: &str, name: &str, children: Vec<Fresh>) -> Fresh {
    Fresh {
        place: Place::new(":1.1", path),
        facts: Facts {
            role: role.to_owned(),
            name: name.to_owned(),
            states: vec!["enabled", "showing"],
            ..Facts::default()
        },
        children,
        complete: true,
    }
}

fn dialog(names: &[&str]) -> Fresh {
    let buttons = names
        .iter()
        .map(|name| control(&format!("/{name}"), "push-button", name, vec![]));
    control("/d", "dialog", "Save as", buttons.collect())
}

fn scene(tree: &Tree) -> Scene {
    let mut shown = Vec::new();
    let mut waiting: Vec<_> = tree.roots().iter().map(|&root| (root, 0)).collect();
    while let Some((handle, depth)) = waiting.pop() {
        shown.push(Shown {
            handle,
            depth,
            facts: tree.facts(handle).cloned().unwrap_or_default(),
        });
        waiting.extend(
            tree.children(handle)
                .iter()
                .rev()
                .map(|&child| (child, depth + 1)),
        );
    }
    Scene {
        header: Header {
            app: "editor".to_owned(),
            window: "Save as".to_owned(),
        },
        shown,
        truncated: String::new(),
    }
}

fn look(view: &mut View, tree: &Tree, diff: bool) -> a11y::view::Seen {
    view.look(&scene(tree), diff, |handle| tree.facts(handle).is_some())
}

#[test]
fn the_whole_then_only_what_changed() {
    let mut tree = Tree::default();
    tree.put_root(dialog(&["Open", "Cancel", "Help"]));
    let mut view = View::new(200);
    let first = look(&mut view, &tree, true);
    assert_eq!(
        first.rendering,
        Rendering::Full,
        "there is nothing to compare it with"
    );
    assert_eq!(
        first.text,
        "app:\"editor\" window:\"Save as\" revision:1\ne1 dialog \"Save as\"\n  e2 push-button \"Open\"\n  e3 push-button \
         \"Cancel\"\n  e4 push-button \"Help\""
    );
    let same = look(&mut view, &tree, true);
    assert_eq!(same.rendering, Rendering::Diff(1));
    assert_eq!(
        same.text,
        "app:\"editor\" window:\"Save as\" revision:2\nno change"
    );
    let mut changed = dialog(&["New", "Open"]);
    changed.children[1].facts.states = vec!["enabled", "focused", "showing"];
    tree.put_root(changed);
    let diff = look(&mut view, &tree, true);
    assert_eq!(
        diff.text,
        "app:\"editor\" window:\"Save as\" revision:3\n+   e5 push-button \"New\"\n~   e2 push-button (focused) \"Open\"\n\
         - removed: e3-e4\nfocus: e2"
    );
    assert_eq!((diff.focus, diff.ids), (Some(2), vec![1, 5, 2]));
    let gone = view.gone(3).unwrap();
    assert_eq!(
        (gone.role.as_str(), gone.name.as_str()),
        ("push-button", "Cancel")
    );
    assert_eq!(view.handle(3), None);
}

#[test]
fn an_id_is_never_used_again() {
    let mut tree = Tree::default();
    let mut view = View::new(200);
    for (names, ids) in [
        (&["A", "B"][..], [1, 2, 3]),
        (&["C", "B"], [1, 4, 3]),
        (&["A", "B"], [1, 5, 3]),
    ] {
        tree.put_root(dialog(names));
        assert_eq!(look(&mut view, &tree, false).ids, ids, "{names:?}");
    }
}

#[test]
fn more_lines_than_the_budget_are_the_whole_tree() {
    let mut tree = Tree::default();
    tree.put_root(dialog(&["A", "B", "C"]));
    let mut view = View::new(2);
    look(&mut view, &tree, false);
    tree.put_root(dialog(&["D", "B", "C"]));
    assert_eq!(
        look(&mut view, &tree, true).rendering,
        Rendering::Diff(1),
        "one added, one removed"
    );
    tree.put_root(dialog(&["E", "F", "C"]));
    assert_eq!(look(&mut view, &tree, true).rendering, Rendering::Full);
}

#[test]
fn what_only_moved_has_changed() {
    let mut tree = Tree::default();
    let mut moved = dialog(&["A"]);
    tree.put_root(moved.clone());
    let mut view = View::new(200);
    look(&mut view, &tree, false);
    moved.children[0].facts.rect = Some(Rect {
        x: 1,
        y: 2,
        w: 3,
        h: 4,
    });
    tree.put_root(moved);
    let seen = look(&mut view, &tree, true);
    assert!(seen.text.ends_with("~   e2 push-button \"A\""), "{}", seen.text);
}

#[test]
fn what_is_out_of_sight_keeps_its_id() {
    let mut tree = Tree::default();
    tree.put_root(dialog(&["A", "B"]));
    let mut view = View::new(200);
    look(&mut view, &tree, false);
    let all = scene(&tree);
    let part = Scene {
        shown: all.shown[..2].to_vec(),
        truncated: "2 of 3 controls, by the limit of 2".to_owned(),
        ..all
    };
    let seen = view.look(&part, true, |handle| tree.facts(handle).is_some());
    assert!(
        seen.text
            .ends_with("- removed: e3\ntruncated: 2 of 3 controls, by the limit of 2"),
        "{}",
        seen.text
    );
    assert!(view.handle(3).is_some(), "it is not gone");
    assert_eq!(look(&mut view, &tree, false).ids, [1, 2, 3]);
}
