//! The exceptions of the Python package, one for each code of the table.

use aci::error_code::ErrorCode;

/// The module `shinken.refusals`.
pub(crate) fn module() -> String {
    let mut text = String::from(
        "\"\"\"Why the runtime refuses: a class for each code of the table. Written by `cargo xtask schema`.\"\"\"\n\n\
         from __future__ import annotations\n\n\
         from shinken.errors import ActionRefused, Timeout\n\n\
         __all__ = [\n",
    );
    let mut names: Vec<String> = ErrorCode::ALL.iter().map(|code| class(*code)).collect();
    names.sort();
    for name in names {
        text += &format!("    \"{name}\",\n");
    }
    text += "]\n";
    for code in ErrorCode::ALL.iter().copied() {
        let doc = code.doc().trim();
        // What to do next stands behind the semicolon.
        let hint = doc.split_once(';').map_or("", |(_, hint)| hint).trim();
        let mut hint = hint.to_owned();
        if let Some(first) = hint.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        let bases = if code.as_str().ends_with("_timeout") {
            "ActionRefused, Timeout"
        } else {
            "ActionRefused"
        };
        text += &format!(
            "\n\nclass {}({bases}):\n    \"\"\"{doc}\"\"\"\n\n    code = \"{code}\"\n    hint = \"{hint}\"\n",
            class(code)
        );
    }
    text
}

/// `stale_element_ref` as `StaleElementRef`.
fn class(code: ErrorCode) -> String {
    code.as_str()
        .split('_')
        .map(|word| {
            let (first, rest) = word.split_at(1);
            first.to_ascii_uppercase() + rest
        })
        .collect()
}
