//! Which answer belongs to whom: a state machine without any I/O.
//!
//! Locking rule: `Routes` stands behind one mutex; the queues of streams have their own, taken while it is held and never
//! the other way round.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use aci::frame::{Frame, Header};
use aci::message::{Ack, Message, Refusal, ResultMsg};
use aci::observation::Observation;
use base64::Engine as _;
use bytes::Bytes;
use tokio::sync::oneshot;

use crate::error::ClientError;
use crate::exec::{ExecEvent, ExecQueue};
use crate::reply::{Answer, Reply, Seen};
use crate::run::RunResult;
use crate::screencast::{CastQueue, Update};
use crate::view::View;

/// What a call that is under way still waits for.
#[derive(Debug)]
pub(crate) struct Call {
    /// How long it holds up the session's later calls by itself.
    pub(crate) holds_up: Duration,
    /// How long it holds up the session's later cells by itself, where it is one.
    pub(crate) cell: Duration,
    /// Who waits for the answer.
    pub(crate) first: Option<oneshot::Sender<Answer>>,
    /// Who waits for the observation after it.
    pub(crate) then: Option<oneshot::Sender<Answer>>,
    /// The stream that begins with the answer.
    pub(crate) opens: Option<Opens>,
}

/// A stream that a call begins.
#[derive(Debug)]
pub(crate) enum Opens {
    Cast(Arc<CastQueue>),
    Exec(Arc<ExecQueue>),
}

/// Everything that waits on one connection.
#[derive(Debug, Default)]
pub(crate) struct Routes {
    calls: HashMap<u64, Call>,
    pings: HashMap<u64, oneshot::Sender<()>>,
    cast: Option<(u64, Arc<CastQueue>)>,
    execs: HashMap<u64, Arc<ExecQueue>>,
    end: Option<ClientError>,
}

impl Routes {
    /// Notes a call; how long the calls before it hold it up.
    ///
    /// # Errors
    /// Why the connection is over, where it is.
    pub(crate) fn add_call(&mut self, id: u64, call: Call) -> Result<Duration, ClientError> {
        if let Some(end) = &self.end {
            return Err(end.clone());
        }
        let calls = self.calls.values();
        let before = calls
            .map(|before| match call.cell {
                Duration::ZERO => before.holds_up,
                _ => before.holds_up + before.cell,
            })
            .sum();
        self.calls.insert(id, call);
        Ok(before)
    }

    /// Notes a ping.
    ///
    /// # Errors
    /// Why the connection is over, where it is.
    pub(crate) fn add_ping(&mut self, id: u64, pong: oneshot::Sender<()>) -> Result<(), ClientError> {
        if let Some(end) = &self.end {
            return Err(end.clone());
        }
        self.pings.insert(id, pong);
        Ok(())
    }

    /// Forgets a call that nobody waits for any more. What it began goes on.
    pub(crate) fn drop_call(&mut self, id: u64) {
        self.calls.remove(&id);
        self.pings.remove(&id);
    }

    /// Forgets a program whose output nobody reads any more.
    pub(crate) fn drop_exec(&mut self, id: u64) {
        self.execs.remove(&id);
    }

    /// Forgets a screencast that nobody looks at any more; whether it was still the session's.
    pub(crate) fn drop_cast(&mut self, queue: &Arc<CastQueue>) -> bool {
        let ours = self
            .cast
            .as_ref()
            .is_some_and(|(_, cast)| Arc::ptr_eq(cast, queue));
        if ours {
            self.cast = None;
        }
        ours
    }

    /// Ends the session's screencast, which was stopped.
    pub(crate) fn stop_cast(&mut self) {
        if let Some((_, cast)) = self.cast.take() {
            cast.replaced();
        }
    }

    /// Why the connection is over, where it is.
    pub(crate) fn end(&self) -> Option<&ClientError> {
        self.end.as_ref()
    }

    /// Ends everything that waits; the first reason stays.
    pub(crate) fn finish(&mut self, why: ClientError) {
        let why = self.end.get_or_insert(why);
        if let Some((_, cast)) = self.cast.take() {
            cast.end(why.clone());
        }
        for (_, exec) in self.execs.drain() {
            exec.fail(why.clone());
        }
        for (_, mut call) in self.calls.drain() {
            let waiting = call.first.take().or(call.then.take());
            if let Some(waiting) = waiting {
                // Whoever waited may have stopped.
                waiting.send(Err(why.clone())).ok();
            }
        }
        self.pings.clear();
    }

    /// Hands a text message to whom it belongs.
    ///
    /// # Errors
    /// What makes it impossible to go on with this peer.
    pub(crate) fn text(&mut self, message: Result<Message, Refusal>) -> Result<(), ClientError> {
        match message {
            Ok(Message::Ack(ack)) => self.ack(ack),
            Ok(Message::Result(result)) => self.result(result),
            Ok(Message::Observation(observation)) => return self.observation(observation),
            Ok(Message::ExecOutput(output)) => {
                let bytes = from_base64(&output.data_b64)?;
                let (channel, seq) = (output.channel, output.seq.to_u64());
                self.exec(&output.cause, ExecEvent::Output { channel, seq, bytes });
            }
            Ok(Message::ExecExit(exit)) => {
                let cause = exit.cause.clone();
                self.exec(&cause, ExecEvent::Exit(exit));
            }
            Ok(Message::Pong(pong)) => {
                // Pings count in whole numbers from zero, which floats hold exactly.
                let id = pong.t.map(|t| t.get() as u64);
                if let Some(waiting) = id.and_then(|id| self.pings.remove(&id)) {
                    waiting.send(()).ok();
                }
            }
            Ok(other) => tracing::debug!("a message that no client expects: {other:?}"),
            Err(refusal) => {
                let call = refusal
                    .call_id
                    .as_deref()
                    .and_then(number)
                    .and_then(|id| self.calls.remove(&id));
                match call.and_then(|mut call| call.first.take().or(call.then.take())) {
                    Some(waiting) => {
                        let detail = format!("the answer cannot be read: {refusal}");
                        waiting.send(Err(ClientError::protocol(detail))).ok();
                    }
                    None => tracing::warn!("a message that cannot be read: {refusal}"),
                }
            }
        }
        Ok(())
    }

    /// Hands a view that came as text to whom it belongs.
    ///
    /// # Errors
    /// What makes it impossible to go on with this peer.
    pub(crate) fn view(&mut self, view: aci::extension::view::View) -> Result<(), ClientError> {
        let cause = view.seen.cause.clone().unwrap_or_default();
        let view = View::from_text(view)?;
        self.answer(&cause, Ok(Reply::Seen(Seen::View(Box::new(view)))));
        Ok(())
    }

    /// Hands a binary message to whom it belongs.
    ///
    /// # Errors
    /// What makes it impossible to go on with this peer.
    pub(crate) fn binary(&mut self, frame: Frame) -> Result<(), ClientError> {
        match frame.header() {
            Header::Observation(header) if header.stream.is_some() => self.cast(Update::from_frame(&frame)?),
            Header::Observation(header) => {
                let cause = header.cause.clone().unwrap_or_default();
                self.answer(&cause, Ok(Reply::Seen(Seen::from_frame(frame)?)));
            }
            Header::View(view) => {
                let cause = view.seen.cause.clone().unwrap_or_default();
                if let Some(view) = View::from_frame(&frame) {
                    self.answer(&cause, Ok(Reply::Seen(Seen::View(Box::new(view)))));
                }
            }
            Header::Run(_) => {
                if let Some((cause, result)) = RunResult::from_frame(&frame) {
                    self.answer(&cause, result.map(|result| Reply::Ran(Box::new(result))));
                }
            }
            Header::ExecOutput(header) => {
                let event = ExecEvent::Output {
                    channel: header.channel,
                    seq: header.seq.to_u64(),
                    bytes: frame.slice(header.data.off, header.data.len),
                };
                let cause = header.cause.clone();
                self.exec(&cause, event);
            }
        }
        Ok(())
    }

    fn ack(&mut self, ack: Ack) {
        if ack.ok {
            self.answer(&ack.call_id, Ok(Reply::Done));
        } else {
            self.answer(&ack.call_id, Err(ClientError::refused(ack.error)));
        }
    }

    fn result(&mut self, result: ResultMsg) {
        if result.ok {
            let value = result.value.unwrap_or_default();
            return self.answer(&result.call_id, Ok(Reply::Value(value)));
        }
        let error = ClientError::refused(result.error);
        let id = number(&result.call_id);
        match &self.cast {
            // A screencast that has begun ends with the call that began it.
            Some((call, cast)) if Some(*call) == id && !self.calls.contains_key(call) => {
                cast.end(error);
                self.cast = None;
            }
            _ if id.is_some_and(|id| self.calls.contains_key(&id)) => {
                self.answer(&result.call_id, Err(error));
            }
            _ => tracing::debug!("an error that belongs to no call: {error}"),
        }
    }

    fn observation(&mut self, observation: Observation) -> Result<(), ClientError> {
        if observation.stream.is_some() {
            self.cast(Update::from_observation(&observation)?);
        } else {
            let cause = observation.cause.clone().unwrap_or_default();
            self.answer(&cause, Ok(Reply::Seen(Seen::from_observation(observation)?)));
        }
        Ok(())
    }

    /// Gives a call its answer, or the observation after it.
    fn answer(&mut self, call_id: &str, answer: Answer) {
        let Some(id) = number(call_id) else { return };
        // A late answer to a call that was given up is of no use to anybody.
        let Some(call) = self.calls.get_mut(&id) else {
            return;
        };
        let refused = answer.is_err();
        if let Some(first) = call.first.take() {
            if !refused {
                match call.opens.take() {
                    Some(Opens::Cast(queue)) => {
                        if let Some((_, old)) = self.cast.replace((id, queue)) {
                            old.replaced();
                        }
                    }
                    Some(Opens::Exec(queue)) => {
                        self.execs.insert(id, queue);
                    }
                    None => {}
                }
            }
            call.holds_up = Duration::ZERO;
            first.send(answer).ok();
            if !refused && call.then.is_some() {
                return;
            }
        } else if let Some(then) = call.then.take() {
            then.send(answer).ok();
        }
        self.calls.remove(&id);
    }

    fn cast(&mut self, update: Update) {
        // Frames of a screencast that was stopped may still be on their way.
        if let Some((_, cast)) = &self.cast {
            cast.push(update);
        }
    }

    fn exec(&mut self, cause: &str, event: ExecEvent) {
        let Some(id) = number(cause) else { return };
        let last = matches!(event, ExecEvent::Exit(_));
        if let Some(exec) = self.execs.get(&id)
            && (!exec.push(event) || last)
        {
            self.execs.remove(&id);
        }
    }
}

/// The call's number, as we give them; other names are none of ours.
fn number(call_id: &str) -> Option<u64> {
    call_id.parse().ok()
}

/// The bytes that a text message carries.
pub(crate) fn from_base64(text: &str) -> Result<Bytes, ClientError> {
    base64::engine::general_purpose::STANDARD
        .decode(text)
        .map(Bytes::from)
        .map_err(|error| ClientError::protocol(format!("broken base64: {error}")))
}
