//! The files channel: what clients put and get, beside the desktop and on threads of its own.
//!
//! ```text
//! socket ─▶ reader ─(32)─▶ worker (a thread) ─(32)─▶ writer ─▶ socket
//! ```
//!
//! Reader and writer of all files channels run on one thread beside the daemon's main one, so that input and pings do not wait
//! while bytes are copied; each channel has a worker that hashes, reads and writes, one request after another. A disk that is
//! slow fills the queue before the worker, then the socket is not read, then the client waits.
//!
//! Start with [`channel::serve`], then [`worker`]; [`scopes`] says what a client's path is.

mod artifacts;
mod channel;
mod download;
mod partials;
mod quota;
mod scopes;
mod upload;
mod worker;

use std::sync::{Mutex, PoisonError};

use anyhow::Context as _;
use tokio::runtime::{Handle, Runtime};

use crate::config::FilesConfig;
use crate::places::Places;
use artifacts::Artifacts;
pub(crate) use channel::serve;
use partials::Partials;
use quota::Quota;
use scopes::Scopes;

/// The largest message that is taken: a chunk with its header.
pub(crate) const MESSAGE_BYTES: usize = aci::files::MAX_CHUNK_BYTES + 64 * 1024;

/// What all files channels share.
#[derive(Debug)]
pub(crate) struct Files {
    scopes: Scopes,
    artifacts: Artifacts,
    partials: Partials,
    quota: Quota,
    file_bytes: Option<u64>,
    places: Places,
    runtime: Mutex<Option<Runtime>>,
}

impl Files {
    /// Looks for the folders that clients may use.
    pub(crate) fn new(config: FilesConfig) -> anyhow::Result<Self> {
        Ok(Self {
            scopes: Scopes::open(&config.scopes)?,
            artifacts: Artifacts::new(config.artifacts_dir, config.artifacts_quota_bytes),
            partials: Partials::default(),
            quota: Quota::new(config.quota_bytes, "--files-quota-bytes"),
            file_bytes: config.file_bytes,
            places: Places::new(config.channels),
            runtime: Mutex::default(),
        })
    }

    /// Of files channels; the welcomed ones are settled.
    pub(crate) fn places(&self) -> &Places {
        &self.places
    }

    /// The thread on which the channels' sockets are served, begun with the first of them; `None` where none can be had.
    pub(crate) fn runtime(&self) -> Option<Handle> {
        let mut runtime = self.runtime.lock().unwrap_or_else(PoisonError::into_inner);
        if runtime.is_none() {
            let made = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(1)
                .thread_name("files")
                .enable_all()
                .build()
                .context("files are served on the main thread");
            match made {
                Ok(made) => *runtime = Some(made),
                Err(error) => tracing::warn!("{error:#}"),
            }
        }
        runtime.as_ref().map(|runtime| runtime.handle().clone())
    }

    /// Removes what goes with the daemon.
    pub(crate) fn end(&self) {
        self.partials.clear();
        self.artifacts.end();
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let runtime = self.runtime.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(runtime) = runtime.take() {
            // It may be the main one that drops it, which must not wait.
            runtime.shutdown_background();
        }
    }
}
