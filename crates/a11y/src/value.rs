//! Giving a control another value: a number, a text, on or off, or one of what it offers.
//!
//! Whatever the interface answers, only what is read back counts. Programs that do their work later (Chromium) are asked again
//! for a while. Where an interface is missing or does nothing, the caller is told that a hand would do it.

use std::time::{Duration, Instant};

use atspi_common::{Interface, InterfaceSet};
use futures_util::future::join;
use zbus::zvariant::Value;

use crate::A11yError;
use crate::act::{self, Refusal};
use crate::bus::{CallError, body};
use crate::node::{Facts, Place};
use crate::toolkit::Toolkit;
use crate::walk::{self, EDITABLE_TEXT, SELECTION, Source, TEXT, VALUE};

/// The longest text that is set at a time.
const LONGEST: usize = 1 << 20;
/// How long a program may take to do what it was asked.
const TAKEN: Duration = Duration::from_secs(1);
/// How often it is asked meanwhile.
const AGAIN: Duration = Duration::from_millis(20);
/// What is on or off.
const SWITCHES: &[&str] = &[
    "check-box",
    "check-menu-item",
    "radio-button",
    "radio-menu-item",
    "switch",
    "toggle-button",
];
/// How a combo box calls what it offers.
const OFFERED: &[&str] = &["list-item", "menu-item", "option", "table-cell"];
/// How far below a combo box that is looked for, how much of it is, and how much of it an error names.
const OFFERS: (usize, usize, usize) = (6, 500, 20);

/// How a control got its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Set {
    /// It has it.
    Done,
    /// Only by what is typed into it.
    ByTyping,
    /// Only by a click, which turns it on or off.
    ByClick,
}

/// Gives a control this value, and reads that back.
pub(crate) async fn set(
    source: Source<'_>,
    place: &Place,
    facts: &Facts,
    value: &str,
) -> Result<Set, Refusal> {
    if value.len() > LONGEST {
        return Err(A11yError::Invalid(format!(
            "the text has {} bytes; at most {LONGEST} can be set at a time",
            value.len()
        ))
        .into());
    }
    act::enabled(facts)?;
    if SWITCHES.contains(&facts.role.as_str()) {
        return switch(source, place, facts, value).await;
    }
    let interfaces = walk::interfaces(source.bus, place).await?;
    let has = |interface| interfaces.contains(interface);
    let is_text = has(Interface::EditableText) || has(Interface::Text);
    // A field for numbers has both, and shows a text that was set without taking it.
    if has(Interface::Value) && (facts.role == "spin-button" || !is_text) {
        set_number(source, place, value).await
    } else if is_text && facts.is("editable") && !facts.is("read-only") {
        set_text(source, place, (facts, interfaces), value).await
    } else if facts.role == "combo-box" {
        choose(source, place, interfaces, value).await
    } else if is_text {
        Err(unsupported("it is read-only"))
    } else {
        Err(unsupported(
            "it takes neither a number nor a text; click it and type instead",
        ))
    }
}

async fn switch(source: Source<'_>, place: &Place, facts: &Facts, value: &str) -> Result<Set, Refusal> {
    let Some(wanted) = switched(value) else {
        return Err(A11yError::Invalid(format!("it takes true or false, not {value:?}")).into());
    };
    if is_on(facts) == wanted {
        return Ok(Set::Done);
    }
    if !wanted && facts.role.starts_with("radio-") {
        return Err(unsupported(
            "one of its group is always chosen; set another one to true",
        ));
    }
    if act::activating(facts).is_none() {
        return Ok(Set::ByClick);
    }
    act::invoke(source.bus, place, facts, None).await?;
    let taken = until(|| async {
        let now = walk::facts(source, place).await?;
        Ok((is_on(&now) == wanted).then_some(()))
    });
    match taken.await? {
        Some(()) => Ok(Set::Done),
        None => Err(unsupported(
            "the application was asked to change it, and it has not changed",
        )),
    }
}

/// What a word says of what is on or off.
fn switched(word: &str) -> Option<bool> {
    match word.trim().to_ascii_lowercase().as_str() {
        "true" | "on" | "1" | "yes" | "checked" => Some(true),
        "false" | "off" | "0" | "no" | "unchecked" => Some(false),
        _ => None,
    }
}

/// Whether a control that is on or off is on.
fn is_on(facts: &Facts) -> bool {
    facts.is("checked") || facts.is("pressed")
}

async fn set_text(
    source: Source<'_>,
    place: &Place,
    (facts, interfaces): (&Facts, InterfaceSet),
    value: &str,
) -> Result<Set, Refusal> {
    let before = text(source, place).await?;
    // Of a password only its length is told.
    let is_secret = facts.role == "password-text";
    if before == value && !is_secret {
        return Ok(Set::Done);
    }
    if !interfaces.contains(Interface::EditableText) {
        return Ok(Set::ByTyping);
    }
    let arguments = (value,);
    let told = source
        .bus
        .call(place, EDITABLE_TEXT, "SetTextContents", &arguments);
    match told.await {
        Ok(_) => {}
        Err(CallError::Refused) => return Ok(Set::ByTyping),
        Err(late) => return Err(late.into()),
    }
    let taken = until(|| async { Ok(has_text(source, place, facts, value).await?.then_some(())) });
    if taken.await?.is_some() {
        return Ok(Set::Done);
    }
    let now = text(source, place).await?;
    if now == before || is_secret {
        Ok(Set::ByTyping)
    } else {
        Err(unsupported(&format!(
            "the application did not take the text as it is: it has {:?} now",
            now.chars().take(80).collect::<String>()
        )))
    }
}

/// Whether a control holds this text; a password one of its length, as no more is told.
async fn has_text(source: Source<'_>, place: &Place, facts: &Facts, value: &str) -> Result<bool, CallError> {
    if facts.role == "password-text" {
        let count: i32 = source.bus.property(place, TEXT, "CharacterCount").await?;
        return Ok(usize::try_from(count).is_ok_and(|count| count == value.chars().count()));
    }
    Ok(text(source, place).await? == value)
}

/// Whether a control that was used by hand has this value now.
pub(crate) async fn has(
    source: Source<'_>,
    place: &Place,
    facts: &Facts,
    value: &str,
) -> Result<bool, CallError> {
    if SWITCHES.contains(&facts.role.as_str()) {
        Ok(switched(value) == Some(is_on(facts)))
    } else {
        has_text(source, place, facts, value).await
    }
}

/// All of a control's text.
pub(crate) async fn text(source: Source<'_>, place: &Place) -> Result<String, CallError> {
    // To the end is -1; GTK 4's entries answer that with nothing.
    let count: i32 = source.bus.property(place, TEXT, "CharacterCount").await?;
    body(source.bus.call(place, TEXT, "GetText", &(0_i32, count)).await?)
}

async fn set_number(source: Source<'_>, place: &Place, value: &str) -> Result<Set, Refusal> {
    let bus = source.bus;
    let Some(number) = value
        .trim()
        .parse::<f64>()
        .ok()
        .filter(|number| number.is_finite())
    else {
        return Err(A11yError::Invalid(format!("it takes a number, not {value:?}")).into());
    };
    bus.set_property(place, VALUE, "CurrentValue", Value::from(number))
        .await?;
    let taken = until(|| async {
        let now: f64 = bus.property(place, VALUE, "CurrentValue").await?;
        Ok(((now - number).abs() <= number.abs().max(1.0) * 1e-6).then_some(()))
    });
    if taken.await?.is_some() {
        return Ok(Set::Done);
    }
    let now: f64 = bus.property(place, VALUE, "CurrentValue").await?;
    let range = |name| bus.property::<f64>(place, VALUE, name);
    let limits = match join(range("MinimumValue"), range("MaximumValue")).await {
        (Ok(least), Ok(most)) => format!(", and takes {least} to {most}"),
        _ => String::new(),
    };
    Err(unsupported(&format!(
        "the application did not take {number}: it has {now} now{limits}"
    )))
}

/// What a combo box offers: where it is, how many stand before it in its list, and what it is called.
struct Offer {
    place: Place,
    index: usize,
    name: String,
}

async fn choose(
    source: Source<'_>,
    place: &Place,
    interfaces: InterfaceSet,
    value: &str,
) -> Result<Set, Refusal> {
    let offers = offers(source, place).await?;
    let Some(offer) = offers.iter().find(|offer| offer.name == value.trim()) else {
        let names: Vec<&str> = offers
            .iter()
            .map(|offer| offer.name.as_str())
            .take(OFFERS.2)
            .collect();
        return Err(unsupported(&if names.is_empty() {
            "it does not say what it offers; click it, and then what you choose".to_owned()
        } else {
            format!("it does not offer {value:?}, but: {}", names.join(", "))
        }));
    };
    if interfaces.contains(Interface::Selection) {
        select(source, place, offer).await
    } else {
        press(source, place, offer).await
    }
}

/// Selects what is offered in the box itself.
async fn select(source: Source<'_>, place: &Place, offer: &Offer) -> Result<Set, Refusal> {
    let index = (i32::try_from(offer.index).unwrap_or(i32::MAX),);
    let is_chosen = || async {
        let told = source.bus.call(place, SELECTION, "IsChildSelected", &index).await;
        told.and_then(body::<bool>)
    };
    if !is_chosen().await? {
        source.bus.call(place, SELECTION, "SelectChild", &index).await?;
    }
    let taken = until(|| async { Ok(is_chosen().await?.then_some(Set::Done)) });
    taken.await?.ok_or_else(by_clicks)
}

/// Does what activates the one that is offered.
async fn press(source: Source<'_>, place: &Place, offer: &Offer) -> Result<Set, Refusal> {
    let shown = || async {
        let facts = walk::facts(source, place).await?;
        Ok::<_, CallError>((facts.name, facts.value))
    };
    let is_selected =
        || async { Ok::<_, CallError>(walk::facts(source, &offer.place).await?.is("selected")) };
    // A list can note what is chosen in it, and its box does not take it (Qt). Chromium's boxes do not tell what they show, but
    // take what their list does.
    let is_trusted = source.toolkit == Toolkit::Chromium;
    let before = shown().await?;
    let facts = walk::facts(source, &offer.place).await?;
    if is_trusted && facts.is("selected") || !is_trusted && before.0 == offer.name {
        return Ok(Set::Done);
    }
    if act::activating(&facts).is_none() {
        return Err(by_clicks());
    }
    act::invoke(source.bus, &offer.place, &facts, None).await?;
    let taken = until(|| async {
        let is = if is_trusted {
            is_selected().await?
        } else {
            shown().await? != before
        };
        Ok(is.then_some(Set::Done))
    });
    taken.await?.ok_or_else(by_clicks)
}

fn by_clicks() -> Refusal {
    unsupported("it cannot be chosen from by its interface; click it, and then what you choose")
}

/// All that is offered in what is below a combo box, whether that is open or not.
async fn offers(source: Source<'_>, place: &Place) -> Result<Vec<Offer>, CallError> {
    let mut offers: Vec<Offer> = Vec::new();
    let mut lists = vec![place.clone()];
    let (depth, most, _) = OFFERS;
    for _ in 0..depth {
        let mut below = Vec::new();
        for list in lists {
            let children = walk::children(source.bus, &list).await?;
            let named = children.into_iter().take(most).map(|child| async move {
                let facts = walk::facts(source, &child).await;
                facts.map(|facts| (child, facts))
            });
            for (index, read) in futures_util::future::join_all(named)
                .await
                .into_iter()
                .enumerate()
            {
                let (place, facts) = read?;
                if OFFERED.contains(&facts.role.as_str()) {
                    let name = facts.name;
                    offers.push(Offer { place, index, name });
                } else {
                    below.push(place);
                }
            }
        }
        if !offers.is_empty() || below.len() > most {
            break;
        }
        lists = below;
    }
    Ok(offers)
}

/// Asks until there is an answer, or the time for it is over.
pub(crate) async fn until<T, F: Future<Output = Result<Option<T>, CallError>>>(
    mut ask: impl FnMut() -> F,
) -> Result<Option<T>, CallError> {
    let start = Instant::now();
    loop {
        match ask().await? {
            None if start.elapsed() < TAKEN => tokio::time::sleep(AGAIN).await,
            answer => return Ok(answer),
        }
    }
}

fn unsupported(why: &str) -> Refusal {
    A11yError::Unsupported(why.to_owned()).into()
}
