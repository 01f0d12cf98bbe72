//! Updates that wait for the reader of a screencast.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use super::Update;
use crate::error::ClientError;

/// Bounded: an update that finds no room is put together with the last one.
#[derive(Debug)]
pub(crate) struct CastQueue {
    capacity: usize,
    state: Mutex<State>,
    news: Notify,
}

#[derive(Debug, Default)]
struct State {
    updates: VecDeque<Update>,
    end: Option<End>,
}

#[derive(Debug, Clone)]
enum End {
    Quietly,
    With(ClientError),
}

impl CastQueue {
    pub(crate) fn new(capacity: usize) -> Arc<Self> {
        Arc::new(Self {
            capacity,
            state: Mutex::default(),
            news: Notify::new(),
        })
    }

    /// Keeps an update; never waits.
    pub(crate) fn push(&self, update: Update) {
        self.change(|state| {
            if state.updates.len() < self.capacity {
                state.updates.push_back(update);
            } else if let Some(last) = state.updates.back_mut()
                && let Err(error) = last.merge(update)
            {
                state.end.get_or_insert(End::With(error));
            }
        });
    }

    /// Ends the stream after what is kept.
    pub(crate) fn end(&self, why: ClientError) {
        self.change(|state| {
            state.end.get_or_insert(End::With(why));
        });
    }

    /// Ends the stream because it was stopped, or the session has begun another one.
    pub(crate) fn replaced(&self) {
        self.change(|state| {
            state.end.get_or_insert(End::Quietly);
        });
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
        self.news.notify_one();
    }

    /// The next update; `None` at a quiet end.
    pub(crate) async fn pop(&self) -> Result<Option<Update>, ClientError> {
        loop {
            let news = self.news.notified();
            {
                let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(update) = state.updates.pop_front() {
                    return Ok(Some(update));
                }
                match &state.end {
                    Some(End::Quietly) => return Ok(None),
                    Some(End::With(why)) => return Err(why.clone()),
                    None => {}
                }
            }
            news.await;
        }
    }
}
