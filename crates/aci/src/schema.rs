//! The JSON Schema of everything on the wire, made from the types.

use serde_json::{Map, Value, json};

use crate::action::{self, Action, ActionBatch, ObserveSpec};
use crate::element::Element;
use crate::error_code::ErrorCode;
use crate::exec::{BinaryExecOutputHeader, Channel, ExecExit, ExecOutput, ExecResult, PayloadRange};
use crate::geometry::{CoordinateRect, CoordinateSize, CoordinateSpace};
use crate::message::{Ack, ActionMsg, Message, Ping, Pong, Query, QueryKind, ResultMsg};
use crate::observation::{
    BinaryFrameHeader, BinaryImage, BinaryTile, Delta, Image, Observation, Tile, TreeMode,
};
use crate::target::{
    ElementRef, ElementSource, PointNorm, PointPx, PointerButton, Scope, Target, TargetKind,
};
use crate::verb::Verb;
use crate::welcome::{
    Accept, Capabilities, ClientInfo, Hello, ImageFormat, ObservationType, Platform, ServerInfo, Welcome,
};
use crate::wire::{Fault, Wire};

/// A definition: its name, its schema, and the parser and writer that go with it.
#[derive(Debug, Clone, Copy)]
pub struct Definition {
    /// Its name in `$defs`.
    pub name: &'static str,
    /// Its schema.
    pub schema: fn() -> Value,
    /// Reads a value as one and writes it again. What it refuses is what the schema refuses.
    pub rewrite: fn(Value) -> Result<Value, Fault>,
}

macro_rules! definitions {
    ($($name:ident),+ $(,)?) => {
        &[$($crate::schema::Definition {
            name: stringify!($name),
            schema: $name::definition,
            rewrite: |value| $name::decode(value).map($name::encode),
        }),+]
    };
}

pub(crate) use definitions;

/// Every definition, in alphabetical order.
pub const DEFINITIONS: &[Definition] = definitions![
    Accept,
    Ack,
    Action,
    ActionBatch,
    ActionMsg,
    BinaryExecOutputHeader,
    BinaryFrameHeader,
    BinaryImage,
    BinaryTile,
    Capabilities,
    Channel,
    ClientInfo,
    CoordinateRect,
    CoordinateSize,
    CoordinateSpace,
    Delta,
    Element,
    ElementRef,
    ElementSource,
    ErrorCode,
    ExecExit,
    ExecOutput,
    ExecResult,
    Hello,
    Image,
    ImageFormat,
    Observation,
    ObservationType,
    ObserveSpec,
    PayloadRange,
    Ping,
    Platform,
    PointNorm,
    PointPx,
    PointerButton,
    Pong,
    Query,
    QueryKind,
    ResultMsg,
    Scope,
    ServerInfo,
    Target,
    TargetKind,
    Tile,
    TreeMode,
    Verb,
    Welcome,
];

/// The whole schema.
pub fn document() -> Value {
    let mut defs: Map<String, Value> = DEFINITIONS
        .iter()
        .map(|definition| (definition.name.to_owned(), (definition.schema)()))
        .collect();
    defs.insert("MutatingVerb".to_owned(), action::mutating_verbs());
    let mut document = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "ACI v0: messages between a client and shinkend",
        "description": "Text messages are told apart by `type`. Binary messages carry BinaryFrameHeader or \
            BinaryExecOutputHeader. ExecResult and ActionBatch never travel on their own. \
            Written by `cargo xtask schema` from the types of crate aci.",
        "$defs": defs,
    });
    document["oneOf"] = Message::schema()["oneOf"].take();
    document
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Every reference of a document has its definition in it.
    pub(crate) fn assert_references(document: &Value) {
        let text = document.to_string();
        for reference in text.split("\"#/$defs/").skip(1) {
            let name = reference.split('"').next().unwrap();
            assert!(document["$defs"][name].is_object(), "{name}");
        }
    }

    #[test]
    fn every_reference_has_its_definition() {
        assert_references(&document());
    }

    #[test]
    fn the_list_is_sorted() {
        assert!(DEFINITIONS.is_sorted_by_key(|definition| definition.name));
    }
}
