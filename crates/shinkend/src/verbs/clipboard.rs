//! The clipboard's text.

use aci::verb::call;
use serde_json::json;

use crate::reply::{Outcome, Reply};
use crate::session::Session;

pub(super) async fn get(session: &Session) -> Outcome {
    let text = session
        .daemon()
        .desk
        .clipboard(|clipboard| clipboard.get())
        .await?;
    Ok(Reply::Value(json!({ "text": text })))
}

pub(super) async fn set(session: &Session, call: call::ClipboardSet) -> Outcome {
    session
        .daemon()
        .desk
        .clipboard(move |clipboard| clipboard.set(call.text))
        .await?;
    Ok(Reply::Done)
}
