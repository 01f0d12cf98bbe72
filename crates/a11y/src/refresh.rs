//! Keeping the tree of an application true: reading again only what may differ.
//!
//! What may differ is what the application told of ([`crate::news`]), and what is drawn where the screen has changed. The second
//! is there because no toolkit tells of everything: GTK 3 and Qt say nothing of the controls in a window that moved or a view that
//! scrolled, Qt's item views nothing of cells that got other contents, GTK 3's tree views nothing of the states of their cells.
//! Whatever of that a person could see has changed pixels where the control is or was.
//!
//! The limit of this: what changes without an event and without a pixel of its area (a description, or something
//! covered by another window) is noticed only when its surroundings are read.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;

use crate::bus::CallError;
use crate::cells;
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

/// So many cells of a spreadsheet are asked for at first.
const FIRST_CELLS: usize = 8;
/// Where these take so long, they are far from what is in sight.
const SLOW_CELLS: Duration = Duration::from_millis(300);

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
    /// The cells that spreadsheets have in sight.
    in_sight: HashMap<Handle, HashSet<Place>>,
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
            in_sight: HashMap::new(),
            cut: Cut::default(),
        }
    }

    /// Reads these controls again and puts them into the tree, and what may differ because they do.
    pub(crate) async fn read(&mut self, mut stale: BTreeMap<Handle, Depth>) {
        for _ in 0..ROUNDS {
            let cells = self.take_cells(&mut stale);
            let mut next = self.read_once(stale).await;
            next.append(&mut self.read_cells(cells).await);
            stale = next;
            self.add_moved_along(&mut stale);
            if stale.is_empty() {
                return;
            }
        }
    }

    /// Asks each of these once; gives what is to be asked because of the answers.
    async fn read_once(&mut self, stale: BTreeMap<Handle, Depth>) -> BTreeMap<Handle, Depth> {
        let answers = self.ask_all(&stale).await;
        self.done.extend(stale.into_keys());
        let mut next = BTreeMap::new();
        for (handle, answer) in answers {
            match answer {
                Ok(answer) => {
                    let other = self.put(handle, answer).await;
                    next.extend(other.map(|other| (other, Depth::Children)));
                }
                // It went. Not every toolkit tells that of what had it as a child: Chromium replaces a page by another one.
                Err(CallError::Refused) => {
                    let parent = self.tree.parent(handle);
                    self.tree.remove(handle);
                    next.extend(parent.map(|parent| (parent, Depth::Children)));
                }
                Err(CallError::Late) => self.late(handle),
            }
        }
        next
    }

    /// Takes the cells of spreadsheets out, and puts their tables in instead: a spreadsheet that was scrolled is asked what it
    /// has in sight first. LibreOffice looks for the place of a cell that is not by adding up all rows between, which takes
    /// 40 ms for a million of them, and answers nothing meanwhile.
    fn take_cells(&self, stale: &mut BTreeMap<Handle, Depth>) -> BTreeMap<Handle, Depth> {
        let is_cell = |handle: &Handle| {
            let place = self.tree.place(*handle);
            place.is_some_and(cells::is_cell)
        };
        let (cells, mut others): (BTreeMap<_, _>, BTreeMap<_, _>) = std::mem::take(stale)
            .into_iter()
            .partition(|(handle, _)| is_cell(handle));
        for table in cells.keys().filter_map(|&cell| self.tree.parent(cell)) {
            if !self.in_sight.contains_key(&table) && !self.done.contains(&table) {
                mark(&mut others, table, Depth::Children);
            }
        }
        *stale = others;
        cells
    }

    /// Reads those of these cells that are in sight, a few at first: where they take long, the spreadsheet was scrolled away
    /// under the questions, and is asked anew.
    async fn read_cells(&mut self, cells: BTreeMap<Handle, Depth>) -> BTreeMap<Handle, Depth> {
        let mut next = BTreeMap::new();
        let mut waiting = self.cells_in_sight(cells);
        let mut count = FIRST_CELLS;
        while !waiting.is_empty() {
            let some: BTreeMap<Handle, Depth> =
                std::iter::from_fn(|| waiting.pop_first()).take(count).collect();
            let tables: BTreeMap<Handle, Depth> = some
                .keys()
                .filter_map(|&cell| Some((self.tree.parent(cell)?, Depth::Children)))
                .collect();
            let begun = Instant::now();
            next.append(&mut self.read_once(some).await);
            if begun.elapsed() < SLOW_CELLS {
                count = (count * 2).min(AT_ONCE);
                continue;
            }
            count = FIRST_CELLS;
            next.append(&mut self.read_once(tables).await);
            waiting = self.cells_in_sight(waiting);
        }
        next
    }

    /// Of these cells those that are in sight, and what came into it; the others have no place on the screen.
    fn cells_in_sight(&mut self, cells: BTreeMap<Handle, Depth>) -> BTreeMap<Handle, Depth> {
        let mut seen = BTreeMap::new();
        for (cell, depth) in cells {
            let (Some(place), Some(table)) = (self.tree.place(cell), self.tree.parent(cell)) else {
                continue;
            };
            match self.in_sight.get(&table) {
                Some(in_sight) if !in_sight.contains(place) => {
                    if let Some(facts) = self.tree.facts(cell).cloned() {
                        self.tree.update(cell, Facts { rect: None, ..facts });
                    }
                }
                _ => mark(&mut seen, cell, depth),
            }
        }
        for place in self.in_sight.values().flatten() {
            if let Some(cell) = self.tree.at(place)
                && !self.done.contains(&cell)
                && self.tree.facts(cell).is_some_and(|facts| facts.rect.is_none())
            {
                mark(&mut seen, cell, Depth::Facts);
            }
        }
        seen
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
                if read.children.first().is_some_and(cells::is_cell) {
                    self.in_sight.insert(now, read.children.iter().cloned().collect());
                }
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
