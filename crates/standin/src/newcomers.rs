//! Peers that have not shown yet that they are clients. They are bounded, and keep nobody out: the one that has waited longest
//! gives way to a newcomer.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::task::AbortHandle;

/// How many may wait.
const MOST: usize = 4096;

/// The tasks of those that wait, by number, so that the first has waited longest.
#[derive(Debug, Default)]
pub(crate) struct Newcomers(Mutex<BTreeMap<u64, AbortHandle>>);

impl Newcomers {
    /// One more waits.
    pub(crate) fn enter(&self, number: u64, task: AbortHandle) {
        // It may be over already.
        if task.is_finished() {
            return;
        }
        let mut waiting = self.waiting();
        if waiting.len() >= MOST
            && let Some((_, longest)) = waiting.pop_first()
        {
            longest.abort();
        }
        waiting.insert(number, task);
    }

    /// One is a client now, or gone.
    pub(crate) fn leave(&self, number: u64) {
        self.waiting().remove(&number);
    }

    fn waiting(&self) -> MutexGuard<'_, BTreeMap<u64, AbortHandle>> {
        // No change of it stops half way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
