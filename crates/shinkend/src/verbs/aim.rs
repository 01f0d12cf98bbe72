//! Where on the screen an element is acted on: it is brought into sight where it is not, and nothing may cover it.

use std::time::{Duration, Instant};

use a11y::engine::{Located, Reach, Wheel};
use a11y::node::Rect;
use aci::error_code::CodedError;
use aci::target::ElementRef;
use desktop::backend::{Gesture, Point, WindowInfo};

use super::element::{Known, PATIENCE};
use crate::elements::top_levels;
use crate::reply::invalid;
use crate::session::Session;

/// The most times that the wheel is turned for one element.
const TURNS: usize = 24;
/// How far a step of the wheel is taken to scroll, in pixels: less than most programs do, so that the way is not overshot by much.
const STEP: i32 = 80;
/// The most steps at a time. What programs do with more at once differs.
const STEPS: i32 = 12;
/// A wheel step in the unit of a gesture.
const NOTCH: f64 = 120.0;
/// How long a program may take until something moves after it was asked to scroll; and until it has stopped.
const MOVING: (Duration, Duration) = (Duration::from_millis(400), Duration::from_secs(2));
/// How often it is asked meanwhile.
const AGAIN: Duration = Duration::from_millis(25);

/// The middle of what can be seen of an element, where nothing covers it.
pub(super) async fn point(session: &Session, element: &ElementRef) -> Result<Point, CodedError> {
    let known = Known::find_any(session, element).await?;
    if known.handle.is_guessed() {
        return known.guessed_middle().await;
    }
    point_of(session, &known).await
}

/// The same of one that was found.
pub(super) async fn point_of(session: &Session, known: &Known<'_>) -> Result<Point, CodedError> {
    let aim = Aim { session, known };
    let (located, part) = aim.in_sight().await?;
    let Some(point) = aim.on_screen(part).await? else {
        let otherwise = "is drawn outside of the screen; move its window, or use invoke_action";
        return Err(aim.cannot(&located, otherwise).await?);
    };
    aim.uncovered(&located, point).await?;
    Ok(point)
}

/// Where the wheel scrolls an element, or what it is in, whether the element is in sight or not; and what is shown there.
pub(super) async fn scroller(session: &Session, known: &Known<'_>) -> Result<(Point, Rect), CodedError> {
    let aim = Aim { session, known };
    session.daemon().desk.settle().await?;
    let located = aim.locate().await?;
    let windows = aim.windows().await?;
    let scroller = known.engine.scroller(known.handle, windows, PATIENCE).await;
    let scroller = known.told(scroller).await?.ok_or_else(|| {
        invalid(format!(
            "the wheel cannot be turned over {}: it is out of sight, or that would change a value; name what it is in",
            aim.name()
        ))
    })?;
    let (x, y) = scroller.at;
    let at = Point { x, y };
    aim.uncovered(&located, at).await?;
    Ok((at, scroller.shown))
}

struct Aim<'a> {
    session: &'a Session,
    known: &'a Known<'a>,
}

impl Aim<'_> {
    fn name(&self) -> &str {
        self.known.reference()
    }

    /// The element, and the part of it that can be seen.
    async fn in_sight(&self) -> Result<(Located, Rect), CodedError> {
        // What is still on its way may move it.
        self.session.daemon().desk.settle().await?;
        let mut located = self.locate().await?;
        if matches!(located.reach, Reach::Away | Reach::Seen { surely: false, .. }) {
            let told = self.known.engine.reveal(self.known.handle, PATIENCE).await;
            if self.known.told(told).await? {
                located = self.after(located).await?;
            }
        }
        for _ in 0..TURNS {
            match located.reach {
                Reach::Seen { part, .. } => return Ok((located, part)),
                Reach::Nowhere => {
                    let otherwise = "has no area on the screen; use invoke_action, or open what it is in";
                    return Err(self.cannot(&located, otherwise).await?);
                }
                Reach::Away => {}
            }
            let Some(wheel) = self.wheel().await? else { break };
            self.turn(&located, wheel).await?;
            let before = located.clone();
            located = self.after(located).await?;
            // Of what has no area out of sight it cannot be told whether it came nearer.
            if located == before && located.facts.rect.is_some() {
                break;
            }
        }
        let otherwise =
            "is out of sight, and could not be scrolled into it; scroll what it is in, or use invoke_action";
        Err(self.cannot(&located, otherwise).await?)
    }

    async fn locate(&self) -> Result<Located, CodedError> {
        let windows = self.windows().await?;
        let located = self
            .known
            .engine
            .locate(self.known.handle, windows, PATIENCE)
            .await;
        self.known.told(located).await
    }

    async fn wheel(&self) -> Result<Option<Wheel>, CodedError> {
        let windows = self.windows().await?;
        let wheel = self
            .known
            .engine
            .wheel(self.known.handle, windows, PATIENCE)
            .await;
        self.known.told(wheel).await
    }

    async fn windows(&self) -> Result<Vec<a11y::TopLevel>, CodedError> {
        let needed = self.known.engine.needs_windows(self.known.handle, PATIENCE).await;
        if !self.known.told(needed).await? {
            return Ok(Vec::new());
        }
        let desk = &self.session.daemon().desk;
        let (windows, popups) = desk
            .windows(|windows| Ok((windows.list()?, windows.popups()?)))
            .await?;
        Ok(top_levels(windows, popups))
    }

    async fn turn(&self, located: &Located, wheel: Wheel) -> Result<(), CodedError> {
        let (x, y) = wheel.at;
        let at = Point { x, y };
        self.uncovered(located, at).await?;
        let units = |pixels: i32| {
            let steps = (pixels / STEP).clamp(-STEPS, STEPS);
            // Less than a step is a step.
            f64::from(if steps == 0 { pixels.signum() } else { steps }) * NOTCH
        };
        let gesture = Gesture::Scroll {
            at,
            dx: units(wheel.right),
            dy: units(wheel.down),
        };
        let desk = &self.session.daemon().desk;
        desk.gesture(self.session.holder(), gesture).await?;
        desk.settle().await
    }

    /// The element when it rests again after it was to be moved.
    async fn after(&self, before: Located) -> Result<Located, CodedError> {
        let start = Instant::now();
        let mut last = before.clone();
        loop {
            tokio::time::sleep(AGAIN).await;
            let now = self.locate().await?;
            let moved = now != before;
            let over = if moved { MOVING.1 } else { MOVING.0 };
            if (moved && now == last) || start.elapsed() >= over {
                return Ok(now);
            }
            last = now;
        }
    }

    /// The middle of what is on the screen of an area.
    async fn on_screen(&self, area: Rect) -> Result<Option<Point>, CodedError> {
        let (w, h) = self.session.daemon().desk.screen_size().await?;
        let within = |from: i32, length: u32, limit: u32| {
            let (from, limit) = (i64::from(from), i64::from(limit));
            let (first, end) = (from.max(0), (from + i64::from(length)).min(limit));
            // Both ends are on the screen, whose edges fit.
            (first < end).then(|| i32::try_from(i64::midpoint(first, end)).unwrap_or(i32::MAX))
        };
        let middle = || {
            Some(Point {
                x: within(area.x, area.w, w)?,
                y: within(area.y, area.h, h)?,
            })
        };
        Ok(middle())
    }

    /// Why the element cannot be acted on: that its window is not shown, or else what is said of it.
    async fn cannot(&self, located: &Located, otherwise: &str) -> Result<CodedError, CodedError> {
        let desk = &self.session.daemon().desk;
        let all = desk.windows(|windows| windows.list()).await?;
        Ok(match hidden_window(&all, located) {
            Some(hidden) => self.hidden(hidden),
            None => invalid(format!("{} {otherwise}", self.name())),
        })
    }

    fn hidden(&self, window: &WindowInfo) -> CodedError {
        invalid(format!(
            "the window of {}, {} {:?}, is minimized or on another desktop; activate_window shows it, then observe again",
            self.name(),
            window.id,
            window.title
        ))
    }

    /// Refuses a point at which another window is above the element's, or none at all.
    async fn uncovered(&self, located: &Located, point: Point) -> Result<(), CodedError> {
        let desk = &self.session.daemon().desk;
        let (above, all) = desk
            .windows(move |windows| Ok((windows.at(point)?, windows.list()?)))
            .await?;
        if let Some(hidden) = hidden_window(&all, located) {
            return Err(self.hidden(hidden));
        }
        let Some(above) = above else {
            return Err(invalid(format!(
                "no window is where {} was last; observe again, and act on what is there now",
                self.name()
            )));
        };
        let whose = if is_foreign(&above, located) {
            "another program"
        } else if is_other_window(&above, &all, &located.window) {
            "the same program"
        } else {
            return Ok(());
        };
        Err(invalid(format!(
            "{} is covered by window {} {:?} of {whose}; move that away or use activate_window, or invoke_action",
            self.name(),
            above.id,
            above.title
        )))
    }
}

/// The window of an element where it is surely not shown: no other one of its program could be meant.
fn hidden_window<'w>(all: &'w [WindowInfo], located: &Located) -> Option<&'w WindowInfo> {
    let mut own = all.iter().filter(|window| {
        window.pid.is_some() && window.pid == located.process && window.title == located.window
    });
    let first = own.next()?;
    (!first.shown && own.all(|window| !window.shown)).then_some(first)
}

/// Programs that do not say their process are believed to be in their place.
fn is_foreign(above: &WindowInfo, located: &Located) -> bool {
    let others = above.pid.zip(located.process);
    others.is_some_and(|(above, own)| above != own)
}

/// Whether a window is surely not the one of this title, but another one of the same program. Menus are on no list, and belong
/// to the window that opened them.
fn is_other_window(above: &WindowInfo, all: &[WindowInfo], title: &str) -> bool {
    let listed = all.iter().any(|window| window.id == above.id);
    let own = all
        .iter()
        .any(|window| window.pid == above.pid && window.id != above.id && window.title == title);
    listed && own && above.title != title
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(id: u64, title: &str) -> WindowInfo {
        WindowInfo {
            id,
            title: title.to_owned(),
            pid: Some(7),
            x: 0,
            y: 0,
            w: 9,
            h: 9,
            shadow: (0, 0),
            focused: false,
            shown: true,
        }
    }

    #[test]
    fn only_what_is_surely_another_window_covers() {
        let (dialog, main, menu) = (window(1, "Save As"), window(2, "Editor"), window(3, "Editor"));
        let all = [dialog.clone(), main.clone()];
        assert!(is_other_window(&dialog, &all, "Editor"));
        assert!(!is_other_window(&main, &all, "Editor"));
        assert!(!is_other_window(&menu, &all, "Editor"));
        assert!(!is_other_window(&dialog, &all, "a title that no window has"));
    }
}
