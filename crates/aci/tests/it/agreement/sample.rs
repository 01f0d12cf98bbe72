//! Values made from a schema, most of them valid.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::spelling::{SPELLINGS, as_number, number};
use crate::contract::resolve;
use crate::random::Random;

/// Texts that a field of no particular form may hold.
const TEXTS: &[&str] = &[
    "",
    "a",
    "e14",
    "ctrl+s",
    "Grüße 🎌",
    "line\nbreak\t\"quoted\"\\",
    "\u{0}",
    "true",
    "0",
    " ",
];

/// Values for a place where anything goes.
pub(crate) fn anything() -> Vec<Value> {
    let mut values: Vec<Value> = SPELLINGS.iter().map(|spelling| number(spelling)).collect();
    values.extend(TEXTS.iter().map(|text| json!(text)));
    values.extend([
        json!(null),
        json!(true),
        json!(false),
        json!([]),
        json!([null]),
        json!([1, 2]),
        json!([1, 2, 3, 4]),
        json!(["a"]),
        json!({}),
        json!({"kind": "point_px", "x": 1, "y": 2}),
        json!({"kind": "element_ref"}),
        json!({"off": 0, "len": 1}),
        json!({"a": null}),
        json!("window:12"),
        json!("window:0xBeef"),
        json!("window:99999999999999999999999"),
        json!("window:"),
        json!("window:0x"),
        json!("window:0X1"),
        json!("window:-1"),
        json!("window:1\n"),
        json!("window:१"),
        json!("Window:1"),
        json!("Screen"),
    ]);
    values
}

/// Makes values of the schemas in one document.
#[derive(Debug)]
pub(crate) struct Maker<'a> {
    pub(crate) document: &'a Value,
    pub(crate) random: Random,
}

impl<'a> Maker<'a> {
    /// A value of the schema. `fullness` is how likely a field that may be left out is there, in quarters.
    pub(crate) fn value(&mut self, schema: &'a Value, fullness: usize) -> Value {
        if let Some(reference) = schema["$ref"].as_str() {
            return self.value(resolve(self.document, reference), fullness);
        }
        if let Some(only) = schema.get("const") {
            return only.clone();
        }
        for choice in ["enum", "oneOf"] {
            if let Some(choices) = schema[choice].as_array() {
                let chosen = self.random.pick(choices);
                return if choice == "enum" {
                    chosen.clone()
                } else {
                    self.value(chosen, fullness)
                };
            }
        }
        let kind = match &schema["type"] {
            Value::Array(kinds) => self.random.pick(kinds).as_str(),
            kind => kind.as_str(),
        };
        match kind {
            Some("object") => self.object(schema, fullness),
            Some("array") => self.array(schema, fullness),
            Some("string") => self.string(schema),
            Some("integer" | "number") => self.number(schema, kind == Some("integer")),
            Some("boolean") => json!(self.random.once_in(2)),
            Some("null") => Value::Null,
            None => self.random.pick(&anything()).clone(),
            Some(other) => panic!("no samples of type {other}"),
        }
    }

    fn object(&mut self, schema: &'a Value, fullness: usize) -> Value {
        let mut object = Map::new();
        if let Some(properties) = schema["properties"].as_object() {
            for (name, property) in properties {
                if requires(schema, name) || self.random.below(4) < fullness {
                    object.insert(name.clone(), self.value(property, fullness));
                }
            }
        }
        let rest = schema.get("additionalProperties");
        if rest != Some(&json!(false)) && self.random.once_in(2) {
            let value = match rest {
                Some(schema) => self.value(schema, fullness),
                None => self.random.pick(&anything()).clone(),
            };
            object.insert(format!("extra_{}", self.random.below(3)), value);
        }
        self.keep_rules(schema, &mut object);
        Value::Object(object)
    }

    fn array(&mut self, schema: &'a Value, fullness: usize) -> Value {
        let least = schema["minItems"].as_u64().unwrap_or(0);
        let most = schema["maxItems"].as_u64().unwrap_or(least + 2);
        let length = least + self.random.next() % (most - least + 1);
        (0..length)
            .map(|_| self.value(&schema["items"], fullness))
            .collect()
    }

    fn string(&mut self, schema: &Value) -> Value {
        if schema.get("pattern").is_some() {
            return json!(
                self.random
                    .pick(&["window:0", "window:4194311", "window:0x40000a", "window:0Xf"])
            );
        }
        let text = *self.random.pick(TEXTS);
        let long_enough = text.len() as u64 >= schema["minLength"].as_u64().unwrap_or(0);
        json!(if long_enough { text } else { "app" })
    }

    fn number(&mut self, schema: &Value, whole: bool) -> Value {
        let fits = |spelling: &&str| {
            let value: f64 = spelling.parse().expect("a spelling is a number");
            let at_least = schema["minimum"].as_f64().is_none_or(|low| value >= low);
            let above = schema["exclusiveMinimum"].as_f64().is_none_or(|low| value > low);
            let at_most = schema["maximum"].as_f64().is_none_or(|high| value <= high);
            at_least && above && at_most && (!whole || value.fract() == 0.0)
        };
        let fitting: Vec<&str> = SPELLINGS.iter().copied().filter(fits).collect();
        let spelling: &str = self.random.pick::<&str>(&fitting);
        number(spelling)
    }

    /// Changes an object until it keeps the rules of the schema's `allOf`, where a few steps get there.
    pub(crate) fn keep_rules(&mut self, schema: &'a Value, object: &mut Map<String, Value>) {
        let rules = schema["allOf"].as_array().map_or(&[][..], Vec::as_slice);
        for _ in 0..4 {
            for rule in rules {
                if self.holds(&rule["if"], object) && !self.holds(&rule["then"], object) {
                    self.make_hold(schema, &rule["then"], object);
                }
            }
        }
    }

    /// Whether a piece of a rule holds; it knows the keywords that rules are written with.
    fn holds(&self, piece: &Value, object: &Map<String, Value>) -> bool {
        let all = |pieces: &Value, is: &dyn Fn(&Value) -> bool| {
            pieces.as_array().is_none_or(|it| it.iter().all(is))
        };
        let count = |pieces: &Value| {
            pieces
                .as_array()
                .map(|it| it.iter().filter(|piece| self.holds(piece, object)).count())
        };
        all(&piece["required"], &|name| {
            object.contains_key(name.as_str().unwrap_or_default())
        }) && all(&piece["allOf"], &|piece| self.holds(piece, object))
            && count(&piece["anyOf"]).is_none_or(|holding| holding > 0)
            && count(&piece["oneOf"]).is_none_or(|holding| holding == 1)
            && piece.get("not").is_none_or(|piece| !self.holds(piece, object))
            && piece["properties"].as_object().is_none_or(|properties| {
                properties.iter().all(|(name, property)| {
                    let words = self.words(property);
                    object.get(name).is_none_or(|value| words.contains(value))
                })
            })
    }

    fn words(&self, property: &Value) -> Vec<Value> {
        match (
            property["$ref"].as_str(),
            property.get("const"),
            property["enum"].as_array(),
        ) {
            (Some(reference), ..) => self.words(resolve(self.document, reference)),
            (_, Some(only), _) => vec![only.clone()],
            (_, _, Some(words)) => words.clone(),
            _ => panic!("a rule about a property is about its words: {property}"),
        }
    }

    fn make_hold(&mut self, schema: &'a Value, piece: &'a Value, object: &mut Map<String, Value>) {
        for name in piece["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
        {
            if !object.contains_key(name) {
                let value = self.value(&schema["properties"][name], 1);
                object.insert(name.to_owned(), value);
            }
        }
        for (name, property) in piece["properties"].as_object().into_iter().flatten() {
            let words = self.words(property);
            object.insert(name.clone(), self.random.pick(&words).clone());
        }
        for part in piece["allOf"].as_array().into_iter().flatten() {
            self.make_hold(schema, part, object);
        }
        for choice in ["anyOf", "oneOf"] {
            if let Some(parts) = piece[choice].as_array() {
                let part = self.random.pick(parts);
                self.make_hold(schema, part, object);
            }
        }
        let unwanted = match piece.get("not") {
            Some(not) => std::iter::once(not)
                .chain(not["anyOf"].as_array().into_iter().flatten())
                .collect(),
            None => Vec::new(),
        };
        for name in unwanted
            .iter()
            .flat_map(|not| not["required"].as_array().into_iter().flatten())
        {
            object.remove(name.as_str().unwrap_or_default());
        }
    }
}

/// Whether the schema requires the field.
pub(crate) fn requires(schema: &Value, name: &str) -> bool {
    let required = schema["required"].as_array();
    required.is_some_and(|names| names.iter().any(|required| required == name))
}

/// Numbers close to a number.
pub(crate) fn neighbours(value: &Value) -> Vec<Value> {
    let Some(is) = as_number(value) else {
        return Vec::new();
    };
    [is + 1.0, is - 1.0, is + 0.5, -is, is * 1000.0]
        .into_iter()
        .filter_map(serde_json::Number::from_f64)
        .map(Value::Number)
        .collect()
}

/// Every word that the schema knows.
pub(crate) fn words(schema: &Value, found: &mut BTreeSet<String>) {
    match schema {
        Value::Array(items) => items.iter().for_each(|item| words(item, found)),
        Value::Object(fields) => {
            let listed = fields.get("enum").and_then(Value::as_array).into_iter().flatten();
            let known = listed.chain(fields.get("const")).filter_map(Value::as_str);
            found.extend(known.map(str::to_owned));
            fields.values().for_each(|field| words(field, found));
        }
        _ => {}
    }
}
