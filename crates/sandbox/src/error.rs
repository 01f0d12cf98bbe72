//! What can go wrong with sandboxes.

use std::io;

use crate::runtime::RuntimeError;

/// Why a sandbox could not be made, found or ended. The text says what to do next.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// A program that a sandbox needs is not installed.
    #[error("the program {program} is missing: {remedy}")]
    ProgramMissing {
        /// Its name.
        program: &'static str,
        /// What is to be done.
        remedy: String,
    },
    /// A part of the sandbox did not come up.
    #[error("the desktop did not start: {0}")]
    NotStarted(String),
    /// No sandbox of that name, or none at all.
    #[error("{0}")]
    NotFound(String),
    /// There are several, and none was named.
    #[error("several desktops run ({}); say which with --sandbox NAME", .0.join(", "))]
    Several(Vec<String>),
    /// A sandbox of that name exists.
    #[error("a desktop named {0:?} exists already; choose another name, or end it with `shinken down {0}`")]
    NameTaken(String),
    /// A name that cannot be a folder's, or a size that cannot be a screen's.
    #[error("{0}")]
    Invalid(String),
    /// The folder of the running sandboxes cannot be had.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    /// It did not end in time.
    #[error("the desktop {0} did not end in time; `shinken gc` sweeps away what is left of it")]
    NotEnded(String),
    /// The operating system refused something.
    #[error("{doing}: {source}")]
    Io {
        /// What was being done.
        doing: String,
        /// Its error.
        source: io::Error,
    },
}

impl SandboxError {
    /// An error of the operating system with what was being done.
    pub(crate) fn io(doing: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let doing = doing.into();
        move |source| Self::Io { doing, source }
    }
}
