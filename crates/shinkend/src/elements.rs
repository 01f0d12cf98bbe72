//! The accessibility tree as sessions see it, and the pixels that say where it may have changed.

use std::time::{Duration, Instant};

use a11y::engine::{Capture, Engine, Look};
use a11y::node::Rect;
use a11y::{A11yError, App, AppSelector, TopLevel};
use aci::error_code::CodedError;
use desktop::backend::WindowInfo;
use tokio::sync::Mutex;

use crate::desk::Desk;
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
}

/// What a look found, and how it came about.
#[derive(Debug)]
pub(crate) struct Looked {
    pub(crate) capture: Capture,
    /// Whether the quiet time was reached that was asked for.
    pub(crate) rested: bool,
    /// How long that was waited for.
    pub(crate) waited: Duration,
    /// The generation of the screen's picture right before the tree was read.
    pub(crate) generation: Option<u64>,
}

impl Elements {
    /// Starts the engine.
    pub(crate) fn start() -> Result<Self, A11yError> {
        Ok(Self {
            engine: Engine::start(a11y::Limits::default())?,
            told: Mutex::new(None),
        })
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Looks at the application that is selected, or that of the active window; before, waits until applications have told of no
    /// change for so long.
    pub(crate) async fn look(
        &self,
        desk: &Desk,
        quiet: Option<Duration>,
        selected: Option<AppSelector>,
    ) -> Result<Looked, CodedError> {
        let start = Instant::now();
        let rested = match quiet {
            Some(quiet) => self.engine.settle(quiet, SETTLING).await.map_err(coded_element)?,
            None => true,
        };
        let waited = start.elapsed();
        let windows = desk.windows(|windows| windows.list()).await?;
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
            windows: top_levels(windows),
            redrawn,
            rested,
            selected,
        };
        let capture = self.engine.capture(look, PATIENCE).await.map_err(coded_element)?;
        *told = now;
        Ok(Looked {
            capture,
            rested,
            waited,
            generation: now,
        })
    }

    /// The applications that have a window or a tree.
    pub(crate) async fn apps(&self, desk: &Desk) -> Result<Vec<App>, CodedError> {
        let windows = desk.windows(|windows| windows.list()).await?;
        let focused = windows.iter().find(|window| window.focused);
        let focused = focused.and_then(|window| window.pid);
        let windows = top_levels(windows);
        self.engine
            .apps(focused, windows, PATIENCE)
            .await
            .map_err(coded_element)
    }
}

/// The windows as the engine knows them.
pub(crate) fn top_levels(windows: Vec<WindowInfo>) -> Vec<TopLevel> {
    let top_level = |window: WindowInfo| TopLevel {
        process: window.pid,
        title: window.title,
        rect: Rect {
            x: window.x,
            y: window.y,
            w: window.w,
            h: window.h,
        },
        shadow: window.shadow,
    };
    windows.into_iter().map(top_level).collect()
}

fn area(rect: desktop::backend::Rect) -> Rect {
    Rect {
        x: rect.x,
        y: rect.y,
        w: rect.w,
        h: rect.h,
    }
}
