//! What a cell of Python code gave.

use std::sync::LazyLock;

use crate::exec::PayloadRange;
use crate::rule::{Rule, Then, When};
use crate::wire::{Integer, Natural, Number, wire_object, words};

words! {
    /// Why something was shown.
    RunOutputKind {
        /// A figure of matplotlib's pyplot that the cell left open, or showed by `show()`.
        Figure = "figure",
        /// The argument of a call of `display`.
        Display = "display",
        /// The value of the cell's last expression, where it can be shown as more than text.
        Value = "value",
    }
}

wire_object! {
    /// One form of something shown, as text or as bytes.
    #[derive(Eq)]
    pub struct RunForm: Closed, rules text_or_bytes {
        /// Its MIME type.
        "mime" mime: required String,
        /// The content of a form that is text, such as HTML or SVG.
        "text" text: optional String,
        /// The bytes of a form that is not, such as PNG, in base64, where the result is a text message,
        "data_b64" data_b64: optional String,
        /// or where they are, in a binary message.
        "data" data: optional PayloadRange,
    }
}

wire_object! {
    /// Something that a cell showed.
    #[derive(Eq)]
    pub struct RunOutput: Closed {
        /// Why it was shown.
        "kind" kind: required RunOutputKind,
        /// Its forms, each of them the whole of it.
        "forms" forms: required Vec<RunForm>,
    }
}

wire_object! {
    /// The exception that ended a cell.
    #[derive(Eq)]
    pub struct RunError: Closed {
        /// The name of its class.
        "ename" ename: required String,
        /// What it says of itself.
        "evalue" evalue: required String,
        /// The traceback as Python prints it, from the cell's own frame on.
        "traceback" traceback: required String,
    }
}

wire_object! {
    /// The value of the result of a cell.
    pub struct RunResult: Closed {
        /// What was written to standard output and standard error, also by the programs that the cell started, in order; with
        /// what was written since the cell before it. Bytes that are not UTF-8 become U+FFFD.
        "output" output: required String,
        /// Whether there was more of it than is kept.
        "output_truncated" output_truncated: required bool,
        /// The exception that ended it; absent where none did.
        "error" error: optional RunError,
        /// The `repr()` of its last expression; absent where it ends with a statement or the value is None.
        "value" value: optional String,
        /// Whether that was longer than kept.
        "value_truncated" value_truncated: required bool,
        /// What it showed beside text, in order.
        "outputs" outputs: required Vec<RunOutput>,
        /// Whether more was shown than is kept.
        "outputs_truncated" outputs_truncated: required bool,
        /// Whether its time was over before its end.
        "timed_out" timed_out: required bool,
        /// Whether it was interrupted: because its time was over, by a control, or because its client went.
        "interrupted" interrupted: required bool,
        /// Whether the interpreter ended with it, by itself or because the cell would not stop. All state is lost.
        "state_lost" state_lost: required bool,
        /// The exit code of an interpreter that ended.
        "exit_code" exit_code: optional Integer,
        /// The signal that ended the interpreter.
        "signal" signal: optional Integer,
        /// Whether this interpreter is not the one that the session had its last result of, or is a fresh one in the place of one
        /// that ended: names that were defined in the other are unknown to it.
        "restarted" restarted: required bool,
        /// Counts the cells of the interpreter, from 1.
        "execution_count" execution_count: required Natural,
        /// How long it ran, in milliseconds; the wait for cells before it is not counted.
        "duration_ms" duration_ms: required Number<0>,
    }
}

wire_object! {
    /// The header of a binary message that carries the result of a cell that showed something with bytes.
    pub struct BinaryRunResult: Closed {
        fixed "type" = "result";
        /// The call that it answers.
        "call_id" call_id: required String,
        /// The result.
        "value" value: required RunResult,
    }
}

fn text_or_bytes() -> &'static [Rule] {
    static RULES: LazyLock<[Rule; 4]> = LazyLock::new(|| {
        let alone = |field, others: [&'static str; 2]| Rule {
            when: When::Any(vec![field]),
            then: Then::Forbid(others.to_vec()),
        };
        [
            Rule {
                when: When::Always,
                then: Then::AnyOf(vec!["text", "data_b64", "data"]),
            },
            alone("text", ["data_b64", "data"]),
            alone("data_b64", ["text", "data"]),
            alone("data", ["text", "data_b64"]),
        ]
    });
    &*RULES
}

impl BinaryRunResult {
    /// Where the bytes of all forms are, in order.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = PayloadRange> {
        let forms = self.value.outputs.iter().flat_map(|output| &output.forms);
        forms.filter_map(|form| form.data)
    }
}
