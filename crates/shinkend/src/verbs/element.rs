//! Single elements: where they are, what they can do, and their values.

use std::time::Duration;

use a11y::A11yError;
use a11y::engine::Engine;
use a11y::tree::Handle;
use aci::error_code::{CodedError, ErrorCode};
use aci::target::{ElementRef, Target};
use aci::verb::call;
use desktop::backend::Point;

use crate::reply::{Outcome, Reply, coded_element, invalid};
use crate::session::Session;

/// How long an element's application may take.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

pub(super) async fn invoke_action(session: &Session, call: call::InvokeAction) -> Outcome {
    let element = Known::target(session, &call.target).await?;
    let done = element.engine.invoke(element.handle, call.text, PATIENCE).await;
    element.acted(done).await
}

/// An element that this session has seen.
pub(super) struct Known<'a> {
    session: &'a Session,
    pub(super) engine: &'a Engine,
    element: &'a ElementRef,
    id: u64,
    pub(super) handle: Handle,
}

impl<'a> Known<'a> {
    /// The element of a target that must be one.
    pub(super) async fn target(session: &'a Session, target: &'a Target) -> Result<Self, CodedError> {
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

    /// A control, for what only its program can do.
    pub(super) async fn find(session: &'a Session, element: &'a ElementRef) -> Result<Self, CodedError> {
        let known = Self::find_any(session, element).await?;
        if known.handle.is_guessed() {
            return Err(CodedError::new(
                ErrorCode::Unsupported,
                format!(
                    "{} is a region guessed from pixels, and no program says what it can do; click it, type, or scroll over it",
                    element.reference
                ),
            ));
        }
        Ok(known)
    }

    /// A control or a region that was guessed.
    pub(super) async fn find_any(session: &'a Session, element: &'a ElementRef) -> Result<Self, CodedError> {
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

    /// What it is called on the wire.
    pub(super) fn reference(&self) -> &'a str {
        &self.element.reference
    }

    /// The middle of a region that was guessed, where it still looks the same.
    pub(super) async fn guessed_middle(&self) -> Result<Point, CodedError> {
        let guesses = self.session.elements()?.guesses().lock().await;
        let desk = &self.session.daemon().desk;
        match guesses.middle(desk, self.handle).await? {
            Some(middle) => Ok(middle),
            None => {
                let view = self.session.view().lock().await;
                Err(stale(self.element, view.gone(self.id)))
            }
        }
    }

    /// What the engine said; of an element that is gone, with what it was.
    pub(super) async fn told<T>(&self, said: Result<T, A11yError>) -> Result<T, CodedError> {
        match said {
            Err(A11yError::Stale(_)) => {
                let view = self.session.view().lock().await;
                Err(stale(self.element, view.gone(self.id)))
            }
            other => other.map_err(coded_element),
        }
    }

    /// The outcome of a verb that changes the element.
    pub(super) async fn acted(self, done: Result<(), A11yError>) -> Outcome {
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
