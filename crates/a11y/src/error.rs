//! What can go wrong.

/// Why the accessibility tree could not be read or acted on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum A11yError {
    /// There is no accessibility bus, or nothing on it.
    #[error("{0}")]
    Unavailable(String),
    /// An application did not answer in time.
    #[error("{0}")]
    Timeout(String),
    /// The control is gone.
    #[error("{0}")]
    Stale(String),
    /// The control cannot do that.
    #[error("{0}")]
    Unsupported(String),
    /// Several applications are what was asked for.
    #[error("{0}")]
    AmbiguousApp(String),
    /// No application is.
    #[error("{0}")]
    AppNotFound(String),
    /// The call makes no sense as it stands.
    #[error("{0}")]
    Invalid(String),
}
