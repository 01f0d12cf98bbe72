//! What is wrong with a piece of JSON, and where.

use std::fmt;

use serde_json::Value;

use super::question;

/// A refusal of some JSON: the place and the reason.
///
/// It prints as `action.target.x: expected a number, found "640"`, and is never long, whatever was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// From the inside outwards.
    path: Vec<String>,
    problem: String,
}

impl Fault {
    /// A fault at the value itself.
    pub fn new(problem: impl Into<String>) -> Self {
        Self {
            path: Vec::new(),
            problem: problem.into(),
        }
    }

    /// The value is of the wrong type.
    pub(crate) fn expected(what: &str, found: &Value) -> Self {
        Self::new(format!("expected {what}, found {}", kind(found)))
    }

    /// The value is none of the words that it may be.
    pub(crate) fn not_among(words: &[&str], found: &Value) -> Self {
        let mut fault = Self::expected(&format!("one of {}", words.join(", ")), found);
        let question = question(found.as_str().unwrap_or_default(), words);
        if !question.is_empty() {
            fault.problem = format!("{};{question}", fault.problem);
        }
        fault
    }

    /// The same fault, seen from the object or array that holds the value.
    pub(crate) fn inside(mut self, step: impl Into<String>) -> Self {
        let step: String = step.into();
        self.path.push(short(&step));
        self
    }
}

impl std::error::Error for Fault {}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.path.iter().rev().enumerate() {
            if index > 0 && !step.starts_with('[') {
                f.write_str(".")?;
            }
            f.write_str(step)?;
        }
        if !self.path.is_empty() {
            f.write_str(": ")?;
        }
        f.write_str(&self.problem)
    }
}

/// A text from outside, quoted, and cut where it is long.
pub(crate) fn shown(text: &str) -> String {
    format!("{:?}", short(text))
}

fn short(text: &str) -> String {
    match text.char_indices().nth(48) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A short text of a value for an error message, never longer than a line.
fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(value) => value.to_string(),
        Value::String(text) => shown(text),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}
