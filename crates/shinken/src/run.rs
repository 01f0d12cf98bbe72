//! Python code in the sandbox's interpreter, and what came of it.

use std::time::Duration;

use aci::Positive;
use aci::extension::action::{Run as WireRun, RunControl};
pub use aci::extension::run::{RunError, RunOutputKind};
use aci::extension::run::{RunForm as WireForm, RunResult as WireResult};
use aci::frame::{Frame, Header};
use bytes::Bytes;
use serde_json::{Value, json};

use crate::error::ClientError;

/// What the interpreter gives a cell where a call names no time.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

/// Python code to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    code: String,
    timeout: Duration,
}

impl Run {
    /// This code, as a cell of a notebook.
    pub fn new(code: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            timeout: DEFAULT_TIMEOUT,
        }
    }

    /// When the runtime interrupts it; a minute if not said. Never the client's own limit, which is longer.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    pub(crate) fn into_wire(self) -> WireRun {
        WireRun {
            code: Some(self.code),
            control: None,
            // Said always, so that runtime and client agree on it.
            timeout_ms: Some(Positive::clamped(self.timeout.as_millis().max(1))),
        }
    }
}

pub(crate) fn control(control: RunControl) -> WireRun {
    WireRun {
        code: None,
        control: Some(control),
        timeout_ms: None,
    }
}

/// What came of a cell. That it raised an exception is no error of the call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RunResult {
    /// What was written to standard output and standard error, also by programs that it started, in order.
    pub output: String,
    /// Whether there was more of it than the runtime keeps.
    pub output_truncated: bool,
    /// The exception that ended it.
    pub error: Option<RunError>,
    /// The `repr()` of its last expression, unless that is None.
    pub value: Option<String>,
    /// Whether that was longer than the runtime keeps.
    pub value_truncated: bool,
    /// Pictures and other things that it showed, in order.
    pub outputs: Vec<RunOutput>,
    /// Whether it showed more than the runtime keeps.
    pub outputs_truncated: bool,
    /// Whether its time was over before its end.
    pub timed_out: bool,
    /// Whether it was interrupted, by its time or by somebody.
    pub interrupted: bool,
    /// How the interpreter ended, where it ended with this cell; all its state is lost.
    pub state_lost: Option<InterpreterEnd>,
    /// Whether names of earlier cells are unknown, because this interpreter is not the one that the session's last cell ran in, or
    /// has just taken the place of one that ended.
    pub restarted: bool,
    /// Counts the interpreter's cells, from 1.
    pub execution_count: u64,
    /// How long it ran, without the wait for other cells.
    pub duration: Duration,
}

/// How an interpreter ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InterpreterEnd {
    /// Its exit code.
    pub exit_code: Option<i64>,
    /// The signal that ended it; 9 where the runtime killed it, and where the machine ran out of memory.
    pub signal: Option<i64>,
}

/// Something that a cell showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOutput {
    /// Why it was shown.
    pub kind: RunOutputKind,
    /// Its forms, each of them the whole of it.
    pub forms: Vec<RunForm>,
}

/// One form of something shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunForm {
    /// Its MIME type.
    pub mime: String,
    /// It.
    pub content: RunContent,
}

/// The content of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunContent {
    /// Such as HTML or SVG.
    Text(String),
    /// Such as PNG.
    Bytes(Bytes),
}

impl RunOutput {
    /// The form of this MIME type.
    pub fn form(&self, mime: &str) -> Option<&RunContent> {
        let form = self.forms.iter().find(|form| form.mime == mime)?;
        Some(&form.content)
    }

    /// Its picture as the bytes of a PNG.
    pub fn png(&self) -> Option<&Bytes> {
        match self.form("image/png")? {
            RunContent::Bytes(bytes) => Some(bytes),
            RunContent::Text(_) => None,
        }
    }
}

impl RunResult {
    /// Whether the cell came to its end without an exception.
    pub fn is_ok(&self) -> bool {
        self.error.is_none() && self.state_lost.is_none()
    }

    pub(crate) fn from_frame(frame: &Frame) -> Option<(String, Result<Self, ClientError>)> {
        let Header::Run(header) = frame.header() else {
            return None;
        };
        let result = Self::from_wire(header.value.clone(), Some(frame));
        Some((header.call_id.clone(), result))
    }

    pub(crate) fn from_wire(wire: WireResult, frame: Option<&Frame>) -> Result<Self, ClientError> {
        let output = |output: aci::extension::run::RunOutput| {
            let forms = output.forms.into_iter().map(|form| content(form, frame));
            Ok(RunOutput {
                kind: output.kind,
                forms: forms.collect::<Result<_, ClientError>>()?,
            })
        };
        Ok(Self {
            output: wire.output,
            output_truncated: wire.output_truncated,
            error: wire.error,
            value: wire.value,
            value_truncated: wire.value_truncated,
            outputs: wire
                .outputs
                .into_iter()
                .map(output)
                .collect::<Result<_, ClientError>>()?,
            outputs_truncated: wire.outputs_truncated,
            timed_out: wire.timed_out,
            interrupted: wire.interrupted,
            state_lost: wire.state_lost.then(|| InterpreterEnd {
                exit_code: wire.exit_code.map(aci::Integer::get),
                signal: wire.signal.map(aci::Integer::get),
            }),
            restarted: wire.restarted,
            execution_count: wire.execution_count.to_u64(),
            duration: Duration::try_from_secs_f64(wire.duration_ms.get() / 1e3).unwrap_or_default(),
        })
    }

    /// The result as JSON, for people and scripts: of what was shown as bytes only how many there are.
    pub fn to_json(&self) -> Value {
        let form = |form: &RunForm| match &form.content {
            RunContent::Text(text) => json!({"mime": form.mime, "text": text}),
            RunContent::Bytes(bytes) => json!({"mime": form.mime, "bytes": bytes.len()}),
        };
        let output = |output: &RunOutput| {
            json!({
                "kind": output.kind.as_str(),
                "forms": output.forms.iter().map(form).collect::<Vec<_>>(),
            })
        };
        json!({
            "output": self.output,
            "output_truncated": self.output_truncated,
            "error": self.error.as_ref().map(|error| json!({
                "ename": error.ename, "evalue": error.evalue, "traceback": error.traceback,
            })),
            "value": self.value,
            "value_truncated": self.value_truncated,
            "outputs": self.outputs.iter().map(output).collect::<Vec<_>>(),
            "outputs_truncated": self.outputs_truncated,
            "timed_out": self.timed_out,
            "interrupted": self.interrupted,
            "state_lost": self.state_lost.is_some(),
            "exit_code": self.state_lost.and_then(|end| end.exit_code),
            "signal": self.state_lost.and_then(|end| end.signal),
            "restarted": self.restarted,
            "execution_count": self.execution_count,
            "duration_ms": self.duration.as_secs_f64() * 1e3,
        })
    }
}

fn content(form: WireForm, frame: Option<&Frame>) -> Result<RunForm, ClientError> {
    let content = match (form.text, form.data_b64, form.data, frame) {
        (Some(text), ..) => RunContent::Text(text),
        (_, Some(data), ..) => RunContent::Bytes(crate::routes::from_base64(&data)?),
        (.., Some(data), Some(frame)) => RunContent::Bytes(frame.slice(data.off, data.len)),
        _ => {
            return Err(ClientError::protocol(
                "what a cell showed points into a binary message, and came in none",
            ));
        }
    };
    Ok(RunForm {
        mime: form.mime,
        content,
    })
}
