//! Desktops of this machine.

use std::mem::ManuallyDrop;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aci::extension::Grant;
use pyo3::prelude::*;
use sandbox::SandboxError;
use sandbox::process::Sandbox;
use sandbox::provider::{self, Options, PROVIDERS};
use sandbox::registry::{self, State};

use crate::call::Call;
use crate::error::Fault;
use crate::json;
use crate::runtime::Owner;
use crate::session::seconds;

/// How long a desktop's end may take.
const ENDING: Duration = Duration::from_secs(10);

/// A desktop that this process has started. Unless it is detached it ends with this object, and with the process.
#[pyclass(frozen, module = "shinken._native")]
pub(crate) struct Desktop {
    sandbox: Arc<Mutex<Option<Sandbox>>>,
    state: State,
    owner: Owner,
}

#[pymethods]
impl Desktop {
    /// What is known of it.
    #[getter]
    fn state(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        state_to_python(py, &self.state)
    }

    /// The token that its daemon wants.
    #[getter]
    fn token(&self, py: Python<'_>) -> PyResult<String> {
        self.state.token().map_err(|error| Fault::from(error).raise(py))
    }

    /// Ends it; returns when nothing of it is left.
    fn end(&self, py: Python<'_>) -> PyResult<Call> {
        self.owner.check().map_err(|fault| fault.raise(py))?;
        let sandbox = Arc::clone(&self.sandbox);
        Ok(Call::unit(blocking(move || {
            match sandbox.lock().unwrap_or_else(PoisonError::into_inner).take() {
                Some(sandbox) => sandbox.end(),
                None => Ok(()),
            }
        })))
    }
}

impl Drop for Desktop {
    fn drop(&mut self) {
        if !self.owner.is_here() {
            // The child that was forked has only a copy; the desktop is its parent's.
            if let Some(sandbox) = self.sandbox.lock().unwrap_or_else(PoisonError::into_inner).take() {
                let _kept = ManuallyDrop::new(sandbox);
            }
        }
    }
}

/// Starts a desktop.
#[pyfunction]
#[pyo3(signature = (*, provider, name, size, detach, within, programs, grants, runtime_arguments))]
#[expect(
    clippy::too_many_arguments,
    reason = "Python passes them by name, and the package has the defaults"
)]
pub(crate) fn start_desktop(
    py: Python<'_>,
    provider: Option<String>,
    name: Option<String>,
    size: (u16, u16),
    detach: bool,
    within: f64,
    programs: Option<PathBuf>,
    grants: Vec<String>,
    runtime_arguments: Vec<String>,
) -> PyResult<Call> {
    let provider = provider::choose(provider.as_deref()).map_err(|error| Fault::from(error).raise(py))?;
    let within = seconds("within", within).map_err(|fault| fault.raise(py))?;
    let granted = |word: &String| {
        Grant::from_word(word).ok_or_else(|| {
            let words: Vec<&str> = Grant::ALL.iter().map(|grant| grant.as_str()).collect();
            Fault::invalid(format!(
                "{word:?} cannot be granted; there is {}",
                words.join(", ")
            ))
            .raise(py)
        })
    };
    let options = Options {
        grants: grants.iter().map(granted).collect::<PyResult<_>>()?,
        daemon_arguments: runtime_arguments,
        size,
        name,
        detach,
        within,
        programs,
    };
    let started = blocking(move || provider.start(&options));
    Ok(Call::new(started, |py, sandbox: Sandbox| {
        let desktop = Desktop {
            state: sandbox.state().clone(),
            sandbox: Arc::new(Mutex::new(Some(sandbox))),
            owner: Owner::here(),
        };
        Ok(Py::new(py, desktop)?.into_any())
    }))
}

/// A running desktop by its name, as what is known of it and its token.
#[pyfunction]
pub(crate) fn find_desktop(id: String) -> Call {
    let found = blocking(move || {
        let state = registry::find(Some(&id))?;
        let token = state.token()?;
        Ok((state, token))
    });
    Call::new(found, |py, (state, token)| {
        let found = (state_to_python(py, &state)?, token);
        Ok(found.into_pyobject(py)?.into_any().unbind())
    })
}

/// All running desktops.
#[pyfunction]
pub(crate) fn desktops() -> Call {
    Call::new(blocking(registry::list), |py, states| {
        let all: PyResult<Vec<_>> = states.iter().map(|state| state_to_python(py, state)).collect();
        Ok(all?.into_pyobject(py)?.into_any().unbind())
    })
}

/// Ends a running desktop by its name.
#[pyfunction]
pub(crate) fn end_desktop(id: String) -> Call {
    Call::unit(blocking(move || {
        let state = registry::find(Some(&id))?;
        registry::end(&state, ENDING)
    }))
}

/// The kinds of sandboxes, the preferred ones first, each with what it isolates and what can be saved.
#[pyfunction]
pub(crate) fn providers(py: Python<'_>) -> PyResult<Py<PyAny>> {
    let all: serde_json::Value = PROVIDERS
        .iter()
        .map(|provider| {
            serde_json::json!({
                "name": provider.name(),
                "isolation": provider.isolation(),
                "snapshot_kind": provider.snapshot_kind(),
            })
        })
        .collect();
    json::to_python(py, &all)
}

/// Work that blocks, on a thread for it.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, SandboxError> + Send + 'static,
) -> Result<T, Fault> {
    match tokio::task::spawn_blocking(work).await {
        Ok(outcome) => Ok(outcome?),
        Err(error) => Err(Fault::other(format!("the work did not finish: {error}"))),
    }
}

fn state_to_python(py: Python<'_>, state: &State) -> PyResult<Py<PyAny>> {
    let fields = pythonize::pythonize(py, state)?;
    fields.set_item("log_file", state.log_file())?;
    Ok(fields.unbind())
}
