//! What one session has seen: its ids, and what changed since it looked last.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use crate::node::{Facts, Rect};
use crate::text;
use crate::text::Header;
use crate::tree::Handle;

/// Of so many controls that are gone a session still says what they were.
const REMEMBERED: usize = 10_000;

/// A control in the order in which it is written down.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// Which control.
    pub handle: Handle,
    /// How deep it is below the application, for its indentation.
    pub depth: usize,
    /// What it is like.
    pub facts: Facts,
}

/// What is to be written down.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scene {
    /// The header.
    pub header: Header,
    /// The controls, parents before their children.
    pub shown: Vec<Shown>,
    /// Why this is not all; empty where it is.
    pub truncated: String,
}

/// How the text is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rendering {
    /// It is the whole tree.
    Full,
    /// It tells what differs from this revision.
    Diff(u64),
}

/// A look at the tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// What the text is.
    pub rendering: Rendering,
    /// The text for a model.
    pub text: String,
    /// Counts the looks of this session, from 1.
    pub revision: u64,
    /// Who has the focus.
    pub focus: Option<u64>,
    /// The ids of what is shown, in the same order.
    pub ids: Vec<u64>,
}

/// What a session still knows of a control that is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gone {
    /// What it was.
    pub role: String,
    /// Its name then.
    pub name: String,
}

/// The ids of one session.
#[derive(Debug)]
pub struct View {
    ids: HashMap<Handle, u64>,
    handles: HashMap<u64, Handle>,
    minted: u64,
    revision: u64,
    /// The lines and areas of the last look, by id.
    last: HashMap<u64, (String, Option<Rect>)>,
    /// What those were that live.
    known: HashMap<u64, Gone>,
    /// What those were that do not.
    gone: BTreeMap<u64, Gone>,
    /// In the order in which they went.
    forgetting: VecDeque<u64>,
    /// The applications of the last look. A difference to others would say nothing.
    app: Option<String>,
    /// More lines than this are told as the whole tree.
    budget: usize,
}

impl View {
    /// The view of a session that has not looked yet; a diff has at most `budget` lines.
    pub fn new(budget: usize) -> Self {
        Self {
            ids: HashMap::new(),
            handles: HashMap::new(),
            minted: 0,
            revision: 0,
            last: HashMap::new(),
            known: HashMap::new(),
            gone: BTreeMap::new(),
            forgetting: VecDeque::new(),
            app: None,
            budget,
        }
    }

    /// Which control an id means; it may be gone.
    pub fn handle(&self, id: u64) -> Option<Handle> {
        self.handles.get(&id).copied()
    }

    /// Where a control was drawn when it was shown last, if that was in the last look.
    pub fn rect(&self, id: u64) -> Option<Rect> {
        self.last.get(&id)?.1
    }

    /// What a control is, or was when it was shown last, as far as it is remembered.
    pub fn gone(&self, id: u64) -> Option<&Gone> {
        self.gone.get(&id).or_else(|| self.known.get(&id))
    }

    /// Writes down what is shown: what differs from the last look where `diff` asks for that, and it is less than all.
    ///
    /// `lives` tells of a control that is not shown any more whether it is still there: what is only out of sight, as in another
    /// application, keeps its id.
    pub fn look(&mut self, scene: &Scene, diff: bool, lives: impl Fn(Handle) -> bool) -> Seen {
        self.revision += 1;
        let ids: Vec<u64> = scene.shown.iter().map(|shown| self.id(shown)).collect();
        let lines: Vec<String> = scene
            .shown
            .iter()
            .zip(&ids)
            .map(|(shown, &id)| text::line(id, &shown.facts))
            .collect();
        let focus = scene
            .shown
            .iter()
            .zip(&ids)
            .filter(|(shown, _)| shown.facts.is("focused"))
            .map(|(_, &id)| id)
            .next_back();
        let changes = diff
            .then(|| self.changes(scene, &ids, &lines))
            .filter(|changes| self.app.as_ref() == Some(&scene.header.app) && changes.len() <= self.budget);
        let mut text = scene.header.line(self.revision);
        let rendering = match changes {
            Some(changes) => {
                if changes.is_empty() {
                    text.push_str("\nno change");
                }
                for change in changes {
                    text.push('\n');
                    text.push_str(&change);
                }
                Rendering::Diff(self.revision - 1)
            }
            None => {
                for (shown, line) in scene.shown.iter().zip(&lines) {
                    text.push('\n');
                    indent(&mut text, shown.depth);
                    text.push_str(line);
                }
                Rendering::Full
            }
        };
        if !scene.truncated.is_empty() {
            text.push_str("\ntruncated: ");
            text.push_str(&scene.truncated);
        }
        if let Some(focus) = focus {
            text.push_str(&format!("\nfocus: e{focus}"));
        }
        self.app = Some(scene.header.app.clone());
        let rects = scene.shown.iter().map(|shown| shown.facts.rect);
        self.last = ids.iter().copied().zip(lines.into_iter().zip(rects)).collect();
        self.forget(lives);
        Seen {
            rendering,
            text,
            revision: self.revision,
            focus,
            ids,
        }
    }

    fn id(&mut self, shown: &Shown) -> u64 {
        let id = match self.ids.get(&shown.handle) {
            Some(&id) => id,
            None => {
                self.minted += 1;
                self.ids.insert(shown.handle, self.minted);
                self.handles.insert(self.minted, shown.handle);
                self.minted
            }
        };
        self.known.insert(
            id,
            Gone {
                role: shown.facts.role.clone(),
                name: shown.facts.name.clone(),
            },
        );
        id
    }

    /// The lines of a diff: what changed and what is new in the order of the tree, then what is not shown any more.
    fn changes(&self, scene: &Scene, ids: &[u64], lines: &[String]) -> Vec<String> {
        let mut changes = Vec::new();
        for ((shown, id), line) in scene.shown.iter().zip(ids).zip(lines) {
            let sign = match self.last.get(id) {
                // A control that is elsewhere has changed, although its line does not say where it is.
                Some((before, rect)) if before == line && *rect == shown.facts.rect => continue,
                Some(_) => '~',
                None => '+',
            };
            let mut change = format!("{sign} ");
            indent(&mut change, shown.depth);
            change.push_str(line);
            changes.push(change);
        }
        let now: HashSet<u64> = ids.iter().copied().collect();
        let mut removed: Vec<u64> = self.last.keys().copied().filter(|id| !now.contains(id)).collect();
        removed.sort_unstable();
        if !removed.is_empty() {
            changes.push(format!("- removed: {}", text::ranges(&removed)));
        }
        changes
    }

    /// Remembers of what is gone only what it was, and of that not for ever.
    fn forget(&mut self, lives: impl Fn(Handle) -> bool) {
        let mut dead: Vec<u64> = self
            .handles
            .iter()
            .filter(|&(_, &handle)| !lives(handle))
            .map(|(&id, _)| id)
            .collect();
        dead.sort_unstable();
        for id in dead {
            if let Some(handle) = self.handles.remove(&id) {
                self.ids.remove(&handle);
            }
            if let Some(gone) = self.known.remove(&id) {
                self.gone.insert(id, gone);
                self.forgetting.push_back(id);
            }
        }
        while self.forgetting.len() > REMEMBERED {
            if let Some(id) = self.forgetting.pop_front() {
                self.gone.remove(&id);
            }
        }
    }
}

fn indent(text: &mut String, depth: usize) {
    (0..depth).for_each(|_| text.push_str("  "));
}
