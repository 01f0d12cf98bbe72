//! The contract's own schema, which lies outside of this repository, and where in it each of our definitions stands.

use std::path::{Path, PathBuf};
use std::{env, fs};

use serde_json::{Value, json};

/// Our definitions and the places in the contract's `$defs` that they stand for. Some are written in place there and
/// have a name only here. `ErrorCode` is ours alone: the contract has error codes in prose only.
pub(crate) const PLACES: &[(&str, &str)] = &[
    ("Accept", "Hello/properties/accept"),
    ("Ack", "Ack"),
    ("Action", "Action"),
    ("ActionBatch", "ActionBatch"),
    ("ActionMsg", "ActionMsg"),
    ("BinaryExecOutputHeader", "BinaryExecOutputHeader"),
    ("BinaryFrameHeader", "BinaryFrameHeader"),
    ("BinaryImage", "BinaryFrameHeader/properties/image"),
    ("BinaryTile", "BinaryTile"),
    ("Capabilities", "Welcome/properties/capabilities"),
    ("Channel", "ExecOutputMsg/properties/channel"),
    ("ClientInfo", "Hello/properties/client"),
    ("CoordinateRect", "CoordinateRect"),
    ("CoordinateSize", "CoordinateSize"),
    ("CoordinateSpace", "CoordinateSpace"),
    ("Delta", "ObservationMsg/properties/delta"),
    ("Element", "Element"),
    ("ElementRef", "Target/oneOf/2"),
    ("ElementSource", "ElementSource"),
    ("ExecExit", "ExecExitMsg"),
    ("ExecOutput", "ExecOutputMsg"),
    ("ExecResult", "ExecResult"),
    ("Hello", "Hello"),
    ("Image", "ObservationMsg/properties/image"),
    ("ImageFormat", "ImageFormat"),
    ("MutatingVerb", "MutatingVerb"),
    ("Observation", "ObservationMsg"),
    ("ObservationType", "ObservationType"),
    ("ObserveSpec", "ObserveSpec"),
    ("PayloadRange", "BinaryExecOutputHeader/properties/data"),
    ("Ping", "Ping"),
    ("Platform", "Platform"),
    ("PointNorm", "Target/oneOf/1"),
    ("PointPx", "Target/oneOf/0"),
    ("PointerButton", "PointerButton"),
    ("Pong", "Pong"),
    ("Query", "Query"),
    ("QueryKind", "Query/properties/q"),
    ("ResultMsg", "Result"),
    ("Scope", "Scope"),
    ("ServerInfo", "Welcome/properties/server"),
    ("Target", "Target"),
    ("TargetKind", "TargetKind"),
    ("Tile", "Tile"),
    ("TreeMode", "ObservationMsg/properties/tree"),
    ("Verb", "Verb"),
    ("Welcome", "Welcome"),
];

/// The root of the repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The contract's schema; `None`, said on the output, where it is not there.
pub(crate) fn schema() -> Option<Value> {
    let named = env::var_os("SHINKEN_SEEDS").map(PathBuf::from);
    // A worktree may stand one folder deeper than the main one.
    let beside = ["../shared/seeds", "../../shared/seeds"].map(|path| repository().join(path));
    let folders = named.map_or(beside.to_vec(), |folder| vec![folder]);
    let Some(path) = folders
        .iter()
        .map(|folder| folder.join("aci.schema.json"))
        .find(|path| path.exists())
    else {
        println!(
            "SKIP: no aci.schema.json in ../shared/seeds or SHINKEN_SEEDS; only our own schema and parser are compared"
        );
        return None;
    };
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Some(serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

/// A schema of its own for one place in the `$defs` of a document.
pub(crate) fn part(document: &Value, place: &str) -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$ref": format!("#/$defs/{place}"),
        "$defs": document["$defs"],
    })
}

/// What a `$ref` of the document points at.
pub(crate) fn resolve<'a>(document: &'a Value, reference: &str) -> &'a Value {
    let pointer = reference
        .strip_prefix('#')
        .expect("references stay in the document");
    document
        .pointer(pointer)
        .unwrap_or_else(|| panic!("{reference} points nowhere"))
}
