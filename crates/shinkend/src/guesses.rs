//! What is guessed from pixels of windows that no accessibility tree accounts for.
//!
//! A region is the same one as long as it is in the same window, nearly at the same place there, and looks the same but for a
//! caret. Where several look the same, as the buttons in the rows of a list do, what is beside them must look the same as well:
//! a list that was scrolled by a row has other buttons at the same places. Whatever changes more is another region. The limit of
//! this: a region that has no double at either look, and is replaced by its like at its very place, is taken for the same.
//!
//! What it costs is bounded: [`WINDOWS`] windows are looked at, [`marks::MOST`] regions of each are kept, one look at pixels is
//! on its way at a time, and whoever waits for longer than [`PATIENCE`] is told so. A window that looks as it did before is
//! compared and not searched again.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use a11y::node::{Facts, Rect};
use a11y::tree::Handle;
use a11y::view::Shown;
use aci::error_code::{CodedError, ErrorCode};
use desktop::backend::{Point, Region, Size, WindowInfo};
use desktop::image::Frame;
use marks::{Fingerprint, Kind, Picture};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::desk::Desk;
use crate::reply::invalid;

/// So far a region may move in its window between two looks and still be the same.
const NEARLY: u32 = 3;
/// The windows that are looked at, at most.
const WINDOWS: usize = 8;
/// So long a look at the pixels of a window may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// What the line of a window says, below which its regions are.
const NOTE: &str = "no accessibility tree; all below is guessed from pixels";

/// The regions that were found when their windows were looked at last.
#[derive(Debug)]
pub(crate) struct Guesses {
    windows: HashMap<u64, Window>,
    minted: u64,
    /// Held while pixels are looked at, also by looks that nobody waits for any more.
    looking: Arc<Semaphore>,
}

#[derive(Debug)]
struct Window {
    handle: Handle,
    /// The pixels that the regions are from.
    frame: Frame,
    regions: Vec<Guess>,
}

#[derive(Debug)]
struct Guess {
    handle: Handle,
    found: Found,
    /// How it looked when it was found first; this is what it is held against.
    looks: Fingerprint,
}

/// A region as it was found last.
#[derive(Debug)]
struct Found {
    region: marks::Region,
    looks: Fingerprint,
    /// Whether others in its window look the same.
    has_doubles: bool,
}

/// What a window shows on the screen, and where.
struct Part {
    frame: Frame,
    x: i32,
    y: i32,
}

impl Default for Guesses {
    fn default() -> Self {
        Self {
            windows: HashMap::new(),
            minted: 0,
            looking: Arc::new(Semaphore::new(1)),
        }
    }
}

impl Guesses {
    /// Forgets the windows that are not open any more.
    pub(crate) fn forget_closed(&mut self, open: &[WindowInfo]) {
        self.windows
            .retain(|id, _| open.iter().any(|window| window.id == *id));
    }

    /// Looks at these windows; gives a line for each and its regions below it.
    pub(crate) async fn look(
        &mut self,
        desk: &Desk,
        windows: &[&WindowInfo],
    ) -> Result<Vec<Shown>, CodedError> {
        let mut shown = Vec::new();
        for window in windows.iter().take(WINDOWS) {
            let Some(part) = picture(desk, window).await? else {
                continue;
            };
            let known = self.windows.get(&window.id);
            if known.is_none_or(|known| known.frame != part.frame) {
                let (frame, found) = self.search(part.frame).await?;
                self.take_over(window.id, frame, found);
            }
            if let Some(known) = self.windows.get(&window.id) {
                shown.push(window_line(known.handle, window));
                shown.extend(known.regions.iter().map(|guess| line(guess, part.x, part.y)));
            }
        }
        Ok(shown)
    }

    async fn search(&self, frame: Frame) -> Result<(Frame, Vec<Found>), CodedError> {
        let looking = Arc::clone(&self.looking);
        let searched = timeout(PATIENCE, async {
            let permit = looking.acquire_owned().await.ok();
            tokio::task::spawn_blocking(move || {
                let _permit = permit;
                let found = found(&frame);
                (frame, found)
            })
            .await
        });
        match searched.await {
            Ok(Ok(found)) => Ok(found),
            Ok(Err(panic)) => Err(CodedError::new(
                ErrorCode::Busy,
                format!("the look did not finish: {panic}"),
            )),
            Err(_) => Err(CodedError::new(
                ErrorCode::A11yTimeout,
                format!(
                    "no tree accounts for the window, and its pixels could not be looked through within {} s; use a screenshot",
                    PATIENCE.as_secs()
                ),
            )),
        }
    }

    /// All regions and windows that are known.
    pub(crate) fn living(&self) -> HashSet<Handle> {
        let windows = self.windows.values();
        windows
            .flat_map(|window| {
                window
                    .regions
                    .iter()
                    .map(|guess| guess.handle)
                    .chain([window.handle])
            })
            .collect()
    }

    /// The middle of a region, where it is still there and looks the same; `None` where not.
    pub(crate) async fn middle(&self, desk: &Desk, handle: Handle) -> Result<Option<Point>, CodedError> {
        let Some((id, guess)) = self.find(handle) else {
            return Ok(None);
        };
        let open = desk.windows(|windows| windows.list()).await?;
        let Some(window) = open.iter().find(|window| window.id == id) else {
            return Ok(None);
        };
        let screen = desk.grab(Region::Screen, None, None).await?;
        let Some(part) = part(&screen.frame, 0, 0, screen.screen, window) else {
            return Ok(None);
        };
        let point = part.middle(guess.map(|guess| guess.found.region.rect));
        let above = desk.windows(move |windows| windows.at(point)).await?;
        // What is on top and is no window of a program is a menu, and was looked at as a part of the window.
        if let Some(above) = above.filter(|above| above.id != id)
            && open.iter().any(|window| window.id == above.id)
        {
            return Err(invalid(format!(
                "it is covered by window {} {:?}; move that away or use activate_window",
                above.id, above.title
            )));
        }
        Ok(guess
            .is_none_or(|guess| guess.is_on(&part.frame))
            .then_some(point))
    }

    /// The window with this handle, or of the region with it.
    fn find(&self, handle: Handle) -> Option<(u64, Option<&Guess>)> {
        self.windows.iter().find_map(|(&id, window)| {
            if window.handle == handle {
                return Some((id, None));
            }
            let guess = window.regions.iter().find(|guess| guess.handle == handle)?;
            Some((id, Some(guess)))
        })
    }

    /// Takes over what was found in a window; what was there before keeps its handle.
    fn take_over(&mut self, id: u64, frame: Frame, found: Vec<Found>) {
        let (handle, mut before) = match self.windows.remove(&id) {
            Some(known) => (known.handle, known.regions),
            None => (self.mint(), Vec::new()),
        };
        let regions = found
            .into_iter()
            .map(|found| {
                let same = before.iter().position(|old| old.is(&found));
                match same.map(|same| before.swap_remove(same)) {
                    Some(same) => Guess { found, ..same },
                    None => Guess {
                        handle: self.mint(),
                        looks: found.looks.clone(),
                        found,
                    },
                }
            })
            .collect();
        let window = Window {
            handle,
            frame,
            regions,
        };
        self.windows.insert(id, window);
    }

    fn mint(&mut self) -> Handle {
        self.minted += 1;
        Handle::guessed(self.minted)
    }
}

impl Guess {
    /// Whether this is what has been found now.
    fn is(&self, found: &Found) -> bool {
        let (one, other) = (self.found.region.rect, found.region.rect);
        one.x.abs_diff(other.x) <= NEARLY
            && one.y.abs_diff(other.y) <= NEARLY
            && (!found.has_doubles || self.found.looks.is_beside_the_like(&found.looks))
            && self.still_looks_so(&found.looks)
    }

    /// Whether it is still to be seen at its place in the window.
    fn is_on(&self, frame: &Frame) -> bool {
        let looks = as_picture(frame).and_then(|picture| Fingerprint::new(&picture, &self.found.region));
        looks.is_some_and(|looks| self.still_looks_so(&looks))
    }

    /// Whether what looks so at its place is still this.
    fn still_looks_so(&self, looks: &Fingerprint) -> bool {
        self.looks.is_like(looks) && (!self.found.has_doubles || self.found.looks.is_beside_the_like(looks))
    }
}

impl Part {
    /// The middle of this area of it, or of all of it, on the screen.
    fn middle(&self, of: Option<marks::Rect>) -> Point {
        let Size { w, h } = self.frame.size();
        let rect = of.unwrap_or(marks::Rect { x: 0, y: 0, w, h });
        Point {
            x: self.x.saturating_add(rect.x).saturating_add_unsigned(rect.w / 2),
            y: self.y.saturating_add(rect.y).saturating_add_unsigned(rect.h / 2),
        }
    }
}

fn as_picture(frame: &Frame) -> Option<Picture<'_>> {
    let size = frame.size();
    Picture::new(size.w, size.h, frame.rgb())
}

/// The regions of a picture.
fn found(frame: &Frame) -> Vec<Found> {
    let Some(picture) = as_picture(frame) else {
        return Vec::new();
    };
    let seen: Vec<(marks::Region, Fingerprint)> = marks::regions(picture)
        .into_iter()
        .filter_map(|region| Some((region, Fingerprint::new(&picture, &region)?)))
        .collect();
    let has_doubles: Vec<bool> = seen
        .iter()
        .map(|(_, looks)| seen.iter().filter(|(_, other)| looks.is_like(other)).count() > 1)
        .collect();
    seen.into_iter()
        .zip(has_doubles)
        .map(|((region, looks), has_doubles)| Found {
            region,
            looks,
            has_doubles,
        })
        .collect()
}

/// What is seen of a window; `None` where that is nothing.
async fn picture(desk: &Desk, window: &WindowInfo) -> Result<Option<Part>, CodedError> {
    if window.focused {
        // With its menus, which are windows of their own.
        let screen = desk.grab(Region::Screen, None, None).await?;
        return Ok(part(&screen.frame, 0, 0, screen.screen, window));
    }
    // The others may be covered.
    match desk.grab(Region::Window(window.id), None, None).await {
        Ok(own) => Ok(part(&own.frame, own.source.x, own.source.y, own.screen, window)),
        Err(error) if matches!(error.code, ErrorCode::WindowNotFound | ErrorCode::CaptureFailed) => Ok(None),
        Err(error) => Err(error),
    }
}

/// What a picture, whose corner is at a point of the screen, has of a window and of the screen; `None` where that is nothing.
fn part(picture: &Frame, x: i32, y: i32, screen: Size, window: &WindowInfo) -> Option<Part> {
    let size = picture.size();
    let along = |of: i32, length: u32, from: i32, all: u32, limit: u32| {
        let end = (i64::from(of) + i64::from(length)).min(i64::from(from) + i64::from(all));
        let (start, end) = (of.max(from).max(0), end.min(i64::from(limit)));
        // Both are on the screen, and the end lies behind the start.
        let length = u32::try_from(end - i64::from(start))
            .ok()
            .filter(|length| *length > 0)?;
        Some((
            start,
            length,
            usize::try_from(i64::from(start) - i64::from(from)).ok()?,
        ))
    };
    let (left, w, column) = along(window.x, window.w, x, size.w, screen.w)?;
    let (top, h, row) = along(window.y, window.h, y, size.h, screen.h)?;
    let mut rgb = Vec::with_capacity(w as usize * h as usize * 3);
    for row in row..row + h as usize {
        let start = (row * size.w as usize + column) * 3;
        rgb.extend_from_slice(picture.rgb().get(start..start + w as usize * 3)?);
    }
    Some(Part {
        frame: Frame::new(Size { w, h }, rgb)?,
        x: left,
        y: top,
    })
}

fn window_line(handle: Handle, window: &WindowInfo) -> Shown {
    let mut facts = facts("window", window.title.clone(), NOTE.to_owned());
    if window.focused {
        facts.states.insert(0, "active");
    }
    facts.rect = Some(Rect {
        x: window.x,
        y: window.y,
        w: window.w,
        h: window.h,
    });
    Shown {
        handle,
        depth: 0,
        facts,
    }
}

fn line(guess: &Guess, x: i32, y: i32) -> Shown {
    let role = match guess.found.region.kind {
        Kind::Box => "box-region",
        Kind::Icon => "icon-region",
        Kind::Text => "text-region",
    };
    let found = guess.found.region.rect;
    let rect = Rect {
        x: x.saturating_add(found.x),
        y: y.saturating_add(found.y),
        w: found.w,
        h: found.h,
    };
    // Without a name, where it is is all that tells one from another.
    let place = format!("{}x{} at {},{}", rect.w, rect.h, rect.x, rect.y);
    let mut facts = facts(role, String::new(), place);
    facts.rect = Some(rect);
    Shown {
        handle: guess.handle,
        depth: 1,
        facts,
    }
}

fn facts(role: &str, name: String, value: String) -> Facts {
    Facts {
        role: role.to_owned(),
        name,
        value: Some(value),
        states: vec!["enabled", "showing"],
        ..Facts::default()
    }
}
