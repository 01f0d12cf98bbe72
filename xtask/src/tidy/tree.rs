//! The text files of the repository.

use std::fs;
use std::path::Path;

use anyhow::Context as _;

/// Folders that no rule looks into, by their path from the top: products, not sources.
const SKIPPED: &[&str] = &[
    ".git",
    ".venv",
    "bench",
    "demo",
    "fuzz/artifacts",
    "fuzz/corpus",
    "fuzz/target",
    "target",
];

/// The same, wherever they lie.
const SKIPPED_ANYWHERE: &[&str] = &["__pycache__", "node_modules"];

/// A text file.
#[derive(Debug)]
pub(crate) struct File {
    /// From the top of the repository, with `/`.
    pub(crate) path: String,
    /// All of it.
    pub(crate) text: String,
}

impl File {
    /// Whether it is Rust.
    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Its lines, numbered from 1.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.text.split_terminator('\n'))
    }
}

/// All text files, in the order of their paths.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// The files.
    pub(crate) files: Vec<File>,
    /// Paths of everything, also of files that are no text, and of folders.
    pub(crate) paths: Vec<String>,
}

impl Tree {
    /// Reads everything below `root` but what is built there.
    pub(crate) fn read(root: &Path) -> anyhow::Result<Self> {
        let mut tree = Self::default();
        tree.read_folder(root, "")?;
        tree.files.sort_by(|a, b| a.path.cmp(&b.path));
        tree.paths.sort();
        Ok(tree)
    }

    fn read_folder(&mut self, root: &Path, folder: &str) -> anyhow::Result<()> {
        let entries = fs::read_dir(root.join(folder)).with_context(|| format!("cannot list {folder:?}"))?;
        for entry in entries {
            let entry = entry.with_context(|| format!("cannot list {folder:?}"))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if folder.is_empty() {
                name.clone()
            } else {
                format!("{folder}/{name}")
            };
            if SKIPPED.contains(&path.as_str()) || SKIPPED_ANYWHERE.contains(&name.as_str()) {
                continue;
            }
            let kind = entry
                .file_type()
                .with_context(|| format!("cannot look at {path}"))?;
            if kind.is_dir() {
                self.read_folder(root, &path)?;
            } else if kind.is_file() {
                let bytes = fs::read(entry.path()).with_context(|| format!("cannot read {path}"))?;
                // A picture or another file that is no text has no lines to check.
                if let Ok(text) = String::from_utf8(bytes) {
                    self.files.push(File {
                        path: path.clone(),
                        text,
                    });
                }
            }
            self.paths.push(path);
        }
        Ok(())
    }
}
