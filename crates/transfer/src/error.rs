//! What can go wrong with a file.

use std::io;

use aci::error_code::{CodedError, ErrorCode};
use rustix::io::Errno;

/// Why a file was not transferred; the text says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TransferError(CodedError);

impl TransferError {
    /// An error of this code.
    pub fn new(code: ErrorCode, detail: impl Into<String>) -> Self {
        Self(CodedError::new(code, detail))
    }

    /// What the system said when something was done to a path.
    pub fn of_errno(doing: &str, path: &str, errno: Errno) -> Self {
        let system = io::Error::from(errno);
        match errno {
            Errno::NOENT => Self::new(
                ErrorCode::FileNotFound,
                format!("cannot {doing} {path}: there is no such file or folder"),
            ),
            Errno::ACCESS | Errno::PERM | Errno::ROFS => Self::new(
                ErrorCode::Denied,
                format!("cannot {doing} {path}: {system}; choose a place that the desktop's user may use"),
            ),
            Errno::XDEV => Self::new(
                ErrorCode::Denied,
                format!(
                    "{path} leads out of the folder that may be used, by a symbolic link or an absolute one; name the place \
                     itself, inside of that folder"
                ),
            ),
            Errno::LOOP => Self::new(
                ErrorCode::Denied,
                format!(
                    "{path} goes through a symbolic link that is not followed here; name the place itself"
                ),
            ),
            Errno::NOSPC | Errno::DQUOT => Self::new(
                ErrorCode::DiskFull,
                format!("cannot {doing} {path}: {system}; make room there first"),
            ),
            Errno::NAMETOOLONG => Self::new(
                ErrorCode::InvalidAction,
                format!("cannot {doing} {path}: the name is too long"),
            ),
            _ => Self::new(ErrorCode::FileFailed, format!("cannot {doing} {path}: {system}")),
        }
    }

    /// The same of the standard library's error.
    pub fn of_io(doing: &str, path: &str, error: &io::Error) -> Self {
        match Errno::from_io_error(error) {
            Some(errno) => Self::of_errno(doing, path, errno),
            None => Self::new(ErrorCode::FileFailed, format!("cannot {doing} {path}: {error}")),
        }
    }

    pub(crate) fn invalid(detail: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidAction, detail)
    }

    pub(crate) fn denied(detail: impl Into<String>) -> Self {
        Self::new(ErrorCode::Denied, detail)
    }

    pub(crate) fn failed(detail: impl Into<String>) -> Self {
        Self::new(ErrorCode::FileFailed, detail)
    }

    /// What kind of error it is.
    pub fn code(&self) -> ErrorCode {
        self.0.code
    }

    /// The text without the code.
    pub fn detail(&self) -> &str {
        &self.0.detail
    }
}

impl From<TransferError> for CodedError {
    fn from(error: TransferError) -> Self {
        error.0
    }
}
