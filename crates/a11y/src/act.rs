//! Acting on controls through their accessibility interface.

use zbus::zvariant::Value;

use crate::A11yError;
use crate::bus::{Bus, CallError};
use crate::node::Place;
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

/// Both kinds of failure: what is wrong with the call, and what the application did not answer.
type Done = Result<Result<(), CallError>, A11yError>;

/// Does the action of this name, or the one that activates.
pub(crate) async fn invoke(bus: &Bus, place: &Place, name: Option<&str>) -> Done {
    let facts = match walk::facts(bus, place).await {
        Ok(facts) => facts,
        Err(error) => return Ok(Err(error)),
    };
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
        return Err(A11yError::Unsupported(format!(
            "{} has {what}; {has}",
            facts.role
        )));
    };
    let index = i32::try_from(index).unwrap_or(i32::MAX);
    match bus.call(place, ACTION, "DoAction", &(index,)).await {
        Ok(reply) if reply.body().deserialize().unwrap_or(true) => Ok(Ok(())),
        Ok(_) => Err(A11yError::Unsupported(
            "the application refused the action; is the control enabled?".to_owned(),
        )),
        Err(error) => Ok(Err(error)),
    }
}

/// Gives it another number or text, and reads that back.
pub(crate) async fn set_value(bus: &Bus, place: &Place, value: &str) -> Done {
    if value.len() > LONGEST {
        return Err(A11yError::Invalid(format!(
            "the text has {} bytes; at most {LONGEST} can be set at a time",
            value.len()
        )));
    }
    let interfaces = match walk::interfaces(bus, place).await {
        Ok(interfaces) => interfaces,
        Err(error) => return Ok(Err(error)),
    };
    let failed = if interfaces.contains(atspi_common::Interface::EditableText) {
        set_text(bus, place, value).await?
    } else if interfaces.contains(atspi_common::Interface::Value) {
        set_number(bus, place, value).await?
    } else {
        return Err(A11yError::Unsupported(
            "it takes neither a number nor a text; click it and type instead".to_owned(),
        ));
    };
    Ok(failed)
}

async fn set_text(bus: &Bus, place: &Place, value: &str) -> Done {
    match bus.call(place, EDITABLE_TEXT, "SetTextContents", &(value,)).await {
        Ok(_) => {}
        Err(error) => return Ok(Err(error)),
    }
    let read = bus.call(place, TEXT, "GetText", &(0_i32, -1_i32)).await;
    let text: String = match read.and_then(walk::body) {
        Ok(text) => text,
        Err(error) => return Ok(Err(error)),
    };
    if text == value {
        Ok(Ok(()))
    } else {
        Err(A11yError::Unsupported(
            "the application did not take the text: it is read-only, or has its own idea of it; click it and type instead"
                .to_owned(),
        ))
    }
}

async fn set_number(bus: &Bus, place: &Place, value: &str) -> Done {
    let Ok(number) = value.trim().parse::<f64>() else {
        return Err(A11yError::Invalid(format!("it takes a number, not {value:?}")));
    };
    if let Err(error) = bus
        .set_property(place, VALUE, "CurrentValue", Value::from(number))
        .await
    {
        return Ok(Err(error));
    }
    let now: f64 = match bus.property(place, VALUE, "CurrentValue").await {
        Ok(now) => now,
        Err(error) => return Ok(Err(error)),
    };
    let range = |name| bus.property::<f64>(place, VALUE, name);
    let (least, most) = futures_util::future::join(range("MinimumValue"), range("MaximumValue")).await;
    if (now - number).abs() <= number.abs().max(1.0) * 1e-6 {
        return Ok(Ok(()));
    }
    let limits = match (least, most) {
        (Ok(least), Ok(most)) => format!(", and takes {least} to {most}"),
        _ => String::new(),
    };
    Err(A11yError::Unsupported(format!(
        "the application did not take {number}: it has {now} now{limits}"
    )))
}
