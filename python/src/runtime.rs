//! The threads that all sessions of a process share.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use tokio::runtime::{Builder, Runtime};

use crate::error::Fault;

/// Threads that serve sockets. More would only wait for Python's lock.
const THREADS: usize = 2;
/// Threads for what blocks, such as decoding a screencast and each file under way, at most; what is more waits. They end when there
/// is nothing to do.
const BLOCKING: usize = 64;

/// The runtimes by process.
///
/// A child that was forked has a copy of its parent's memory and none of its threads, so it needs a runtime of its own.
static RUNTIMES: Mutex<Option<HashMap<u32, &'static Runtime>>> = Mutex::new(None);

/// This process's runtime, made when it is first asked for and kept until the process ends.
pub(crate) fn runtime() -> Result<&'static Runtime, Fault> {
    let mut runtimes = RUNTIMES.lock().unwrap_or_else(PoisonError::into_inner);
    let runtimes = runtimes.get_or_insert_with(HashMap::new);
    if let Some(runtime) = runtimes.get(&std::process::id()) {
        return Ok(runtime);
    }
    let runtime = Builder::new_multi_thread()
        .worker_threads(THREADS)
        .max_blocking_threads(BLOCKING)
        .thread_name("shinken")
        .enable_all()
        .build()
        .map_err(|error| Fault::other(format!("the threads of the client cannot be started: {error}")))?;
    // A process has one, and the threads may use it until the process ends.
    let runtime: &'static Runtime = Box::leak(Box::new(runtime));
    runtimes.insert(std::process::id(), runtime);
    Ok(runtime)
}

/// Which process something belongs to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Owner(u32);

impl Owner {
    /// This process.
    pub(crate) fn here() -> Self {
        Self(std::process::id())
    }

    /// Whether this is still the same process.
    pub(crate) fn is_here(self) -> bool {
        self.0 == std::process::id()
    }

    /// Refuses the use in a forked child.
    pub(crate) fn check(self) -> Result<(), Fault> {
        if self.is_here() {
            return Ok(());
        }
        Err(Fault::forked())
    }
}
