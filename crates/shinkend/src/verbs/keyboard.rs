//! Text and keys.

use aci::verb::call;
use desktop::backend::Gesture;

use crate::reply::{Outcome, Reply, invalid};
use crate::session::Session;

pub(super) async fn type_text(session: &Session, call: call::TypeText) -> Outcome {
    let limit = session.daemon().limits.type_chars;
    if call.text.chars().nth(limit).is_some() {
        return Err(invalid(format!(
            "the text has more than {limit} characters; type it in parts, or set the clipboard and paste"
        )));
    }
    if !call.text.is_empty() {
        let desk = &session.daemon().desk;
        desk.type_text(session.holder(), call.text, session.over().clone())
            .await?;
    }
    Ok(Reply::Done)
}

pub(super) async fn key(session: &Session, call: call::Key) -> Outcome {
    session
        .daemon()
        .desk
        .gesture(session.holder(), Gesture::Key(call.keys))
        .await?;
    Ok(Reply::Done)
}
