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
    limit: usize,
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

impl State {
    /// The encoded bytes that wait.
    fn kept(&self) -> usize {
        self.updates.iter().map(Update::kept).sum()
    }

    fn keep(&mut self, update: Update, capacity: usize, limit: usize) -> Result<(), ClientError> {
        let room = self.updates.len() < capacity && self.kept() + update.kept() <= limit;
        match self.updates.back_mut() {
            Some(last) if !room => last.merge(update)?,
            _ => self.updates.push_back(update),
        }
        // What the updates have in common is kept once where they are put together.
        while self.updates.len() > 1 && self.kept() > limit {
            let newer = self.updates.remove(1);
            if let (Some(oldest), Some(newer)) = (self.updates.front_mut(), newer) {
                oldest.merge(newer)?;
            }
        }
        // A single message was taken already, so keeping it costs nothing that was not spent.
        let alone = self.updates.front().is_none_or(Update::is_one_message);
        if self.kept() > limit && !alone {
            return Err(ClientError::Behind {
                what: "a screencast".to_owned(),
                limit,
            });
        }
        Ok(())
    }
}

impl CastQueue {
    /// A queue of so many updates, with so many encoded bytes in all.
    pub(crate) fn new(capacity: usize, limit: usize) -> Arc<Self> {
        Arc::new(Self {
            capacity,
            limit,
            state: Mutex::default(),
            news: Notify::new(),
        })
    }

    /// Keeps an update; never waits.
    pub(crate) fn push(&self, update: Update) {
        self.change(|state| {
            if state.end.is_some() {
                return;
            }
            if let Err(error) = state.keep(update, self.capacity, self.limit) {
                state.end = Some(End::With(error));
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
