//! What `observe` gives.

use aci::Wire as _;
use pyo3::prelude::*;
use shinken::View;

use crate::json;
use crate::shot::NativeShot;

/// A tree, a picture, or both.
#[pyclass(frozen, module = "shinken._native")]
pub(crate) struct NativeView(View);

impl NativeView {
    pub(crate) fn into_object(py: Python<'_>, view: View) -> PyResult<Py<PyAny>> {
        Ok(Py::new(py, Self(view))?.into_any())
    }
}

#[pymethods]
impl NativeView {
    /// The tree as lines of text.
    #[getter]
    fn tree_text(&self) -> Option<&str> {
        self.0.tree.as_ref()?.tree_text.as_deref()
    }

    /// All elements, as dictionaries.
    #[getter]
    fn elements(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let tree = self.0.tree.as_ref();
        let elements = tree.and_then(|tree| tree.elements.clone()).unwrap_or_default();
        json::to_python(py, &elements.encode())
    }

    /// `full` or `diff`.
    #[getter]
    fn mode(&self) -> Option<&'static str> {
        Some(self.0.tree.as_ref()?.tree?.as_str())
    }

    /// The tree's number in the session.
    #[getter]
    fn revision(&self) -> Option<i64> {
        Some(self.0.tree.as_ref()?.revision?.get())
    }

    /// The number of the tree that this one is a difference to.
    #[getter]
    fn diff_of(&self) -> Option<i64> {
        Some(self.0.tree.as_ref()?.diff_of?.get())
    }

    /// The element that has the keyboard focus.
    #[getter]
    fn focus(&self) -> Option<&str> {
        self.0.tree.as_ref()?.focus.as_deref()
    }

    /// How many elements there are.
    #[getter]
    fn node_count(&self) -> Option<i64> {
        Some(self.0.tree.as_ref()?.node_count?.get())
    }

    /// How long the daemon took, in milliseconds.
    #[getter]
    fn capture_ms(&self) -> Option<f64> {
        Some(self.0.tree.as_ref()?.capture_ms?.get())
    }

    /// Whether the interface came to rest, and after how many milliseconds.
    #[getter]
    fn settle(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let settle = self.0.settle.map(|settle| settle.encode());
        settle.map(|settle| json::to_python(py, &settle)).transpose()
    }

    /// The picture taken with it.
    #[getter]
    fn shot(&self) -> Option<NativeShot> {
        self.0.picture.clone().map(NativeShot::new)
    }
}
