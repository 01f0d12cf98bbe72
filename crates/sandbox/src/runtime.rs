//! The folder that holds one folder for each sandbox of a user.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// The runtime folder.
///
/// Invariant: it is a real folder, owned by this user, that no other user may enter. It holds the tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runtime {
    folder: PathBuf,
}

/// Why there is no runtime folder.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RuntimeError {
    /// It is not there and cannot be made.
    #[error("cannot make the runtime folder {folder:?}: {source}")]
    Make {
        /// The folder.
        folder: PathBuf,
        /// The kernel's reason.
        source: io::Error,
    },
    /// It cannot be looked at.
    #[error("cannot look at the runtime folder {folder:?}: {source}")]
    Look {
        /// The folder.
        folder: PathBuf,
        /// The kernel's reason.
        source: io::Error,
    },
    /// Somebody else could have put it there, or could look into it.
    #[error(
        "the runtime folder {folder:?} is not safe: {reason}; remove it, or set XDG_RUNTIME_DIR to a folder of your own"
    )]
    Unsafe {
        /// The folder.
        folder: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

impl Runtime {
    /// The folder `shinken` in `$XDG_RUNTIME_DIR`, or `/tmp/shinken-UID` where that variable is not set; made if need be.
    ///
    /// # Errors
    /// When it cannot be made, or is not this user's alone.
    pub fn open() -> Result<Self, RuntimeError> {
        let folder = match std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from) {
            Some(base) if base.is_absolute() && base.is_dir() => base.join("shinken"),
            _ => Path::new("/tmp").join(format!("shinken-{}", rustix::process::geteuid().as_raw())),
        };
        Self::at(folder)
    }

    /// The runtime folder at a place of the caller's choice; made if need be.
    ///
    /// # Errors
    /// When it cannot be made, or is not this user's alone.
    pub fn at(folder: impl Into<PathBuf>) -> Result<Self, RuntimeError> {
        let folder = folder.into();
        if let Err(source) = DirBuilder::new().mode(0o700).create(&folder)
            && source.kind() != io::ErrorKind::AlreadyExists
        {
            return Err(RuntimeError::Make { folder, source });
        }
        // The link itself, not what it points to: in /tmp somebody else may have made it first.
        let metadata = match fs::symlink_metadata(&folder) {
            Ok(metadata) => metadata,
            Err(source) => return Err(RuntimeError::Look { folder, source }),
        };
        let mode = metadata.permissions().mode() & 0o777;
        let reason = if !metadata.is_dir() {
            "it is not a folder".to_owned()
        } else if metadata.uid() != rustix::process::geteuid().as_raw() {
            format!("it belongs to user {}", metadata.uid())
        } else if mode & 0o077 != 0 {
            format!("others may use it (mode {mode:03o}, should be 700)")
        } else {
            return Ok(Self { folder });
        };
        Err(RuntimeError::Unsafe { folder, reason })
    }

    /// The folder's path.
    pub fn path(&self) -> &Path {
        &self.folder
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_folder_of_the_users_own_is_taken() {
        let base = tempfile::tempdir().unwrap();
        let fresh = base.path().join("fresh");
        Runtime::at(&fresh).unwrap();
        Runtime::at(&fresh).unwrap();

        let open = base.path().join("open");
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, fs::Permissions::from_mode(0o755)).unwrap();
        let link = base.path().join("link");
        std::os::unix::fs::symlink(&fresh, &link).unwrap();
        let file = base.path().join("file");
        fs::write(&file, "").unwrap();
        for (folder, reason) in [(open, "755"), (link, "not a folder"), (file, "not a folder")] {
            let error = Runtime::at(folder).unwrap_err();
            assert!(matches!(error, RuntimeError::Unsafe { .. }), "{error}");
            assert!(error.to_string().contains(reason), "{error}");
        }
        let error = Runtime::at(base.path().join("no/such")).unwrap_err();
        assert!(matches!(error, RuntimeError::Make { .. }), "{error}");
    }
}
