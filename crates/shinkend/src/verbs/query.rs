//! The questions.

use aci::Wire as _;
use aci::error_code::CodedError;
use aci::extension::ExtendedQueryKind;
use aci::extension::view::AppInfo;
use aci::message::QueryKind;
use serde_json::{Value, json};

use crate::session::Session;

/// The value of the result of a question beyond the contract.
pub(crate) async fn answer_beyond(session: &Session, query: ExtendedQueryKind) -> Result<Value, CodedError> {
    match query {
        ExtendedQueryKind::Apps => {
            let apps = session.elements()?.apps(&session.daemon().desk).await?;
            let info = |app: a11y::App| {
                let focused = app.focused;
                let path = app.path();
                Some(AppInfo {
                    name: app.name,
                    pid: aci::Positive::new(app.process.into())?,
                    path,
                    focused,
                })
            };
            Ok(apps.into_iter().filter_map(info).map(AppInfo::encode).collect())
        }
    }
}

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
