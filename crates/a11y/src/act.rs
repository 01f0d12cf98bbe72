//! Acting on controls through their accessibility interface.

use crate::A11yError;
use crate::bus::{Bus, CallError, body};
use crate::node::{Facts, Place};
use crate::walk::ACTION;

/// Actions that only activate, as toolkits call them. What is not here is done only when it is named: an application's first
/// action may be to delete a line.
const ACTIVATING: &[&str] = &[
    "click",
    "press",
    "activate",
    "jump",
    "open",
    "toggle",
    "select",
    "doDefault",
    "SetFocus",
];

/// Why a control did not do what it was asked.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// Its application did not answer.
    Unanswered(CallError),
    /// It cannot, or not so.
    Told(A11yError),
}

impl From<CallError> for Refusal {
    fn from(error: CallError) -> Self {
        Self::Unanswered(error)
    }
}

impl From<A11yError> for Refusal {
    fn from(error: A11yError) -> Self {
        Self::Told(error)
    }
}

/// Which of a control's actions only activates it.
pub(crate) fn activating(facts: &Facts) -> Option<usize> {
    ACTIVATING.iter().find_map(|wanted| {
        facts
            .actions
            .iter()
            .position(|own| own.eq_ignore_ascii_case(wanted))
    })
}

/// Refuses a control that is greyed out: toolkits say yes to what they are asked of it, and do nothing.
pub(crate) fn enabled(facts: &Facts) -> Result<(), Refusal> {
    if facts.is("enabled") || facts.is("sensitive") {
        Ok(())
    } else {
        Err(A11yError::Unsupported("it is disabled now".to_owned()).into())
    }
}

/// Does the action of this name, or the one that activates.
pub(crate) async fn invoke(
    bus: &Bus,
    place: &Place,
    facts: &Facts,
    name: Option<&str>,
) -> Result<(), Refusal> {
    enabled(facts)?;
    let index = match name {
        Some(name) => facts
            .actions
            .iter()
            .position(|own| !own.is_empty() && own.eq_ignore_ascii_case(name)),
        None => activating(facts),
    };
    let Some(index) = index else {
        let what = name.map_or_else(
            || "no action that only activates it".to_owned(),
            |name| format!("no action {name:?}"),
        );
        let named: Vec<&str> = facts.named_actions().collect();
        let has = if named.is_empty() {
            "it has none; click it instead".to_owned()
        } else {
            format!("name one of these in `text`: {}", named.join(", "))
        };
        return Err(A11yError::Unsupported(format!("{} has {what}; {has}", facts.role)).into());
    };
    let index = i32::try_from(index).unwrap_or(i32::MAX);
    let reply = bus.call(place, ACTION, "DoAction", &(index,)).await?;
    if body(reply).unwrap_or(true) {
        Ok(())
    } else {
        Err(
            A11yError::Unsupported("the application refused the action; is the control enabled?".to_owned())
                .into(),
        )
    }
}
