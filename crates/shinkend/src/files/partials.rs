//! Uploads that broke off, kept for a while so that they can go on.
//!
//! ```text
//! begin ─▶ active ── connection breaks ──▶ kept ── begin ──▶ active
//!             └── done, failed, cancelled ──▶ gone  └── too old, too many ──▶ gone
//! ```
//!
//! A client whose connection broke is often back before the daemon has noticed; then the old connection is ended and hands over.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::upload::Upload;

/// How long one is kept,
const KEPT_FOR: Duration = Duration::from_secs(120);
/// and how many are.
const KEPT: usize = 32;
/// How long an old connection has to hand over.
const HANDOVER: Duration = Duration::from_secs(5);

/// The uploads that have a key.
#[derive(Debug, Default)]
pub(super) struct Partials {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    active: HashMap<String, CancellationToken>,
    kept: HashMap<String, (Upload, Instant)>,
}

/// The right to write an upload under a key, until it is dropped.
#[derive(Debug)]
pub(super) struct Turn<'a> {
    partials: &'a Partials,
    key: String,
    /// Where somebody else has it and does not let go, nothing is handed over at the end.
    is_ours: bool,
}

impl Partials {
    /// Begins an upload, or goes on with what is kept of it. `connection` is cancelled when another connection takes over.
    pub(super) fn begin(
        &self,
        key: &str,
        connection: &CancellationToken,
        takes_over: bool,
    ) -> (Turn<'_>, Option<Upload>) {
        let mut state = self.state();
        state.forget_old();
        if takes_over && let Some(other) = state.active.get(key) {
            other.cancel();
            let until = Instant::now() + HANDOVER;
            while state.active.contains_key(key) && Instant::now() < until {
                let left = until.saturating_duration_since(Instant::now());
                state = match self.changed.wait_timeout(state, left) {
                    Ok((state, _)) => state,
                    Err(poisoned) => poisoned.into_inner().0,
                };
            }
        }
        let is_ours = !state.active.contains_key(key);
        let mut kept = None;
        if is_ours {
            state.active.insert(key.to_owned(), connection.clone());
            kept = state.kept.remove(key).map(|(upload, _)| upload);
        }
        let turn = Turn {
            partials: self,
            key: key.to_owned(),
            is_ours,
        };
        (turn, kept)
    }

    /// Forgets those that have been kept for long enough.
    pub(super) fn sweep(&self) {
        self.state().forget_old();
    }

    /// Forgets all.
    pub(super) fn clear(&self) {
        self.state().kept.clear();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No change of it stops half way.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn forget_old(&mut self) {
        self.kept.retain(|_, (_, since)| since.elapsed() < KEPT_FOR);
    }
}

impl Turn<'_> {
    /// Keeps what has come.
    pub(super) fn keep(self, upload: Upload) {
        if !self.is_ours {
            return;
        }
        let mut state = self.partials.state();
        if state.kept.len() >= KEPT {
            let oldest = state.kept.iter().min_by_key(|(_, (_, since))| *since);
            if let Some(key) = oldest.map(|(key, _)| key.clone()) {
                state.kept.remove(&key);
            }
        }
        state.kept.insert(self.key.clone(), (upload, Instant::now()));
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if self.is_ours {
            self.partials.state().active.remove(&self.key);
            self.partials.changed.notify_all();
        }
    }
}
