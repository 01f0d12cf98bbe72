//! An element's value: by its interface, else by hand.

use std::time::{Duration, Instant};

use a11y::engine::Set;
use aci::error_code::{CodedError, ErrorCode};
use aci::verb::call;
use desktop::backend::{Button, Gesture};

use super::element::{Known, PATIENCE};
use super::{aim, keyboard};
use crate::reply::{Outcome, invalid};
use crate::session::Session;

/// How long a program may take to show what was done by hand.
const SHOWN: Duration = Duration::from_secs(2);
/// How often it is asked meanwhile.
const AGAIN: Duration = Duration::from_millis(25);

pub(super) async fn set_value(session: &Session, call: call::SetValue) -> Outcome {
    let element = Known::target(session, &call.target).await?;
    match set(&element, &call.text).await? {
        Set::Done => {}
        Set::ByClick => {
            click(session, &element).await?;
            verify(&element, &call.text).await?;
        }
        Set::ByTyping => {
            type_over(session, &element, &call.text).await?;
            verify(&element, &call.text).await?;
        }
    }
    element.acted(Ok(())).await
}

async fn set(element: &Known<'_>, text: &str) -> Result<Set, CodedError> {
    let set = element
        .engine
        .set_value(element.handle, text.to_owned(), PATIENCE)
        .await;
    element.told(set).await
}

async fn click(session: &Session, element: &Known<'_>) -> Result<(), CodedError> {
    let at = aim::point_of(session, element).await?;
    let click = Gesture::Click {
        at,
        button: Button::Left,
        count: 1,
    };
    gesture(session, click).await
}

async fn type_over(session: &Session, element: &Known<'_>, text: &str) -> Result<(), CodedError> {
    let located = element.engine.locate(element.handle, Vec::new(), PATIENCE).await;
    let several_lines = element.told(located).await?.facts.is("multi-line");
    if text.contains('\t') || (text.contains('\n') && !several_lines) {
        return Err(invalid(format!(
            "{} takes its text by keyboard only, and a tab or a new line would leave it; set a text without",
            element.reference()
        )));
    }
    click(session, element).await?;
    gesture(session, Gesture::Key("ctrl+a".to_owned())).await?;
    if text.is_empty() {
        return gesture(session, Gesture::Key("BackSpace".to_owned())).await;
    }
    let call = call::TypeText {
        text: text.to_owned(),
    };
    keyboard::type_text(session, call).await.map(drop)
}

async fn gesture(session: &Session, gesture: Gesture) -> Result<(), CodedError> {
    session.daemon().desk.gesture(session.holder(), gesture).await
}

/// Waits until the element has its value.
async fn verify(element: &Known<'_>, text: &str) -> Result<(), CodedError> {
    let start = Instant::now();
    loop {
        let has = element
            .engine
            .has_value(element.handle, text.to_owned(), PATIENCE)
            .await;
        if element.told(has).await? {
            return Ok(());
        }
        if start.elapsed() >= SHOWN {
            return Err(CodedError::new(
                ErrorCode::Unsupported,
                format!(
                    "{} was given its value by pointer and keyboard, and does not have it; observe again",
                    element.reference()
                ),
            ));
        }
        tokio::time::sleep(AGAIN).await;
    }
}
