//! Several actions in one round trip.

use aci::action::ActionBatch;

use crate::client::Client;
use crate::connection::Pending;
use crate::error::ClientError;
use crate::reply::{Answer, Reply};
use crate::request::Request;
use crate::screenshot::{Screenshot, Shot};
use crate::view::{Look, View};

/// What is looked at after the actions of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Observe {
    /// Nothing.
    Nothing,
    /// A picture.
    Picture(Shot),
    /// The tree of an application, with a picture or without.
    View(Look),
}

/// What a step gave.
#[derive(Debug, Clone)]
pub struct Step {
    /// One outcome for each action, in their order.
    pub outcomes: Vec<Result<Reply, ClientError>>,
    /// The picture after them, where one was asked for.
    pub observation: Option<Result<Screenshot, ClientError>>,
    /// The view after them, where one was asked for.
    pub view: Option<Result<View, ClientError>>,
}

/// What a batch gave.
#[derive(Debug, Clone)]
pub struct Batch {
    /// The name that the batch came with.
    pub batch_id: Option<String>,
    /// One outcome for each action that was sent, in their order.
    pub outcomes: Vec<Result<Reply, ClientError>>,
    /// How many were not sent because one before them failed.
    pub not_sent: usize,
}

/// What a batch does after an action that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnError {
    /// Each action is waited for before the next is sent, and the first failure ends it.
    Stop,
    /// All are sent without waiting; one that cannot be sent is a failure like any other.
    Continue,
}

impl Client {
    /// Sends all actions and the wish for a look without waiting in between, so that the whole costs one round trip. The
    /// runtime does them in this order, also those after one that it refused.
    ///
    /// # Errors
    /// Where nothing was sent: an action is not offered, begins a stream, or carries an `observe` of its own; or the
    /// session is over.
    pub async fn step(
        &self,
        actions: impl IntoIterator<Item: Into<Request>>,
        observe: Observe,
    ) -> Result<Step, ClientError> {
        let mut all: Vec<Request> = actions.into_iter().map(Into::into).collect();
        all.iter().try_for_each(plain)?;
        let mut known = None;
        match &observe {
            Observe::Nothing => {}
            Observe::Picture(shot) => {
                // By the time of the picture, the session will have acted.
                let acts = all.iter().any(Request::mutates);
                let (action, candidate) = self.shot_action(*shot, acts);
                known = candidate;
                all.push(action.into());
            }
            Observe::View(look) => all.push(self.look_request(look.clone())),
        }
        let mut calls = self.send_all(all).await?;
        let last = match observe {
            Observe::Nothing => None,
            Observe::Picture(_) | Observe::View(_) => calls.pop(),
        };
        let mut step = Step {
            outcomes: answers(calls).await,
            observation: None,
            view: None,
        };
        if let Some(mut call) = last {
            let answer = call.answer().await;
            match observe {
                Observe::Nothing => {}
                Observe::Picture(shot) => step.observation = Some(self.shot_taken(shot, answer, known)),
                Observe::View(_) => step.view = Some(answer.and_then(Reply::seen).and_then(View::from_seen)),
            }
        }
        Ok(step)
    }

    /// Does the actions of a batch in order, until the first failure unless it says otherwise.
    ///
    /// # Errors
    /// Where nothing was sent: an action begins a stream, or carries an `observe` of its own.
    pub async fn act_batch(&self, batch: ActionBatch) -> Result<Batch, ClientError> {
        let on_error = match batch.stop_on_error {
            Some(false) => OnError::Continue,
            Some(true) | None => OnError::Stop,
        };
        let actions = batch.actions.into_vec();
        let mut done = self.act_all(actions, on_error).await?;
        done.batch_id = batch.batch_id;
        Ok(done)
    }

    /// Does actions in order, of the contract or beyond it.
    ///
    /// # Errors
    /// As for [`Self::act_batch`].
    pub async fn act_all(
        &self,
        actions: impl IntoIterator<Item: Into<Request>>,
        on_error: OnError,
    ) -> Result<Batch, ClientError> {
        let actions: Vec<Request> = actions.into_iter().map(Into::into).collect();
        actions.iter().try_for_each(plain)?;
        let all = actions.len();
        let mut outcomes = Vec::with_capacity(all);
        match on_error {
            OnError::Continue => {
                let mut calls = Vec::with_capacity(all);
                for action in actions {
                    calls.push(self.send(action).await);
                }
                for call in calls {
                    outcomes.push(match call {
                        Ok(mut call) => call.answer().await,
                        Err(error) => Err(error),
                    });
                }
            }
            OnError::Stop => {
                for action in actions {
                    let outcome = async { self.send(action).await?.answer().await };
                    outcomes.push(outcome.await);
                    if outcomes.last().is_some_and(Result::is_err) {
                        break;
                    }
                }
            }
        }
        Ok(Batch {
            batch_id: None,
            not_sent: all - outcomes.len(),
            outcomes,
        })
    }
}

async fn answers(calls: Vec<Pending>) -> Vec<Answer> {
    let mut outcomes = Vec::with_capacity(calls.len());
    for mut call in calls {
        outcomes.push(call.answer().await);
    }
    outcomes
}

/// Refuses what has more than one answer.
fn plain(request: &Request) -> Result<(), ClientError> {
    if request.streams() {
        return Err(ClientError::invalid(
            "a step begins no streams; use start_screencast and exec_stream",
        ));
    }
    if request.observe().is_some() {
        return Err(ClientError::invalid(
            "the actions of a step carry no observe of their own; the step's last argument asks for a picture",
        ));
    }
    Ok(())
}
