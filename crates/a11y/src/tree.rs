//! The controls of all applications, and who is who.
//!
//! Every control gets a [`Handle`] when it is first seen and keeps it for as long as it lives; no other control ever gets
//! that handle. A control is taken for the same one where it is at the same place ([`Place`]), has the same role and is a
//! child of the same control. Whatever else changes (name, value, states, area, order among its siblings), it stays the
//! same. Where this is not enough it becomes a new one: a handle that is lost costs a look, one that means another control
//! costs a wrong click.
//!
//! The limit of this: a toolkit that destroys a control and makes another with the same role at the same path below the
//! same parent, and says nothing of it, is believed to have kept the first one. Where it does say so (`remove` comes
//! before the next look), the second is a new control.

use std::collections::{HashMap, HashSet};

use crate::node::{Facts, Place};

/// So many children that were not among those read last are still known, where those were not all: rows of a table that were
/// scrolled away.
const AWAY: usize = 1_000;

/// A control, for as long as this tree exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Handle(u64);

impl Handle {
    /// The first handle of what is no control of a tree.
    const GUESSED: u64 = 1 << 63;

    /// A handle for something that no application tells of, but somebody has found by other means. It is nowhere in a tree, and
    /// differs from the handles of all controls.
    pub fn guessed(number: u64) -> Self {
        Self(number | Self::GUESSED)
    }

    /// Whether it was made by [`Handle::guessed`].
    pub fn is_guessed(self) -> bool {
        self.0 & Self::GUESSED != 0
    }
}

/// A control as it was read anew, with all below it.
#[derive(Debug, Clone, PartialEq)]
pub struct Fresh {
    /// Where it is.
    pub place: Place,
    /// What it is like.
    pub facts: Facts,
    /// Its children in order.
    pub children: Vec<Self>,
    /// Whether these are all its children. Those that were not read are kept as they were.
    pub complete: bool,
}

#[derive(Debug)]
struct Node {
    place: Place,
    facts: Facts,
    parent: Option<Handle>,
    children: Vec<Handle>,
}

/// All controls.
#[derive(Debug, Default)]
pub struct Tree {
    nodes: HashMap<Handle, Node>,
    places: HashMap<Place, Handle>,
    /// The applications, in the order in which they came.
    roots: Vec<Handle>,
    minted: u64,
}

impl Tree {
    /// The applications, in the order in which they came.
    pub fn roots(&self) -> &[Handle] {
        &self.roots
    }

    /// Every control that lives.
    pub fn handles(&self) -> impl Iterator<Item = Handle> {
        self.nodes.keys().copied()
    }

    /// How many controls there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Who is at this place now.
    pub fn at(&self, place: &Place) -> Option<Handle> {
        self.places.get(place).copied()
    }

    /// What a control is like; `None` once it is gone.
    pub fn facts(&self, handle: Handle) -> Option<&Facts> {
        self.nodes.get(&handle).map(|node| &node.facts)
    }

    /// Where it is.
    pub fn place(&self, handle: Handle) -> Option<&Place> {
        self.nodes.get(&handle).map(|node| &node.place)
    }

    /// Its parent; none for an application.
    pub fn parent(&self, handle: Handle) -> Option<Handle> {
        self.nodes.get(&handle)?.parent
    }

    /// Its parent, the parent of that and so on up to the application.
    pub fn ancestors(&self, handle: Handle) -> impl Iterator<Item = Handle> {
        std::iter::successors(self.parent(handle), |&handle| self.parent(handle))
    }

    /// Its children in order.
    pub fn children(&self, handle: Handle) -> &[Handle] {
        self.nodes.get(&handle).map_or(&[], |node| &node.children)
    }

    /// Takes over an application as it was read.
    pub fn put_root(&mut self, fresh: Fresh) -> Handle {
        let known = self
            .at(&fresh.place)
            .filter(|&handle| self.is_same(handle, None, &fresh.facts));
        let handle = self.take_over(known, None, fresh);
        if !self.roots.contains(&handle) {
            self.roots.push(handle);
        }
        handle
    }

    /// Takes over a child as it was read, as the child at this index, or the last where there are fewer; `None` where the
    /// parent is gone.
    pub fn put_child(&mut self, parent: Handle, index: usize, fresh: Fresh) -> Option<Handle> {
        self.nodes.get(&parent)?;
        if self.is_below(parent, &fresh) {
            return None;
        }
        let known = self
            .at(&fresh.place)
            .filter(|&handle| self.is_same(handle, Some(parent), &fresh.facts));
        let handle = self.take_over(known, Some(parent), fresh);
        // Its place among the children is the one that was asked for, whether it was there before or not.
        let siblings = &mut self.nodes.get_mut(&parent)?.children;
        siblings.retain(|&sibling| sibling != handle);
        siblings.insert(index.min(siblings.len()), handle);
        Some(handle)
    }

    /// Changes what is known of a control; one whose role is another now is a new control, whose handle is given.
    pub fn update(&mut self, handle: Handle, facts: Facts) -> Option<Handle> {
        let node = self.nodes.get_mut(&handle)?;
        if node.facts.role == facts.role {
            node.facts = facts;
            return Some(handle);
        }
        let fresh = Fresh {
            place: node.place.clone(),
            facts,
            children: Vec::new(),
            complete: false,
        };
        let parent = node.parent;
        let index = self
            .siblings(parent)
            .iter()
            .position(|&sibling| sibling == handle);
        self.remove(handle);
        match parent {
            Some(parent) => self.put_child(parent, index.unwrap_or(usize::MAX), fresh),
            None => Some(self.put_root(fresh)),
        }
    }

    /// Takes over which children a control has, as far as they are known: they get this order, and where these are
    /// all, the others are gone. Gives the places in the order whose control is not known as a child of this one.
    pub fn put_order(&mut self, parent: Handle, order: &[Place], complete: bool) -> Vec<usize> {
        if !self.nodes.contains_key(&parent) {
            return Vec::new();
        }
        let (mut known, mut unknown) = (Vec::with_capacity(order.len()), Vec::new());
        let mut told = HashSet::new();
        for (index, place) in order.iter().enumerate() {
            // A place that is told twice is one control.
            if !told.insert(place) {
                continue;
            }
            match self.at(place).filter(|&child| self.parent(child) == Some(parent)) {
                Some(child) => known.push(child),
                None => unknown.push(index),
            }
        }
        self.set_children(parent, known, complete);
        unknown
    }

    /// A control and all below it, in no order that means anything.
    pub fn below(&self, handle: Handle) -> impl Iterator<Item = Handle> {
        let mut waiting: Vec<Handle> = self
            .nodes
            .contains_key(&handle)
            .then_some(handle)
            .into_iter()
            .collect();
        std::iter::from_fn(move || {
            let next = waiting.pop()?;
            waiting.extend(self.children(next));
            Some(next)
        })
    }

    /// Forgets whoever is at this place, and all below.
    pub fn forget(&mut self, place: &Place) {
        if let Some(handle) = self.at(place) {
            self.remove(handle);
        }
    }

    /// Forgets a control and all below it.
    pub fn remove(&mut self, handle: Handle) {
        let Some(parent) = self.nodes.get(&handle).map(|node| node.parent) else {
            return;
        };
        let siblings = match parent {
            Some(parent) => self.nodes.get_mut(&parent).map(|node| &mut node.children),
            None => Some(&mut self.roots),
        };
        if let Some(siblings) = siblings {
            siblings.retain(|&sibling| sibling != handle);
        }
        // Not by recursion: how deep a tree is, an application decides.
        let mut doomed = vec![handle];
        while let Some(handle) = doomed.pop() {
            if let Some(node) = self.nodes.remove(&handle) {
                // Another may have come to this place meanwhile.
                if self.places.get(&node.place) == Some(&handle) {
                    self.places.remove(&node.place);
                }
                doomed.extend(node.children);
            }
        }
    }

    /// Forgets all controls of a connection, because it is gone.
    pub fn remove_bus(&mut self, bus: &str) {
        let gone: Vec<Handle> = self
            .nodes
            .iter()
            .filter(|(_, node)| &*node.place.bus == bus)
            .map(|(&handle, _)| handle)
            .collect();
        gone.into_iter().for_each(|handle| self.remove(handle));
    }

    fn siblings(&self, parent: Option<Handle>) -> &[Handle] {
        parent.map_or(&self.roots, |parent| self.children(parent))
    }

    fn is_same(&self, handle: Handle, parent: Option<Handle>, facts: &Facts) -> bool {
        self.nodes
            .get(&handle)
            .is_some_and(|node| node.parent == parent && node.facts.role == facts.role)
    }

    /// Whether the parent is at the place of what is to be its child: broken trees have such circles.
    fn is_below(&self, parent: Handle, fresh: &Fresh) -> bool {
        std::iter::once(parent)
            .chain(self.ancestors(parent))
            .any(|handle| self.place(handle) == Some(&fresh.place))
    }

    /// Takes over what was read, for the control `root` or a new one, and all below it.
    fn take_over(&mut self, root: Option<Handle>, parent: Option<Handle>, fresh: Fresh) -> Handle {
        let root = self.take_one(root, parent, &fresh);
        let mut waiting = vec![(root, fresh.children, fresh.complete)];
        while let Some((handle, children, complete)) = waiting.pop() {
            // A place that is told in two parts of the tree is where it was told last.
            if !self.nodes.contains_key(&handle) {
                continue;
            }
            let mut order = Vec::with_capacity(children.len());
            let mut told = HashSet::new();
            for child in children {
                if self.is_below(handle, &child) {
                    continue;
                }
                let known = self
                    .at(&child.place)
                    .filter(|&known| self.is_same(known, Some(handle), &child.facts));
                // A place that is told twice is one control.
                if !told.insert(child.place.clone()) {
                    continue;
                }
                let taken = self.take_one(known, Some(handle), &child);
                order.push(taken);
                waiting.push((taken, child.children, child.complete));
            }
            self.set_children(handle, order, complete);
        }
        root
    }

    /// Gives a control these children; the others are gone, unless these are not all.
    fn set_children(&mut self, handle: Handle, mut order: Vec<Handle>, complete: bool) {
        let before = self.children(handle).to_vec();
        let stay: HashSet<Handle> = order.iter().copied().collect();
        // Those that are away for the longest stand last.
        let most = order.len() + AWAY;
        for child in before {
            if stay.contains(&child) {
                continue;
            }
            if complete || order.len() >= most {
                self.remove(child);
            } else {
                order.push(child);
            }
        }
        order.retain(|child| self.nodes.contains_key(child));
        if let Some(node) = self.nodes.get_mut(&handle) {
            node.children = order;
        }
    }

    fn take_one(&mut self, known: Option<Handle>, parent: Option<Handle>, fresh: &Fresh) -> Handle {
        if let Some(handle) = known
            && let Some(node) = self.nodes.get_mut(&handle)
        {
            node.facts = fresh.facts.clone();
            return handle;
        }
        // Whoever was at this place is not there any more.
        if let Some(former) = self.at(&fresh.place) {
            self.remove(former);
        }
        self.minted += 1;
        let handle = Handle(self.minted);
        let node = Node {
            place: fresh.place.clone(),
            facts: fresh.facts.clone(),
            parent,
            children: Vec::new(),
        };
        self.nodes.insert(handle, node);
        self.places.insert(fresh.place.clone(), handle);
        handle
    }
}
