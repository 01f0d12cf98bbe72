//! A connection to the X server.

use x11rb::errors::{ConnectError, ConnectionError, ReplyError, ReplyOrIdError};
use x11rb::rust_connection::RustConnection;

use crate::DesktopError;

/// Connects to `display` (such as `:1`); returns the connection and the root window.
pub(crate) fn connect(display: &str) -> Result<(RustConnection, u32), DesktopError> {
    let (connection, screen) =
        x11rb::connect(Some(display)).map_err(|error: ConnectError| DesktopError::Gone(error.to_string()))?;
    let root = x11rb::connection::Connection::setup(&connection)
        .roots
        .get(screen)
        .ok_or_else(|| DesktopError::Gone(format!("display {display} has no screen {screen}")))?
        .root;
    Ok((connection, root))
}

/// The answer of a question about a window, `None` where that window is gone.
///
/// # Errors
/// `Gone`.
pub(crate) fn answer<R>(reply: Result<R, ReplyError>) -> Result<Option<R>, DesktopError> {
    match reply {
        Ok(reply) => Ok(Some(reply)),
        Err(ReplyError::X11Error(_)) => Ok(None),
        Err(ReplyError::ConnectionError(error)) => Err(error.into()),
    }
}

impl From<ConnectionError> for DesktopError {
    fn from(error: ConnectionError) -> Self {
        Self::Gone(error.to_string())
    }
}

impl From<ReplyError> for DesktopError {
    fn from(error: ReplyError) -> Self {
        match error {
            ReplyError::ConnectionError(error) => error.into(),
            ReplyError::X11Error(error) => {
                Self::Unsupported(format!("the X server refused a request: {error:?}"))
            }
        }
    }
}

impl From<ReplyOrIdError> for DesktopError {
    fn from(error: ReplyOrIdError) -> Self {
        match error {
            ReplyOrIdError::ConnectionError(error) => error.into(),
            ReplyOrIdError::X11Error(error) => {
                Self::Unsupported(format!("the X server refused a request: {error:?}"))
            }
            ReplyOrIdError::IdsExhausted => Self::Gone("the X server has no resource ids left".to_owned()),
        }
    }
}
