//! The four questions.

use aci::error_code::CodedError;
use aci::message::QueryKind;
use serde_json::{Value, json};

use crate::session::Session;

/// The value of the result.
pub(crate) async fn answer(session: &Session, query: QueryKind) -> Result<Value, CodedError> {
    let desk = &session.daemon().desk;
    match query {
        QueryKind::Platform => Ok(json!({"platform": "linux"})),
        QueryKind::ScreenSize => {
            let (w, h) = desk.screen_size().await?;
            Ok(json!({"w": w, "h": h}))
        }
        QueryKind::Ready => {
            desk.probe().await?;
            Ok(json!({"ready": true}))
        }
        QueryKind::ListWindows => {
            let windows = desk.windows(|windows| windows.list()).await?;
            Ok(windows
                .into_iter()
                .map(|window| {
                    json!({
                        "id": window.id,
                        "title": window.title,
                        "pid": window.pid,
                        "x": window.x,
                        "y": window.y,
                        "w": window.w,
                        "h": window.h,
                        "focused": window.focused,
                    })
                })
                .collect())
        }
    }
}
