//! Pictures.

use aci::Wire as _;
use aci::action::ObserveSpec;
use aci::welcome::ImageFormat;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyBytes;
use shinken::{Screenshot, Shot};

use crate::error::Fault;
use crate::json;

/// A picture as it was delivered.
#[pyclass(frozen, module = "shinken._native")]
pub(crate) struct NativeShot {
    shot: Screenshot,
    /// The encoded bytes as Python's object, made when first asked for.
    data: PyOnceLock<Py<PyBytes>>,
}

impl NativeShot {
    pub(crate) fn new(shot: Screenshot) -> Self {
        Self {
            shot,
            data: PyOnceLock::new(),
        }
    }

    pub(crate) fn into_object(py: Python<'_>, shot: Screenshot) -> PyResult<Py<PyAny>> {
        Ok(Py::new(py, Self::new(shot))?.into_any())
    }
}

#[pymethods]
impl NativeShot {
    /// The encoded picture.
    #[getter]
    fn data(&self, py: Python<'_>) -> Py<PyBytes> {
        let data = self
            .data
            .get_or_init(py, || PyBytes::new(py, &self.shot.bytes).unbind());
        data.clone_ref(py)
    }

    /// `png` or `jpeg`.
    #[getter]
    fn format(&self) -> &'static str {
        self.shot.format.as_str()
    }

    /// Width in pixels.
    #[getter]
    fn w(&self) -> u32 {
        self.shot.w
    }

    /// Height in pixels.
    #[getter]
    fn h(&self) -> u32 {
        self.shot.h
    }

    /// What it shows: `screen`, `active_window` or `window:ID`.
    #[getter]
    fn scope(&self) -> Option<String> {
        self.shot.scope.map(|scope| scope.to_string())
    }

    /// How its pixels lie on the screen.
    #[getter]
    fn display(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let display = self.shot.display.map(aci::geometry::CoordinateSpace::encode);
        display.map(|display| json::to_python(py, &display)).transpose()
    }

    /// The token that stands for its pixels.
    #[getter]
    fn frame_hash(&self) -> Option<String> {
        self.shot.frame_hash.clone()
    }

    /// Where the pointer was, in pixels of this picture.
    #[getter]
    fn pointer(&self) -> Option<(i64, i64)> {
        self.shot.pointer
    }

    /// Whether the bytes come from the frame cache.
    #[getter]
    #[expect(
        clippy::wrong_self_convention,
        reason = "it is the name of the field in Rust and in Python"
    )]
    fn from_cache(&self) -> bool {
        self.shot.from_cache
    }

    /// The pixels: rows from the top, three bytes each, red first.
    fn rgb(&self, py: Python<'_>) -> PyResult<Py<PyBytes>> {
        let size = self.shot.w as usize * self.shot.h as usize * 3;
        let pixels = PyBytes::new_with(py, size, |pixels| {
            py.detach(|| self.shot.decode_into(pixels))
                .map_err(|error| Fault::from(error).raise(py))
        })?;
        Ok(pixels.unbind())
    }

    /// The picture as PNG: the bytes that came, or those of another codec written anew.
    fn png(&self, py: Python<'_>) -> PyResult<Py<PyBytes>> {
        if self.shot.format == ImageFormat::Png {
            return Ok(self.data(py));
        }
        let png = py.detach(|| self.shot.decode().and_then(|picture| picture.to_png()));
        let png = png.map_err(|error| Fault::from(error).raise(py))?;
        Ok(PyBytes::new(py, &png).unbind())
    }
}

/// Reads which picture is asked for: an object with `scope`, `format`, `quality`, `max_long_edge`.
pub(crate) fn read(spec: &Bound<'_, PyAny>) -> PyResult<Shot> {
    let spec = ObserveSpec::decode(json::from_python(spec)?)
        .map_err(|fault| Fault::invalid(format!("the picture asked for: {fault}")).raise(spec.py()))?;
    Ok(Shot::from(spec))
}
