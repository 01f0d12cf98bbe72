//! Starting programs on the desktop.

use aci::verb::call;

use crate::launch::launch;
use crate::reply::{Outcome, Reply};
use crate::session::Session;

pub(super) async fn launch_app(session: &Session, call: call::LaunchApp) -> Outcome {
    let daemon = session.daemon();
    daemon.desk.settle().await?;
    daemon.desk.touch();
    launch(daemon, call.app.as_str(), call.args.unwrap_or_default()).await?;
    daemon.desk.touch();
    Ok(Reply::Done)
}
