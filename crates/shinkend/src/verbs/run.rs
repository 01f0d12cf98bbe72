//! Python code.

use std::time::Duration;

use aci::error_code::{CodedError, ErrorCode};
use aci::extension::action::Run;
use aci::message::Ack;

use crate::reply::{Outcome, Reply};
use crate::run::Cell;
use crate::session::Session;

/// Takes its place among the cells in the order of the session's calls, and is then done beside them.
pub(super) async fn run(session: &Session, call_id: &str, call: Run) -> Outcome {
    let daemon = session.daemon();
    let Some(runner) = &daemon.runner else {
        // Its message is refused before it comes here.
        return Err(CodedError::new(ErrorCode::Denied, "run is not granted"));
    };
    if let Some(control) = call.control {
        let done = runner.control(control)?;
        let (session, call_id) = (session.clone(), call_id.to_owned());
        daemon.tasks.spawn(async move {
            // Ended in any case: where the daemon ends, so does the interpreter.
            done.await.ok();
            session.outbox().send(Ack::done(call_id)).await.ok();
        });
        return Ok(Reply::Later);
    }
    let limits = &daemon.limits;
    let timeout = call
        .timeout_ms
        .map_or(limits.exec_timeout, |ms| Duration::from_millis(ms.to_u64()))
        .min(limits.exec_timeout_max);
    let cell = Cell {
        call_id: call_id.to_owned(),
        code: call.code.unwrap_or_default(),
        timeout,
        session: session.clone(),
    };
    // The code may look at what the input before it has done. It can also run on a desktop that is gone.
    daemon.desk.settle().await.ok();
    daemon.desk.touch();
    runner.queue(cell)?;
    Ok(Reply::Later)
}
