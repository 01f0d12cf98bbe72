//! The reference page, made from the table of verbs and the types.

use std::fmt::Write as _;

use serde_json::Value;

use crate::action::Action;
use crate::error_code::ErrorCode;
use crate::extension::{self, EXTENSIONS, Place};
use crate::files;
use crate::message::QueryKind;
use crate::schema::DEFINITIONS;
use crate::verb::{Choice, Family, VERBS, VerbMeta};
use crate::wire::description;

const INTRODUCTION: &str = "\
# ACI v0: the interface to a desktop

This page is written by `cargo xtask schema` from the tables of crate `aci`; the same as JSON Schema, with the rules on
which fields go together, is `schema/aci.schema.json`.

A client opens a WebSocket at `/aci` (or `/`) and sends `hello` with the token; the daemon answers `welcome` with what it
can do. After that the client sends `action` and `query` messages, each with a `call_id` of its own choosing, and may send
many without waiting. Actions and queries of one connection are done in the order in which they arrive; `exec` is started
in that order and then runs beside; `ping` is answered at once.

Coordinates are pixels of the whole screen, top-left origin. A point off the screen is refused, never moved to the edge.
An `ack` with `ok: true` says that the events are with the display server in order; what looks at the desktop afterwards
waits until the last of them has taken effect.

";

const BINARY: &str = "\
## Binary messages

Where the welcome says `binary_frames` and the client asked for them in `hello.accept`, pictures, tiles and pieces of
output come as binary WebSocket messages: the length of the header (four bytes, little-endian), the header as JSON
(`BinaryFrameHeader` or `BinaryExecOutputHeader`, told apart by `type`), then the payload. `off` counts from the
payload's first byte. A picture's header has exactly one of `image` and `tiles`, and no two ranges share a byte.

";

const BEYOND: &str = "\
## Beyond the contract

What follows is not in the contract's schema. A daemon takes it where its welcome lists it in `server.extensions`, an array of
the words below; otherwise it is refused as `unsupported`, and the daemon speaks the contract and nothing else. `run` is offered
where it was granted; where it was not, the welcome lists it in `server.withheld`, and a call is refused as `denied`. All the
rest but `files` needs the accessibility tree. The shapes are also in `schema/aci-extensions.schema.json`.

";

/// Definitions that have a section of their own above, or stand in one.
const TOLD_ELSEWHERE: &[&str] = &["Action", "ErrorCode", "QueryKind", "Verb"];

/// The page as Markdown.
pub fn page() -> String {
    let mut page = String::from(INTRODUCTION);
    let fields = Action::definition();
    page.push_str("## Verbs\n\n");
    writeln!(page, "{}\n", fields["description"].as_str().unwrap_or_default()).ok();
    for family in Family::ALL {
        let rows: Vec<&VerbMeta> = VERBS.iter().filter(|row| row.family == *family).collect();
        // Writing to a String cannot fail.
        writeln!(page, "### {family}\n\n{}\n", description(&[family.doc()])).ok();
        for row in rows {
            verb(&mut page, row, &fields["properties"]);
        }
    }
    page.push_str("## Queries\n\n| q | answer |\n|---|---|\n");
    for query in QueryKind::ALL {
        writeln!(page, "| `{query}` | {} |", description(&[query.doc()])).ok();
    }
    page.push_str("\n## Errors\n\nAn error on an ack, a result or an exit is `code: detail`; the detail says what to do next.\n\n");
    page.push_str("| code | meaning |\n|---|---|\n");
    for code in ErrorCode::ALL {
        writeln!(page, "| `{code}` | {} |", description(&[code.doc()])).ok();
    }
    page.push('\n');
    page.push_str(BINARY);
    let (travelling, parts): (Vec<_>, Vec<_>) = DEFINITIONS
        .iter()
        .filter(|definition| !TOLD_ELSEWHERE.contains(&definition.name))
        .map(|definition| (definition.name, (definition.schema)()))
        .partition(|(_, schema)| schema.pointer("/properties/type").is_some());
    page.push_str("## Messages\n\n");
    travelling
        .iter()
        .for_each(|(name, schema)| shape_of(&mut page, name, schema));
    page.push_str("## Parts of messages\n\n");
    parts
        .iter()
        .for_each(|(name, schema)| shape_of(&mut page, name, schema));
    beyond(&mut page);
    files_channel(&mut page);
    // One line feed ends the page.
    page.truncate(page.trim_end().len());
    page.push('\n');
    page
}

const FILES: &str = "\
## The files channel

A WebSocket at `/files`, served where the welcome lists `files`. It begins with the same `hello`; a Greeting answers it. Then the
client sends requests, each under a number of its own that only grows, as many as 128 ahead, and the daemon does them in order.
What is said here as text has a `type`; ChunkHeader is the header of a binary message, laid out as above, with a piece of a file
behind it. [files.md](files.md) tells how a transfer goes. The shapes are also in `schema/aci-files.schema.json`.

";

/// The sections on what the contract does not have.
fn beyond(page: &mut String) {
    page.push_str(BEYOND);
    page.push_str("| extension | on the wire | meaning |\n|---|---|---|\n");
    for row in EXTENSIONS {
        let place = match row.place {
            Place::Verb(verb) => format!("the verb `{verb}`"),
            Place::Query(question) => format!("the query `{question}`"),
            Place::ObserveField(field) => format!("the field `{field}` of `observe`"),
            Place::Channel(path) => format!("the WebSocket `{path}`"),
        };
        let meaning = description(&[row.extension.doc()]);
        writeln!(page, "| `{}` | {place} | {meaning} |", row.extension).ok();
    }
    page.push('\n');
    extension::schema::DEFINITIONS
        .iter()
        .filter(|definition| definition.name != "Extension")
        .for_each(|definition| shape_of(page, definition.name, &(definition.schema)()));
}

/// The sections on the files channel.
fn files_channel(page: &mut String) {
    page.push_str(FILES);
    files::schema::DEFINITIONS
        .iter()
        .for_each(|definition| shape_of(page, definition.name, &(definition.schema)()));
}

/// The section on a message or a part of one.
fn shape_of(page: &mut String, name: &str, schema: &Value) {
    writeln!(page, "### {name}\n").ok();
    if let Some(text) = schema["description"].as_str() {
        writeln!(page, "{}\n", sentence(text)).ok();
    }
    if let Some(words) = schema["enum"].as_array() {
        let words: Vec<String> = words
            .iter()
            .filter_map(Value::as_str)
            .map(|word| format!("`{word}`"))
            .collect();
        writeln!(page, "One of {}.\n", words.join(", ")).ok();
    }
    let kinds = schema["oneOf"].as_array().into_iter().flatten();
    let kinds: Vec<String> = kinds.filter(|kind| kind["$ref"].is_string()).map(shape).collect();
    if !kinds.is_empty() {
        writeln!(page, "One of {}.\n", kinds.join(", ")).ok();
    }
    if let Some(properties) = schema["properties"].as_object() {
        let required = schema["required"].as_array().into_iter().flatten();
        let needed: Vec<&str> = required.filter_map(Value::as_str).collect();
        let fields = properties.keys().map(String::as_str);
        let optional: Vec<&str> = fields.filter(|field| !needed.contains(field)).collect();
        table(page, &needed, &optional, &schema["properties"]);
    }
}

/// The text with a capital and a full stop.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    let stop = if text.ends_with('.') { "" } else { "." };
    first.chain(letters).chain(stop.chars()).collect()
}

fn verb(page: &mut String, row: &VerbMeta, properties: &Value) {
    writeln!(page, "#### `{}`\n\n{}\n", row.verb, description(row.doc)).ok();
    writeln!(page, "Answered by: {}. Effect: {}.", row.reply, row.effect).ok();
    match row.choice {
        Choice::Free => {}
        Choice::OneOf(one, other) => {
            writeln!(page, "Needs exactly one of `{one}` and `{other}`.").ok();
        }
        Choice::AnyOf(any) => {
            writeln!(page, "Needs at least one of `{}`.", any.join("`, `")).ok();
        }
    }
    page.push('\n');
    let observe: &[&str] = if row.verb.mutates() { &["observe"] } else { &[] };
    let optional: Vec<&str> = row.optional.iter().chain(observe).copied().collect();
    table(page, row.required, &optional, properties);
}

/// The table of an object's fields; nothing where it has none.
fn table(page: &mut String, needed: &[&str], optional: &[&str], properties: &Value) {
    if needed.is_empty() && optional.is_empty() {
        return;
    }
    page.push_str("| field | type | | meaning |\n|---|---|---|---|\n");
    let needed = needed.iter().map(|field| (field, "needed"));
    for (field, presence) in needed.chain(optional.iter().map(|field| (field, "may be left out"))) {
        let property = &properties[*field];
        let text = property["description"].as_str().unwrap_or_default();
        writeln!(page, "| `{field}` | {} | {presence} | {text} |", shape(property)).ok();
    }
    page.push('\n');
}

/// A property's type in a few words.
fn shape(property: &Value) -> String {
    if let Some(name) = property["$ref"].as_str() {
        let name = name.trim_start_matches("#/$defs/");
        let section = match name {
            "Action" | "Verb" => "verbs".to_owned(),
            "QueryKind" => "queries".to_owned(),
            "ErrorCode" => "errors".to_owned(),
            other => other.to_lowercase(),
        };
        return format!("[{name}](#{section})");
    }
    if let Some(only) = property.get("const") {
        return format!("only `{only}`");
    }
    let mut text = match &property["type"] {
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => kinds
            .iter()
            .filter_map(Value::as_str)
            .collect::<Vec<_>>()
            .join(" or "),
        _ => "anything".to_owned(),
    };
    if text == "array" {
        text = match (property["minItems"].as_u64(), property["maxItems"].as_u64()) {
            (Some(count), Some(_)) => format!("array of {count} times {}", shape(&property["items"])),
            (Some(_), None) => format!("array, not empty, of {}", shape(&property["items"])),
            _ => format!("array of {}", shape(&property["items"])),
        };
    } else if let Some(values) = property.get("additionalProperties").filter(|it| it.is_object()) {
        write!(text, " of {}", shape(values)).ok();
    } else if property.get("minLength").is_some() {
        text.push_str(", not empty");
    }
    match (
        property.get("minimum"),
        property.get("maximum"),
        property.get("exclusiveMinimum"),
    ) {
        (Some(low), Some(high), _) => write!(text, ", {low} to {high}").ok(),
        (Some(low), None, _) => write!(text, ", at least {low}").ok(),
        (None, _, Some(low)) => write!(text, ", above {low}").ok(),
        _ => None,
    };
    text
}
