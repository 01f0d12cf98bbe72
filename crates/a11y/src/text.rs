//! The tree as text for a model.
//!
//! A header, a line for each control below it, and who has the focus:
//!
//! ```text
//! app:"mousepad" window:"Untitled 1 - Mousepad" revision:1
//! e1 frame (active) "Untitled 1 - Mousepad"
//!   e2 menu "File" Actions:click
//!   e3 text (editable, focused) Value:"Dear team,\n"
//! focus: e3
//! ```

use std::fmt::Write as _;

use crate::node::Facts;

/// The most characters of a name or a description in a line, and of a value.
const NAME: usize = 200;
const VALUE: usize = 400;

/// States that nearly every control has, or that say nothing to who looks at it.
const COMMON: &[&str] = &[
    "enabled",
    "focusable",
    "horizontal",
    "multi-line",
    "opaque",
    "resizable",
    "selectable-text",
    "sensitive",
    "showing",
    "single-line",
    "vertical",
    "visible",
];

/// What stands above the lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Header {
    /// The application's name; of several, all.
    pub app: String,
    /// The title of its active window.
    pub window: String,
}

impl Header {
    pub(crate) fn line(&self, revision: u64) -> String {
        let mut line = format!("app:{}", quoted(&self.app, NAME));
        if !self.window.is_empty() {
            // Writing to a String cannot fail, here and below.
            write!(line, " window:{}", quoted(&self.window, NAME)).ok();
        }
        write!(line, " revision:{revision}").ok();
        line
    }
}

/// A control's line without its indentation.
pub(crate) fn line(id: u64, facts: &Facts) -> String {
    let mut line = format!("e{id} {}", word(&facts.role));
    let mut states: Vec<&str> = facts
        .states
        .iter()
        .copied()
        .filter(|state| !COMMON.contains(state))
        .collect();
    // What is unusual is that a control can not be used or seen.
    for (usual, lacking) in [("enabled", "disabled"), ("showing", "offscreen")] {
        if !facts.is(usual) {
            states.push(lacking);
        }
    }
    if !states.is_empty() {
        write!(line, " ({})", states.join(", ")).ok();
    }
    if !facts.name.is_empty() {
        write!(line, " {}", quoted(&facts.name, NAME)).ok();
    }
    if let Some(value) = &facts.value {
        write!(line, " Value:{}", quoted(value, VALUE)).ok();
    }
    let actions: Vec<String> = facts.named_actions().map(word).collect();
    if !actions.is_empty() {
        write!(line, " Actions:{}", actions.join(",")).ok();
    }
    line
}

/// Ids as ranges: `e3, e7-e12`.
pub(crate) fn ranges(ids: &[u64]) -> String {
    let mut parts: Vec<(u64, u64)> = Vec::new();
    for &id in ids {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == id => *last = id,
            _ => parts.push((id, id)),
        }
    }
    let parts: Vec<String> = parts
        .into_iter()
        .map(|(first, last)| {
            if first == last {
                format!("e{first}")
            } else {
                format!("e{first}-e{last}")
            }
        })
        .collect();
    parts.join(", ")
}

/// A text that an application chose, in quotes and on one line whatever is in it.
///
/// Characters that reorder or hide what stands beside them (Unicode's bidirectional controls and zero-width ones) are
/// written as escapes, so that no application can make a line look like another's.
fn quoted(text: &str, most: usize) -> String {
    let mut out = String::with_capacity(text.len().min(most) + 2);
    out.push('"');
    let mut characters = text.chars();
    for character in characters.by_ref().take(most) {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            // A table's or an image's place in a text (AT-SPI, ATK): nothing to read.
            '\u{fffc}' => out.push('\u{25a1}'),
            hidden if is_hidden(hidden) => {
                write!(out, "\\u{{{:x}}}", u32::from(hidden)).ok();
            }
            plain => out.push(plain),
        }
    }
    let left = characters.count();
    out.push('"');
    if left > 0 {
        write!(out, "…(+{left})").ok();
    }
    out
}

fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

/// A role or an action's name: no spaces or signs of the grammar in it.
fn word(text: &str) -> String {
    let mut out = String::new();
    for character in text.trim().chars().take(NAME) {
        match character {
            ',' | '(' | ')' | '"' => out.push('_'),
            space if space.is_whitespace() || is_hidden(space) => out.push('-'),
            plain => out.push(plain),
        }
    }
    if out.is_empty() {
        out.push_str("unknown");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> Facts {
        Facts {
            role: "push-button".to_owned(),
            name: "Save".to_owned(),
            states: vec!["enabled", "showing", "visible"],
            ..Facts::default()
        }
    }

    #[test]
    fn a_plain_control() {
        assert_eq!(line(7, &facts()), "e7 push-button \"Save\"");
    }

    #[test]
    fn all_parts_in_their_order() {
        let facts = Facts {
            value: Some("a \"b\"\n".to_owned()),
            states: vec!["focused"],
            actions: vec!["click".to_owned(), "show menu, now".to_owned()],
            ..facts()
        };
        assert_eq!(
            line(7, &facts),
            r#"e7 push-button (focused, disabled, offscreen) "Save" Value:"a \"b\"\n" Actions:click,show-menu_-now"#
        );
    }

    #[test]
    fn no_application_can_break_out_of_its_line() {
        for evil in [
            "\n",
            "\r",
            "\u{202e}",
            "\u{2028}",
            "\u{85}",
            "\u{0}",
            "\u{200b}",
            "\"\nfocus: e1",
        ] {
            let facts = Facts {
                name: evil.to_owned(),
                role: evil.to_owned(),
                actions: vec![evil.to_owned()],
                value: Some(evil.to_owned()),
                ..facts()
            };
            let line = line(1, &facts);
            assert!(!line.chars().any(is_hidden), "{line:?}");
            assert_eq!(line.lines().count(), 1, "{line:?}");
        }
    }

    #[test]
    fn long_texts_say_how_much_is_left_out() {
        let facts = Facts {
            name: "ä".repeat(NAME + 3),
            ..facts()
        };
        assert!(line(1, &facts).ends_with("ä\"…(+3)"));
    }

    #[test]
    fn ids_in_a_row_are_one_range() {
        assert_eq!(ranges(&[1, 3, 4, 5, 9]), "e1, e3-e5, e9");
        assert_eq!(ranges(&[]), "");
    }
}
