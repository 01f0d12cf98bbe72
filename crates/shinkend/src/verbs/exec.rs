//! Running programs.

use std::time::Duration;

use aci::message::Ack;
use aci::verb::call;

use crate::exec::{Order, What, buffered, streamed};
use crate::reply::{Outcome, Reply};
use crate::session::Session;

/// Starts in the order of the session's calls; what the program does after that runs beside them.
pub(super) async fn exec(session: &Session, call_id: &str, call: call::Exec) -> Outcome {
    let daemon = session.daemon();
    let argv = match (call.argv, call.shell) {
        (Some(argv), _) => argv.into_vec(),
        (None, shell) => vec!["/bin/sh".to_owned(), "-c".to_owned(), shell.unwrap_or_default()],
    };
    let what = What::new(argv, call.cwd, call.env.unwrap_or_default())?;
    let limits = &daemon.limits;
    let timeout = call
        .timeout_ms
        .map_or(limits.exec_timeout, |ms| Duration::from_millis(ms.to_u64()))
        .min(limits.exec_timeout_max);
    let order = Order::new(session, call_id, what, call.stdin, timeout)?;
    // The program may look at what the input before it has done. It can also run on a desktop that is gone.
    daemon.desk.settle().await.ok();
    daemon.desk.touch();
    if call.stream.unwrap_or(false) {
        if session.outbox().send(Ack::done(call_id)).await.is_ok() {
            daemon.tasks.spawn(streamed(session.clone(), order));
        }
    } else {
        daemon.tasks.spawn(buffered(session.clone(), order));
    }
    Ok(Reply::Later)
}
