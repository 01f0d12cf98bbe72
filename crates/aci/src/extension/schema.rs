//! The JSON Schema of what goes beyond the contract, made from the types.

use serde_json::{Map, Value, json};

use super::action::{
    AppSelector, Axis, ExtendedAction, Include, ObserveView, Run, RunControl, ScrollElement, SelectionMode,
    SetTextSelection,
};
use super::run::{BinaryRunResult, RunError, RunForm, RunOutput, RunOutputKind, RunResult};
use super::view::{AppInfo, BinaryView, Settle, View};
use super::{ExtendedActionMsg, ExtendedQuery, ExtendedQueryKind, Extension, Grant};
use crate::schema::{DEFINITIONS as PLAIN, Definition};
use crate::wire::Wire;

/// Every definition beyond the contract, in alphabetical order.
pub const DEFINITIONS: &[Definition] = crate::schema::definitions![
    AppInfo,
    AppSelector,
    Axis,
    BinaryRunResult,
    BinaryView,
    ExtendedAction,
    ExtendedActionMsg,
    ExtendedQuery,
    ExtendedQueryKind,
    Extension,
    Grant,
    Include,
    ObserveView,
    Run,
    RunControl,
    RunError,
    RunForm,
    RunOutput,
    RunOutputKind,
    RunResult,
    ScrollElement,
    SelectionMode,
    SetTextSelection,
    Settle,
    View,
];

/// The whole schema, with those definitions of the contract's that it refers to.
pub fn document() -> Value {
    let mut defs: Map<String, Value> = DEFINITIONS
        .iter()
        .map(|definition| (definition.name.to_owned(), (definition.schema)()))
        .collect();
    loop {
        let text = Value::Object(defs.clone()).to_string();
        let missing: Vec<&Definition> = PLAIN
            .iter()
            .filter(|plain| {
                !defs.contains_key(plain.name) && text.contains(&format!("\"#/$defs/{}\"", plain.name))
            })
            .collect();
        if missing.is_empty() {
            break;
        }
        defs.extend(
            missing
                .into_iter()
                .map(|plain| (plain.name.to_owned(), (plain.schema)())),
        );
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What shinkend and its clients say beyond ACI v0",
        "description": "A daemon takes of this what its welcome lists in `server.extensions` (words of Extension). Text messages \
            are ExtendedActionMsg, ExtendedQuery and View; BinaryView and BinaryRunResult are headers of binary messages; the \
            result of the query `apps` is an array of AppInfo, that of `run` a RunResult. What is only not granted stands in \
            `server.withheld`. Written by `cargo xtask schema` from the types of crate aci.",
        "$defs": defs,
        "oneOf": [ExtendedActionMsg::schema(), ExtendedQuery::schema(), View::schema()],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_has_its_definition() {
        crate::schema::tests::assert_references(&document());
    }

    #[test]
    fn the_list_is_sorted_and_no_name_is_the_contracts() {
        assert!(DEFINITIONS.is_sorted_by_key(|definition| definition.name));
        for own in DEFINITIONS {
            assert!(PLAIN.iter().all(|plain| plain.name != own.name), "{}", own.name);
        }
    }
}
