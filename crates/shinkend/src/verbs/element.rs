//! Single elements: where they are, what they can do, and their values.

use std::time::Duration;

use a11y::A11yError;
use a11y::engine::Engine;
use a11y::tree::Handle;
use aci::error_code::{CodedError, ErrorCode};
use aci::target::{ElementRef, Target};
use aci::verb::call;
use desktop::backend::Point;

use crate::elements::top_levels;
use crate::reply::{Outcome, Reply, coded_element, invalid};
use crate::session::Session;

/// How long an element's application may take.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) async fn invoke_action(session: &Session, call: call::InvokeAction) -> Outcome {
    let element = Known::target(session, &call.target).await?;
    let done = element.engine.invoke(element.handle, call.text, PATIENCE).await;
    element.acted(done).await
}

pub(super) async fn set_value(session: &Session, call: call::SetValue) -> Outcome {
    let element = Known::target(session, &call.target).await?;
    let done = element
        .engine
        .set_value(element.handle, call.text, PATIENCE)
        .await;
    element.acted(done).await
}

/// The middle of an element as it is drawn now, where nothing covers it.
pub(super) async fn middle(session: &Session, element: &ElementRef) -> Result<Point, CodedError> {
    let known = Known::find(session, element).await?;
    // What is still on its way may move it.
    let desk = &session.daemon().desk;
    desk.settle().await?;
    let needed = known.engine.needs_windows(known.handle, PATIENCE).await;
    let windows = if known.told(needed).await? {
        top_levels(desk.windows(|windows| windows.list()).await?)
    } else {
        Vec::new()
    };
    let located = known.engine.locate(known.handle, windows, PATIENCE).await;
    let located = known.told(located).await?;
    let (w, h) = desk.screen_size().await?;
    let area = located.facts.rect;
    let visible = area.and_then(|rect| {
        let within = |from: i32, length: u32, limit: u32| {
            let (from, limit) = (i64::from(from), i64::from(limit));
            let (first, end) = (from.max(0), (from + i64::from(length)).min(limit));
            // Both ends are on the screen, whose edges fit.
            (first < end).then(|| i32::try_from(i64::midpoint(first, end)).unwrap_or(i32::MAX))
        };
        Some(Point {
            x: within(rect.x, rect.w, w)?,
            y: within(rect.y, rect.h, h)?,
        })
    });
    let point = visible.ok_or_else(|| {
        invalid(format!(
            "{} is not drawn on the screen now; scroll to it, or use invoke_action",
            element.reference
        ))
    })?;
    let above = desk.windows(move |windows| windows.at(point)).await?;
    match above.and_then(|window| Some((window.pid?, window))) {
        // Programs that do not say their process are believed to be in their place.
        Some((process, window)) if located.process.is_some_and(|own| own != process) => {
            Err(invalid(format!(
                "{} is covered by window {} {:?} of another program; move that away or use activate_window, or invoke_action",
                element.reference, window.id, window.title
            )))
        }
        _ => Ok(point),
    }
}

/// An element that this session has seen.
struct Known<'a> {
    session: &'a Session,
    engine: &'a Engine,
    element: &'a ElementRef,
    id: u64,
    handle: Handle,
}

impl<'a> Known<'a> {
    /// The element of a target that must be one.
    async fn target(session: &'a Session, target: &'a Target) -> Result<Self, CodedError> {
        // Where no elements are offered, that is what is wrong first.
        session.elements()?;
        match target {
            Target::ElementRef(element) => Self::find(session, element).await,
            other => Err(invalid(format!(
                "this verb needs a target of kind element_ref, not {}",
                other.kind()
            ))),
        }
    }

    async fn find(session: &'a Session, element: &'a ElementRef) -> Result<Self, CodedError> {
        let engine = session.elements()?.engine();
        let id = number(&element.reference).ok_or_else(|| {
            invalid(format!(
                "{:?} is no element: they are called e1, e2 and so on, as observe lists them",
                element.reference
            ))
        })?;
        let view = session.view().lock().await;
        let handle = view.handle(id).ok_or_else(|| stale(element, view.gone(id)))?;
        Ok(Self {
            session,
            engine,
            element,
            id,
            handle,
        })
    }

    /// What the engine said; of an element that is gone, with what it was.
    async fn told<T>(&self, said: Result<T, A11yError>) -> Result<T, CodedError> {
        match said {
            Err(A11yError::Stale(_)) => {
                let view = self.session.view().lock().await;
                Err(stale(self.element, view.gone(self.id)))
            }
            other => other.map_err(coded_element),
        }
    }

    /// The outcome of a verb that changes the element.
    async fn acted(self, done: Result<(), A11yError>) -> Outcome {
        self.told(done).await?;
        self.session.daemon().desk.touch();
        Ok(Reply::Done)
    }
}

fn stale(element: &ElementRef, last: Option<&a11y::view::Gone>) -> CodedError {
    let was = match last {
        Some(last) => format!(", which was {} {:?},", last.role, last.name),
        None => " was never shown in this session, or it".to_owned(),
    };
    CodedError::new(
        ErrorCode::StaleElementRef,
        format!("{}{was} is gone; observe again", element.reference),
    )
}

fn number(reference: &str) -> Option<u64> {
    let digits = reference.strip_prefix('e')?;
    // No sign and no leading zero: an id has one spelling.
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    digits.parse().ok().filter(|_| plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_one_spelling() {
        assert_eq!(number("e14"), Some(14));
        for other in ["e014", "e+1", "E1", "1", "e", "e1 ", "e99999999999999999999", ""] {
            assert_eq!(number(other), None, "{other:?}");
        }
    }
}
