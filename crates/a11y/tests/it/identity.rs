//! An application that changes as it likes, and the promise that no handle ever means another control.

use std::collections::{HashMap, HashSet};

use a11y::node::{Facts, Place};
use a11y::tree::{Fresh, Handle, Tree};

use crate::random::Random;

const ROLES: &[&str] = &["push-button", "text", "panel", "list-item"];

/// A control of the application. Its number is its true identity.
#[derive(Debug, Clone)]
struct Control {
    number: u64,
    path: usize,
    role: usize,
    name: u64,
    children: Vec<Self>,
}

/// The application, which uses the paths of dead controls again.
#[derive(Debug)]
struct Application {
    root: Control,
    numbers: u64,
    free: Vec<usize>,
    paths: usize,
}

/// What it says of a change.
#[derive(Debug)]
enum Told {
    /// The child at this path is gone from the parent at that path.
    Removed(usize),
    /// There is a new child of this parent, at this index.
    Added(usize, usize, Control),
    /// A control is like this now.
    Changed(Control),
}

impl Application {
    fn new() -> Self {
        Self {
            root: Control {
                number: 0,
                path: 0,
                role: 2,
                name: 0,
                children: Vec::new(),
            },
            numbers: 0,
            free: Vec::new(),
            paths: 0,
        }
    }

    fn pick<'a>(control: &'a mut Control, random: &mut Random) -> &'a mut Control {
        if control.children.is_empty() || random.below(3) == 0 {
            return control;
        }
        let index = random.below(control.children.len());
        Self::pick(&mut control.children[index], random)
    }

    fn make(&mut self, random: &mut Random) -> Control {
        self.numbers += 1;
        let number = self.numbers;
        // The path that became free last is used first, as an allocator does.
        let path = self.free.pop().unwrap_or_else(|| {
            self.paths += 1;
            self.paths
        });
        let children = (0..random.below(3).saturating_sub(1))
            .map(|_| self.make(random))
            .collect();
        Control {
            number,
            path,
            role: random.below(ROLES.len()),
            name: random.next(),
            children,
        }
    }

    fn change(&mut self, random: &mut Random) -> Option<Told> {
        match random.below(4) {
            0 | 1 => {
                let new = self.make(random);
                let parent = Self::pick(&mut self.root, random);
                let index = random.below(parent.children.len() + 1);
                parent.children.insert(index, new.clone());
                Some(Told::Added(parent.path, index, new))
            }
            2 => {
                let parent = Self::pick(&mut self.root, random);
                if parent.children.is_empty() {
                    return None;
                }
                let dead = parent.children.remove(random.below(parent.children.len()));
                let told = Told::Removed(dead.path);
                self.release(dead);
                Some(told)
            }
            _ => {
                let control = Self::pick(&mut self.root, random);
                control.name = random.next();
                let count = control.children.len();
                if count > 1 {
                    // Order among siblings is no part of who one is, and is not told at all.
                    let (a, b) = (random.below(count), random.below(count));
                    control.children.swap(a, b);
                }
                Some(Told::Changed(control.clone()))
            }
        }
    }

    fn release(&mut self, dead: Control) {
        self.free.push(dead.path);
        dead.children.into_iter().for_each(|child| self.release(child));
    }
}

fn place(path: usize) -> Place {
    Place::new(":1.5", format!("/{path}"))
}

fn facts(control: &Control) -> Facts {
    Facts {
        role: ROLES[control.role].to_owned(),
        name: control.name.to_string(),
        ..Facts::default()
    }
}

fn read(control: &Control) -> Fresh {
    Fresh {
        place: place(control.path),
        facts: facts(control),
        children: control.children.iter().map(read).collect(),
        complete: true,
    }
}

fn listen(tree: &mut Tree, told: Told) {
    match told {
        Told::Removed(path) => {
            if let Some(handle) = tree.at(&place(path)) {
                tree.remove(handle);
            }
        }
        Told::Added(parent, index, control) => {
            if let Some(parent) = tree.at(&place(parent)) {
                tree.put_child(parent, index, read(&control));
            }
        }
        Told::Changed(control) => {
            if let Some(handle) = tree.at(&place(control.path)) {
                tree.update(handle, facts(&control));
            }
        }
    }
}

/// Which control a handle of the tree stands for, by place.
#[expect(clippy::expect_used, reason = "a control that is missing is the failure")]
fn living(tree: &Tree, application: &Application) -> HashMap<Handle, u64> {
    fn collect(tree: &Tree, control: &Control, into: &mut HashMap<Handle, u64>) {
        let handle = tree
            .at(&place(control.path))
            .expect("every control is in the tree");
        assert_eq!(tree.facts(handle), Some(&facts(control)));
        assert!(
            into.insert(handle, control.number).is_none(),
            "one handle for two controls"
        );
        control
            .children
            .iter()
            .for_each(|child| collect(tree, child, into));
    }
    let mut found = HashMap::new();
    collect(tree, &application.root, &mut found);
    assert_eq!(
        found.len(),
        tree.len(),
        "nothing is in the tree that is not in the application"
    );
    found
}

#[test]
fn no_handle_ever_means_another_control_and_none_is_lost() {
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let mut application = Application::new();
        let mut tree = Tree::default();
        tree.put_root(read(&application.root));
        let mut ever: HashMap<Handle, u64> = HashMap::new();
        for _ in 0..300 {
            if let Some(told) = application.change(&mut random) {
                listen(&mut tree, told);
            }
            if random.below(5) == 0 {
                // A fresh walk between the events.
                tree.put_root(read(&application.root));
            }
            let now = living(&tree, &application);
            let before: HashMap<u64, Handle> =
                ever.iter().map(|(&handle, &number)| (number, handle)).collect();
            for (&handle, &number) in &now {
                assert_eq!(
                    *ever.entry(handle).or_insert(number),
                    number,
                    "seed {seed}: moved to another control"
                );
                if let Some(&known) = before.get(&number) {
                    assert_eq!(known, handle, "seed {seed}: a living control got another handle");
                }
            }
        }
    }
}

#[test]
fn after_changes_that_were_not_told_a_walk_gives_the_truth() {
    for seed in 0..60 {
        let mut random = Random::new(1000 + seed);
        let mut application = Application::new();
        let mut tree = Tree::default();
        let mut used = HashSet::new();
        for _ in 0..40 {
            for _ in 0..random.below(8) {
                let told = application.change(&mut random);
                if random.below(2) == 0
                    && let Some(told) = told
                {
                    listen(&mut tree, told);
                }
            }
            tree.put_root(read(&application.root));
            let now = living(&tree, &application);
            for handle in now.keys() {
                // Order and parents are those of the application.
                let children = tree.children(*handle);
                assert!(children.iter().all(|child| tree.parent(*child) == Some(*handle)));
            }
            used.extend(now.into_keys());
        }
        assert!(used.len() >= tree.len());
    }
}

#[test]
fn broken_trees_end() {
    let leaf = |path: usize, children: Vec<Fresh>| Fresh {
        place: place(path),
        facts: Facts {
            role: "panel".to_owned(),
            ..Facts::default()
        },
        children,
        complete: true,
    };
    let mut tree = Tree::default();
    // A control that is its own grandchild, one that is told twice, and one that is in two places.
    let root = tree.put_root(leaf(
        1,
        vec![
            leaf(2, vec![leaf(1, vec![]), leaf(3, vec![])]),
            leaf(4, vec![leaf(3, vec![])]),
            leaf(4, vec![]),
        ],
    ));
    assert_eq!(tree.children(root).len(), 2);
    assert_eq!(tree.len(), 4);
    let three = tree.at(&place(3)).unwrap();
    assert_eq!(
        tree.put_child(three, 0, leaf(1, vec![])),
        None,
        "its own ancestor"
    );
    tree.remove(root);
    assert!(tree.is_empty() && tree.roots().is_empty());
}

#[test]
fn a_role_that_changes_makes_another_control() {
    let mut tree = Tree::default();
    let control = Control {
        number: 1,
        path: 1,
        role: 0,
        name: 1,
        children: Vec::new(),
    };
    let root = tree.put_root(read(&Control {
        number: 0,
        path: 0,
        role: 2,
        name: 0,
        children: vec![control.clone()],
    }));
    let before = tree.children(root)[0];
    let after = tree
        .update(before, facts(&Control { role: 1, ..control }))
        .unwrap();
    assert_ne!(before, after);
    assert_eq!(tree.facts(before), None);
    assert_eq!(tree.children(root), [after]);
}

#[test]
fn a_connection_that_is_gone_takes_its_controls_along() {
    let mut tree = Tree::default();
    tree.put_root(read(&Application::new().root));
    let mut other = read(&Application::new().root);
    other.place = Place::new(":1.6", "/0");
    let stays = tree.put_root(other);
    tree.remove_bus(":1.5");
    assert_eq!(tree.roots(), [stays]);
    assert_eq!(tree.len(), 1);
}
