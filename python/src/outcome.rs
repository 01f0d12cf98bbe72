//! What actions gave.

use aci::Wire as _;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use shinken::{Acted, ClientError, Reply, RunContent, RunResult, Seen, Step};

use crate::error::Fault;
use crate::json;
use crate::shot::NativeShot;
use crate::view::NativeView;

/// What one action gave.
#[pyclass(frozen, module = "shinken._native", get_all)]
pub(crate) struct NativeActed {
    /// The value of a result.
    value: Option<Py<PyAny>>,
    /// The picture: what the action is for, or what was to be seen after it.
    shot: Option<Py<PyAny>>,
    /// The view that the action gave.
    view: Option<Py<PyAny>>,
    /// Why what was to be seen after the action is missing.
    unseen: Option<Py<PyAny>>,
}

impl NativeActed {
    fn from_reply(py: Python<'_>, reply: Reply) -> PyResult<Self> {
        let mut acted = Self {
            value: None,
            shot: None,
            view: None,
            unseen: None,
        };
        match reply {
            Reply::Done => {}
            Reply::Ran(result) => acted.value = Some(ran(py, *result)?),
            Reply::Value(value) => acted.value = Some(json::to_python(py, &value)?),
            Reply::Seen(Seen::Picture(shot)) => acted.shot = Some(NativeShot::into_object(py, shot)?),
            Reply::Seen(Seen::View(view)) => acted.view = Some(NativeView::into_object(py, *view)?),
            Reply::Seen(Seen::Tree(tree)) => {
                let view = shinken::View {
                    tree: Some(*tree),
                    picture: None,
                    settle: None,
                };
                acted.view = Some(NativeView::into_object(py, view)?);
            }
            // Only a caller that sent a hash of its own gets this.
            Reply::Seen(Seen::NotModified(same)) => {
                let value = serde_json::json!({"not_modified": true, "frame_hash": same.frame_hash});
                acted.value = Some(json::to_python(py, &value)?);
            }
        }
        Ok(acted)
    }

    pub(crate) fn into_object(py: Python<'_>, acted: Acted) -> PyResult<Py<PyAny>> {
        let mut made = Self::from_reply(py, acted.reply)?;
        match acted.observation {
            None => {}
            Some(Ok(shot)) => made.shot = Some(NativeShot::into_object(py, shot)?),
            Some(Err(error)) => made.unseen = Some(exception(py, error)),
        }
        Ok(Py::new(py, made)?.into_any())
    }
}

/// What several actions gave.
#[pyclass(frozen, module = "shinken._native")]
pub(crate) struct NativeStep {
    outcomes: Vec<Py<PyAny>>,
    /// How many were not sent because one before them failed.
    #[pyo3(get)]
    not_sent: usize,
    /// The picture after them.
    #[pyo3(get)]
    shot: Option<Py<PyAny>>,
    /// The view after them.
    #[pyo3(get)]
    view: Option<Py<PyAny>>,
    /// Why what was to be seen after them is missing.
    #[pyo3(get)]
    unseen: Option<Py<PyAny>>,
}

#[pymethods]
impl NativeStep {
    /// For each action what it gave, or the exception that says why it was not done.
    #[getter]
    fn outcomes(&self, py: Python<'_>) -> Vec<Py<PyAny>> {
        self.outcomes
            .iter()
            .map(|outcome| outcome.clone_ref(py))
            .collect()
    }
}

impl NativeStep {
    pub(crate) fn into_object(py: Python<'_>, step: Step) -> PyResult<Py<PyAny>> {
        let mut made = Self::from_outcomes(py, step.outcomes, 0)?;
        match (step.observation, step.view) {
            (Some(Ok(shot)), _) => made.shot = Some(NativeShot::into_object(py, shot)?),
            (_, Some(Ok(view))) => made.view = Some(NativeView::into_object(py, view)?),
            (Some(Err(error)), _) | (_, Some(Err(error))) => made.unseen = Some(exception(py, error)),
            (None, None) => {}
        }
        Ok(Py::new(py, made)?.into_any())
    }

    pub(crate) fn of_batch(py: Python<'_>, batch: shinken::Batch) -> PyResult<Py<PyAny>> {
        let made = Self::from_outcomes(py, batch.outcomes, batch.not_sent)?;
        Ok(Py::new(py, made)?.into_any())
    }

    fn from_outcomes(
        py: Python<'_>,
        outcomes: Vec<Result<Reply, ClientError>>,
        not_sent: usize,
    ) -> PyResult<Self> {
        let made = outcomes.into_iter().map(|outcome| match outcome {
            Ok(reply) => Ok(Py::new(py, NativeActed::from_reply(py, reply)?)?.into_any()),
            Err(error) => Ok(exception(py, error)),
        });
        Ok(Self {
            outcomes: made.collect::<PyResult<_>>()?,
            not_sent,
            shot: None,
            view: None,
            unseen: None,
        })
    }
}

/// What came of a cell, as a dictionary; the content of a form is text or bytes.
pub(crate) fn ran(py: Python<'_>, result: RunResult) -> PyResult<Py<PyAny>> {
    let fields = PyDict::new(py);
    fields.set_item("output", result.output)?;
    fields.set_item("output_truncated", result.output_truncated)?;
    let error = result.error.map(|error| json::to_python(py, &error.encode()));
    fields.set_item("error", error.transpose()?)?;
    fields.set_item("value", result.value)?;
    fields.set_item("value_truncated", result.value_truncated)?;
    let mut outputs = Vec::with_capacity(result.outputs.len());
    for output in result.outputs {
        let forms = PyDict::new(py);
        for form in output.forms {
            match form.content {
                RunContent::Text(text) => forms.set_item(form.mime, text)?,
                RunContent::Bytes(bytes) => forms.set_item(form.mime, PyBytes::new(py, &bytes))?,
            }
        }
        outputs.push((output.kind.as_str(), forms));
    }
    fields.set_item("outputs", outputs)?;
    fields.set_item("outputs_truncated", result.outputs_truncated)?;
    fields.set_item("timed_out", result.timed_out)?;
    fields.set_item("interrupted", result.interrupted)?;
    let lost = result.state_lost.map(|end| (end.exit_code, end.signal));
    fields.set_item("state_lost", lost)?;
    fields.set_item("restarted", result.restarted)?;
    fields.set_item("execution_count", result.execution_count)?;
    fields.set_item("duration_ms", result.duration.as_secs_f64() * 1e3)?;
    Ok(fields.into_any().unbind())
}

/// The exception as an object, not raised.
fn exception(py: Python<'_>, error: ClientError) -> Py<PyAny> {
    Fault::from(error).raise(py).into_value(py).into_any()
}
