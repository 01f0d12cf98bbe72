//! All applications of a desktop: the tree of their controls, and the bus that it is read from.

mod acts;
mod reach;
mod scrolling;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use crate::A11yError;
use crate::applications::Applications;
use crate::apps::App;
use crate::bus::{Bus, CallError};
use crate::cold::{self, Cold};
use crate::engine::{Capture, Look};
use crate::news::{Depth, News};
use crate::node::Place;
use crate::pages;
use crate::refresh::{self, Redrawn, Refresh};
use crate::scene::{self, Part};
use crate::space::Space;
use crate::toolkit::{Toolkit, TopLevel};
use crate::tree::{Handle, Tree};
use crate::walk::{self, Cut, Limits, Source};

/// The applications of a desktop.
#[derive(Debug)]
pub(crate) struct Desk {
    bus: Option<Bus>,
    applications: Applications,
    tree: Tree,
    kept: HashMap<Place, Kept>,
    /// How the areas of each application became those of the screen when it was looked at last.
    spaces: HashMap<Handle, Space>,
    cold: Cold,
    limits: Limits,
}

/// An application whose tree is held true.
#[derive(Debug)]
struct Kept {
    root: Handle,
    /// Where the screen has changed since it was looked at.
    redrawn: Redrawn,
    /// Why its tree is not all there is.
    cut: Cut,
}

impl Desk {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            bus: None,
            applications: Applications::default(),
            tree: Tree::default(),
            kept: HashMap::new(),
            spaces: HashMap::new(),
            cold: Cold::default(),
            limits,
        }
    }

    /// Waits for as much as is asked for; `false` where the applications did not come to rest.
    pub(crate) async fn settle(&mut self, quiet: Duration) -> Result<bool, A11yError> {
        Ok(self.bus().await?.settle(quiet).await)
    }

    pub(crate) async fn capture(&mut self, look: &Look) -> Result<Capture, A11yError> {
        let bus = self.bus().await?;
        if self.applications.look(&bus).await.is_err() {
            // The bus may have been started anew.
            self.bus = None;
            return Err(A11yError::Timeout(
                "the accessibility registry did not answer; try again".to_owned(),
            ));
        }
        for kept in self.kept.values_mut() {
            kept.redrawn.extend(look.redrawn.as_deref());
        }
        self.forget_gone();
        let (roots, mut cut) = loop {
            let (process, found) = self.read(&bus, look).await;
            let is_there = match &found {
                Ok((roots, _)) => roots.iter().any(|&root| self.has_contents(root)),
                Err(A11yError::Unavailable(_)) => false,
                Err(_) => true,
            };
            match process {
                Some(process) if !is_there && self.cold.is_awaited(process) => {
                    tokio::time::sleep(cold::AGAIN).await;
                    self.applications.look(&bus).await.ok();
                }
                _ => break found?,
            }
        };
        let parts: Vec<Part> = roots
            .into_iter()
            .map(|root| self.part(root, &look.windows))
            .collect();
        if !look.rested {
            cut.note("the applications did not come to rest".to_owned());
        }
        let processes = parts.iter().filter_map(|part| self.process_with_contents(part));
        Ok(Capture {
            processes: processes.collect(),
            scene: scene::scene(&self.tree, &parts, cut.text()),
            living: Arc::new(self.tree.handles().collect()),
        })
    }

    /// Reads the applications that are meant; beside them the process that is.
    async fn read(&mut self, bus: &Bus, look: &Look) -> (Option<u32>, Result<(Vec<Handle>, Cut), A11yError>) {
        let (process, chosen) = match &look.selected {
            Some(selector) => {
                let apps = self.applications.list(bus, look.process, &look.windows).await;
                match selector.choose(&apps) {
                    Ok(process) => (Some(process), self.applications.of_process(process)),
                    Err(error) => return (None, Err(error)),
                }
            }
            None => (look.process, self.applications.choose(bus, look.process).await),
        };
        // Others are not what is missed.
        let is_missed = |process| self.applications.of_process(process).is_empty();
        if process.is_some_and(|process| is_missed(process) && self.cold.is_awaited(process)) {
            return (process, Err(nothing_offered()));
        }
        (process, self.read_all(bus, chosen, look).await)
    }

    async fn read_all(
        &mut self,
        bus: &Bus,
        chosen: Vec<Place>,
        look: &Look,
    ) -> Result<(Vec<Handle>, Cut), A11yError> {
        if chosen.is_empty() {
            return Err(nothing_offered());
        }
        let mut cut = Cut::default();
        let (mut read, mut late) = (Vec::new(), None);
        for application in chosen {
            match self.look_at(bus, &application, &look.windows).await {
                Ok(root) => read.push(root),
                Err(CallError::Refused) => {}
                Err(CallError::Late) => {
                    let who = match self.applications.process(&application.bus) {
                        Some(process) => format!("the application of process {process}"),
                        None => "an application".to_owned(),
                    };
                    cut.note(format!("{who} does not answer"));
                    late = Some(who);
                }
            }
        }
        // Some programs are on the bus twice, once with nothing, and services are there that have no window: nobody misses what is
        // in those.
        let has_windows = |(root, _): &(Handle, Cut)| !self.tree.children(*root).is_empty();
        if read.iter().any(has_windows) {
            read.retain(has_windows);
        }
        let (roots, cuts): (Vec<Handle>, Vec<Cut>) = read.into_iter().unzip();
        cuts.into_iter().for_each(|own| cut.extend(own));
        if roots.is_empty() {
            return Err(match late {
                // That somebody else is silent says nothing of the active window.
                Some(who) if self.is_of_nobody(look) => A11yError::Unavailable(format!(
                    "no application offers a tree of the active window, and {who} does not answer; use a screenshot"
                )),
                Some(who) => A11yError::Timeout(format!("{who} does not answer; use a screenshot")),
                None => A11yError::Unavailable("the application went while it was read".to_owned()),
            });
        }
        Ok((roots, cut))
    }

    fn has_contents(&self, root: Handle) -> bool {
        let mut windows = self.tree.children(root).iter();
        windows.any(|&window| !self.tree.children(window).is_empty())
    }

    /// Whether what is looked at is the active window, and its process is not on the bus.
    fn is_of_nobody(&self, look: &Look) -> bool {
        let process = look.process.filter(|_| look.selected.is_none());
        process.is_some_and(|process| self.applications.of_process(process).is_empty())
    }

    fn part(&mut self, root: Handle, windows: &[TopLevel]) -> Part {
        let space = self.space(root, windows);
        let bus = self.tree.place(root).map_or("", |place| &place.bus);
        let name = self.tree.facts(root).map(|facts| facts.name.clone());
        Part {
            root,
            name: name
                .filter(|name| !name.is_empty())
                .or_else(|| self.applications.program(bus))
                .unwrap_or_default(),
            space,
        }
    }

    /// The process of an application that has something in one of its windows.
    fn process_with_contents(&self, part: &Part) -> Option<u32> {
        if !self.has_contents(part.root) {
            return None;
        }
        self.applications.process(&self.tree.place(part.root)?.bus)
    }

    /// How the areas of an application become those of the screen, by the windows that there are now.
    fn space(&mut self, root: Handle, windows: &[TopLevel]) -> Space {
        let bus = self.tree.place(root).map_or("", |place| &place.bus);
        let (toolkit, process) = (self.applications.toolkit(bus), self.applications.process(bus));
        let space = Space::find(toolkit, &self.tree, root, process, windows);
        self.spaces.insert(root, space.clone());
        space
    }

    /// Forgets the applications that are not there any more.
    fn forget_gone(&mut self) {
        let roots = self.tree.roots().iter();
        let buses = roots.filter_map(|&root| Some(Arc::clone(&self.tree.place(root)?.bus)));
        let gone: Vec<Arc<str>> = buses.filter(|bus| !self.applications.has(bus)).collect();
        for bus in gone {
            self.tree.remove_bus(&bus);
            self.kept.retain(|application, _| application.bus != bus);
        }
        let roots: HashSet<Handle> = self.tree.roots().iter().copied().collect();
        self.spaces.retain(|root, _| roots.contains(root));
    }

    /// Makes the tree of an application true: by what it has told where it is kept, by a walk where not.
    async fn look_at(
        &mut self,
        bus: &Bus,
        application: &Place,
        top_levels: &[TopLevel],
    ) -> Result<(Handle, Cut), CallError> {
        // It is kept again when all is done. Whoever gives up in between leaves it to be walked.
        let kept = self.kept.remove(application);
        let kept = kept.filter(|kept| self.tree.at(application) == Some(kept.root));
        let asked = match walk::children(bus, application).await {
            Ok(windows) => {
                let source = self.applications.source(bus, application).await;
                source.map(|source| (windows, source))
            }
            Err(error) => Err(error),
        };
        let (windows, source) = match asked {
            Ok(answers) => answers,
            Err(error) => {
                if error == CallError::Late {
                    // What it tells from now on is still noted.
                    self.kept.extend(kept.map(|kept| (application.clone(), kept)));
                }
                return Err(error);
            }
        };
        // What it told before this answer has come before it, too.
        let mut news = bus.changes().take(&application.bus);
        news.forget_gone(&application.bus, &mut self.tree);
        if news.lost {
            self.tree.forget(application);
        }
        let kept = match kept {
            Some(kept) if !news.lost => {
                let space = self.space(kept.root, top_levels);
                self.refresh(source, kept, &news, &windows, &space).await
            }
            _ => {
                self.applications.awaken(source, application, &windows).await;
                self.walk(source, application).await?
            }
        };
        let (root, mut cut) = (kept.root, kept.cut.clone());
        let empty = |&window: &Handle| self.tree.children(window).is_empty();
        if self.tree.children(root).iter().all(empty) {
            let name = self.tree.facts(root).map_or("", |facts| &facts.name);
            cut.note(nothing_inside(source.toolkit, name));
        } else {
            self.kept.insert(application.clone(), kept);
        }
        Ok((root, cut))
    }

    async fn walk(&mut self, source: Source<'_>, application: &Place) -> Result<Kept, CallError> {
        let mut cut = Cut::default();
        let fresh = walk::walk(source, &self.tree, application.clone(), self.limits, &mut cut).await?;
        Ok(Kept {
            root: self.tree.put_root(fresh),
            redrawn: Redrawn::Areas(Vec::new()),
            cut,
        })
    }

    async fn refresh(
        &mut self,
        source: Source<'_>,
        mut kept: Kept,
        news: &News,
        windows: &[Place],
        space: &Space,
    ) -> Kept {
        let mut stale = refresh::stale(&self.tree, kept.root, news, &kept.redrawn, space);
        let known: Vec<Option<&Place>> = self
            .tree
            .children(kept.root)
            .iter()
            .map(|&window| self.tree.place(window))
            .collect();
        if !known.iter().copied().eq(windows.iter().map(Some)) {
            refresh::mark(&mut stale, kept.root, Depth::Children);
        }
        // Which window is active is not told by every toolkit.
        for &window in self.tree.children(kept.root) {
            refresh::mark(&mut stale, window, Depth::Facts);
        }
        if source.toolkit == Toolkit::Chromium {
            for handle in pages::awaited(&self.tree, kept.root) {
                refresh::mark(&mut stale, handle, Depth::Children);
            }
        }
        // What was too large to be read in the time of one look is read on by the next.
        for place in kept.cut.take_late() {
            if let Some(handle) = self.tree.at(&place) {
                refresh::mark(&mut stale, handle, Depth::Children);
            }
        }
        let mut refresh = Refresh::new(source, &mut self.tree, self.limits);
        refresh.read(stale).await;
        let mut cut = kept.cut;
        cut.extend(refresh.cut);
        Kept {
            redrawn: Redrawn::Areas(Vec::new()),
            cut,
            ..kept
        }
    }

    /// Looks through what was told while nobody looked.
    pub(crate) fn sort_out(&mut self) {
        if let Some(bus) = &self.bus {
            bus.changes().sort_out(&mut self.tree);
        }
    }

    /// Waits until so much was told that it should be looked through.
    pub(crate) async fn much_told(&self) {
        match &self.bus {
            Some(bus) => bus.changes().many().await,
            None => std::future::pending().await,
        }
    }

    /// The applications there are.
    pub(crate) async fn apps(
        &mut self,
        active: Option<u32>,
        windows: &[TopLevel],
    ) -> Result<Vec<App>, A11yError> {
        let bus = self.bus().await?;
        if self.applications.look(&bus).await.is_err() {
            self.bus = None;
            return Err(A11yError::Timeout(
                "the accessibility registry did not answer; try again".to_owned(),
            ));
        }
        Ok(self.applications.list(&bus, active, windows).await)
    }

    async fn bus(&mut self) -> Result<Bus, A11yError> {
        if let Some(bus) = &self.bus {
            return Ok(bus.clone());
        }
        let bus = Bus::open().await?;
        self.bus = Some(bus.clone());
        Ok(bus)
    }
}

fn nothing_offered() -> A11yError {
    A11yError::Unavailable("no application offers an accessibility tree; use a screenshot".to_owned())
}

/// What is said of an application that offers its windows and nothing in them.
fn nothing_inside(toolkit: Toolkit, name: &str) -> String {
    let hint = match toolkit {
        Toolkit::Chromium => {
            "look again if it has just started, else start it with --force-renderer-accessibility"
        }
        _ => "look again if it has just started, else use a screenshot",
    };
    format!("{name} offers nothing of what is in its windows: {hint}")
}
