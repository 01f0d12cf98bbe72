//! How a call can end, and how errors of the desktop look on the wire.

use aci::error_code::{CodedError, ErrorCode};
use aci::observation::Observation;
use desktop::DesktopError;
use serde_json::Value;

use crate::outbox::Outgoing;
use crate::verbs::screenshot::Picture;

/// What a verb has to say when it worked.
#[derive(Debug)]
pub(crate) enum Reply {
    /// An `ack`.
    Done,
    /// A `result` with this value.
    Value(Value),
    /// An observation without pixels.
    Seen(Box<Observation>),
    /// An observation with pixels.
    Picture(Box<Picture>),
    /// A message that is written already.
    Ready(Outgoing),
    /// The verb answers for itself, now or later.
    Later,
}

/// Either a reply or a coded error.
pub(crate) type Outcome = Result<Reply, CodedError>;

/// The desktop's errors with their code on the wire.
pub(crate) fn coded(error: DesktopError) -> CodedError {
    let code = match &error {
        DesktopError::Gone(_) => ErrorCode::DesktopGone,
        DesktopError::Invalid(_) => ErrorCode::InvalidAction,
        DesktopError::Unsupported(_) => ErrorCode::Unsupported,
        DesktopError::WindowNotFound(_) => ErrorCode::WindowNotFound,
        DesktopError::CaptureFailed(_) => ErrorCode::CaptureFailed,
        DesktopError::ClipboardTooLarge(_) => ErrorCode::ClipboardTooLarge,
        DesktopError::ClipboardTimeout(_) => ErrorCode::ClipboardTimeout,
        // Busy, and whatever is added later: the desktop could not do it now.
        _ => ErrorCode::Busy,
    };
    CodedError::new(code, error.to_string())
}

/// The accessibility engine's errors with their code on the wire.
pub(crate) fn coded_element(error: a11y::A11yError) -> CodedError {
    use a11y::A11yError;
    let code = match &error {
        A11yError::Unavailable(_) => ErrorCode::A11yUnavailable,
        A11yError::Timeout(_) => ErrorCode::A11yTimeout,
        A11yError::Stale(_) => ErrorCode::StaleElementRef,
        A11yError::Unsupported(_) => ErrorCode::Unsupported,
        A11yError::Invalid(_) => ErrorCode::InvalidAction,
        A11yError::AmbiguousApp(_) => ErrorCode::AmbiguousApp,
        A11yError::AppNotFound(_) => ErrorCode::AppNotFound,
    };
    CodedError::new(code, error.to_string())
}

/// The message is well-formed, but cannot be done as it stands.
pub(crate) fn invalid(detail: impl Into<String>) -> CodedError {
    CodedError::new(ErrorCode::InvalidAction, detail)
}
