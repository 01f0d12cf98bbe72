//! The codes that errors begin with: `code: detail`.

use std::fmt;

use crate::wire::words;

words! {
    /// Why an action or a query was refused or failed.
    ErrorCode {
        /// The message, or what it asks for, makes no sense; correct what the text names before sending it again.
        InvalidAction = "invalid_action",
        /// This daemon, or this desktop, cannot do it; the capabilities of its welcome list what it can.
        Unsupported = "unsupported",
        /// The token is missing or wrong; give the one that the daemon was started with.
        Unauthorized = "unauthorized",
        /// The element is gone; observe again and use a ref of the new tree.
        StaleElementRef = "stale_element_ref",
        /// No such window, none that is active, or none that has the keyboard focus; list the windows and activate one.
        WindowNotFound = "window_not_found",
        /// The name fits several applications; say which by its process, the text lists them.
        AmbiguousApp = "ambiguous_app",
        /// No such program; give a name on PATH or an absolute path.
        AppNotFound = "app_not_found",
        /// The program could not be started, or (launch_app) ended at once with an error; run it by exec to see what it says.
        ExecSpawnFailed = "exec_spawn_failed",
        /// As many programs run as may; wait for one to end, or start the daemon with a larger --max-execs.
        ExecBusy = "exec_busy",
        /// The text is larger than the clipboard's limit, or its owner only hands it out in pieces; move it as a file.
        ClipboardTooLarge = "clipboard_too_large",
        /// The program that owns the clipboard did not answer; try again, or copy anew.
        ClipboardTimeout = "clipboard_timeout",
        /// No picture could be taken; try again, the text says what the display server said.
        CaptureFailed = "capture_failed",
        /// The accessibility tree is not to be had; wait for a window that has one, or use a screenshot.
        A11yUnavailable = "a11y_unavailable",
        /// An application did not tell its accessibility tree in time; look again when it is less busy, or use a screenshot.
        A11yTimeout = "a11y_timeout",
        /// The display server is gone; start the desktop again.
        DesktopGone = "desktop_gone",
        /// A limit is reached, or the desktop did not get to it in time; try again later.
        Busy = "busy",
        /// Policy does not allow it; the text says which path is out of bounds, or what whoever starts the desktop can grant.
        Denied = "denied",
        /// No such file or folder, or no artifact of that hash; list the folder or the artifacts to see what is there.
        FileNotFound = "file_not_found",
        /// The file cannot be read or written as asked; the text has the path and what the system says, mend that.
        FileFailed = "file_failed",
        /// The disk that the file was to go to is full; make room, or choose another place.
        DiskFull = "disk_full",
        /// A file is larger than allowed, or clients have put all they may; send less, or start the daemon with a larger limit.
        QuotaExceeded = "quota_exceeded",
        /// Bytes arrived otherwise than they were sent; send them again, and check the way there should it come back.
        ChecksumMismatch = "checksum_mismatch",
    }
}

/// An error as it stands on acks, results and exits: a code, a colon and a text that says what to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodedError {
    /// The code.
    pub code: ErrorCode,
    /// The text.
    pub detail: String,
}

impl CodedError {
    /// An error of this code.
    pub fn new(code: ErrorCode, detail: impl Into<String>) -> Self {
        Self {
            code,
            detail: detail.into(),
        }
    }

    /// Reads `code: detail`; `None` where it does not begin with a code of the table.
    pub fn parse(text: &str) -> Option<Self> {
        let (code, detail) = text.split_once(':').unwrap_or((text, ""));
        ErrorCode::from_word(code.trim()).map(|code| Self::new(code, detail.trim()))
    }
}

impl std::error::Error for CodedError {}

impl fmt::Display for CodedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.detail)
    }
}

#[cfg(test)]
mod tests {
    use super::ErrorCode;

    #[test]
    fn every_code_says_what_to_do_next() {
        for code in ErrorCode::ALL {
            let (what, next) = code.doc().split_once("; ").unwrap_or_default();
            assert!(
                !what.is_empty() && next.ends_with('.'),
                "{code}: {:?}",
                code.doc()
            );
        }
    }
}
