//! The files channels of a session.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::link::Link;

/// How many transfers of a session run at a time; more wait.
const AT_ONCE: usize = 4;

/// Channels that nobody uses at the moment, and places for those that are used.
#[derive(Debug)]
pub(crate) struct Pool {
    places: Arc<Semaphore>,
    idle: Mutex<Vec<Link>>,
}

impl Default for Pool {
    fn default() -> Self {
        Self {
            places: Arc::new(Semaphore::new(AT_ONCE)),
            idle: Mutex::default(),
        }
    }
}

impl Pool {
    /// Waits for a place. `None` once the session was closed.
    pub(super) async fn place(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.places).acquire_owned().await.ok()
    }

    /// A channel that was used before and still lives.
    pub(super) fn take(&self) -> Option<Link> {
        let mut idle = self.idle();
        while let Some(link) = idle.pop() {
            if link.is_alive() {
                return Some(link);
            }
        }
        None
    }

    /// Keeps a channel for the next one.
    pub(super) fn put(&self, link: Link) {
        let mut idle = self.idle();
        idle.retain(Link::is_alive);
        if idle.len() < AT_ONCE && !self.places.is_closed() {
            idle.push(link);
        }
    }

    /// Ends the channels that nobody uses, and lets none be made.
    pub(crate) fn close(&self) {
        self.places.close();
        self.idle().clear();
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Link>> {
        // No change of it stops half way.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
