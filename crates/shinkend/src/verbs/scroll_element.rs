//! Scrolling one element: the wheel is turned over it, as a person would, and how far it went is read back.

use std::time::{Duration, Instant};

use a11y::Scrolled;
use aci::error_code::{CodedError, ErrorCode};
use aci::extension::action::{Axis, ScrollElement};
use desktop::backend::{Gesture, Point};

use super::aim;
use super::element::{Known, PATIENCE};
use crate::reply::{Outcome, Reply, invalid};
use crate::session::Session;

/// One step of the wheel.
const STEP: f64 = 120.0;
/// The wheel is turned in so many goes at most; each is as far as the one before says is left.
const GOES: usize = 6;
/// The most steps of one go.
const MOST_STEPS: f64 = 200.0;
/// After a turn it is given so long to begin to move,
const REACTION: Duration = Duration::from_millis(700);
/// and must then stand still for so long, because toolkits scroll smoothly.
const QUIET: Duration = Duration::from_millis(120);
/// It is taken as it is after so long in all.
const MOVING: Duration = Duration::from_secs(2);
/// How often it is looked at meanwhile.
const AGAIN: Duration = Duration::from_millis(20);

/// Scrolls an element by shares of what it shows.
pub(super) async fn scroll_element(session: &Session, call: ScrollElement) -> Outcome {
    let pages = call.pages.get();
    if pages == 0.0 {
        return Err(invalid(
            "`pages` is 0; say how far: 1 is a page down or to the right",
        ));
    }
    let known = Known::find(session, &call.target).await?;
    let (at, shown) = aim::scroller(session, &known).await?;
    let horizontal = call.axis == Some(Axis::Horizontal);
    let wheel = Wheel {
        session,
        known,
        at,
        horizontal,
    };
    let wanted = pages * f64::from(if horizontal { shown.w } else { shown.h });
    let moved = wheel.scroll(wanted).await?;
    if moved * wanted > 0.0 {
        return Ok(Reply::Done);
    }
    Err(CodedError::new(
        ErrorCode::Unsupported,
        format!(
            "{} did not scroll that way: it is at its end already, or does not scroll",
            call.target.reference
        ),
    ))
}

/// The wheel over what scrolls.
struct Wheel<'a> {
    session: &'a Session,
    known: Known<'a>,
    at: Point,
    horizontal: bool,
}

impl Wheel<'_> {
    /// Scrolls so many pixels, as near as steps of the wheel come; gives how many it were.
    async fn scroll(&self, wanted: f64) -> Result<f64, CodedError> {
        let before = self.scrolled().await?;
        let mut now = before.clone();
        let (mut steps, mut turned, mut moved) = (wanted.signum(), 0.0, 0.0);
        for _ in 0..GOES {
            self.turn(steps * STEP).await?;
            turned += steps;
            let after = self.rested(&now).await?;
            if after == now {
                // It is at its end.
                break;
            }
            now = after;
            moved = now.since(&before).unwrap_or_default();
            if moved * wanted <= 0.0 {
                break;
            }
            // As far again as the steps so far went, each; nearer than half a step it does not get.
            steps = ((wanted - moved) / (moved / turned)).round();
            steps = steps.clamp(-MOST_STEPS, MOST_STEPS);
            if steps == 0.0 {
                break;
            }
        }
        Ok(moved)
    }

    async fn turn(&self, units: f64) -> Result<(), CodedError> {
        let (dx, dy) = if self.horizontal {
            (units, 0.0)
        } else {
            (0.0, units)
        };
        let desk = &self.session.daemon().desk;
        let gesture = Gesture::Scroll { at: self.at, dx, dy };
        desk.gesture(self.session.holder(), gesture).await?;
        desk.settle().await
    }

    async fn scrolled(&self) -> Result<Scrolled, CodedError> {
        let known = &self.known;
        let read = known
            .engine
            .scrolled(known.handle, self.horizontal, PATIENCE)
            .await;
        known.told(read).await
    }

    /// How far it is scrolled when it has come to rest.
    async fn rested(&self, before: &Scrolled) -> Result<Scrolled, CodedError> {
        let start = Instant::now();
        let mut last = before.clone();
        let mut changed = None;
        while start.elapsed() < MOVING {
            match changed {
                None if start.elapsed() >= REACTION => break,
                Some(at) if Instant::now().duration_since(at) >= QUIET => break,
                _ => tokio::time::sleep(AGAIN).await,
            }
            let now = self.scrolled().await?;
            if now != last {
                (last, changed) = (now, Some(Instant::now()));
            }
        }
        Ok(last)
    }
}
