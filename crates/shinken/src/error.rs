//! What can go wrong, told apart by what a caller can do about it.

use std::fmt;
use std::time::Duration;

use aci::error_code::{CodedError, ErrorCode};
use aci::geometry::MappingError;

use crate::verbs::Window;

/// Why a call gave no answer, or none that can be used.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The runtime understood the call and did not do it, or tried and failed; the session goes on.
    #[error("{code}: {detail}")]
    Refused {
        /// What kind of refusal it is.
        code: ErrorCode,
        /// What is wrong and what to do next.
        detail: String,
    },
    /// A refusal whose code this client does not know; the runtime is newer, or another one.
    #[error("refused: {text}")]
    RefusedOtherwise {
        /// The runtime's own words.
        text: String,
    },
    /// The runtime's welcome does not list it, so it was not sent.
    #[error("unsupported: this runtime does not offer {what}")]
    Unsupported {
        /// What it does not offer.
        what: String,
    },
    /// The call makes no sense, so it was not sent.
    #[error("invalid call: {detail}")]
    InvalidCall {
        /// What is wrong with it.
        detail: String,
    },
    /// The runtime's process or its machine is gone; every call of the session ends so.
    #[error(
        "the sandbox died: its runtime exited or cannot be reached ({why}){}",
        Tail(log)
    )]
    SandboxDied {
        /// What was seen of it.
        why: String,
        /// The last lines of the runtime's log, where [`crate::Options::log_file`] names one.
        log: Vec<String>,
    },
    /// The runtime lives, but has ended this connection.
    #[error("the runtime closed the connection (code {code}): {reason}")]
    Closed {
        /// The WebSocket's close code.
        code: u16,
        /// The runtime's words.
        reason: String,
    },
    /// The session was ended by [`crate::Client::close`].
    #[error("the session was closed by this client")]
    ClosedHere,
    /// Nothing could be reached at the address.
    #[error("cannot connect to {address}: {detail}")]
    Connect {
        /// The address.
        address: String,
        /// Why.
        detail: String,
    },
    /// The address cannot be read.
    #[error("the address {address:?} is not one: {detail}")]
    Address {
        /// What was given.
        address: String,
        /// What it should be.
        detail: String,
    },
    /// The token is missing or wrong.
    #[error("unauthorized: {detail}")]
    Unauthorized {
        /// The runtime's words.
        detail: String,
    },
    /// Whatever answers at the address did not welcome us.
    #[error("the handshake failed: {detail}")]
    Handshake {
        /// What happened.
        detail: String,
    },
    /// A limit of this client was over. The runtime may still be doing what was asked.
    #[error("timed out: {what} took longer than {after:?}, the client's limit {limit}")]
    Timeout {
        /// What was waited for.
        what: String,
        /// For how long.
        after: Duration,
        /// Which limit it was.
        limit: Limit,
    },
    /// The runtime said something that the protocol does not allow.
    #[error("protocol error: {detail}")]
    Protocol {
        /// What it was.
        detail: String,
    },
    /// A message is larger than one side takes; doing the same again would end the same, so nobody connects again.
    #[error("a message was too big: {detail}")]
    TooBig {
        /// Which limit, where it is set, and what helps.
        detail: String,
        /// Whether it has ended the session. Where the runtime has said what it takes, a larger message is not sent and
        /// the session goes on.
        ended: bool,
    },
    /// The reader of a stream was so far behind that keeping everything would have taken too much memory.
    #[error(
        "the reader of {what} fell behind by more than {limit} bytes; nothing was skipped, the stream ends here"
    )]
    Behind {
        /// Which stream.
        what: String,
        /// What is kept at most.
        limit: usize,
    },
    /// The action was done, but the picture asked for with it could not be had.
    #[error("the action was done, but its observation failed: {0}")]
    Unseen(#[source] Box<Self>),
    /// A program was started, and no window of it has the keyboard.
    #[error("{app} was started, but {} within {} s", Missing(unfocused.as_deref()), within.as_secs_f64())]
    NoWindow {
        /// The program.
        app: String,
        /// How long was waited.
        within: Duration,
        /// A new window that has not the keyboard.
        unfocused: Option<Box<Window>>,
    },
    /// A point of a picture cannot be placed on the screen.
    #[error(transparent)]
    Mapping(#[from] MappingError),
    /// A file on this side cannot be read or written, or what the runtime sends of one may not be.
    #[error("{code}: {detail}")]
    File {
        /// What kind of trouble it is; the codes are those of the runtime's own files.
        code: ErrorCode,
        /// Which file, what the system says, and what to do next.
        detail: String,
    },
    /// The bytes of a picture cannot be decoded.
    #[error("the picture cannot be decoded: {detail}")]
    Picture {
        /// What the codec says.
        detail: String,
    },
}

/// The client's limits that end a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// [`crate::Options::connect_timeout`].
    Connect,
    /// [`crate::Options::handshake_timeout`].
    Handshake,
    /// [`crate::Options::call_timeout`], added to the time that the call itself may take.
    Call,
    /// The deadline given with [`crate::Client::with_deadline`].
    Deadline,
    /// [`crate::Reconnect::within`].
    Reconnect,
    /// [`crate::Options::keep_alive`]: two of them without a sign of life.
    KeepAlive,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Connect => "connect_timeout",
            Self::Handshake => "handshake_timeout",
            Self::Call => "call_timeout (on top of the call's own time)",
            Self::Deadline => "with_deadline",
            Self::Reconnect => "reconnect.within",
            Self::KeepAlive => "keep_alive",
        })
    }
}

impl From<transfer::TransferError> for ClientError {
    fn from(error: transfer::TransferError) -> Self {
        Self::File {
            code: error.code(),
            detail: error.detail().to_owned(),
        }
    }
}

impl ClientError {
    /// A refusal as it stands on the wire: `code: detail`.
    pub(crate) fn refused(text: Option<String>) -> Self {
        let text = text.unwrap_or_else(|| "the runtime gave no reason".to_owned());
        match CodedError::parse(&text) {
            Some(CodedError { code, detail }) => Self::Refused { code, detail },
            None => Self::RefusedOtherwise { text },
        }
    }

    pub(crate) fn protocol(detail: impl Into<String>) -> Self {
        Self::Protocol {
            detail: detail.into(),
        }
    }

    pub(crate) fn unsupported(what: impl Into<String>) -> Self {
        Self::Unsupported { what: what.into() }
    }

    pub(crate) fn invalid(detail: impl Into<String>) -> Self {
        Self::InvalidCall {
            detail: detail.into(),
        }
    }

    /// The code of a refusal by the runtime, or of trouble with a file on this side.
    pub fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Refused { code, .. } | Self::File { code, .. } => Some(*code),
            Self::Unseen(inner) => inner.code(),
            _ => None,
        }
    }

    /// Whether the session is over, so that further calls end the same way until it is connected again.
    pub fn is_fatal(&self) -> bool {
        match self {
            Self::SandboxDied { .. }
            | Self::Closed { .. }
            | Self::ClosedHere
            | Self::Connect { .. }
            | Self::Address { .. }
            | Self::Unauthorized { .. }
            | Self::Handshake { .. } => true,
            Self::TooBig { ended, .. } => *ended,
            Self::Unseen(inner) => inner.is_fatal(),
            _ => false,
        }
    }
}

/// What of a window did not come, in the middle of a sentence.
struct Missing<'a>(Option<&'a Window>);

impl fmt::Display for Missing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("no new window came"),
            Some(Window { id, title, .. }) => {
                write!(
                    f,
                    "its window {id} ({title}) did not get the keyboard, which a click into it gives it,"
                )
            }
        }
    }
}

/// The last lines of a log, as the end of a sentence.
struct Tail<'a>(&'a [String]);

impl fmt::Display for Tail<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        f.write_str("; its last log lines:")?;
        self.0.iter().try_for_each(|line| write!(f, "\n  {line}"))
    }
}
