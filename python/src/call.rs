//! A call that can be waited for in two ways.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use tokio::task::AbortHandle;
use tokio::time::timeout;

use crate::asyncio::Bridge;
use crate::error::Fault;
use crate::runtime::{Owner, runtime};

/// How often a waiting thread looks whether Python has a signal for it, such as Ctrl-C.
const SIGNALS: Duration = Duration::from_millis(100);

/// What is left to do with an outcome once Python's lock is held: make it an object, or raise it.
pub(crate) type Finish = Box<dyn FnOnce(Python<'_>) -> PyResult<Py<PyAny>> + Send>;

type Work = Pin<Box<dyn Future<Output = Finish> + Send>>;

/// A call that was prepared. It is made when it is waited for, once.
#[pyclass(frozen, module = "shinken._native")]
pub(crate) struct Call {
    state: Mutex<State>,
    owner: Owner,
}

enum State {
    Prepared(Work),
    Running(AbortHandle),
    Taken,
}

impl Call {
    /// A call whose value becomes an object by `convert`.
    pub(crate) fn new<T, F>(
        work: F,
        convert: impl FnOnce(Python<'_>, T) -> PyResult<Py<PyAny>> + Send + 'static,
    ) -> Self
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Fault>> + Send + 'static,
    {
        let work = async move {
            let finish: Finish = match work.await {
                Ok(value) => Box::new(move |py| convert(py, value)),
                Err(fault) => Box::new(move |py| Err(fault.raise(py))),
            };
            finish
        };
        Self {
            state: Mutex::new(State::Prepared(Box::pin(work))),
            owner: Owner::here(),
        }
    }

    /// One that gives `None`.
    pub(crate) fn unit<F>(work: F) -> Self
    where
        F: Future<Output = Result<(), Fault>> + Send + 'static,
    {
        Self::new(work, |py, ()| Ok(py.None()))
    }

    fn take(&self) -> Result<Work, Fault> {
        self.owner.check()?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match std::mem::replace(&mut *state, State::Taken) {
            State::Prepared(work) => Ok(work),
            other => {
                *state = other;
                Err(Fault::other("this call was made already"))
            }
        }
    }
}

#[pymethods]
impl Call {
    /// Makes the call and waits for its outcome in this thread, without Python's lock.
    fn wait(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let (mut work, runtime) = (
            self.take().map_err(|fault| fault.raise(py))?,
            runtime().map_err(|fault| fault.raise(py))?,
        );
        loop {
            let waited = py.detach(|| runtime.block_on(async { timeout(SIGNALS, &mut work).await }));
            match waited {
                Ok(finish) => return finish(py),
                Err(_) => py.check_signals()?,
            }
        }
    }

    /// Makes the call; its outcome goes into this asyncio future, through the bridge of its loop.
    fn start(&self, py: Python<'_>, bridge: &Bridge, future: Py<PyAny>) -> PyResult<()> {
        let (work, runtime) = (
            self.take().map_err(|fault| fault.raise(py))?,
            runtime().map_err(|fault| fault.raise(py))?,
        );
        let done = bridge.sender();
        let task = runtime.spawn(async move { done.send(future, work.await) });
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = State::Running(task.abort_handle());
        Ok(())
    }

    /// Drops the wait; what was sent is done all the same.
    fn cancel(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let State::Running(task) = std::mem::replace(&mut *state, State::Taken) {
            task.abort();
        }
    }
}
