//! Actions as they travel: one flat object, whose `verb` says which fields count.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::Value;

use crate::rule::{Rule, Then, When};
use crate::target::{PointerButton, Scope, Target};
use crate::verb::{Choice, Effect, VERBS, Verb};
use crate::welcome::ImageFormat;
use crate::wire::{Constant, Int, Natural, NonEmpty, NonEmptyString, Number, Positive, wire_object};

/// JPEG quality.
pub type Quality = Int<1, 100>;
/// Frames a second.
pub type Fps = Number<100, 30_000>;

wire_object! {
    /// One action. A field that the verb does not read is passed over, apart from those that belong to other verbs.
    pub struct Action: Closed, rules rules {
        /// What to do.
        "verb" verb: required Verb,
        /// Where to do it.
        "target" target: optional Target,
        /// Where a drag ends.
        "to" to: optional Target,
        /// The button of drag, mouse_down and mouse_up; left if none.
        "button" button: optional PointerButton,
        /// How long a drag takes, in milliseconds; 0 if none.
        "duration_ms" duration_ms: optional Natural,
        /// Asks for a picture after the action, with `cause` set to this call. Only on verbs that change the desktop.
        "observe" observe: optional ObserveSpec,
        /// The text of type_text, clipboard_set, set_value; the action's name for invoke_action.
        "text" text: optional String,
        /// A chord, such as `ctrl+s`.
        "keys" keys: optional String,
        /// Wheel movement to the right, in 1/120 of a step.
        "dx" dx: optional Number,
        /// Wheel movement down the page, in 1/120 of a step.
        "dy" dy: optional Number,
        /// How long to wait, in milliseconds.
        "ms" ms: optional Natural,
        /// What a picture shows; the screen if none.
        "scope" scope: optional Scope,
        /// Frames a second of a screencast.
        "fps" fps: optional Fps,
        /// Scales a picture down so that its longer edge has at most this many pixels.
        "max_long_edge" max_long_edge: optional Positive,
        /// The codec of pictures; png if none.
        "format" format: optional ImageFormat,
        /// JPEG quality; png passes it over.
        "quality" quality: optional Quality,
        /// Sends only the tiles that changed.
        "delta" delta: optional bool,
        /// Goes on with a stream of an earlier connection.
        "resume_stream" resume_stream: optional String,
        /// The `frame_hash` of a picture that the client has; equal pixels are answered by `not_modified`.
        "if_none_match" if_none_match: optional String,
        /// Always true for observe; false is refused.
        "structured" structured: optional bool,
        /// Says the tree as a difference to the session's last one.
        "diff" diff: optional bool,
        /// Waits until the interface has been quiet for so many milliseconds.
        "settle_ms" settle_ms: optional Natural,
        /// The program and its arguments.
        "argv" argv: optional NonEmpty<String>,
        /// A command line for `/bin/sh -c`.
        "shell" shell: optional String,
        /// The program's working directory; the daemon's if none.
        "cwd" cwd: optional String,
        /// Variables added to the daemon's environment.
        "env" env: optional BTreeMap<String, String>,
        /// When to kill the program's process group, in milliseconds.
        "timeout_ms" timeout_ms: optional Positive,
        /// What the program reads; nothing if none.
        "stdin" stdin: optional String,
        /// Streams the output as `exec_output` and `exec_exit`.
        "stream" stream: optional bool,
        /// Reserved: only false.
        "pty" pty: optional Constant<false>,
        /// The program that launch_app starts; a part of the window's title for activate_window.
        "app" app: optional NonEmptyString,
        /// The arguments of launch_app.
        "args" args: optional Vec<String>,
        /// The window that activate_window raises, as list_windows numbers it.
        "window_id" window_id: optional Natural,
    }
}

wire_object! {
    /// The picture that follows an action; the fields mean what they mean for a screenshot.
    #[derive(Copy, Eq, Default)]
    pub struct ObserveSpec: Closed {
        /// What it shows.
        "scope" scope: optional Scope,
        /// Its codec.
        "format" format: optional ImageFormat,
        /// JPEG quality.
        "quality" quality: optional Quality,
        /// The longer edge's limit in pixels.
        "max_long_edge" max_long_edge: optional Positive,
    }
}

wire_object! {
    /// Several actions in order, as clients hand them around. It never travels: each action goes as a message of its own.
    pub struct ActionBatch: Closed {
        /// A name for the batch.
        "batch_id" batch_id: optional String,
        /// Whether the first failure ends it; true if absent.
        "stop_on_error" stop_on_error: optional bool,
        /// The actions.
        "actions" actions: required NonEmpty<Action>,
    }
}

impl Action {
    /// An action with no field but its verb.
    pub fn new(verb: Verb) -> Self {
        Self {
            verb,
            target: None,
            to: None,
            button: None,
            duration_ms: None,
            observe: None,
            text: None,
            keys: None,
            dx: None,
            dy: None,
            ms: None,
            scope: None,
            fps: None,
            max_long_edge: None,
            format: None,
            quality: None,
            delta: None,
            resume_stream: None,
            if_none_match: None,
            structured: None,
            diff: None,
            settle_ms: None,
            argv: None,
            shell: None,
            cwd: None,
            env: None,
            timeout_ms: None,
            stdin: None,
            stream: None,
            pty: None,
            app: None,
            args: None,
            window_id: None,
        }
    }
}

/// The rules between an action's fields, made from the table of verbs.
pub fn rules() -> &'static [Rule] {
    static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
        let mut rules = Vec::new();
        for row in VERBS {
            let when = || When::Verb(vec![row.verb.as_str()]);
            if !row.required.is_empty() {
                rules.push(Rule {
                    when: when(),
                    then: Then::Require(row.required.to_vec()),
                });
            }
            match row.choice {
                Choice::Free => {}
                Choice::OneOf(one, other) => rules.push(Rule {
                    when: when(),
                    then: Then::OneOf(one, other),
                }),
                Choice::AnyOf(fields) => rules.push(Rule {
                    when: when(),
                    then: Then::AnyOf(fields.to_vec()),
                }),
            }
        }
        let mutating = VERBS
            .iter()
            .filter(|row| row.effect == Effect::Mutates)
            .map(|row| row.verb.as_str())
            .collect();
        rules.push(Rule {
            when: When::Any(vec!["observe"]),
            then: Then::Verb(mutating),
        });
        // Fields that the same verbs own share a rule.
        let mut owners: BTreeMap<Vec<&'static str>, Vec<&'static str>> = BTreeMap::new();
        let mut fields: Vec<&'static str> = VERBS.iter().flat_map(|row| row.own).copied().collect();
        fields.sort_unstable();
        fields.dedup();
        for field in fields {
            let verbs = VERBS
                .iter()
                .filter(|row| row.own.contains(&field))
                .map(|row| row.verb.as_str())
                .collect();
            owners.entry(verbs).or_default().push(field);
        }
        rules.extend(owners.into_iter().map(|(verbs, fields)| Rule {
            when: When::Any(fields),
            then: Then::Verb(verbs),
        }));
        rules
    });
    &RULES
}

/// The schema of the verbs that change the desktop.
pub(crate) fn mutating_verbs() -> Value {
    serde_json::json!({
        "enum": Verb::ALL.iter().filter(|verb| verb.mutates()).map(|verb| verb.as_str()).collect::<Vec<_>>(),
        "description": "the verbs that change the desktop, and so may carry `observe`",
    })
}
