//! What comes by itself: output of programs, pictures of a screencast, the messages of a session.

use std::future::Future;
use std::sync::Arc;

use aci::Wire as _;
use pyo3::PyClass;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use shinken::{CastFrame, Direction, Events, ExecEvent, ExecStream, Screencast};
use tokio::sync::Mutex;

use crate::call::Call;
use crate::error::Fault;
use crate::json;
use crate::runtime::{Owner, runtime};

/// The output of a running program.
#[pyclass(frozen, module = "shinken._native")]
pub(crate) struct OutputStream(Arc<Mutex<ExecStream>>);

/// A running screencast.
#[pyclass(frozen, module = "shinken._native")]
pub(crate) struct PictureStream {
    cast: Arc<Mutex<Option<Screencast>>>,
    owner: Owner,
}

/// The messages of a session.
#[pyclass(frozen, module = "shinken._native")]
pub(crate) struct EventStream(Arc<Mutex<Events>>);

/// One picture of a screencast.
#[pyclass(frozen, module = "shinken._native")]
pub(crate) struct NativeFrame(CastFrame);

impl OutputStream {
    pub(crate) fn new(stream: ExecStream) -> Self {
        Self(Arc::new(Mutex::new(stream)))
    }
}

#[pymethods]
impl OutputStream {
    /// The next piece, as `(channel, bytes)`, or how the program ended, as a dictionary; `None` after that.
    fn next(&self) -> Call {
        let stream = Arc::clone(&self.0);
        let next = async move { Ok(stream.lock().await.next().await.transpose()?) };
        Call::new(next, |py, event| match event {
            None => Ok(py.None()),
            Some(ExecEvent::Exit(exit)) => {
                let mut exit = exit.encode();
                // What it is and whose it is are known here.
                if let Some(fields) = exit.as_object_mut() {
                    fields.remove("type");
                    fields.remove("cause");
                }
                json::to_python(py, &exit)
            }
            Some(ExecEvent::Output { channel, bytes, .. }) => {
                let piece = (channel.as_str(), PyBytes::new(py, &bytes));
                Ok(piece.into_pyobject(py)?.into_any().unbind())
            }
        })
    }
}

impl PictureStream {
    pub(crate) fn new(cast: Screencast) -> Self {
        Self {
            cast: Arc::new(Mutex::new(Some(cast))),
            owner: Owner::here(),
        }
    }
}

#[pymethods]
impl PictureStream {
    /// The next picture; `None` once the stream has ended.
    fn next(&self) -> Call {
        let cast = Arc::clone(&self.cast);
        let next = async move {
            match cast.lock().await.as_mut() {
                None => Ok(None),
                Some(cast) => Ok(cast.next().await.transpose()?),
            }
        };
        Call::new(next, |py, frame| match frame {
            None => Ok(py.None()),
            Some(frame) => Ok(Py::new(py, NativeFrame(frame))?.into_any()),
        })
    }

    /// Ends the stream. A picture that is waited for at this moment comes first.
    fn stop(&self) -> Call {
        let cast = Arc::clone(&self.cast);
        Call::unit(async move {
            match cast.lock().await.take() {
                None => Ok(()),
                Some(cast) => Ok(cast.stop().await?),
            }
        })
    }
}

impl Drop for PictureStream {
    fn drop(&mut self) {
        // A stream says goodbye by a task, and Python drops it in a thread that has no runtime.
        if let Ok(runtime) = runtime()
            && self.owner.is_here()
        {
            let _inside = runtime.enter();
            self.cast = Arc::default();
        }
    }
}

#[pymethods]
impl NativeFrame {
    /// The frame's number in the stream.
    #[getter]
    fn seq(&self) -> u64 {
        self.0.seq
    }

    /// How many frames before it were left out.
    #[getter]
    fn dropped(&self) -> u64 {
        self.0.dropped
    }

    /// Whether the stream went on after a reconnect.
    #[getter]
    fn continued(&self) -> bool {
        self.0.continued
    }

    /// Whether a whole picture was sent for it.
    #[getter]
    fn keyframe(&self) -> bool {
        self.0.keyframe
    }

    /// What changed, as `(x, y, w, h)` each.
    #[getter]
    fn changed(&self) -> Vec<(u32, u32, u32, u32)> {
        let changed = self.0.changed.iter();
        changed.map(|rect| (rect.x, rect.y, rect.w, rect.h)).collect()
    }

    /// Width in pixels.
    #[getter]
    fn w(&self) -> u32 {
        self.0.picture.width()
    }

    /// Height in pixels.
    #[getter]
    fn h(&self) -> u32 {
        self.0.picture.height()
    }

    /// How its pixels lie on the screen.
    #[getter]
    fn display(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let display = self.0.display.map(aci::geometry::CoordinateSpace::encode);
        display.map(|display| json::to_python(py, &display)).transpose()
    }

    /// The encoded bytes that were received for it.
    #[getter]
    fn encoded_bytes(&self) -> usize {
        self.0.encoded_bytes
    }

    /// The pixels: rows from the top, three bytes each, red first.
    fn rgb(&self, py: Python<'_>) -> Py<PyBytes> {
        PyBytes::new(py, self.0.picture.rgb()).unbind()
    }

    /// The picture as PNG.
    fn png(&self, py: Python<'_>) -> PyResult<Py<PyBytes>> {
        let png = py.detach(|| self.0.picture.to_png());
        let png = png.map_err(|error| Fault::from(error).raise(py))?;
        Ok(PyBytes::new(py, &png).unbind())
    }
}

impl EventStream {
    pub(crate) fn new(events: Events) -> Self {
        Self(Arc::new(Mutex::new(events)))
    }
}

#[pymethods]
impl EventStream {
    /// The next message as `(seconds since 1970, "sent" or "received", message, size in bytes, missed so far)`; `None` once
    /// the session is gone.
    fn next(&self) -> Call {
        let events = Arc::clone(&self.0);
        let next = async move {
            let mut events = events.lock().await;
            let event = events.next().await;
            Ok((event, events.missed()))
        };
        Call::new(next, |py, (event, missed)| {
            let Some(event) = event else {
                return Ok(py.None());
            };
            let direction = match event.direction {
                Direction::Sent => "sent",
                Direction::Received => "received",
            };
            let message = json::to_python(py, &event.message)?;
            let seen = (event.at.as_secs_f64(), direction, message, event.bytes, missed);
            Ok(seen.into_pyobject(py)?.into_any().unbind())
        })
    }
}

/// A call that gives a stream, made from the client's.
pub(crate) fn opening<T, S>(
    open: impl Future<Output = Result<T, Fault>> + Send + 'static,
    wrap: impl FnOnce(T) -> S + Send + 'static,
) -> Call
where
    T: Send + 'static,
    S: Into<PyClassInitializer<S>> + PyClass + Send + 'static,
{
    Call::new(open, |py, stream| Ok(Py::new(py, wrap(stream))?.into_any()))
}
