//! From the pixels of a picture to those of the screen, by the client's own rule.

use aci::Wire as _;
use aci::geometry::CoordinateSpace;
use pyo3::prelude::*;

use crate::error::Fault;
use crate::json;

/// The pixel of the screen under the pixel (`x`, `y`) of the picture that this descriptor came with.
#[pyfunction]
pub(crate) fn point_of_frame(frame: &Bound<'_, PyAny>, x: f64, y: f64) -> PyResult<(i64, i64)> {
    let space = space(frame)?;
    space
        .pixel_to_screen(x, y)
        .map_err(|error| Fault::from(shinken::ClientError::from(error)).raise(frame.py()))
}

/// The same for shares of the picture's width and height, 0 to 1.
#[pyfunction]
pub(crate) fn share_of_frame(frame: &Bound<'_, PyAny>, x: f64, y: f64) -> PyResult<(i64, i64)> {
    let space = space(frame)?;
    space
        .share_to_screen(x, y)
        .map_err(|error| Fault::from(shinken::ClientError::from(error)).raise(frame.py()))
}

fn space(frame: &Bound<'_, PyAny>) -> PyResult<CoordinateSpace> {
    CoordinateSpace::decode(json::from_python(frame)?)
        .map_err(|fault| Fault::invalid(format!("the frame's descriptor: {fault}")).raise(frame.py()))
}
