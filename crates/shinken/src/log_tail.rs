//! The last lines of a runtime's log, for the error that says that it died.

use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use crate::error::ClientError;

/// What is read of the log's end.
const BYTES: u64 = 8 * 1024;
/// What is kept of it.
const LINES: usize = 10;

/// Adds the log's last lines to a death.
pub(crate) async fn attach(mut error: ClientError, file: Option<&Path>) -> ClientError {
    if let (ClientError::SandboxDied { log, .. }, Some(file)) = (&mut error, file) {
        let file = file.to_owned();
        // A log that cannot be read adds nothing; the death is told all the same.
        *log = tokio::task::spawn_blocking(move || last_lines(&file).unwrap_or_default())
            .await
            .unwrap_or_default();
    }
    error
}

fn last_lines(path: &Path) -> std::io::Result<Vec<String>> {
    let mut file = std::fs::File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(BYTES)))?;
    let mut bytes = Vec::new();
    file.take(BYTES).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    // The first line may be the end of a longer one.
    let skipped = usize::from(length > BYTES);
    let lines: Vec<&str> = text
        .lines()
        .skip(skipped)
        .filter(|line| !line.trim().is_empty())
        .collect();
    Ok(lines[lines.len().saturating_sub(LINES)..]
        .iter()
        .map(|line| (*line).to_owned())
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_lines_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        std::fs::write(
            &path,
            (0..2000).map(|n| format!("line {n}\n")).collect::<String>(),
        )
        .unwrap();
        let lines = last_lines(&path).unwrap();
        assert_eq!(lines.len(), LINES);
        assert_eq!(lines.last().unwrap(), "line 1999");
        std::fs::write(&path, "only\n\n").unwrap();
        assert_eq!(last_lines(&path).unwrap(), ["only"]);
    }
}
