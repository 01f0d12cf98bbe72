//! What can go wrong on a desktop.

/// Why a call on the desktop failed. The text says what to do next.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DesktopError {
    /// The display server is gone, or did not answer before the deadline.
    #[error("the display server is gone ({0}); start the desktop again")]
    Gone(String),
    /// The request makes no sense on this desktop, for instance a point off the screen.
    #[error("{0}")]
    Invalid(String),
    /// This backend, or this display server, cannot do it.
    #[error("{0}")]
    Unsupported(String),
    /// No such window, or it went away during the call; also: no window has the keyboard focus.
    #[error("{0}")]
    WindowNotFound(String),
    /// No picture could be taken.
    #[error("{0}")]
    CaptureFailed(String),
    /// The clipboard holds more than can be delivered, or is to be set to more than the limit.
    #[error("{0}")]
    ClipboardTooLarge(String),
    /// The owner of the clipboard did not answer in time.
    #[error("{0}")]
    ClipboardTimeout(String),
    /// Another call holds the desktop longer than this one may wait.
    #[error("{0}")]
    Busy(String),
}
