//! What this project's daemons and clients say to each other beyond the contract.
//!
//! The contract's schema knows none of it, so it is told apart from the contract everywhere: a daemon lists what it takes in its
//! welcome, as `server.extensions` (of all places in a welcome, `server` is the one that may hold more than is said of it), a
//! client sends only what is listed, and [`Incoming::parse`] reads only what is on. With nothing on it reads exactly what
//! [`Message::parse`] does. What is only for want of a [`Grant`] not on is listed as `server.withheld`, and refused as `denied`.
//!
//! Start with [`EXTENSIONS`], the table. [`action`] has the requests, [`view`] and [`run`] the answers, [`schema`] the shapes.

pub mod action;
pub mod run;
pub mod schema;
pub mod view;

use serde_json::Value;

use crate::error_code::{CodedError, ErrorCode};
use crate::message::{Message, Refusal};
use crate::wire::{Fault, Wire, wire_object, words};

use action::ExtendedAction;
use view::View;

words! {
    /// What a daemon may take beyond the contract, each under the name that the welcome lists.
    Extension {
        /// Scrolls one element by shares of what it shows.
        ScrollElement = "scroll_element",
        /// Selects a text of an element, or puts the caret before or after it.
        SetTextSelection = "set_text_selection",
        /// Lists the applications.
        Apps = "apps",
        /// Looks at the application that is named, whichever is active.
        ObserveApp = "observe_app",
        /// Takes a picture and the tree together.
        ObserveInclude = "observe_include",
        /// Runs Python code in an interpreter that keeps its state. Offered where it was granted.
        Run = "run",
        /// Moves files and folders, over a channel of its own.
        Files = "files",
    }
}

words! {
    /// What a daemon offers only where whoever started it has granted it.
    Grant {
        /// Python code in an interpreter that keeps its state: the extension `run`.
        Run = "run",
    }
}

impl Grant {
    /// What it lets a daemon offer.
    pub fn extension(self) -> Extension {
        match self {
            Self::Run => Extension::Run,
        }
    }
}

/// What of a message an extension is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A verb.
    Verb(&'static str),
    /// A question.
    Query(&'static str),
    /// A field of the verb `observe`.
    ObserveField(&'static str),
    /// A WebSocket of its own at this path, beside that of the actions.
    Channel(&'static str),
}

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExtensionMeta {
    /// The extension.
    pub extension: Extension,
    /// What of a message it is.
    pub place: Place,
}

const fn row(extension: Extension, place: Place) -> ExtensionMeta {
    ExtensionMeta { extension, place }
}

/// The table of extensions, in the order of [`Extension::ALL`].
pub const EXTENSIONS: &[ExtensionMeta] = &[
    row(Extension::ScrollElement, Place::Verb("scroll_element")),
    row(Extension::SetTextSelection, Place::Verb("set_text_selection")),
    row(Extension::Apps, Place::Query("apps")),
    row(Extension::ObserveApp, Place::ObserveField("app")),
    row(Extension::ObserveInclude, Place::ObserveField("include")),
    row(Extension::Run, Place::Verb("run")),
    row(Extension::Files, Place::Channel(crate::files::PATH)),
];

impl ExtensionMeta {
    /// Whether a message makes use of it.
    fn is_in(&self, message: &Value) -> bool {
        let is_action = message["type"] == "action";
        let action = &message["action"];
        match self.place {
            Place::Verb(verb) => is_action && action["verb"] == verb,
            Place::Query(question) => message["type"] == "query" && message["q"] == question,
            Place::ObserveField(field) => {
                is_action && action["verb"] == "observe" && action.get(field).is_some()
            }
            // No message of this channel is one of that.
            Place::Channel(_) => false,
        }
    }
}

/// Which extensions are on, and which only wait to be granted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extensions {
    on: Vec<Extension>,
    withheld: Vec<Extension>,
}

impl Extensions {
    /// None: the contract and nothing else.
    pub const NONE: Self = Self {
        on: Vec::new(),
        withheld: Vec::new(),
    };

    /// All of the table.
    pub fn all() -> Self {
        Self {
            on: Extension::ALL.to_vec(),
            withheld: Vec::new(),
        }
    }

    /// What a daemon offers: what stands on the accessibility tree where it has one, files where it moves them, and what it was
    /// granted. What it was not granted is withheld.
    pub fn offered(has_tree: bool, has_files: bool, grants: &[Grant]) -> Self {
        let granted: Vec<Extension> = grants.iter().map(|grant| grant.extension()).collect();
        let grantable: Vec<Extension> = Grant::ALL.iter().map(|grant| grant.extension()).collect();
        let all = Extension::ALL.iter().copied();
        let (grantable, free): (Vec<_>, Vec<_>) = all.partition(|extension| grantable.contains(extension));
        let (granted, withheld): (Vec<_>, Vec<_>) = grantable
            .into_iter()
            .partition(|extension| granted.contains(extension));
        let free = free.into_iter().filter(|extension| match extension {
            Extension::Files => has_files,
            _ => has_tree,
        });
        Self {
            on: free.chain(granted).collect(),
            withheld,
        }
    }

    /// Those of a welcome that this crate knows. A welcome that lists them in no way that is known has none.
    pub fn of_welcome(welcome: &Value) -> Self {
        let listed = |field: &str| {
            let listed = welcome["server"][field].as_array();
            let words = listed.into_iter().flatten().filter_map(Value::as_str);
            words.filter_map(Extension::from_word).collect()
        };
        Self {
            on: listed("extensions"),
            withheld: listed("withheld"),
        }
    }

    /// Lists them in a welcome.
    pub fn put_into(&self, welcome: &mut Value) {
        let Some(server) = welcome.get_mut("server").and_then(Value::as_object_mut) else {
            return;
        };
        for (field, list) in [("extensions", &self.on), ("withheld", &self.withheld)] {
            if !list.is_empty() {
                server.insert(field.to_owned(), list.clone().encode());
            }
        }
    }

    /// Whether this one is on.
    pub fn has(&self, extension: Extension) -> bool {
        self.on.contains(&extension)
    }

    /// Whether this one only waits to be granted.
    pub fn withholds(&self, extension: Extension) -> bool {
        self.withheld.contains(&extension)
    }

    /// Whether observations may be views.
    pub(crate) fn have_views(&self) -> bool {
        self.has(Extension::ObserveApp) || self.has(Extension::ObserveInclude)
    }

    /// Why this one, which is not on, cannot be used.
    fn refuse(&self, off: Extension) -> CodedError {
        if self.withholds(off) {
            return CodedError::new(
                ErrorCode::Denied,
                format!(
                    "{off} is not granted here; whoever starts the desktop grants it: `shinken up --grant {off}`, or \
                     `shinkend --grant {off}`"
                ),
            );
        }
        CodedError::new(
            ErrorCode::Unsupported,
            format!(
                "{off} is not offered here; what is offered beyond the contract stands in the welcome's server.extensions"
            ),
        )
    }
}

wire_object! {
    /// Asks for an action beyond the contract.
    pub struct ExtendedActionMsg: Closed {
        fixed "type" = "action";
        /// The client's name for this call.
        "call_id" call_id: required String,
        /// The action.
        "action" action: required ExtendedAction,
    }
}

words! {
    /// The questions beyond the contract.
    ExtendedQueryKind {
        /// The applications that have a window or a tree: an array of AppInfo.
        Apps = "apps",
    }
}

wire_object! {
    /// A question beyond the contract, answered by a result.
    #[derive(Eq)]
    pub struct ExtendedQuery: Closed {
        fixed "type" = "query";
        /// The client's name for this call.
        "call_id" call_id: required String,
        /// The question.
        "q" q: required ExtendedQueryKind,
    }
}

/// Any text message, of the contract or beyond it.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "messages are handled one at a time and never kept in bulk"
)]
pub enum Incoming {
    /// One of the contract.
    Plain(Message),
    /// An action beyond it.
    Action(ExtendedActionMsg),
    /// A question beyond it.
    Query(ExtendedQuery),
    /// An observation beyond it.
    View(Box<View>),
}

impl Incoming {
    /// Reads a text message where these extensions are on.
    ///
    /// # Errors
    /// A [`Refusal`] as [`Message::parse`] gives it; with the code `unsupported` where an extension is used that is not on, and
    /// with `denied` where that is only for want of a grant.
    pub fn parse(text: &str, on: &Extensions) -> Result<Self, Refusal> {
        Self::read(Message::json(text)?, on)
    }

    /// Reads a message that is JSON already.
    ///
    /// # Errors
    /// As for [`Self::parse`].
    pub fn read(value: Value, on: &Extensions) -> Result<Self, Refusal> {
        let used: Vec<Extension> = EXTENSIONS
            .iter()
            .filter(|row| row.is_in(&value))
            .map(|row| row.extension)
            .collect();
        let is_view = on.have_views() && value["type"] == "observation" && value.get("settle").is_some();
        if used.is_empty() && !is_view {
            return Message::read(value).map(Self::Plain);
        }
        let refusal = Refusal::about(&value);
        if let Some(off) = used.iter().find(|extension| !on.has(**extension)) {
            return Err(Refusal {
                error: on.refuse(*off),
                ..refusal
            });
        }
        let read = match value["type"].as_str() {
            Some("action") => ExtendedActionMsg::decode(value).map(Self::Action),
            Some("query") => ExtendedQuery::decode(value).map(Self::Query),
            _ => View::decode(value).map(|view| Self::View(Box::new(view))),
        };
        read.map_err(|fault| refusal.because(&fault))
    }
}

/// A text message beyond the contract, as it is written.
pub fn to_text(message: impl Wire) -> String {
    message.encode().to_string()
}

/// The fields of an object without these, of which the values are given in order.
fn taken<const N: usize>(value: Value, names: [&str; N]) -> Result<(Value, [Option<Value>; N]), Fault> {
    match value {
        Value::Object(mut fields) => {
            let values = names.map(|name| fields.remove(name));
            Ok((Value::Object(fields), values))
        }
        other => Err(Fault::expected("an object", &other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCROLL: &str = r#"{"type":"action","call_id":"a","action":{"verb":"scroll_element",
        "target":{"kind":"element_ref","ref":"e1"},"pages":-0.5}}"#;

    #[test]
    fn every_row_stands_where_its_extension_says() {
        let rows: Vec<Extension> = EXTENSIONS.iter().map(|row| row.extension).collect();
        assert_eq!(rows, Extension::ALL);
    }

    #[test]
    fn what_is_not_on_is_unsupported_and_names_itself() {
        for (text, what) in [
            (SCROLL, "scroll_element"),
            (r#"{"type":"query","call_id":"a","q":"apps"}"#, "apps"),
            (
                r#"{"type":"action","call_id":"a","action":{"verb":"observe","include":["tree"]}}"#,
                "observe_include",
            ),
        ] {
            let refusal = Incoming::parse(text, &Extensions::NONE).unwrap_err();
            assert_eq!(refusal.call_id.as_deref(), Some("a"));
            assert_eq!(refusal.error.code, ErrorCode::Unsupported);
            assert!(refusal.to_string().contains(what), "{refusal}");
            assert!(Incoming::parse(text, &Extensions::all()).is_ok(), "{text}");
            assert!(Message::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_not_granted_is_denied_and_says_how_it_is_granted() {
        let text = r#"{"type":"action","call_id":"a","action":{"verb":"run","code":"1"}}"#;
        for has_tree in [true, false] {
            let withheld = Extensions::offered(has_tree, !has_tree, &[]);
            assert_eq!(withheld.has(Extension::Files), !has_tree);
            let refusal = Incoming::parse(text, &withheld).unwrap_err();
            assert_eq!(refusal.error.code, ErrorCode::Denied);
            assert!(refusal.to_string().contains("--grant run"), "{refusal}");
            let granted = Extensions::offered(has_tree, !has_tree, &[Grant::Run]);
            assert!(Incoming::parse(text, &granted).is_ok());
            assert_eq!(granted.has(Extension::Apps), has_tree);
            for extensions in [withheld, granted] {
                let mut welcome = serde_json::json!({"server": {}});
                extensions.put_into(&mut welcome);
                assert_eq!(Extensions::of_welcome(&welcome), extensions);
            }
        }
    }

    #[test]
    fn a_cell_has_code_or_a_control_and_only_code_has_a_time() {
        for (action, fault) in [
            (
                r#"{"verb":"run"}"#,
                "action: one of \"code\" and \"control\" is needed here",
            ),
            (
                r#"{"verb":"run","code":"","control":"restart"}"#,
                "action: \"code\" and \"control\" exclude",
            ),
            (r#"{"verb":"run","control":"restart","timeout_ms":5}"#, "action: "),
            (
                r#"{"verb":"run","control":"stop"}"#,
                "action.control: expected one of restart, interrupt",
            ),
        ] {
            let text = format!(r#"{{"type":"action","call_id":"a","action":{action}}}"#);
            let refusal = Incoming::parse(&text, &Extensions::all()).unwrap_err();
            assert!(refusal.to_string().starts_with(fault), "{refusal}");
        }
    }

    #[test]
    fn a_fault_in_what_is_on_says_where() {
        let text = SCROLL.replace("-0.5", "\"half\"");
        let refusal = Incoming::parse(&text, &Extensions::all()).unwrap_err();
        assert_eq!(
            refusal.to_string(),
            "action.pages: expected a number, found \"half\""
        );
    }

    #[test]
    fn a_welcome_lists_what_is_on_and_stays_one_of_the_contract() {
        let mut welcome = serde_json::json!({
            "type": "welcome", "v": 0,
            "server": {"name": "n", "version": "1", "platform": "linux"},
            "capabilities": {"schema_version": 0, "verbs": [], "targets": [], "observation_types": []},
        });
        let plain = welcome.clone();
        Extensions::NONE.put_into(&mut welcome);
        assert_eq!(welcome, plain);
        Extensions::all().put_into(&mut welcome);
        assert!(Message::parse(&welcome.to_string()).is_ok());
        assert_eq!(Extensions::of_welcome(&welcome), Extensions::all());
        welcome["server"]["extensions"] = serde_json::json!(["telepathy", "apps", 5]);
        assert_eq!(
            Extensions::of_welcome(&welcome),
            Extensions {
                on: vec![Extension::Apps],
                withheld: Vec::new(),
            }
        );
        welcome["server"]["extensions"] = serde_json::json!("apps");
        assert_eq!(Extensions::of_welcome(&welcome), Extensions::NONE);
    }
}
