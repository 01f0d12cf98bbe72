//! Acting on controls through their accessibility interface.

use atspi_common::Interface;
use futures_util::future::join;
use zbus::zvariant::Value;

use crate::A11yError;
use crate::bus::{Bus, CallError, body};
use crate::node::{Facts, Place};
use crate::walk::{self, ACTION, EDITABLE_TEXT, TEXT, VALUE};

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

/// The longest text that is set at a time.
const LONGEST: usize = 1 << 20;

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

/// Does the action of this name, or the one that activates.
pub(crate) async fn invoke(
    bus: &Bus,
    place: &Place,
    facts: &Facts,
    name: Option<&str>,
) -> Result<(), Refusal> {
    let is = |own: &str, wanted: &str| own.eq_ignore_ascii_case(wanted);
    let index = match name {
        Some(name) => facts.actions.iter().position(|own| is(own, name)),
        None => ACTIVATING
            .iter()
            .find_map(|wanted| facts.actions.iter().position(|own| is(own, wanted))),
    };
    let Some(index) = index else {
        let what = name.map_or_else(
            || "no action that only activates it".to_owned(),
            |name| format!("no action {name:?}"),
        );
        let has = if facts.actions.is_empty() {
            "it has none; click it instead".to_owned()
        } else {
            format!("name one of these in `text`: {}", facts.actions.join(", "))
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

/// Gives it another number or text, and reads that back.
pub(crate) async fn set_value(bus: &Bus, place: &Place, value: &str) -> Result<(), Refusal> {
    if value.len() > LONGEST {
        return Err(A11yError::Invalid(format!(
            "the text has {} bytes; at most {LONGEST} can be set at a time",
            value.len()
        ))
        .into());
    }
    let interfaces = walk::interfaces(bus, place).await?;
    if interfaces.contains(Interface::EditableText) {
        set_text(bus, place, value).await
    } else if interfaces.contains(Interface::Value) {
        set_number(bus, place, value).await
    } else {
        Err(A11yError::Unsupported(
            "it takes neither a number nor a text; click it and type instead".to_owned(),
        )
        .into())
    }
}

async fn set_text(bus: &Bus, place: &Place, value: &str) -> Result<(), Refusal> {
    bus.call(place, EDITABLE_TEXT, "SetTextContents", &(value,))
        .await?;
    let text: String = body(bus.call(place, TEXT, "GetText", &(0_i32, -1_i32)).await?)?;
    if text == value {
        Ok(())
    } else {
        Err(A11yError::Unsupported(
            "the application did not take the text: it is read-only, or has its own idea of it; click it and type instead"
                .to_owned(),
        )
        .into())
    }
}

async fn set_number(bus: &Bus, place: &Place, value: &str) -> Result<(), Refusal> {
    let Ok(number) = value.trim().parse::<f64>() else {
        return Err(A11yError::Invalid(format!("it takes a number, not {value:?}")).into());
    };
    bus.set_property(place, VALUE, "CurrentValue", Value::from(number))
        .await?;
    let now: f64 = bus.property(place, VALUE, "CurrentValue").await?;
    if (now - number).abs() <= number.abs().max(1.0) * 1e-6 {
        return Ok(());
    }
    let range = |name| bus.property::<f64>(place, VALUE, name);
    let limits = match join(range("MinimumValue"), range("MaximumValue")).await {
        (Ok(least), Ok(most)) => format!(", and takes {least} to {most}"),
        _ => String::new(),
    };
    Err(A11yError::Unsupported(format!(
        "the application did not take {number}: it has {now} now{limits}"
    ))
    .into())
}
