//! Nothing of the contract's schema is missing in ours, and ours has nothing more: definitions, fields, words, ranges.
//!
//! The rules between fields (`allOf`) may be written in many ways; that they mean the same is the matter of
//! [`crate::agreement`], which tries every choice of fields.

use std::collections::BTreeSet;

use aci::schema;
use serde_json::{Map, Value, json};

use crate::contract;

/// What only explains, and what is compared elsewhere.
const PASSED_OVER: &[&str] = &["description", "title", "allOf", "$schema", "$id", "discriminator"];

/// One spelling for schemas that mean the same: references followed, lists that are sets sorted, a word as a set of one.
fn plain(document: &Value, schema: &Value) -> Value {
    match schema {
        Value::Object(fields) => {
            if let Some(reference) = fields.get("$ref").and_then(Value::as_str) {
                return plain(document, contract::resolve(document, reference));
            }
            let kept = fields
                .iter()
                .filter(|(name, _)| !PASSED_OVER.contains(&name.as_str()));
            let mut plain_fields: Map<String, Value> = Map::new();
            for (name, inner) in kept {
                match name.as_str() {
                    // The names in here are fields of messages and no keywords.
                    "properties" => {
                        let inner = inner.as_object().expect("properties have names");
                        let inner = inner
                            .iter()
                            .map(|(name, inner)| (name.clone(), plain(document, inner)));
                        plain_fields.insert(name.clone(), Value::Object(inner.collect()));
                    }
                    "const" => drop(plain_fields.insert("enum".to_owned(), json!([inner]))),
                    _ => drop(plain_fields.insert(name.clone(), plain(document, inner))),
                }
            }
            // A fixed value has its type.
            if plain_fields.contains_key("enum") {
                plain_fields.remove("type");
            }
            Value::Object(plain_fields)
        }
        // Order says nothing in `required`, `enum`, `type` and `oneOf`.
        Value::Array(items) => {
            let mut items: Vec<Value> = items.iter().map(|item| plain(document, item)).collect();
            items.sort_by_key(Value::to_string);
            Value::Array(items)
        }
        other => other.clone(),
    }
}

/// Where two schemas differ, a line for each place.
fn differences(place: &str, ours: &Value, theirs: &Value, found: &mut Vec<String>) {
    match (ours, theirs) {
        (Value::Object(our_fields), Value::Object(their_fields)) => {
            for name in our_fields
                .keys()
                .chain(their_fields.keys())
                .collect::<BTreeSet<_>>()
            {
                let inner = format!("{place}/{name}");
                match (our_fields.get(name), their_fields.get(name)) {
                    (Some(ours), Some(theirs)) => differences(&inner, ours, theirs, found),
                    (Some(_), None) => found.push(format!("{inner} is only in ours")),
                    _ => found.push(format!("{inner} is missing in ours")),
                }
            }
        }
        (ours, theirs) if ours != theirs => {
            found.push(format!("{place} is {ours} in ours and {theirs} in the contract"))
        }
        _ => {}
    }
}

#[test]
fn every_definition_of_the_contract_has_its_place() {
    let Some(theirs) = contract::schema() else { return };
    let ours = schema::document();
    let names = |document: &Value| -> BTreeSet<String> {
        document["$defs"]
            .as_object()
            .expect("a document has definitions")
            .keys()
            .cloned()
            .collect()
    };
    let ours_placed: BTreeSet<String> = contract::PLACES
        .iter()
        .map(|(name, _)| (*name).to_owned())
        .collect();
    let mut ours_named = names(&ours);
    assert!(ours_named.remove("ErrorCode"), "error codes have a definition");
    assert_eq!(
        ours_named, ours_placed,
        "each of our definitions has a place, and no place is without"
    );
    let theirs_placed: BTreeSet<String> = contract::PLACES
        .iter()
        .map(|(_, place)| (*place).to_owned())
        .collect();
    let unplaced: Vec<String> = names(&theirs).difference(&theirs_placed).cloned().collect();
    assert!(unplaced.is_empty(), "the contract also defines {unplaced:?}");
}

#[test]
fn definitions_have_the_same_fields_words_and_ranges() {
    let Some(theirs) = contract::schema() else { return };
    let ours = schema::document();
    let mut found = Vec::new();
    for (name, place) in contract::PLACES {
        let of = |document: &Value, place: &str| plain(document, &contract::part(document, place));
        differences(name, &of(&ours, name), &of(&theirs, place), &mut found);
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_same_messages_travel() {
    let Some(theirs) = contract::schema() else { return };
    let ours = schema::document();
    let kinds = |document: &Value| plain(document, &json!({"oneOf": document["oneOf"]}));
    let mut found = Vec::new();
    differences("", &kinds(&ours), &kinds(&theirs), &mut found);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_difference_is_found() {
    let ours = schema::document();
    let mut other = ours.clone();
    other["$defs"]["Action"]["properties"]
        .as_object_mut()
        .unwrap()
        .remove("env");
    other["$defs"]["Verb"]["enum"][3] = json!("moves");
    other["$defs"]["Quality"] = json!(1);
    other["$defs"]["Tile"]["properties"]["w"]["minimum"] = json!(0);
    let mut found = Vec::new();
    for name in ["Action", "Tile", "Ping"] {
        let of = |document: &Value| plain(document, &contract::part(document, name));
        differences(name, &of(&ours), &of(&other), &mut found);
    }
    assert_eq!(found.len(), 3, "{found:#?}");
    assert_eq!(found[0], "Action/properties/env is only in ours");
    assert!(
        found[1].starts_with("Action/properties/verb/enum is "),
        "{}",
        found[1]
    );
    assert_eq!(
        found[2],
        "Tile/properties/w/minimum is 1 in ours and 0 in the contract"
    );
}
