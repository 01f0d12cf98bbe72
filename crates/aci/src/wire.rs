//! How Rust types stand for JSON: one trait, and two macros that declare a type once for parser, writer and schema.
//!
//! Why not a derive of a general serializer: those take `null` for an absent field, an array for an object and a map
//! for a word, refuse `5.0` where JSON Schema calls it an integer, and say ranges in a second place. Here a
//! declaration has one meaning, and it is JSON Schema's (ADR 0005).

mod fault;
mod near;
mod numbers;
mod object;
mod scalars;
mod words;

pub use fault::Fault;
pub use numbers::{Int, Integer, Natural, Number, Positive};
pub use scalars::{Array, Constant, NonEmpty, NonEmptyString};

pub(crate) use fault::shown;
pub(crate) use near::question;
pub(crate) use object::{Object, Openness, description, object_field, wire_object};
pub(crate) use words::{names, words};

use serde_json::Value;

/// A type with exactly one JSON form.
pub trait Wire: Sized {
    /// Reads the JSON form.
    ///
    /// # Errors
    /// A [`Fault`] that names the place and what was expected there.
    fn decode(value: Value) -> Result<Self, Fault>;

    /// Writes the JSON form.
    fn encode(self) -> Value;

    /// The JSON Schema of the form, as it is written where the type is used: a reference for types with a name.
    fn schema() -> Value;
}
