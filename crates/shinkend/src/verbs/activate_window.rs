//! Raising a window.

use aci::error_code::{CodedError, ErrorCode};
use aci::verb::call;

use crate::reply::{Outcome, Reply};
use crate::session::Session;

/// By id where one is given; else the first window, in the order of list_windows, whose title contains the text.
pub(super) async fn activate_window(session: &Session, call: call::ActivateWindow) -> Outcome {
    let desk = &session.daemon().desk;
    let id = match (call.window_id, call.app) {
        (Some(id), _) => id.to_u64(),
        (None, app) => {
            let wanted = app.map(|app| app.as_str().to_lowercase()).unwrap_or_default();
            let windows = desk.windows(|windows| windows.list()).await?;
            let found = windows
                .iter()
                .find(|window| window.title.to_lowercase().contains(&wanted));
            found.map(|window| window.id).ok_or_else(|| {
                CodedError::new(
                    ErrorCode::WindowNotFound,
                    format!("no window's title contains {wanted:?}; list_windows shows the present ones"),
                )
            })?
        }
    };
    desk.touch();
    desk.windows(move |windows| windows.activate(id)).await?;
    Ok(Reply::Done)
}
