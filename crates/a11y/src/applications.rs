//! Who is on the accessibility bus, and which of them is looked at.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use futures_util::future::join_all;

use crate::apps::{App, program_name};
use crate::bus::{Bus, CallError, REGISTRY};
use crate::node::Place;
use crate::toolkit::{self, Toolkit, TopLevel};
use crate::walk::{self, ACCESSIBLE, Source};

/// The windows of one application that are asked whether they are active.
const WINDOWS_ASKED: usize = 16;

/// The applications on the bus.
#[derive(Debug, Default)]
pub(crate) struct Applications {
    /// Their root objects, in the registry's order.
    present: Vec<Place>,
    /// The process behind each connection; the bus never gives a connection's name to another.
    processes: HashMap<Arc<str>, u32>,
    toolkits: HashMap<Arc<str>, Toolkit>,
    /// Those that were told that they are read.
    awake: HashSet<Arc<str>>,
}

impl Applications {
    /// Asks who is there now.
    pub(crate) async fn look(&mut self, bus: &Bus) -> Result<(), CallError> {
        let registry = Place::new(REGISTRY.0, REGISTRY.1);
        self.present = walk::children(bus, &registry).await?;
        let present = &self.present;
        let is_present = |name: &Arc<str>| present.iter().any(|place| place.bus == *name);
        self.processes.retain(|name, _| is_present(name));
        self.toolkits.retain(|name, _| is_present(name));
        self.awake.retain(|name| is_present(name));
        let unknown = present
            .iter()
            .filter(|place| !self.processes.contains_key(&place.bus))
            .map(|place| async move { (Arc::clone(&place.bus), bus.process(place).await) });
        for (name, process) in join_all(unknown).await {
            if let Some(process) = process {
                self.processes.insert(name, process);
            }
        }
        Ok(())
    }

    /// How an application is read.
    pub(crate) async fn source<'a>(
        &mut self,
        bus: &'a Bus,
        application: &Place,
    ) -> Result<Source<'a>, CallError> {
        if !self.toolkits.contains_key(&application.bus) {
            let toolkit = Toolkit::of(bus, application).await?;
            self.toolkits.insert(Arc::clone(&application.bus), toolkit);
        }
        Ok(self.known_source(bus, &application.bus))
    }

    /// Has an application build its tree where its toolkit does so only when it is asked.
    pub(crate) async fn awaken(&mut self, source: Source<'_>, application: &Place, windows: &[Place]) {
        if source.toolkit != Toolkit::Chromium || self.awake.contains(&application.bus) {
            return;
        }
        if toolkit::awaken(source.bus, windows).await {
            self.awake.insert(Arc::clone(&application.bus));
        }
    }

    /// How an application is read that was looked at before.
    pub(crate) fn known_source<'a>(&self, bus: &'a Bus, name: &str) -> Source<'a> {
        Source {
            bus,
            toolkit: self.toolkit(name),
        }
    }

    /// The toolkit of an application that was looked at before.
    pub(crate) fn toolkit(&self, name: &str) -> Toolkit {
        self.toolkits.get(name).copied().unwrap_or(Toolkit::Other)
    }

    /// What an application is called that has no name of its own: as its program is.
    pub(crate) fn program(&self, name: &str) -> Option<String> {
        program_name(self.process(name)?)
    }

    /// Whether a connection has an application.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.present.iter().any(|place| &*place.bus == name)
    }

    /// The process behind a connection, where the bus knows it.
    pub(crate) fn process(&self, name: &str) -> Option<u32> {
        self.processes.get(name).copied()
    }

    /// The root objects of a process.
    pub(crate) fn of_process(&self, process: u32) -> Vec<Place> {
        let present = self.present.iter();
        present
            .filter(|place| self.process(&place.bus) == Some(process))
            .cloned()
            .collect()
    }

    /// The applications that have one of these windows, or windows on the bus.
    pub(crate) async fn list(&self, bus: &Bus, active: Option<u32>, windows: &[TopLevel]) -> Vec<App> {
        let asked = self.present.iter().map(|place| async move {
            let name = bus.property::<String>(place, ACCESSIBLE, "Name");
            let (name, children) = futures_util::future::join(name, walk::children(bus, place)).await;
            (
                self.process(&place.bus),
                name.unwrap_or_default(),
                // One that does not answer is there, too.
                children.map_or(true, |children| !children.is_empty()),
            )
        });
        let mut found: Vec<(u32, String)> = Vec::new();
        let on_bus = join_all(asked).await;
        let with_windows = windows.iter().filter_map(|window| window.process);
        let with_trees = on_bus
            .iter()
            .filter(|(_, _, has_windows)| *has_windows)
            .filter_map(|(process, ..)| *process);
        for process in with_trees.chain(with_windows) {
            if found.iter().any(|(known, _)| *known == process) {
                continue;
            }
            let own = on_bus
                .iter()
                .find(|(of, name, _)| *of == Some(process) && !name.is_empty());
            found.push((process, own.map(|(_, name, _)| name.clone()).unwrap_or_default()));
        }
        found
            .into_iter()
            .map(|(process, name)| App::new(process, name, active == Some(process)))
            .collect()
    }

    /// The application of the active window: that of this process where there is one, else whichever says so of itself.
    /// All, where none does.
    pub(crate) async fn choose(&self, bus: &Bus, process: Option<u32>) -> Vec<Place> {
        let of_process: Vec<Place> = self
            .present
            .iter()
            .filter(|place| process.is_some() && self.process(&place.bus) == process)
            .cloned()
            .collect();
        if !of_process.is_empty() {
            return of_process;
        }
        let asked = self
            .present
            .iter()
            .map(|place| async move { (place, is_active(bus, place).await) });
        let active: Vec<Place> = join_all(asked)
            .await
            .into_iter()
            .filter(|(_, active)| *active == Ok(true))
            .map(|(place, _)| place.clone())
            .collect();
        if active.is_empty() {
            self.present.clone()
        } else {
            active
        }
    }
}

/// Whether a window of this application is active.
async fn is_active(bus: &Bus, application: &Place) -> Result<bool, CallError> {
    let windows = walk::children(bus, application).await?;
    for window in windows.into_iter().take(WINDOWS_ASKED) {
        if walk::is_active(bus, &window).await? {
            return Ok(true);
        }
    }
    Ok(false)
}
