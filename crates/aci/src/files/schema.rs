//! The JSON Schema of the files channel, made from the types.

use serde_json::{Map, Value, json};

use super::{
    Artifact, ArtifactGet, ArtifactList, ArtifactPut, ArtifactRemove, ArtifactsReply, Cancel, ChunkHeader,
    Done, Entries, Entry, EntryKind, Failed, FileAck, Found, Get, Greeting, List, MakeFolder, MakeLink, Put,
    Ready, Stat,
};
use crate::schema::Definition;
use crate::wire::Wire as _;

/// Every definition of the channel, in alphabetical order.
pub const DEFINITIONS: &[Definition] = crate::schema::definitions![
    Artifact,
    ArtifactGet,
    ArtifactList,
    ArtifactPut,
    ArtifactRemove,
    ArtifactsReply,
    Cancel,
    ChunkHeader,
    Done,
    Entries,
    Entry,
    EntryKind,
    Failed,
    FileAck,
    Found,
    Get,
    Greeting,
    List,
    MakeFolder,
    MakeLink,
    Put,
    Ready,
    Stat,
];

/// The whole schema.
pub fn document() -> Value {
    let defs: Map<String, Value> = DEFINITIONS
        .iter()
        .map(|definition| (definition.name.to_owned(), (definition.schema)()))
        .collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The files channel of shinkend",
        "description": "What travels at /files after the client's hello. ChunkHeader is the header of a binary message, the \
            others with a type are text messages. Written by `cargo xtask schema` from the types of crate aci.",
        "$defs": defs,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_has_its_definition() {
        crate::schema::tests::assert_references(&document());
        assert!(DEFINITIONS.is_sorted_by_key(|definition| definition.name));
    }
}
