//! Starting and stopping the session's screencast.

use aci::message::Ack;
use aci::verb::call;

use super::screenshot::Request;
use crate::reply::{Outcome, Reply};
use crate::screencast::{Cast, Plan};
use crate::session::Session;

/// Frames a second where a call names none.
const DEFAULT_FPS: f64 = 10.0;

/// A session has one screencast; a new one replaces the old.
pub(super) async fn start(session: &Session, call_id: &str, call: call::StartScreencast) -> Outcome {
    let plan = Plan {
        call_id: call_id.to_owned(),
        request: Request::new(call.scope, call.max_long_edge, call.format, call.quality),
        fps: call.fps.map_or(DEFAULT_FPS, |fps| fps.get()),
        delta: call.delta.unwrap_or(false),
        resume: call.resume_stream,
    };
    // What cannot be shown at all is refused now, so that the caller hears why.
    session
        .daemon()
        .desk
        .grab(plan.request.region(), plan.request.max_long_edge, None)
        .await?;
    let mut current = session.cast().lock().await;
    if let Some(old) = current.take() {
        old.stop().await;
    }
    let cast = Cast::prepare(session, plan).await?;
    if session.outbox().send(Ack::done(call_id)).await.is_ok() {
        *current = Some(cast.start(session));
    }
    Ok(Reply::Later)
}

pub(super) async fn stop(session: &Session) -> Outcome {
    if let Some(cast) = session.cast().lock().await.take() {
        cast.stop().await;
    }
    Ok(Reply::Done)
}
