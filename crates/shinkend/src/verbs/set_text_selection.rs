//! Selecting a piece of an element's text, and putting the caret at it.

use a11y::{Mark, Passage};
use aci::extension::action::{SelectionMode, SetTextSelection};

use super::element::{Known, PATIENCE};
use crate::reply::Outcome;
use crate::session::Session;

pub(super) async fn set_text_selection(session: &Session, call: SetTextSelection) -> Outcome {
    let element = Known::find(session, &call.target).await?;
    let passage = Passage {
        text: call.text.as_str().to_owned(),
        prefix: call.prefix.unwrap_or_default(),
        suffix: call.suffix.unwrap_or_default(),
        mark: match call.mode {
            SelectionMode::Select => Mark::Select,
            SelectionMode::CaretBefore => Mark::Before,
            SelectionMode::CaretAfter => Mark::After,
        },
    };
    let done = element.engine.select(element.handle, passage, PATIENCE).await;
    element.acted(done).await
}
