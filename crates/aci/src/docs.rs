//! The reference page, made from the table of verbs and the types.

use std::fmt::Write as _;

use serde_json::Value;

use crate::action::Action;
use crate::error_code::ErrorCode;
use crate::message::QueryKind;
use crate::verb::{Choice, Family, VERBS, VerbMeta};
use crate::wire::description;

const INTRODUCTION: &str = "\
# ACI v0: the interface to a desktop

This page is written by `cargo xtask schema` from the tables of crate `aci`; the exact shapes are in `schema/aci.schema.json`.

A client opens a WebSocket at `/aci` (or `/`) and sends `hello` with the token; the daemon answers `welcome` with what it
can do. After that the client sends `action` and `query` messages, each with a `call_id` of its own choosing, and may send
many without waiting. Actions and queries of one connection are done in the order in which they arrive; `exec` is started
in that order and then runs beside; `ping` is answered at once.

Coordinates are pixels of the whole screen, top-left origin. A point off the screen is refused, never moved to the edge.
An `ack` with `ok: true` says that the events are with the display server in order; what looks at the desktop afterwards
waits until the last of them has taken effect.

";

/// The page as Markdown.
pub fn page() -> String {
    let mut page = String::from(INTRODUCTION);
    let fields = Action::definition();
    page.push_str("## Verbs\n\n");
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
    page
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
    let fields = row.required.iter().map(|field| (field, "needed"));
    let fields: Vec<_> = fields
        .chain(
            row.optional
                .iter()
                .chain(observe)
                .map(|field| (field, "may be left out")),
        )
        .collect();
    if fields.is_empty() {
        return;
    }
    page.push_str("| field | type | | meaning |\n|---|---|---|---|\n");
    for (field, presence) in fields {
        let property = &properties[*field];
        let text = property["description"].as_str().unwrap_or_default();
        writeln!(page, "| `{field}` | {} | {presence} | {text} |", shape(property)).ok();
    }
    page.push('\n');
}

/// A property's type in a few words.
fn shape(property: &Value) -> String {
    if let Some(name) = property["$ref"].as_str() {
        return name.trim_start_matches("#/$defs/").to_owned();
    }
    if let Some(only) = property.get("const") {
        return format!("only `{only}`");
    }
    let mut text = property["type"].as_str().unwrap_or("any").to_owned();
    if text == "array" {
        write!(text, " of {}", shape(&property["items"])).ok();
    }
    match (property.get("minimum"), property.get("maximum")) {
        (Some(low), Some(high)) => write!(text, ", {low} to {high}").ok(),
        (Some(low), None) => write!(text, ", at least {low}").ok(),
        _ => None,
    };
    text
}
