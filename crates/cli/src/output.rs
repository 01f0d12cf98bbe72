//! What the command says.

use std::io::{self, Write as _};

/// Prints a line of the result.
///
/// # Errors
/// When nobody reads it any more, or the disk is full.
pub(crate) fn line(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{text}")?;
    // The reader may wait for this line before it does something.
    stdout.flush()
}

/// Prints a line for the person, beside the result.
pub(crate) fn complain(text: &str) {
    // There is nobody else to tell when this fails.
    writeln!(io::stderr(), "{text}").ok();
}
