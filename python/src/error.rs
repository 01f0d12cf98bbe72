//! What went wrong, as an exception of `shinken.errors`.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use sandbox::SandboxError;
use shinken::ClientError;

/// Why a call gave nothing.
#[derive(Debug)]
pub(crate) struct Fault {
    /// The word from which the package knows the exception's class.
    code: String,
    /// What happened and what to do next.
    message: String,
    /// The last lines of the runtime's log, where there are any.
    log: Vec<String>,
    /// The action was done, and only what was to be seen after it is missing.
    acted: bool,
}

impl Fault {
    fn new(code: &str, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            message: message.into(),
            log: Vec::new(),
            acted: false,
        }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new("invalid_action", message)
    }

    pub(crate) fn forked() -> Self {
        Self::new(
            "forked",
            "this belongs to the process that this one was forked from; connect in the child, or start children with \
             the method \"spawn\"",
        )
    }

    pub(crate) fn other(message: impl Into<String>) -> Self {
        Self::new("internal", message)
    }

    /// The exception. Where the package cannot be loaded, a plain one with the same words.
    pub(crate) fn raise(self, py: Python<'_>) -> PyErr {
        static MAKE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let make = MAKE.get_or_try_init(py, || {
            Ok::<_, PyErr>(py.import("shinken.errors")?.getattr("from_code")?.unbind())
        });
        let made = make.and_then(|make| {
            let details = PyDict::new(py);
            details.set_item("log", self.log)?;
            details.set_item("acted", self.acted)?;
            make.bind(py).call((&self.code, &self.message), Some(&details))
        });
        match made {
            Ok(exception) => PyErr::from_value(exception),
            Err(_) => PyRuntimeError::new_err(format!("{}: {}", self.code, self.message)),
        }
    }
}

impl From<ClientError> for Fault {
    fn from(error: ClientError) -> Self {
        let code = match &error {
            ClientError::Refused { code, detail } => return Self::new(code.as_str(), detail),
            ClientError::File { code, detail } => return Self::new(code.as_str(), detail),
            ClientError::RefusedOtherwise { .. } => "refused",
            ClientError::Unsupported { .. } => "unsupported",
            ClientError::InvalidCall { detail } => return Self::invalid(detail),
            ClientError::SandboxDied { log, .. } => {
                return Self {
                    log: log.clone(),
                    ..Self::new("sandbox_died", error.to_string())
                };
            }
            ClientError::Closed { .. } => "connection_closed",
            ClientError::ClosedHere => "closed",
            ClientError::Connect { .. } => "connect_failed",
            ClientError::Address { .. } => "invalid_address",
            ClientError::Unauthorized { detail } => return Self::new("unauthorized", detail),
            ClientError::Handshake { .. } => "handshake_failed",
            ClientError::Timeout { .. } => "timeout",
            ClientError::Protocol { .. } => "protocol_error",
            ClientError::TooBig { .. } => "too_big",
            ClientError::Behind { .. } => "behind",
            ClientError::Unseen(inner) => {
                return Self {
                    acted: true,
                    ..Self::from((**inner).clone())
                };
            }
            ClientError::NoWindow { .. } => "no_window",
            ClientError::Mapping(_) => "frame",
            ClientError::Picture { .. } => "picture",
            // The enum may grow; its words still tell what happened.
            _ => "internal",
        };
        Self::new(code, error.to_string())
    }
}

impl From<SandboxError> for Fault {
    fn from(error: SandboxError) -> Self {
        let code = match &error {
            SandboxError::ProgramMissing { .. } => "program_missing",
            SandboxError::NotStarted(_) => "not_started",
            SandboxError::NotFound(_) => "sandbox_not_found",
            SandboxError::Several(_) => "several_sandboxes",
            SandboxError::NameTaken(_) => "name_taken",
            SandboxError::Invalid(_) => "invalid_sandbox",
            _ => "sandbox",
        };
        Self::new(code, error.to_string())
    }
}
