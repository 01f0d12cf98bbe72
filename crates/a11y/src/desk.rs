//! All applications of a desktop: the tree of their controls, and the bus that it is read from.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;

use crate::A11yError;
use crate::act::{self, Refusal};
use crate::bus::{Bus, CallError, REGISTRY};
use crate::engine::{Capture, Located};
use crate::node::{Facts, Place};
use crate::text::Header;
use crate::tree::{Handle, Tree};
use crate::view::{Scene, Shown};
use crate::walk::{self, Cut, Limits};

/// The applications of a desktop.
#[derive(Debug)]
pub(crate) struct Desk {
    bus: Option<Bus>,
    tree: Tree,
    limits: Limits,
}

/// An application on the bus.
#[derive(Debug)]
struct Application {
    place: Place,
    process: Option<u32>,
    /// Whether one of its windows says that it is active; an error where it does not answer.
    active: Result<bool, CallError>,
}

impl Desk {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            bus: None,
            tree: Tree::default(),
            limits,
        }
    }

    pub(crate) async fn capture(
        &mut self,
        active: Option<u32>,
        quiet: Option<Duration>,
    ) -> Result<Capture, A11yError> {
        let bus = self.bus().await?;
        let mut cut = Cut::default();
        if let Some(quiet) = quiet
            && !bus.settle(quiet).await
        {
            cut.note("the applications did not come to rest".to_owned());
        }
        let applications = applications(&bus).await;
        let applications = match applications {
            Ok(applications) => applications,
            Err(_) => {
                // The bus may have been started anew.
                self.bus = None;
                return Err(A11yError::Timeout(
                    "the accessibility registry did not answer; try again".to_owned(),
                ));
            }
        };
        let alive: HashSet<Arc<str>> = applications
            .iter()
            .map(|application| Arc::clone(&application.place.bus))
            .collect();
        let roots = self.tree.roots().iter();
        let buses = roots.filter_map(|&root| Some(Arc::clone(&self.tree.place(root)?.bus)));
        let gone: Vec<Arc<str>> = buses.filter(|bus| !alive.contains(bus)).collect();
        gone.iter().for_each(|bus| self.tree.remove_bus(bus));
        let chosen = choose(applications, active);
        if chosen.is_empty() {
            return Err(A11yError::Unavailable(
                "no application offers an accessibility tree; use a screenshot".to_owned(),
            ));
        }
        let (mut roots, mut late) = (Vec::new(), None);
        for application in chosen {
            let read = match application.active {
                Ok(_) => walk::walk(&bus, application.place.clone(), self.limits, &mut cut).await,
                Err(error) => Err(error),
            };
            match read {
                Ok(fresh) => {
                    let place = fresh.place.clone();
                    let bare = fresh.children.iter().all(|window| window.children.is_empty());
                    let name = fresh.facts.name.clone();
                    roots.push(self.tree.put_root(fresh));
                    if bare {
                        cut.note(nothing_inside(&bus, &place, &name).await);
                    }
                }
                Err(CallError::Refused) => {}
                Err(CallError::Late) => {
                    let who = match application.process {
                        Some(process) => format!("the application of process {process}"),
                        None => "an application".to_owned(),
                    };
                    cut.note(format!("{who} does not answer"));
                    late = Some(who);
                }
            }
        }
        if roots.is_empty() {
            return Err(match late {
                Some(who) => A11yError::Timeout(format!("{who} does not answer; use a screenshot")),
                None => A11yError::Unavailable("the application went while it was read".to_owned()),
            });
        }
        Ok(Capture {
            scene: self.scene(&roots, &cut),
            living: Arc::new(self.tree.handles().collect()),
        })
    }

    pub(crate) async fn locate(&mut self, handle: Handle) -> Result<Located, A11yError> {
        let bus = self.bus().await?;
        let place = self.place(handle)?;
        let facts = walk::facts(&bus, &place)
            .await
            .map_err(|error| self.lost(handle, error))?;
        if self.tree.update(handle, facts.clone()) != Some(handle) {
            return Err(stale());
        }
        let process = bus.process(&place).await;
        Ok(Located { facts, process })
    }

    pub(crate) async fn invoke(&mut self, handle: Handle, name: Option<&str>) -> Result<(), A11yError> {
        let bus = self.bus().await?;
        let place = self.place(handle)?;
        act::invoke(&bus, &place, name)
            .await
            .map_err(|refusal| self.refused(handle, refusal))
    }

    pub(crate) async fn set_value(&mut self, handle: Handle, value: &str) -> Result<(), A11yError> {
        let bus = self.bus().await?;
        let place = self.place(handle)?;
        act::set_value(&bus, &place, value)
            .await
            .map_err(|refusal| self.refused(handle, refusal))
    }

    async fn bus(&mut self) -> Result<Bus, A11yError> {
        if let Some(bus) = &self.bus {
            return Ok(bus.clone());
        }
        let bus = Bus::open().await?;
        self.bus = Some(bus.clone());
        Ok(bus)
    }

    fn place(&self, handle: Handle) -> Result<Place, A11yError> {
        self.tree.place(handle).cloned().ok_or_else(stale)
    }

    fn refused(&mut self, handle: Handle, refusal: Refusal) -> A11yError {
        match refusal {
            Refusal::Unanswered(error) => self.lost(handle, error),
            Refusal::Told(error) => error,
        }
    }

    /// What it means that a control did not answer.
    fn lost(&mut self, handle: Handle, error: CallError) -> A11yError {
        match error {
            CallError::Refused => {
                self.tree.remove(handle);
                stale()
            }
            CallError::Late => A11yError::Timeout(
                "the application does not answer; try again, or use a screenshot".to_owned(),
            ),
        }
    }

    fn scene(&self, roots: &[Handle], cut: &Cut) -> Scene {
        let mut shown = Vec::new();
        let mut header = Header::default();
        let mut apps = Vec::new();
        for &root in roots {
            let Some(application) = self.tree.facts(root) else {
                continue;
            };
            apps.push(application.name.clone());
            // An application itself is nothing that can be seen; its windows are.
            let mut waiting: Vec<(Handle, usize)> = self
                .tree
                .children(root)
                .iter()
                .rev()
                .map(|&child| (child, 0))
                .collect();
            while let Some((handle, depth)) = waiting.pop() {
                let Some(facts) = self.tree.facts(handle) else {
                    continue;
                };
                if !is_seen(&self.tree, handle, facts) {
                    continue;
                }
                if depth == 0 && facts.is("active") {
                    header.window.clone_from(&facts.name);
                }
                shown.push(Shown {
                    handle,
                    depth,
                    facts: facts.clone(),
                });
                waiting.extend(
                    self.tree
                        .children(handle)
                        .iter()
                        .rev()
                        .map(|&child| (child, depth + 1)),
                );
            }
        }
        header.app = apps.join(", ");
        Scene {
            header,
            shown,
            truncated: cut.text(),
        }
    }
}

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
fn is_seen(tree: &Tree, handle: Handle, facts: &Facts) -> bool {
    if facts.is("showing") {
        return true;
    }
    let mut ancestor = tree.parent(handle);
    let mut scrolled = false;
    while let Some(facts) = ancestor.and_then(|handle| tree.facts(handle)) {
        scrolled |= SCROLLED.contains(&facts.role.as_str());
        ancestor = ancestor.and_then(|handle| tree.parent(handle));
    }
    scrolled && facts.is("visible") && facts.role != "scroll-bar"
}

/// What is said of an application that offers its windows and nothing in them.
async fn nothing_inside(bus: &Bus, application: &Place, name: &str) -> String {
    let toolkit: String = bus
        .property(application, "org.a11y.atspi.Application", "ToolkitName")
        .await
        .unwrap_or_default();
    let hint = if toolkit == "Chromium" {
        "start it with --force-renderer-accessibility"
    } else {
        "look again if it has just started, else use a screenshot"
    };
    format!("{name} offers nothing of what is in its windows: {hint}")
}

fn stale() -> A11yError {
    A11yError::Stale("it is gone".to_owned())
}

/// Who is on the bus.
async fn applications(bus: &Bus) -> Result<Vec<Application>, CallError> {
    let registry = Place::new(REGISTRY.0, REGISTRY.1);
    let asked = walk::children(bus, &registry)
        .await?
        .into_iter()
        .map(|place| async move {
            let (process, active) =
                futures_util::future::join(bus.process(&place), is_active(bus, &place)).await;
            Application {
                place,
                process,
                active,
            }
        });
    Ok(join_all(asked).await)
}

/// Whether a window of this application is active.
async fn is_active(bus: &Bus, application: &Place) -> Result<bool, CallError> {
    for window in walk::children(bus, application).await?.into_iter().take(16) {
        if walk::is_active(bus, &window).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The application of the active window: that of this process where there is one, else whichever says so of itself. All,
/// where none does.
fn choose(applications: Vec<Application>, process: Option<u32>) -> Vec<Application> {
    let by_process = process.is_some_and(|process| {
        applications
            .iter()
            .any(|application| application.process == Some(process))
    });
    let by_window = applications
        .iter()
        .any(|application| application.active == Ok(true));
    applications
        .into_iter()
        .filter(|application| {
            if by_process {
                application.process == process
            } else {
                !by_window || application.active == Ok(true)
            }
        })
        .collect()
}
