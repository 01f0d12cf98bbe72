//! The accessibility tree as sessions see it, and the pixels that say where it may have changed.

use std::time::Duration;

use a11y::engine::{Capture, Engine, Look};
use a11y::node::Rect;
use a11y::{A11yError, TopLevel};
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

    /// Looks at the application of the active window; before, waits until applications have told of no change for so long.
    pub(crate) async fn look(&self, desk: &Desk, quiet: Option<Duration>) -> Result<Capture, CodedError> {
        let rested = match quiet {
            Some(quiet) => self.engine.settle(quiet, SETTLING).await.map_err(coded_element)?,
            None => true,
        };
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
        };
        let capture = self.engine.capture(look, PATIENCE).await.map_err(coded_element)?;
        *told = now;
        Ok(capture)
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
