//! Requests beyond the contract.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::action::{ObserveSpec, Quality};
use crate::rule::{Rule, Then, When};
use crate::target::{ElementRef, Scope};
use crate::verb::{Effect, Reply};
use crate::welcome::ImageFormat;
use crate::wire::{Fault, Natural, NonEmpty, NonEmptyString, Number, Positive, Wire, wire_object, words};

/// How far to scroll, in what an element shows at a time.
pub type Pages = Number<-100_000, 100_000>;

words! {
    /// Which way something is scrolled.
    Axis {
        /// Up and down.
        Vertical = "v",
        /// To the left and to the right.
        Horizontal = "h",
    }
}

words! {
    /// What is done with a text that was found.
    SelectionMode {
        /// It is selected.
        Select = "select",
        /// The caret is put before it.
        CaretBefore = "caret_before",
        /// The caret is put after it.
        CaretAfter = "caret_after",
    }
}

words! {
    /// What a view shows.
    Include {
        /// A picture.
        Screenshot = "screenshot",
        /// The accessibility tree.
        Tree = "tree",
        /// A picture with a numbered box around each element that can be used: 14 stands for `e14`.
        Marks = "marks",
    }
}

wire_object! {
    /// Scrolls one element, and reads back that it has moved. Answered by an ack. An element that is at its end already, or does
    /// not scroll, is `unsupported`.
    pub struct ScrollElement: Closed {
        fixed "verb" = "scroll_element";
        /// What to scroll: the element itself, or one inside of what scrolls.
        "target" target: required ElementRef,
        /// How far, in what it shows at a time: 1 is a page down or to the right, -0.5 half a page up or to the left.
        "pages" pages: required Pages,
        /// Which way; `v` if none.
        "axis" axis: optional Axis,
        /// Asks for a picture afterwards, as with any verb that changes the desktop.
        "observe" observe: optional ObserveSpec,
    }
}

wire_object! {
    /// Finds a text in an element and selects it, or puts the caret at it, and reads that back. Answered by an ack. A text that is
    /// not there, or there more than once, is `invalid_action` with what to add.
    pub struct SetTextSelection: Closed {
        fixed "verb" = "set_text_selection";
        /// The element whose text it is.
        "target" target: required ElementRef,
        /// What to do with what was found.
        "mode" mode: required SelectionMode,
        /// The text to find, letter for letter.
        "text" text: required NonEmptyString,
        /// What stands right before it, where it is there more than once.
        "prefix" prefix: optional String,
        /// What stands right after it.
        "suffix" suffix: optional String,
        /// Asks for a picture afterwards, as with any verb that changes the desktop.
        "observe" observe: optional ObserveSpec,
    }
}

wire_object! {
    /// An application, by its name, its process, or both; at least one must be there.
    #[derive(Eq)]
    pub struct AppSelector: Closed, rules name_or_pid {
        /// Its name or that of its program's file, letter case aside.
        "name" name: optional NonEmptyString,
        /// Its process.
        "pid" pid: optional Positive,
    }
}

wire_object! {
    /// The verb `observe` with one of the fields `app` and `include`. Answered by a View.
    pub struct ObserveView: Closed, rules app_or_include {
        fixed "verb" = "observe";
        /// The application to look at; the focused one if none.
        "app" app: optional AppSelector,
        /// What to show; the tree if none. With both, no change of the screen lies between them, unless `settle` says that there
        /// was no rest.
        "include" include: optional NonEmpty<Include>,
        /// Always true; false is refused.
        "structured" structured: optional bool,
        /// Says the tree as a difference to the session's last one.
        "diff" diff: optional bool,
        /// Waits until the interface has been quiet for so many milliseconds.
        "settle_ms" settle_ms: optional Natural,
        /// What the picture shows; the screen if none.
        "scope" scope: optional Scope,
        /// Scales the picture down so that its longer edge has at most this many pixels.
        "max_long_edge" max_long_edge: optional Positive,
        /// The picture's codec; png if none.
        "format" format: optional ImageFormat,
        /// JPEG quality; png passes it over.
        "quality" quality: optional Quality,
    }
}

words! {
    /// What is done with the interpreter of `run`, at once, whatever it is doing.
    RunControl {
        /// It is ended, with all that it has started. The next cell is run by a fresh one.
        Restart = "restart",
        /// The cell that runs gets a KeyboardInterrupt; none is no fault. One that does not stop has its interpreter ended.
        Interrupt = "interrupt",
    }
}

wire_object! {
    /// Runs Python code, a cell, in an interpreter that keeps its state, one for all sessions of a daemon; or controls that
    /// interpreter. A cell is answered by a result with a RunResult, a control by an ack. Cells are run one after another,
    /// beside the session's other calls; one whose client goes is interrupted.
    #[derive(Eq)]
    pub struct Run: Closed, rules code_or_control {
        fixed "verb" = "run";
        /// The code.
        "code" code: optional String,
        /// What to do with the interpreter instead.
        "control" control: optional RunControl,
        /// How long the cell may run until it is interrupted.
        "timeout_ms" timeout_ms: optional Positive,
    }
}

/// At least one of these two fields must be there.
fn one_of(fields: [&'static str; 2]) -> [Rule; 1] {
    [Rule {
        when: When::Always,
        then: Then::AnyOf(fields.to_vec()),
    }]
}

fn name_or_pid() -> &'static [Rule] {
    static RULES: LazyLock<[Rule; 1]> = LazyLock::new(|| one_of(["name", "pid"]));
    &*RULES
}

fn app_or_include() -> &'static [Rule] {
    static RULES: LazyLock<[Rule; 1]> = LazyLock::new(|| one_of(["app", "include"]));
    &*RULES
}

fn code_or_control() -> &'static [Rule] {
    static RULES: LazyLock<[Rule; 2]> = LazyLock::new(|| {
        [
            Rule {
                when: When::Always,
                then: Then::OneOf("code", "control"),
            },
            Rule {
                when: When::Any(vec!["control"]),
                then: Then::Forbid(vec!["timeout_ms"]),
            },
        ]
    });
    &*RULES
}

/// An action beyond the contract.
#[derive(Debug, Clone, PartialEq)]
pub enum ExtendedAction {
    /// Scrolls one element.
    ScrollElement(ScrollElement),
    /// Selects a text or puts the caret at it.
    SetTextSelection(SetTextSelection),
    /// Looks at an application, or takes a picture with the tree.
    Observe(ObserveView),
    /// Runs Python code, or controls its interpreter.
    Run(Run),
}

impl ExtendedAction {
    /// The verb's word.
    pub fn verb(&self) -> &'static str {
        match self {
            Self::ScrollElement(_) => "scroll_element",
            Self::SetTextSelection(_) => "set_text_selection",
            Self::Observe(_) => "observe",
            Self::Run(_) => "run",
        }
    }

    /// What it does to the desktop.
    pub fn effect(&self) -> Effect {
        match self {
            Self::ScrollElement(_) | Self::SetTextSelection(_) => Effect::Mutates,
            Self::Observe(_) => Effect::Reads,
            Self::Run(_) => Effect::Runs,
        }
    }

    /// How it is answered.
    pub fn reply(&self) -> Reply {
        match self {
            Self::ScrollElement(_) | Self::SetTextSelection(_) => Reply::Ack,
            Self::Observe(_) => Reply::Observation,
            Self::Run(call) if call.control.is_some() => Reply::Ack,
            Self::Run(_) => Reply::Result,
        }
    }

    /// The picture that it asks for after it was done.
    pub fn observe(&self) -> Option<ObserveSpec> {
        match self {
            Self::ScrollElement(call) => call.observe,
            Self::SetTextSelection(call) => call.observe,
            Self::Observe(_) | Self::Run(_) => None,
        }
    }

    pub(super) fn definition() -> Value {
        json!({"oneOf": [ScrollElement::schema(), SetTextSelection::schema(), ObserveView::schema(), Run::schema()]})
    }
}

impl Wire for ExtendedAction {
    fn decode(value: Value) -> Result<Self, Fault> {
        match value.get("verb").and_then(Value::as_str) {
            Some("scroll_element") => ScrollElement::decode(value).map(Self::ScrollElement),
            Some("set_text_selection") => SetTextSelection::decode(value).map(Self::SetTextSelection),
            Some("observe") => ObserveView::decode(value).map(Self::Observe),
            Some("run") => Run::decode(value).map(Self::Run),
            _ => Err(Fault::not_among(
                &["scroll_element", "set_text_selection", "observe", "run"],
                &value["verb"],
            )
            .inside("verb")),
        }
    }

    fn encode(self) -> Value {
        match self {
            Self::ScrollElement(call) => call.encode(),
            Self::SetTextSelection(call) => call.encode(),
            Self::Observe(call) => call.encode(),
            Self::Run(call) => call.encode(),
        }
    }

    fn schema() -> Value {
        json!({"$ref": "#/$defs/ExtendedAction"})
    }
}
