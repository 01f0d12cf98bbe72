//! Answers beyond the contract.

use serde_json::{Value, json};

use super::taken;
use crate::observation::{BinaryImage, Observation};
use crate::wire::{Fault, Number, Positive, Wire, wire_object};

wire_object! {
    /// How the interface came to rest before it was looked at.
    #[derive(Copy)]
    pub struct Settle: Closed {
        /// Whether it did: the quiet time that was asked for was reached (none was, where none was asked for), and the screen
        /// did not change between the picture and the tree.
        "quiesced" quiesced: required bool,
        /// How long that was waited for, in milliseconds.
        "waited_ms" waited_ms: required Number<0>,
    }
}

wire_object! {
    /// An application.
    #[derive(Eq)]
    pub struct AppInfo: Open {
        /// What it calls itself, or its program's name.
        "name" name: required String,
        /// Its process.
        "pid" pid: required Positive,
        /// Its program's file, where the system tells.
        "path" path: optional String,
        /// Whether its window is the active one.
        "focused" focused: required bool,
    }
}

/// An observation with the fields of the contract and a report on how the interface came to rest. It is never part of a stream and
/// never `not_modified`.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// The picture, the tree, or both.
    pub seen: Observation,
    /// The report.
    pub settle: Settle,
}

/// The header of a binary message that carries a view's picture.
#[derive(Debug, Clone, PartialEq)]
pub struct BinaryView {
    /// The tree, where it was asked for, and what is said of the picture; its `image` is not here.
    pub seen: Observation,
    /// The picture.
    pub image: BinaryImage,
    /// The report.
    pub settle: Settle,
}

/// Fields of an observation that no view has.
const OF_STREAMS: [&str; 4] = ["stream", "seq", "tiles", "not_modified"];

fn of_no_stream(value: &Value) -> Result<(), Fault> {
    match OF_STREAMS.iter().find(|field| value.get(**field).is_some()) {
        Some(field) => Err(Fault::new(format!(
            "the field {field:?} cannot go with \"settle\""
        ))),
        None => Ok(()),
    }
}

fn needed<T: Wire>(value: Option<Value>, name: &str) -> Result<T, Fault> {
    let value = value.ok_or_else(|| Fault::new(format!("the field {name:?} is missing")))?;
    T::decode(value).map_err(|fault| fault.inside(name))
}

/// The schema of a view whose picture has this one.
fn definition(description: &str, image: Option<Value>) -> Value {
    let mut schema = Observation::definition();
    schema["description"] = description.into();
    let mut required = vec!["type", "obs_id", "settle"];
    let settle = Settle::definition();
    if let Some(fields) = schema.as_object_mut() {
        fields.remove("allOf");
    }
    if let Some(properties) = schema["properties"].as_object_mut() {
        properties.retain(|name, _| !OF_STREAMS.contains(&name.as_str()));
        let mut reference = Settle::schema();
        reference["description"] = settle["description"].clone();
        properties.insert("settle".to_owned(), reference);
        if let Some(image) = image {
            properties.insert("image".to_owned(), image);
            required.push("image");
        }
    }
    schema["required"] = required.into();
    schema
}

impl View {
    pub(super) fn definition() -> Value {
        definition(
            "The answer to `observe` with `app` or `include`: an observation that also says how the interface came to rest.",
            None,
        )
    }
}

impl Wire for View {
    fn decode(value: Value) -> Result<Self, Fault> {
        of_no_stream(&value)?;
        let (seen, [settle]) = taken(value, ["settle"])?;
        Ok(Self {
            seen: Observation::decode(seen)?,
            settle: needed(settle, "settle")?,
        })
    }

    fn encode(self) -> Value {
        let mut value = self.seen.encode();
        value["settle"] = self.settle.encode();
        value
    }

    fn schema() -> Value {
        json!({"$ref": "#/$defs/View"})
    }
}

impl BinaryView {
    pub(super) fn definition() -> Value {
        definition(
            "The header of a binary message that carries a view's picture: the view with `image` as in a BinaryFrameHeader.",
            Some(BinaryImage::schema()),
        )
    }
}

impl Wire for BinaryView {
    fn decode(value: Value) -> Result<Self, Fault> {
        of_no_stream(&value)?;
        let (seen, [settle, image]) = taken(value, ["settle", "image"])?;
        Ok(Self {
            seen: Observation::decode(seen)?,
            image: needed(image, "image")?,
            settle: needed(settle, "settle")?,
        })
    }

    fn encode(self) -> Value {
        let mut value = self.seen.encode();
        value["image"] = self.image.encode();
        value["settle"] = self.settle.encode();
        value
    }

    fn schema() -> Value {
        json!({"$ref": "#/$defs/BinaryView"})
    }
}
