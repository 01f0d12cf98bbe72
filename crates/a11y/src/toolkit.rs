//! What toolkits say differently.

use std::time::Duration;

use crate::bus::{Bus, CallError};
use crate::node::{Place, Rect};
use crate::walk::ACCESSIBLE;

/// The toolkit of an application, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Toolkit {
    /// GTK 4 gives areas within the window ([`crate::space`]), and does not say of the controls in a window that they are showing
    /// or enabled.
    Gtk4,
    /// Only its windows are there until somebody asks for what only screen readers ask for ([`awaken`]).
    Chromium,
    /// All others, which do as AT-SPI says.
    Other,
}

const APPLICATION: &str = "org.a11y.atspi.Application";

impl Toolkit {
    /// Asks an application. One that does not know is another; one that answers late may be any.
    pub(crate) async fn of(bus: &Bus, application: &Place) -> Result<Self, CallError> {
        let ask = async |name| match bus.property::<String>(application, APPLICATION, name).await {
            Err(CallError::Refused) => Ok(String::new()),
            answer => answer,
        };
        let (name, version) = futures_util::future::join(ask("ToolkitName"), ask("Version")).await;
        Ok(match (name?.as_str(), version?.as_str()) {
            ("GTK", version) if version.starts_with("4.") => Self::Gtk4,
            ("Chromium", _) => Self::Chromium,
            _ => Self::Other,
        })
    }
}

/// How long Chromium may tell of nothing until its tree is taken to be built, and how long that may take in all.
const BUILT: (Duration, Duration) = (Duration::from_millis(150), Duration::from_secs(2));
/// The windows that are asked; one is enough for all of the program.
const WINDOWS_ASKED: usize = 4;

/// Has Chromium build its tree, and waits until it has; `false` where it has no window yet that could be asked.
///
/// Version 148 does not look at `org.a11y.Status`, but at what is asked: the attributes of an object
/// are asked for by nobody but screen readers.
pub(crate) async fn awaken(bus: &Bus, windows: &[Place]) -> bool {
    let asked = windows.iter().take(WINDOWS_ASKED);
    let asked = asked.map(|window| bus.call(window, ACCESSIBLE, "GetAttributes", &()));
    let answers = futures_util::future::join_all(asked).await;
    let told = answers.iter().any(Result::is_ok);
    if told {
        bus.rest(BUILT.0, BUILT.1).await;
    }
    told
}

/// A top-level window as the display server knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopLevel {
    /// The process that made it, where the window says so.
    pub process: Option<u32>,
    /// Its title.
    pub title: String,
    /// Where it is, with the shadow that the program draws around its window by itself.
    pub rect: Rect,
    /// Width and height of the shadow at its left and top edge (`_GTK_FRAME_EXTENTS`).
    pub shadow: (u32, u32),
    /// Whether it is a menu, a popover or the like, which no window manager knows of.
    pub popup: bool,
}
