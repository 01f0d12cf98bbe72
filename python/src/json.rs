//! JSON as Python's own objects.

use pyo3::prelude::*;
use serde_json::Value;

use crate::error::Fault;

/// A value as dictionaries, lists, strings and numbers.
pub(crate) fn to_python(py: Python<'_>, value: &Value) -> PyResult<Py<PyAny>> {
    Ok(pythonize::pythonize(py, value)?.unbind())
}

/// Python's objects as a value.
pub(crate) fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Value> {
    pythonize::depythonize(object).map_err(|error| {
        Fault::invalid(format!("it is not made of JSON's types: {error}")).raise(object.py())
    })
}
