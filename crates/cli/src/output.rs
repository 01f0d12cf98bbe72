//! What the command says.

use std::io::{self, Write};

/// The result cannot be written.
#[derive(Debug)]
pub(crate) enum OutputError {
    /// Whoever read it has gone, as `head` does when it has seen enough. No fault, so nothing is said of it.
    ReaderGone,
    /// A full disk, or another fault of the file behind the output.
    Io(io::Error),
}

impl std::fmt::Display for OutputError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::ReaderGone => f.write_str("nobody reads the output any more"),
            Self::Io(error) => write!(f, "cannot write the output: {error}"),
        }
    }
}

impl std::error::Error for OutputError {}

impl From<io::Error> for OutputError {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::ReaderGone
        } else {
            Self::Io(error)
        }
    }
}

/// Prints a line of the result.
pub(crate) fn line(text: &str) -> Result<(), OutputError> {
    bytes(format!("{text}\n").as_bytes())
}

/// Prints a result, or a part of one, as it is.
pub(crate) fn bytes(bytes: &[u8]) -> Result<(), OutputError> {
    all_of(bytes, io::stdout().lock())
}

/// Passes on what a program wrote to its standard error.
pub(crate) fn error_bytes(bytes: &[u8]) -> Result<(), OutputError> {
    all_of(bytes, io::stderr().lock())
}

fn all_of(bytes: &[u8], mut output: impl Write) -> Result<(), OutputError> {
    output.write_all(bytes)?;
    // The reader may wait for this part before it does something.
    Ok(output.flush()?)
}

/// Prints a line for the person, beside the result.
pub(crate) fn complain(text: &str) {
    // There is nobody else to tell when this fails.
    writeln!(io::stderr(), "{text}").ok();
}
