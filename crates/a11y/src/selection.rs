//! Selecting a piece of a control's text, and putting the caret at it.

use atspi_common::Interface;

use crate::A11yError;
use crate::act::Refusal;
use crate::bus::{Bus, CallError, body};
use crate::node::{Facts, Place};
use crate::value;
use crate::walk::{self, COMPONENT, Source, TEXT};

/// What is done with the text that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// It is selected.
    Select,
    /// The caret is put before it.
    Before,
    /// The caret is put after it.
    After,
}

/// A piece of a control's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// The text, letter for letter.
    pub text: String,
    /// What stands right before it; may be empty.
    pub prefix: String,
    /// What stands right after it; may be empty.
    pub suffix: String,
    /// What to do with it.
    pub mark: Mark,
}

impl Passage {
    /// Where it begins and ends in a text, in characters.
    fn find(&self, all: &str) -> Result<(usize, usize), A11yError> {
        let whole = format!("{}{}{}", self.prefix, self.text, self.suffix);
        // Two places may overlap, as "aa" does in "aaa".
        let starts: Vec<usize> = all
            .char_indices()
            .enumerate()
            .filter(|(_, (at, _))| all[*at..].starts_with(&whole))
            .map(|(index, _)| index)
            .collect();
        match starts.as_slice() {
            &[start] => {
                let start = start + self.prefix.chars().count();
                Ok((start, start + self.text.chars().count()))
            }
            [] if all.contains(&self.text) => Err(A11yError::Invalid(format!(
                "{:?} is there, but not with this prefix and suffix; correct them, letter for letter",
                self.text
            ))),
            [] => Err(A11yError::Invalid(format!(
                "{:?} is not in the element's text; observe again and copy it letter for letter",
                self.text
            ))),
            several => Err(A11yError::Invalid(format!(
                "{:?} is there {} times; add `prefix` or `suffix`, the text right before or after the one that is meant",
                self.text,
                several.len()
            ))),
        }
    }
}

/// Does it and reads it back. The control gets the keyboard focus, as it would from a person.
pub(crate) async fn select(
    source: Source<'_>,
    place: &Place,
    facts: &Facts,
    passage: &Passage,
) -> Result<(), Refusal> {
    let bus = source.bus;
    let interfaces = walk::interfaces(bus, place).await?;
    if !interfaces.contains(Interface::Text) {
        return Err(A11yError::Unsupported("it has no text to select in".to_owned()).into());
    }
    let (start, end) = passage.find(&value::text(source, place).await?)?;
    // Offsets on the bus have 32 bits; a longer text does not come over it.
    let [start, end] = [start, end].map(|offset| i32::try_from(offset).unwrap_or(i32::MAX));
    // Before, because a field that gets the focus may select all of its text.
    if facts.is("focusable") && !facts.is("focused") {
        match bus.call(place, COMPONENT, "GrabFocus", &()).await {
            // One that does not take it can have a selection nevertheless.
            Ok(_) | Err(CallError::Refused) => {}
            Err(late) => return Err(late.into()),
        }
    }
    let done = match passage.mark {
        Mark::Select => selected(bus, place, start, end).await?,
        Mark::Before => put_caret(bus, place, start).await?,
        Mark::After => put_caret(bus, place, end).await?,
    };
    if done {
        Ok(())
    } else {
        Err(A11yError::Unsupported(
            "the application did not do it; click into the text and use shift with the arrow keys".to_owned(),
        )
        .into())
    }
}

async fn selected(bus: &Bus, place: &Place, start: i32, end: i32) -> Result<bool, CallError> {
    let told = if selections(bus, place).await? > 0 {
        bus.call(place, TEXT, "SetSelection", &(0_i32, start, end)).await
    } else {
        bus.call(place, TEXT, "AddSelection", &(start, end)).await
    };
    if !told.and_then(body::<bool>)? {
        // Chromium adds none, and changes one that is not there.
        bus.call(place, TEXT, "SetSelection", &(0_i32, start, end))
            .await?;
    }
    let taken = value::until(|| async {
        if selections(bus, place).await? != 1 {
            return Ok(None);
        }
        let now: (i32, i32) = body(bus.call(place, TEXT, "GetSelection", &(0_i32,)).await?)?;
        Ok((now == (start, end) || now == (end, start)).then_some(()))
    });
    Ok(taken.await?.is_some())
}

async fn put_caret(bus: &Bus, place: &Place, offset: i32) -> Result<bool, CallError> {
    if selections(bus, place).await? > 0 {
        bus.call(place, TEXT, "RemoveSelection", &(0_i32,)).await?;
    }
    bus.call(place, TEXT, "SetCaretOffset", &(offset,)).await?;
    let taken = value::until(|| async {
        let now = bus.property::<i32>(place, TEXT, "CaretOffset").await?;
        Ok((now == offset && selections(bus, place).await? == 0).then_some(()))
    });
    Ok(taken.await?.is_some())
}

/// How many selections there are. GTK 3 and Chromium may tell of one that is empty.
async fn selections(bus: &Bus, place: &Place) -> Result<usize, CallError> {
    let count: i32 = body(bus.call(place, TEXT, "GetNSelections", &()).await?)?;
    if count == 1 {
        let (start, end): (i32, i32) = body(bus.call(place, TEXT, "GetSelection", &(0_i32,)).await?)?;
        return Ok(usize::from(start != end));
    }
    Ok(usize::try_from(count).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(all: &str, prefix: &str, text: &str, suffix: &str) -> Result<(usize, usize), String> {
        let [text, prefix, suffix] = [text, prefix, suffix].map(str::to_owned);
        let mark = Mark::Select;
        Passage {
            text,
            prefix,
            suffix,
            mark,
        }
        .find(all)
        .map_err(|error| error.to_string())
    }

    #[test]
    fn a_passage_is_found_by_what_stands_around_it() {
        let all = "Grüße: the Q3 report, the Q3 plan";
        assert_eq!(found(all, "", "report", ""), Ok((14, 20)));
        assert_eq!(found(all, "", "Q3", " plan"), Ok((26, 28)));
        assert_eq!(found(all, "Grüße: the ", "Q3", ""), Ok((11, 13)));
        let twice = found(all, "the ", "Q3", "").unwrap_err();
        assert!(twice.contains("2 times") && twice.contains("`suffix`"), "{twice}");
        assert!(found("aaa", "", "aa", "").unwrap_err().contains("2 times"));
        assert!(found(all, "", "Q4", "").unwrap_err().contains("is not in"));
        assert!(found(all, "x", "plan", "").unwrap_err().contains("prefix"));
    }
}
