//! How far a transfer has got.

use super::Transfer;

/// How far a transfer has got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// The file that is under way, as its path on the sending side; relative where a folder is transferred.
    pub file: String,
    /// Bytes that were transferred, of all files together.
    pub bytes: u64,
    /// Bytes that there are in all, as far as is known.
    pub total_bytes: u64,
    /// Files that are there.
    pub files: u64,
    /// Files that there are in all.
    pub total_files: u64,
}

/// Counts what is transferred and tells of it.
#[derive(Debug, Default)]
pub(super) struct Report {
    options: Transfer,
    total_bytes: u64,
    total_files: u64,
    finished_bytes: u64,
    finished_files: u64,
    /// How often anything went on, so that one can see that it does.
    steps: u64,
}

impl Report {
    pub(super) fn new(options: Transfer) -> Self {
        Self {
            options,
            ..Self::default()
        }
    }

    pub(super) fn options(&self) -> &Transfer {
        &self.options
    }

    /// A file of so many bytes is to be transferred.
    pub(super) fn expect(&mut self, bytes: u64) {
        self.total_files += 1;
        self.total_bytes += bytes;
    }

    /// A file has got as far as this.
    pub(super) fn moved(&mut self, file: &str, bytes: u64) {
        self.steps += 1;
        self.tell(file, bytes);
    }

    /// Something that has no bytes was done.
    pub(super) fn stepped(&mut self) {
        self.steps += 1;
    }

    /// A file of which so many bytes were expected is there.
    pub(super) fn finished(&mut self, file: &str, expected: u64, bytes: u64) {
        self.steps += 1;
        self.finished_files += 1;
        self.finished_bytes += bytes;
        // It may have grown since it was looked at.
        self.total_bytes = self.total_bytes.saturating_sub(expected) + bytes;
        self.tell(file, 0);
    }

    /// A number that grows as long as the transfer goes on.
    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    pub(super) fn bytes(&self) -> u64 {
        self.finished_bytes
    }

    fn tell(&self, file: &str, beyond: u64) {
        if let Some(tell) = &self.options.progress {
            let bytes = self.finished_bytes + beyond;
            tell(Progress {
                file: file.to_owned(),
                bytes,
                total_bytes: self.total_bytes.max(bytes),
                files: self.finished_files,
                total_files: self.total_files,
            });
        }
    }
}
