//! Whose child an object is, where two objects say that it is theirs.
//!
//! GTK 3 names the menu of a combo box as a child of the box and, while it is open, of the window that it is drawn in. The object
//! itself says whose it is (AT-SPI `Accessible.Parent`), and that is believed: otherwise it would be here or there as it happened
//! to be read, and a new control each time.

use std::collections::{HashMap, HashSet};

use futures_util::StreamExt as _;
use zbus::zvariant::OwnedObjectPath;

use crate::bus::Bus;
use crate::node::Place;
use crate::tree::Tree;
use crate::walk::{self, ACCESSIBLE, AT_ONCE};

/// An object, one that names it as its child, and another one that did so before.
#[derive(Debug)]
struct Question {
    child: Place,
    parent: Place,
    other: Place,
}

/// Who said in a walk whose child is whose.
#[derive(Debug)]
pub(crate) struct Parents<'a> {
    tree: &'a Tree,
    of: HashMap<Place, Place>,
    /// Children and those that named them wrongly.
    disowned: HashSet<(Place, Place)>,
}

impl<'a> Parents<'a> {
    /// Beside what is known already.
    pub(crate) fn new(tree: &'a Tree) -> Self {
        Self {
            tree,
            of: HashMap::new(),
            disowned: HashSet::new(),
        }
    }

    /// Notes what was named as a child, and asks those that another one names, too. An object that says neither belongs to the
    /// one that named it last.
    pub(crate) async fn note(&mut self, bus: &Bus, named: Vec<(Place, Place)>) {
        let mut questions = Vec::new();
        for (child, parent) in named {
            let before = self.of.insert(child.clone(), parent.clone());
            let other = before.or_else(|| in_tree(self.tree, &child));
            if let Some(other) = other.filter(|other| *other != parent) {
                questions.push(Question { child, parent, other });
            }
        }
        for (question, is_others) in ask(bus, questions).await {
            let Question { child, parent, other } = question;
            if is_others {
                self.disowned.insert((child.clone(), parent));
                self.of.insert(child, other);
            } else {
                self.disowned.insert((child, other));
            }
        }
    }

    /// Whether this one named it wrongly.
    pub(crate) fn is_disowned(&self, child: &Place, parent: &Place) -> bool {
        !self.disowned.is_empty() && self.disowned.contains(&(child.clone(), parent.clone()))
    }
}

/// Whose child it is as far as is known.
fn in_tree(tree: &Tree, child: &Place) -> Option<Place> {
    let parent = tree.parent(tree.at(child)?)?;
    tree.place(parent).cloned()
}

/// Asks each whose it is; whether it is the other's.
async fn ask(bus: &Bus, questions: Vec<Question>) -> Vec<(Question, bool)> {
    futures_util::stream::iter(questions)
        .map(|question| async move {
            let said = bus
                .property::<(String, OwnedObjectPath)>(&question.child, ACCESSIBLE, "Parent")
                .await;
            let said = said.ok().and_then(walk::object);
            let is_others = said.is_some_and(|parent| parent == question.other);
            (question, is_others)
        })
        .buffered(AT_ONCE)
        .collect()
        .await
}
