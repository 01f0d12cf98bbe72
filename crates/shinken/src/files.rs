//! Files and folders between this side and the desktop, and the runtime's store of artifacts.
//!
//! ```text
//! call ─▶ drive ─▶ work (a blocking thread) ─(128)─▶ writer ─▶ socket
//!           │           ▲                    ◀─(256)── reader ◀──┘
//!           └── connection lost: again, on a new channel
//! ```
//!
//! A call takes a channel of the [`Pool`] for itself, or makes one. What reads, hashes and writes is a blocking thread ([`puts`],
//! [`gets`], [`ask`]); two tasks keep the socket busy meanwhile ([`link`]). Dropping the call's future cancels it.

mod ask;
mod drive;
mod folders;
mod gets;
mod link;
mod pool;
mod puts;
mod report;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

pub use aci::files::{Entry, EntryKind};
use bytes::Bytes;

use crate::client::Client;
use crate::error::ClientError;
pub(crate) use pool::Pool;
pub use report::Progress;

/// The largest message that is taken on a files channel: a chunk with its header, or a part of a list.
pub(crate) const MESSAGE_BYTES: usize = 8 << 20;

/// How a transfer is done; the default suits most.
#[derive(Clone, Default)]
pub struct Transfer {
    progress: Option<Arc<dyn Fn(Progress) + Send + Sync>>,
    resume_key: Option<String>,
    mode: Option<u32>,
}

impl Transfer {
    /// Tells how far a transfer has got, after every chunk and every file. It is called on the thread that does the work, which
    /// waits for it.
    #[must_use]
    pub fn progress(mut self, tell: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        self.progress = Some(Arc::new(tell));
        self
    }

    /// A name under which an upload of one file can go on in a later call, for two minutes after it broke off; also in another
    /// process. Within one call it goes on by itself.
    #[must_use]
    pub fn resume_key(mut self, key: impl Into<String>) -> Self {
        self.resume_key = Some(key.into());
        self
    }

    /// Permissions of the file on the other side, such as `0o755`, instead of those that it has here.
    #[must_use]
    pub fn mode(mut self, mode: u32) -> Self {
        self.mode = Some(mode);
        self
    }
}

impl fmt::Debug for Transfer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transfer")
            .field("resume_key", &self.resume_key)
            .field("mode", &self.mode)
            .finish_non_exhaustive()
    }
}

/// A file that was transferred.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transferred {
    /// How many bytes it has.
    pub size: u64,
    /// Their SHA-256, as 64 hexadecimal digits.
    pub sha256: String,
}

/// A folder that was transferred.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Copied {
    /// How many files.
    pub files: u64,
    /// How many folders, that itself not counted.
    pub folders: u64,
    /// How many symbolic links.
    pub links: u64,
    /// How many bytes the files have.
    pub bytes: u64,
    /// What was left out: devices, sockets, pipes, and names that are not UTF-8; relative paths.
    pub skipped: Vec<String>,
}

/// A file in the runtime's store of artifacts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// The SHA-256 of its bytes, by which it is found.
    pub sha256: String,
    /// How many bytes it has.
    pub size: u64,
    /// What a person calls it.
    pub name: String,
    /// Whether it was there before the call, so that an upload has sent no bytes.
    pub already: bool,
}

/// Moves files between this side and the desktop.
///
/// Paths of the desktop are absolute or relative to the home folder of its user. A file is seen under its name once all of it is
/// there and its SHA-256 was right; what it replaces stays until then. A lost connection is made again as
/// [`crate::Options::reconnect`] says, and the transfer goes on from where it was. Dropping a call's future cancels it.
///
/// Every method fails with [`ClientError::Unsupported`] where the runtime has no files channel, with [`ClientError::Refused`] where it
/// refuses, with [`ClientError::File`] where there is trouble with a file on this side, and with what a connection may end with.
#[derive(Debug, Clone)]
pub struct Files {
    client: Client,
}

impl Files {
    pub(crate) fn new(client: Client) -> Self {
        Self { client }
    }

    /// Puts a file of this side at a path of the desktop. Folders that are missing on the way are made; permissions and the time of
    /// the last change are kept.
    ///
    /// # Errors
    /// As said at [`Files`].
    pub async fn put_file(
        &self,
        local: impl AsRef<Path>,
        remote: &str,
        options: Transfer,
    ) -> Result<Transferred, ClientError> {
        let work = puts::Puts::file(local.as_ref().to_owned(), remote.to_owned(), options);
        self.drive(work).await.map(|done| done.last)
    }

    /// Puts these bytes as a file.
    ///
    /// # Errors
    /// As said at [`Files`].
    pub async fn put_bytes(
        &self,
        bytes: impl Into<Bytes>,
        remote: &str,
        options: Transfer,
    ) -> Result<Transferred, ClientError> {
        let work = puts::Puts::bytes(bytes.into(), remote.to_owned(), options);
        self.drive(work).await.map(|done| done.last)
    }

    /// Gets a file of the desktop. Folders that are missing on the way are made; permissions and the time of the last change are
    /// kept.
    ///
    /// # Errors
    /// As said at [`Files`].
    pub async fn get_file(
        &self,
        remote: &str,
        local: impl AsRef<Path>,
        options: Transfer,
    ) -> Result<Transferred, ClientError> {
        let work = gets::Gets::file(remote.to_owned(), local.as_ref().to_owned(), options);
        self.drive(work).await.map(|done| done.last)
    }

    /// Gets the bytes of a file that has at most `limit` of them.
    ///
    /// # Errors
    /// As said at [`Files`]; [`ClientError::File`] with the code `quota_exceeded` where it has more.
    pub async fn get_bytes(
        &self,
        remote: &str,
        limit: usize,
        options: Transfer,
    ) -> Result<Bytes, ClientError> {
        let work = gets::Gets::bytes(remote.to_owned(), limit, options);
        self.drive(work).await.map(|done| done.bytes)
    }

    /// Puts a folder with all that is in it, also empty folders and symbolic links, into a folder of the desktop, which is made where
    /// it is missing. What is there and not here stays.
    ///
    /// # Errors
    /// As said at [`Files`]. A symbolic link that leads out of the folder is refused as `denied` before anything is sent.
    pub async fn put_dir(
        &self,
        local: impl AsRef<Path>,
        remote: &str,
        options: Transfer,
    ) -> Result<Copied, ClientError> {
        folders::put(self, local.as_ref(), remote, options).await
    }

    /// Gets a folder in the same way. Nothing is written outside of `local`, whatever the runtime says.
    ///
    /// # Errors
    /// As said at [`Files`]. A symbolic link that leads out of the folder is refused as `denied` before anything is asked for.
    pub async fn get_dir(
        &self,
        remote: &str,
        local: impl AsRef<Path>,
        options: Transfer,
    ) -> Result<Copied, ClientError> {
        folders::get(self, remote, local.as_ref(), options).await
    }

    /// What is at a path of the desktop; of a symbolic link, the link itself. `None` where there is nothing.
    ///
    /// # Errors
    /// As said at [`Files`].
    pub async fn stat(&self, remote: &str) -> Result<Option<Entry>, ClientError> {
        ask::stat(self, remote).await
    }

    /// What is in a folder of the desktop, by paths relative to it; with `recursive` in its folders too.
    ///
    /// # Errors
    /// As said at [`Files`].
    pub async fn list(&self, remote: &str, recursive: bool) -> Result<Vec<Entry>, ClientError> {
        ask::list(self, remote, recursive).await
    }

    /// Makes a folder on the desktop, with those that are missing above it.
    ///
    /// # Errors
    /// As said at [`Files`].
    pub async fn make_dir(&self, remote: &str) -> Result<(), ClientError> {
        ask::make_folder(self, remote).await
    }

    /// Puts a file into the store of artifacts. One that is there already is not sent.
    ///
    /// # Errors
    /// As said at [`Files`].
    pub async fn artifact_upload(
        &self,
        local: impl AsRef<Path>,
        options: Transfer,
    ) -> Result<Artifact, ClientError> {
        let local = local.as_ref();
        let name = local
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let work = puts::Puts::artifact(local.to_owned(), name.clone(), options);
        let done = self.drive(work).await?;
        Ok(Artifact {
            sha256: done.last.sha256,
            size: done.last.size,
            name,
            already: done.already,
        })
    }

    /// Gets a file out of the store of artifacts, and checks its SHA-256.
    ///
    /// # Errors
    /// As said at [`Files`].
    pub async fn artifact_download(
        &self,
        sha256: &str,
        local: impl AsRef<Path>,
        options: Transfer,
    ) -> Result<Transferred, ClientError> {
        let work = gets::Gets::artifact(sha256.to_owned(), local.as_ref().to_owned(), options);
        self.drive(work).await.map(|done| done.last)
    }

    /// What is in the store of artifacts.
    ///
    /// # Errors
    /// As said at [`Files`].
    pub async fn artifact_list(&self) -> Result<Vec<Artifact>, ClientError> {
        ask::artifacts(self).await
    }

    /// Takes a file out of the store of artifacts.
    ///
    /// # Errors
    /// As said at [`Files`].
    pub async fn artifact_remove(&self, sha256: &str) -> Result<(), ClientError> {
        ask::remove_artifact(self, sha256).await
    }
}
