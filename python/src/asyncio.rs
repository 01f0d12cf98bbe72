//! The way from the client's threads into an asyncio loop.
//!
//! Threads put outcomes into a queue and make a descriptor readable, which the loop watches as it watches its sockets; the
//! loop then takes all outcomes at once. So no thread of the client ever waits for Python's lock. The queue holds at most
//! one outcome for each call that somebody waits for.

use std::os::fd::{AsRawFd as _, OwnedFd};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use rustix::event::{EventfdFlags, eventfd};

use crate::call::Finish;

/// One loop's way in.
#[pyclass(frozen, module = "shinken._native")]
pub(crate) struct Bridge(Sender);

/// Where a thread leaves an outcome.
#[derive(Clone)]
pub(crate) struct Sender(Arc<Queue>);

struct Queue {
    done: Mutex<Vec<(Py<PyAny>, Finish)>>,
    readable: OwnedFd,
}

impl Bridge {
    pub(crate) fn sender(&self) -> Sender {
        self.0.clone()
    }
}

impl Sender {
    /// Leaves an outcome for a future.
    pub(crate) fn send(&self, future: Py<PyAny>, finish: Finish) {
        let Self(queue) = self;
        queue
            .done
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push((future, finish));
        // It only fails where the count is full, and then the descriptor is readable.
        rustix::io::write(&queue.readable, &1_u64.to_ne_bytes()).ok();
    }
}

#[pymethods]
impl Bridge {
    #[new]
    fn new() -> PyResult<Self> {
        let readable = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)
            .map_err(|error| PyOSError::new_err(format!("no descriptor for the event loop: {error}")))?;
        Ok(Self(Sender(Arc::new(Queue {
            done: Mutex::default(),
            readable,
        }))))
    }

    /// The descriptor that the loop watches.
    fn fileno(&self) -> i32 {
        self.0.0.readable.as_raw_fd()
    }

    /// Hands all outcomes to their futures. The loop calls it when the descriptor is readable.
    fn drain(&self, py: Python<'_>) -> PyResult<()> {
        let Sender(queue) = &self.0;
        // Read before the queue is taken: what is put in after it makes the descriptor readable again.
        rustix::io::read(&queue.readable, &mut [0_u8; 8]).ok();
        let done = std::mem::take(&mut *queue.done.lock().unwrap_or_else(PoisonError::into_inner));
        for (future, finish) in done {
            let future = future.bind(py);
            // One that was cancelled meanwhile takes nothing any more.
            if future.call_method0("done")?.is_truthy()? {
                continue;
            }
            match finish(py) {
                Ok(value) => future.call_method1("set_result", (value,))?,
                Err(error) => future.call_method1("set_exception", (error.into_value(py),))?,
            };
        }
        Ok(())
    }
}
