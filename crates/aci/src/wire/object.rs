//! Objects with named fields.

use serde_json::{Map, Value};

use super::{Fault, Wire, question, shown};
use crate::rule::Rule;

/// Whether fields beyond the declared ones are refused or passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Openness {
    /// Refused.
    Closed,
    /// Passed over.
    Open,
}

/// An object that is being read: its fields are taken out of it one after another.
#[derive(Debug)]
pub(crate) struct Object(Map<String, Value>);

impl Object {
    /// Begins to read. Unknown fields are refused before anything else, for a misspelt field is also a missing one and
    /// its name is the better hint.
    pub(crate) fn open(value: Value, openness: Openness, known: &[&str]) -> Result<Self, Fault> {
        let fields = Map::decode(value)?;
        let unknown = fields.keys().find(|key| !known.contains(&key.as_str()));
        match unknown {
            Some(key) if openness == Openness::Closed => Err(Fault::new(format!(
                "unknown field {};{} the fields are {}",
                shown(key),
                question(key, known),
                known.join(", ")
            ))),
            _ => Ok(Self(fields)),
        }
    }

    /// Checks the rules between fields. It comes before the fields are taken.
    pub(crate) fn check(&self, rules: &[Rule]) -> Result<(), Fault> {
        rules.iter().try_for_each(|rule| rule.check(&self.0))
    }

    /// Takes a field whose value is fixed.
    pub(crate) fn constant(&mut self, key: &str, is: &Value) -> Result<(), Fault> {
        let found = self.0.remove(key).ok_or_else(|| missing(key))?;
        // As in JSON Schema, numbers are equal by value: 0.0 is 0.
        let same = match (found.as_f64(), is.as_f64()) {
            (Some(found), Some(is)) => found == is,
            _ => found == *is,
        };
        if same {
            Ok(())
        } else {
            Err(Fault::expected(&is.to_string(), &found).inside(key))
        }
    }

    pub(crate) fn required<T: Wire>(&mut self, key: &str) -> Result<T, Fault> {
        self.optional(key)?.ok_or_else(|| missing(key))
    }

    pub(crate) fn optional<T: Wire>(&mut self, key: &str) -> Result<Option<T>, Fault> {
        self.0
            .remove(key)
            .map(T::decode)
            .transpose()
            .map_err(|fault| fault.inside(key))
    }
}

fn missing(key: &str) -> Fault {
    Fault::new(format!("the field {key:?} is missing"))
}

/// Doc comment lines as one paragraph, without the brackets that make links of names.
pub(crate) fn description(lines: &[&str]) -> String {
    lines
        .iter()
        .map(|line| line.trim())
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
        .replace("[`", "`")
        .replace("`]", "`")
}

/// Declares a struct once: its Rust form, parser, writer and schema.
///
/// `closed` refuses unknown fields, `open` passes them over. `fixed` fields have one value and no Rust field.
/// `rules` is a slice of [`Rule`] on which fields go together.
macro_rules! wire_object {
    (
        $(#[doc = $doc:literal])*
        $(#[derive($($derive:ident),*)])?
        pub struct $name:ident: $openness:ident $(, rules $rules:ident)? {
            $(fixed $ckey:literal = $cval:literal;)*
            $($(#[doc = $fdoc:literal])* $key:literal $field:ident: $kind:ident $ty:ty,)*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq $($(, $derive)*)?)]
        pub struct $name {
            $($(#[doc = $fdoc])* pub $field: crate::wire::object_field!(@type $kind $ty),)*
        }

        impl $name {
            /// The schema that stands under this name in `$defs`.
            pub(crate) fn definition() -> serde_json::Value {
                #[allow(unused_mut, reason = "an object may have no field of that kind")]
                let mut required: Vec<&str> = vec![$($ckey),*];
                let mut properties = serde_json::Map::new();
                $(properties.insert($ckey.to_owned(), serde_json::json!({"const": $cval}));)*
                $(
                    crate::wire::object_field!(@note $kind required $key);
                    let mut property = <$ty as crate::wire::Wire>::schema();
                    let text = crate::wire::description(&[$($fdoc),*]);
                    if !text.is_empty() {
                        property["description"] = text.into();
                    }
                    properties.insert($key.to_owned(), property);
                )*
                let mut schema = serde_json::json!({
                    "type": "object",
                    "description": crate::wire::description(&[$($doc),*]),
                    "properties": properties,
                });
                if !required.is_empty() {
                    schema["required"] = required.into();
                }
                if crate::wire::Openness::$openness == crate::wire::Openness::Closed {
                    schema["additionalProperties"] = false.into();
                }
                $(
                    let rules: &[crate::rule::Rule] = $rules();
                    schema["allOf"] = rules.iter().map(crate::rule::Rule::schema).collect();
                )?
                schema
            }
        }

        impl crate::wire::Wire for $name {
            fn decode(value: serde_json::Value) -> Result<Self, crate::wire::Fault> {
                #[allow(unused_mut, reason = "an object may have no field of that kind")]
                let mut object = crate::wire::Object::open(
                    value,
                    crate::wire::Openness::$openness,
                    &[$($ckey,)* $($key),*],
                )?;
                $(object.check($rules())?;)?
                $(object.constant($ckey, &serde_json::json!($cval))?;)*
                Ok(Self {
                    $($field: object.$kind::<$ty>($key)?,)*
                })
            }

            fn encode(self) -> serde_json::Value {
                #[allow(unused_mut, reason = "an object may have no field of that kind")]
                let mut map = serde_json::Map::new();
                $(map.insert($ckey.to_owned(), serde_json::json!($cval));)*
                $(crate::wire::object_field!(@put $kind map $key self.$field);)*
                serde_json::Value::Object(map)
            }

            fn schema() -> serde_json::Value {
                serde_json::json!({"$ref": concat!("#/$defs/", stringify!($name))})
            }
        }
    };
}

/// The parts of [`wire_object`] that differ between required and optional fields.
macro_rules! object_field {
    (@type required $ty:ty) => { $ty };
    (@type optional $ty:ty) => { Option<$ty> };
    (@note required $list:ident $key:literal) => { $list.push($key) };
    (@note optional $list:ident $key:literal) => {};
    (@put required $map:ident $key:literal $value:expr) => {
        $map.insert($key.to_owned(), crate::wire::Wire::encode($value))
    };
    (@put optional $map:ident $key:literal $value:expr) => {
        if let Some(value) = $value {
            $map.insert($key.to_owned(), crate::wire::Wire::encode(value));
        }
    };
}

pub(crate) use {object_field, wire_object};
