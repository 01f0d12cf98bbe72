//! Several actions in one round trip.

use aci::action::{Action, ActionBatch};
use aci::verb::Verb;

use crate::client::Client;
use crate::connection::Pending;
use crate::error::ClientError;
use crate::reply::{Answer, Reply};
use crate::screenshot::{Screenshot, Shot};

/// What is looked at after the actions of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Observe {
    /// Nothing.
    Nothing,
    /// A picture.
    Picture(Shot),
}

/// What a step gave.
#[derive(Debug, Clone)]
pub struct Step {
    /// One outcome for each action, in their order.
    pub outcomes: Vec<Result<Reply, ClientError>>,
    /// The picture after them, where one was asked for.
    pub observation: Option<Result<Screenshot, ClientError>>,
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

impl Client {
    /// Sends all actions and the wish for a picture without waiting in between, so that the whole costs one round trip. The
    /// runtime does them in this order, also those after one that it refused.
    ///
    /// # Errors
    /// Where nothing was sent: an action is not offered, begins a stream, or carries an `observe` of its own; or the
    /// session is over.
    pub async fn step(&self, actions: &[Action], observe: Observe) -> Result<Step, ClientError> {
        for action in actions {
            plain(action)?;
        }
        let mut all = actions.to_vec();
        let mut known = None;
        if let Observe::Picture(shot) = observe {
            // By the time of the picture, the session will have acted.
            let acts = actions.iter().any(|action| action.verb.mutates());
            let (action, candidate) = self.shot_action(shot, acts);
            known = candidate;
            all.push(action);
        }
        let mut calls = self.send_all(all).await?;
        let last = match observe {
            Observe::Picture(shot) => calls.pop().map(|call| (shot, call)),
            Observe::Nothing => None,
        };
        let outcomes = answers(calls).await;
        let observation = match last {
            Some((shot, mut call)) => Some(self.shot_taken(shot, call.answer().await, known)),
            None => None,
        };
        Ok(Step {
            outcomes,
            observation,
        })
    }

    /// Does the actions of a batch in order. Where the first failure ends it (which is the default) each is waited for
    /// before the next is sent; otherwise all are sent without waiting, and one that cannot be sent, because the runtime
    /// does not offer it, say, is a failure like any other.
    ///
    /// # Errors
    /// Where nothing was sent: an action begins a stream, or carries an `observe` of its own.
    pub async fn act_batch(&self, batch: ActionBatch) -> Result<Batch, ClientError> {
        let ActionBatch {
            batch_id,
            stop_on_error,
            actions,
        } = batch;
        let actions = actions.into_vec();
        for action in &actions {
            plain(action)?;
        }
        if stop_on_error == Some(false) {
            let mut calls = Vec::with_capacity(actions.len());
            for action in actions {
                calls.push(self.send(action).await);
            }
            let mut outcomes = Vec::with_capacity(calls.len());
            for call in calls {
                outcomes.push(match call {
                    Ok(mut call) => call.answer().await,
                    Err(error) => Err(error),
                });
            }
            return Ok(Batch {
                batch_id,
                outcomes,
                not_sent: 0,
            });
        }
        let all = actions.len();
        let mut outcomes = Vec::with_capacity(all);
        for action in actions {
            outcomes.push(self.call(action).await);
            if outcomes.last().is_some_and(Result::is_err) {
                break;
            }
        }
        let not_sent = all - outcomes.len();
        Ok(Batch {
            batch_id,
            outcomes,
            not_sent,
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
fn plain(action: &Action) -> Result<(), ClientError> {
    if action.verb == Verb::StartScreencast || action.stream == Some(true) {
        return Err(ClientError::invalid(
            "a step begins no streams; use start_screencast and exec_stream",
        ));
    }
    if action.observe.is_some() {
        return Err(ClientError::invalid(
            "the actions of a step carry no observe of their own; the step's last argument asks for a picture",
        ));
    }
    Ok(())
}
