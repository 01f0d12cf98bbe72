//! The accessibility tree as sessions see it, and the pixels that say where it may have changed.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use a11y::engine::{Capture, Engine, Look};
use a11y::node::Rect;
use a11y::tree::Handle;
use a11y::view::Scene;
use a11y::{A11yError, App, AppSelector, TopLevel};
use aci::error_code::{CodedError, ErrorCode};
use desktop::backend::WindowInfo;
use tokio::sync::Mutex;

use crate::desk::Desk;
use crate::guesses::Guesses;
use crate::reply::coded_element;

/// How long a look may take in all, beside its settle.
const PATIENCE: Duration = Duration::from_secs(8);
/// How long a settle may take. The engine gives up before.
const SETTLING: Duration = Duration::from_secs(7);

/// The accessibility engine of the daemon.
#[derive(Debug)]
pub(crate) struct Elements {
    engine: Engine,
    /// The generation of the screen's picture that the engine was told of last. Held for the whole of a look, so that each
    /// change reaches exactly one.
    told: Mutex<Option<u64>>,
    /// What is guessed of windows without a tree, for all sessions.
    guesses: Mutex<Guesses>,
}

/// What a look found, and how it came about.
#[derive(Debug)]
pub(crate) struct Looked {
    /// What there is to be written down.
    pub(crate) scene: Scene,
    /// Every control that lives; `None` where that is not known.
    living: Option<Arc<HashSet<Handle>>>,
    /// The same of what was guessed.
    guessed: HashSet<Handle>,
    /// Whether the quiet time was reached that was asked for.
    pub(crate) rested: bool,
    /// How long that was waited for.
    pub(crate) waited: Duration,
    /// The generation of the screen's picture right before the tree was read.
    pub(crate) generation: Option<u64>,
}

impl Looked {
    /// Whether something that was seen is still there, shown or not.
    pub(crate) fn lives(&self, handle: Handle) -> bool {
        if handle.is_guessed() {
            self.guessed.contains(&handle)
        } else {
            self.living.as_ref().is_none_or(|living| living.contains(&handle))
        }
    }
}

/// What became of reading the trees.
struct Read {
    capture: Result<Capture, CodedError>,
    /// The windows that there were.
    windows: Vec<WindowInfo>,
    /// As in [`Looked`].
    rested: bool,
    waited: Duration,
    generation: Option<u64>,
}

impl Elements {
    /// Starts the engine.
    pub(crate) fn start() -> Result<Self, A11yError> {
        Ok(Self {
            engine: Engine::start(a11y::Limits::default())?,
            told: Mutex::new(None),
            guesses: Mutex::new(Guesses::default()),
        })
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    pub(crate) fn guesses(&self) -> &Mutex<Guesses> {
        &self.guesses
    }

    /// Looks at the application that is selected, or that of the active window; before, waits until applications have told of no
    /// change for so long.
    ///
    /// Where no tree accounts for its windows, regions of their pixels stand for controls; so they do for every such window where
    /// none is active.
    pub(crate) async fn look(
        &self,
        desk: &Desk,
        quiet: Option<Duration>,
        selected: Option<AppSelector>,
    ) -> Result<Looked, CodedError> {
        let read = self.read(desk, quiet, selected.clone()).await?;
        let (mut scene, living, processes, unavailable) = match read.capture {
            Ok(capture) => (capture.scene, Some(capture.living), capture.processes, None),
            // Pixels there are all the same.
            Err(error) if error.code == ErrorCode::A11yUnavailable => {
                (Scene::default(), None, Vec::new(), Some(error))
            }
            Err(error) => return Err(error),
        };
        let windows = &read.windows;
        let is_one_program = selected.is_some() || windows.iter().any(|window| window.focused);
        let meant: Vec<&WindowInfo> = match selected {
            Some(_) if !processes.is_empty() => Vec::new(),
            Some(selector) => {
                let process = self.process_of(&selector, windows).await?;
                windows
                    .iter()
                    .filter(|window| window.pid == Some(process))
                    .collect()
            }
            None => active_or_all(windows),
        };
        let without: Vec<&WindowInfo> = meant
            .into_iter()
            .filter(|window| !is_accounted_for(window, &scene, &processes))
            .collect();
        if let Some(error) = unavailable {
            if without.is_empty() {
                return Err(error);
            }
            scene.truncated = error.detail;
        }
        let mut guesses = self.guesses.lock().await;
        guesses.forget_closed(windows);
        if let Some(first) = without.first() {
            if is_one_program {
                show_only(first, &mut scene);
            }
            scene.shown.extend(guesses.look(desk, &without).await?);
        }
        Ok(Looked {
            scene,
            living,
            guessed: guesses.living(),
            rested: read.rested,
            waited: read.waited,
            generation: read.generation,
        })
    }

    /// Reads the trees.
    async fn read(
        &self,
        desk: &Desk,
        quiet: Option<Duration>,
        selected: Option<AppSelector>,
    ) -> Result<Read, CodedError> {
        let start = Instant::now();
        let rested = match quiet {
            Some(quiet) => match self.engine.settle(quiet, SETTLING).await {
                // Nothing tells of changes; the look will say so.
                Err(A11yError::Unavailable(_)) => true,
                settled => settled.map_err(coded_element)?,
            },
            None => true,
        };
        let waited = start.elapsed();
        let (windows, popups) = desk
            .windows(|windows| Ok((windows.list()?, windows.popups()?)))
            .await?;
        // A program that does not say its process in _NET_WM_PID is found by what its windows say of themselves.
        let process = windows
            .iter()
            .find(|window| window.focused)
            .and_then(|window| window.pid);
        let mut told = self.told.lock().await;
        // Whatever goes wrong from here on, the next look knows nothing of what has changed before it.
        let (now, redrawn) = desk.redrawn(told.take()).await?;
        let redrawn = redrawn.map(|rects| rects.into_iter().map(area).collect());
        let look = Look {
            process,
            windows: top_levels(windows.clone(), popups),
            redrawn,
            rested,
            selected,
        };
        let capture = self.engine.capture(look, PATIENCE).await.map_err(coded_element);
        if capture.is_ok() {
            *told = now;
        }
        Ok(Read {
            capture,
            windows,
            rested,
            waited,
            generation: now,
        })
    }

    /// The process of a selected application.
    async fn process_of(&self, selector: &AppSelector, windows: &[WindowInfo]) -> Result<u32, CodedError> {
        if let (None, Some(process)) = (&selector.name, selector.process) {
            return Ok(process);
        }
        let windows = top_levels(windows.to_vec(), Vec::new());
        let apps = self.engine.apps(None, windows, PATIENCE).await;
        let chosen = apps.and_then(|apps| selector.choose(&apps));
        chosen.map_err(coded_element)
    }

    /// The applications that have a window or a tree.
    pub(crate) async fn apps(&self, desk: &Desk) -> Result<Vec<App>, CodedError> {
        let windows = desk.windows(|windows| windows.list()).await?;
        let focused = windows.iter().find(|window| window.focused);
        let focused = focused.and_then(|window| window.pid);
        let windows = top_levels(windows, Vec::new());
        self.engine
            .apps(focused, windows, PATIENCE)
            .await
            .map_err(coded_element)
    }
}

/// The active window, or all where none is.
fn active_or_all(windows: &[WindowInfo]) -> Vec<&WindowInfo> {
    let active: Vec<&WindowInfo> = windows.iter().filter(|window| window.focused).collect();
    if active.is_empty() {
        windows.iter().collect()
    } else {
        active
    }
}

/// Whether one of the windows in the scene that has something in it is this one: by its process, its title or its place.
fn is_accounted_for(window: &WindowInfo, scene: &Scene, processes: &[u32]) -> bool {
    if window.pid.is_some_and(|process| processes.contains(&process)) {
        return true;
    }
    let place = Rect {
        x: window.x,
        y: window.y,
        w: window.w,
        h: window.h,
    };
    let next = scene.shown.iter().skip(1).map(Some).chain([None]);
    scene.shown.iter().zip(next).any(|(shown, next)| {
        let has_contents = next.is_some_and(|next| next.depth > shown.depth);
        let titled = !window.title.is_empty() && shown.facts.name == window.title;
        shown.depth == 0
            && has_contents
            && (titled || shown.facts.rect.is_some_and(|rect| is_mostly(rect, place)))
    })
}

/// Whether nine tenths of both areas are in common.
fn is_mostly(one: Rect, other: Rect) -> bool {
    let along = |a: i32, a_length: u32, b: i32, b_length: u32| {
        let end = (i64::from(a) + i64::from(a_length)).min(i64::from(b) + i64::from(b_length));
        u64::try_from(end - i64::from(a.max(b))).unwrap_or(0)
    };
    let both = along(one.x, one.w, other.x, other.w) * along(one.y, one.h, other.y, other.h);
    let all = |rect: Rect| u64::from(rect.w) * u64::from(rect.h);
    both * 10 >= 9 * all(one).max(all(other))
}

/// Has the scene show nothing of other programs than that of this window.
fn show_only(window: &WindowInfo, scene: &mut Scene) {
    scene.shown.clear();
    scene.header.app = window.pid.and_then(a11y::program_name).unwrap_or_default();
    scene.header.window.clone_from(&window.title);
}

/// The windows as the engine knows them.
pub(crate) fn top_levels(windows: Vec<WindowInfo>, popups: Vec<WindowInfo>) -> Vec<TopLevel> {
    let top_level = |window: WindowInfo, popup| TopLevel {
        process: window.pid,
        title: window.title,
        rect: Rect {
            x: window.x,
            y: window.y,
            w: window.w,
            h: window.h,
        },
        shadow: window.shadow,
        popup,
    };
    let windows = windows.into_iter().map(|window| top_level(window, false));
    let popups = popups.into_iter().map(|popup| top_level(popup, true));
    windows.chain(popups).collect()
}

fn area(rect: desktop::backend::Rect) -> Rect {
    Rect {
        x: rect.x,
        y: rect.y,
        w: rect.w,
        h: rect.h,
    }
}
