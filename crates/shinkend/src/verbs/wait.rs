//! Waiting, in the order of the session's calls.

use std::time::Duration;

use aci::verb::call;

use crate::reply::{Outcome, Reply, invalid};
use crate::session::Session;

/// The longest wait of one call, in milliseconds.
const LONGEST: u64 = 60_000;

pub(super) async fn wait(session: &Session, call: call::Wait) -> Outcome {
    let ms = call.ms.map_or(0, |ms| ms.to_u64());
    if ms > LONGEST {
        return Err(invalid(format!(
            "a wait lasts at most {LONGEST} ms; send several"
        )));
    }
    session.daemon().desk.settle().await?;
    tokio::time::sleep(Duration::from_millis(ms)).await;
    Ok(Reply::Done)
}
