//! Keeping the tree of an application true: reading again only what may differ.
//!
//! What may differ is what the application told of ([`crate::news`]), and what is drawn where the screen has changed. The second
//! is there because no toolkit tells of everything: GTK 3 and Qt say nothing of the controls in a window that moved or a view that
//! scrolled, Qt's item views nothing of cells that got other contents, GTK 3's tree views nothing of the states of their cells.
//! Whatever of that a person could see has changed pixels where the control is or was.
//!
//! The limit of this: what changes without an event and without a pixel of its area (a description, or something
//! covered by another window) is noticed only when its surroundings are read.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Instant;

use futures_util::StreamExt as _;

use crate::bus::CallError;
use crate::news::{Depth, News};
use crate::node::{Facts, Place, Rect};
use crate::parents::Parents;
use crate::sight;
use crate::space::Space;
use crate::tree::{Fresh, Handle, Tree};
use crate::walk::{self, AT_ONCE, Cut, Limits, Read, Source};

/// So many areas are told apart; more are taken for all of the screen.
const AREAS: usize = 256;
/// So many times what was read may ask for more: controls that turned out to be others, and those that moved along.
const ROUNDS: usize = 3;
/// So many subtrees that have come are walked at a time; each walk asks many questions at once by itself.
const WALKS_AT_ONCE: usize = 8;

/// Where the screen has changed since an application was looked at.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Redrawn {
    /// Here.
    Areas(Vec<Rect>),
    /// It is not known where.
    Anywhere,
}

impl Redrawn {
    /// Adds what changed after that.
    pub(crate) fn extend(&mut self, later: Option<&[Rect]>) {
        match (&mut *self, later) {
            (Self::Areas(areas), Some(later)) if areas.len() + later.len() <= AREAS => areas.extend(later),
            _ => *self = Self::Anywhere,
        }
    }

    fn touches(&self, rect: Rect) -> bool {
        match self {
            Self::Areas(areas) => areas.iter().any(|area| area.intersects(rect)),
            Self::Anywhere => true,
        }
    }
}

/// What of an application is to be read again.
pub(crate) fn stale(
    tree: &Tree,
    root: Handle,
    news: &News,
    redrawn: &Redrawn,
    space: &Space,
) -> BTreeMap<Handle, Depth> {
    let Some(bus) = tree.place(root).map(|place| &place.bus) else {
        return BTreeMap::new();
    };
    let mut stale: BTreeMap<Handle, Depth> = BTreeMap::new();
    for (path, &depth) in &news.changed {
        if let Some(handle) = tree.at(&Place::new(bus.clone(), path.as_str())) {
            mark(&mut stale, handle, depth);
        }
    }
    if *redrawn != Redrawn::Areas(Vec::new()) {
        for &window in tree.children(root) {
            for handle in tree.below(window) {
                let rect = tree.facts(handle).and_then(|facts| facts.rect);
                let rect = rect.and_then(|rect| space.on_screen(tree, handle, rect));
                if rect.is_some_and(|rect| redrawn.touches(rect)) {
                    mark(&mut stale, handle, Depth::Children);
                }
            }
        }
    }
    without_repeats(tree, stale)
}

/// Has a control read again at least this deeply.
pub(crate) fn mark(stale: &mut BTreeMap<Handle, Depth>, handle: Handle, depth: Depth) {
    let known = stale.entry(handle).or_insert(depth);
    *known = depth.max(*known);
}

/// Leaves out what is below something that is read whole.
fn without_repeats(tree: &Tree, mut stale: BTreeMap<Handle, Depth>) -> BTreeMap<Handle, Depth> {
    let whole: BTreeSet<Handle> = stale
        .iter()
        .filter(|&(_, &depth)| depth == Depth::Below)
        .map(|(&handle, _)| handle)
        .collect();
    if !whole.is_empty() {
        stale.retain(|&handle, _| !tree.ancestors(handle).any(|above| whole.contains(&above)));
    }
    stale
}

/// What an object answered.
enum Answer {
    Facts(Facts),
    Read(Read),
    Walked(Fresh, Cut),
}

/// A round of reading again.
#[derive(Debug)]
pub(crate) struct Refresh<'a> {
    source: Source<'a>,
    tree: &'a mut Tree,
    limits: Limits,
    deadline: Instant,
    /// What was read, so that nothing is read twice.
    done: HashSet<Handle>,
    /// What had another area than before, or none any more.
    moved: Vec<Handle>,
    /// Why the tree is not all there is.
    pub(crate) cut: Cut,
}

impl<'a> Refresh<'a> {
    pub(crate) fn new(source: Source<'a>, tree: &'a mut Tree, limits: Limits) -> Self {
        Self {
            source,
            tree,
            limits,
            deadline: Instant::now() + limits.time,
            done: HashSet::new(),
            moved: Vec::new(),
            cut: Cut::default(),
        }
    }

    /// Reads these controls again and puts them into the tree, and what may differ because they do.
    pub(crate) async fn read(&mut self, mut stale: BTreeMap<Handle, Depth>) {
        for _ in 0..ROUNDS {
            let answers = self.ask_all(&stale).await;
            self.done.extend(stale.into_keys());
            stale = BTreeMap::new();
            for (handle, answer) in answers {
                match answer {
                    Ok(answer) => {
                        let other = self.put(handle, answer).await;
                        stale.extend(other.map(|other| (other, Depth::Children)));
                    }
                    // It went. Not every toolkit tells that of what had it as a child: Chromium replaces a page by another one.
                    Err(CallError::Refused) => {
                        let parent = self.tree.parent(handle);
                        self.tree.remove(handle);
                        stale.extend(parent.map(|parent| (parent, Depth::Children)));
                    }
                    Err(CallError::Late) => self.late(handle),
                }
            }
            self.add_moved_along(&mut stale);
            if stale.is_empty() {
                return;
            }
        }
    }

    /// Where something moved, what was out of sight beside it may have moved into sight, which no pixel tells of it.
    fn add_moved_along(&mut self, stale: &mut BTreeMap<Handle, Depth>) {
        let moved: Vec<Handle> = self.moved.drain(..).collect();
        // What is in it has moved along, though its own pixels may look the same.
        for handle in moved.iter().flat_map(|&handle| self.tree.below(handle)) {
            if !self.done.contains(&handle) {
                stale.entry(handle).or_insert(Depth::Facts);
            }
        }
        let parents: BTreeSet<Handle> = moved
            .into_iter()
            .filter_map(|handle| self.tree.parent(handle))
            .collect();
        for parent in parents {
            for handle in sight::hidden_below(self.tree, parent) {
                if !self.done.contains(&handle) {
                    stale.entry(handle).or_insert(Depth::Facts);
                }
            }
        }
    }

    fn late(&mut self, handle: Handle) {
        if let Some(place) = self.tree.place(handle) {
            self.cut.late(place);
        }
    }

    async fn ask_all(&self, stale: &BTreeMap<Handle, Depth>) -> Vec<(Handle, Result<Answer, CallError>)> {
        let questions: Vec<(Handle, Place, Depth)> = stale
            .iter()
            .filter_map(|(&handle, &depth)| {
                // A menu that opens shows items that were not read while it was closed.
                let is_menu = self.tree.facts(handle)?.role == "menu";
                let depth = if is_menu {
                    depth.max(Depth::Children)
                } else {
                    depth
                };
                Some((handle, self.tree.place(handle)?.clone(), depth))
            })
            .collect();
        let (source, limits, deadline) = (self.source, self.limits, self.deadline);
        let tree = &*self.tree;
        futures_util::stream::iter(questions)
            .map(|(handle, place, depth)| async move {
                if Instant::now() >= deadline {
                    return (handle, Err(CallError::Late));
                }
                (handle, ask(source, tree, place, depth, limits).await)
            })
            .buffered(AT_ONCE)
            .collect()
            .await
    }

    /// Takes over an answer; gives the control if it is another one than it was, or has other children by now.
    async fn put(&mut self, handle: Handle, answer: Answer) -> Option<Handle> {
        // What another answer of this round took away is not put anywhere.
        let before = self.tree.facts(handle)?.rect;
        let now = match &answer {
            Answer::Facts(facts) => facts.rect,
            Answer::Read(read) => read.facts.rect,
            Answer::Walked(fresh, _) => fresh.facts.rect,
        };
        if now != before {
            self.moved.push(handle);
        }
        match answer {
            Answer::Facts(facts) => self.tree.update(handle, facts).filter(|&now| now != handle),
            Answer::Read(read) => {
                if let Some(place) = self.tree.place(handle) {
                    read.note(place, &mut self.cut);
                }
                // Its children are known now, so another one needs no second look.
                let now = self.tree.update(handle, read.facts)?;
                let unknown = self.tree.put_order(now, &read.children, read.complete);
                let all_there = self.put_new(now, &read.children, unknown).await;
                // It named one that is gone already, so it has others by now.
                (!all_there).then_some(now)
            }
            Answer::Walked(fresh, cut) => {
                self.cut.extend(cut);
                match self.tree.parent(handle) {
                    Some(parent) => {
                        let siblings = self.tree.children(parent);
                        let index = siblings.iter().position(|&sibling| sibling == handle);
                        self.tree.put_child(parent, index.unwrap_or(usize::MAX), fresh);
                    }
                    None => drop(self.tree.put_root(fresh)),
                }
                None
            }
        }
    }

    /// Walks children that have come, and puts them where they belong; whether all of them were there.
    async fn put_new(&mut self, parent: Handle, children: &[Place], unknown: Vec<usize>) -> bool {
        let limits = Limits {
            nodes: self.limits.nodes.saturating_sub(self.tree.len()).max(1),
            time: self.deadline.saturating_duration_since(Instant::now()),
            ..self.limits
        };
        let Some(own) = self.tree.place(parent).cloned() else {
            return true;
        };
        let (source, tree) = (self.source, &*self.tree);
        let mut walks: Vec<(usize, Place)> = unknown
            .into_iter()
            .filter_map(|index| Some((index, children.get(index)?.clone())))
            .collect();
        let mut parents = Parents::new(tree);
        let named = walks.iter().map(|(_, child)| (child.clone(), own.clone()));
        parents.note(source.bus, named.collect()).await;
        walks.retain(|(_, child)| !parents.is_disowned(child, &own));
        let walked = futures_util::stream::iter(walks)
            .map(|(index, place)| async move {
                let mut cut = Cut::default();
                let walked = walk::walk(source, tree, place, limits, &mut cut).await;
                (index, walked, cut)
            })
            .buffered(WALKS_AT_ONCE)
            .collect::<Vec<_>>()
            .await;
        let mut all_there = true;
        for (index, walked, cut) in walked {
            match walked {
                Ok(fresh) => drop(self.tree.put_child(parent, index, fresh)),
                Err(CallError::Refused) => all_there = false,
                Err(CallError::Late) => self.late(parent),
            }
            self.cut.extend(cut);
        }
        all_there
    }
}

async fn ask(
    source: Source<'_>,
    tree: &Tree,
    place: Place,
    depth: Depth,
    limits: Limits,
) -> Result<Answer, CallError> {
    match depth {
        Depth::Facts => walk::facts(source, &place).await.map(Answer::Facts),
        Depth::Children => walk::read(source, &place, limits.children)
            .await
            .map(Answer::Read),
        Depth::Below => {
            let mut cut = Cut::default();
            let fresh = walk::walk(source, tree, place, limits, &mut cut).await?;
            Ok(Answer::Walked(fresh, cut))
        }
    }
}
