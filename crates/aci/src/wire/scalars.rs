//! Strings, switches, lists and maps.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{Fault, Wire};

impl Wire for String {
    fn decode(value: Value) -> Result<Self, Fault> {
        match value {
            Value::String(text) => Ok(text),
            other => Err(Fault::expected("a string", &other)),
        }
    }

    fn encode(self) -> Value {
        Value::String(self)
    }

    fn schema() -> Value {
        json!({"type": "string"})
    }
}

/// A string with at least one character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NonEmptyString(String);

impl NonEmptyString {
    /// The string, where it is not empty.
    pub fn new(text: impl Into<String>) -> Option<Self> {
        let text = text.into();
        (!text.is_empty()).then_some(Self(text))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Wire for NonEmptyString {
    fn decode(value: Value) -> Result<Self, Fault> {
        Self::new(String::decode(value)?).ok_or_else(|| Fault::new("expected a string that is not empty"))
    }

    fn encode(self) -> Value {
        Value::String(self.0)
    }

    fn schema() -> Value {
        json!({"type": "string", "minLength": 1})
    }
}

impl Wire for bool {
    fn decode(value: Value) -> Result<Self, Fault> {
        value
            .as_bool()
            .ok_or_else(|| Fault::expected("true or false", &value))
    }

    fn encode(self) -> Value {
        Value::Bool(self)
    }

    fn schema() -> Value {
        json!({"type": "boolean"})
    }
}

/// A switch that only has one position: a field that is there says `IS`, and nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Constant<const IS: bool>;

impl<const IS: bool> Wire for Constant<IS> {
    fn decode(value: Value) -> Result<Self, Fault> {
        if value == Value::Bool(IS) {
            Ok(Self)
        } else {
            Err(Fault::expected(
                &format!("{IS}, the only value that is supported, or no such field"),
                &value,
            ))
        }
    }

    fn encode(self) -> Value {
        Value::Bool(IS)
    }

    fn schema() -> Value {
        json!({"const": IS})
    }
}

/// Anything at all.
impl Wire for Value {
    fn decode(value: Value) -> Result<Self, Fault> {
        Ok(value)
    }

    fn encode(self) -> Value {
        self
    }

    fn schema() -> Value {
        json!({})
    }
}

/// An object of any content.
impl Wire for Map<String, Value> {
    fn decode(value: Value) -> Result<Self, Fault> {
        match value {
            Value::Object(map) => Ok(map),
            other => Err(Fault::expected("an object", &other)),
        }
    }

    fn encode(self) -> Value {
        Value::Object(self)
    }

    fn schema() -> Value {
        json!({"type": "object"})
    }
}

/// A value that may be `null`; that a field may be absent is said where the field is declared.
impl<T: Wire> Wire for Option<T> {
    fn decode(value: Value) -> Result<Self, Fault> {
        if value.is_null() {
            Ok(None)
        } else {
            T::decode(value).map(Some)
        }
    }

    fn encode(self) -> Value {
        self.map_or(Value::Null, T::encode)
    }

    fn schema() -> Value {
        let mut schema = T::schema();
        let kind = schema["type"].take();
        schema["type"] = json!([kind, "null"]);
        schema
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn decode(value: Value) -> Result<Self, Fault> {
        match value {
            Value::Array(items) => items
                .into_iter()
                .enumerate()
                .map(|(index, item)| T::decode(item).map_err(|fault| fault.inside(format!("[{index}]"))))
                .collect(),
            other => Err(Fault::expected("an array", &other)),
        }
    }

    fn encode(self) -> Value {
        self.into_iter().map(T::encode).collect()
    }

    fn schema() -> Value {
        json!({"type": "array", "items": T::schema()})
    }
}

/// A list with at least one entry.
#[derive(Debug, Clone, PartialEq)]
pub struct NonEmpty<T>(Vec<T>);

impl<T> NonEmpty<T> {
    /// The list, where it is not empty.
    pub fn new(items: Vec<T>) -> Option<Self> {
        (!items.is_empty()).then_some(Self(items))
    }

    /// The entries.
    pub fn as_slice(&self) -> &[T] {
        &self.0
    }

    /// The entries, owned.
    pub fn into_vec(self) -> Vec<T> {
        self.0
    }
}

impl<T: Wire> Wire for NonEmpty<T> {
    fn decode(value: Value) -> Result<Self, Fault> {
        Self::new(Vec::decode(value)?).ok_or_else(|| Fault::new("expected at least one entry"))
    }

    fn encode(self) -> Value {
        self.0.encode()
    }

    fn schema() -> Value {
        let mut schema = Vec::<T>::schema();
        schema["minItems"] = 1.into();
        schema
    }
}

/// A list of exactly `N` entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Array<T, const N: usize>(pub [T; N]);

impl<T: Wire, const N: usize> Wire for Array<T, N> {
    fn decode(value: Value) -> Result<Self, Fault> {
        let items = Vec::<T>::decode(value)?;
        let found = items.len();
        items
            .try_into()
            .map(Self)
            .map_err(|_: Vec<T>| Fault::new(format!("expected exactly {N} entries, found {found}")))
    }

    fn encode(self) -> Value {
        self.0.into_iter().map(T::encode).collect()
    }

    fn schema() -> Value {
        json!({"type": "array", "items": T::schema(), "minItems": N, "maxItems": N})
    }
}

/// An object of named values of one type.
impl<T: Wire> Wire for BTreeMap<String, T> {
    fn decode(value: Value) -> Result<Self, Fault> {
        Map::decode(value)?
            .into_iter()
            .map(|(name, item)| match T::decode(item) {
                Ok(item) => Ok((name, item)),
                Err(fault) => Err(fault.inside(name)),
            })
            .collect()
    }

    fn encode(self) -> Value {
        Value::Object(
            self.into_iter()
                .map(|(name, item)| (name, item.encode()))
                .collect(),
        )
    }

    fn schema() -> Value {
        json!({"type": "object", "additionalProperties": T::schema()})
    }
}
