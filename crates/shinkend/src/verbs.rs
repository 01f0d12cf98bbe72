//! What each verb does. The match has no wildcard, so that a verb added to the table must be given its handler.

mod activate_window;
mod aim;
mod clipboard;
mod element;
mod exec;
mod keyboard;
mod launch_app;
mod observe;
mod place;
mod pointer;
pub(crate) mod query;
mod run;
mod screencast;
pub(crate) mod screenshot;
mod scroll_element;
mod set_text_selection;
mod set_value;
mod view;
mod wait;

use aci::extension::action::ExtendedAction;
use aci::verb::Call;

use crate::reply::Outcome;
use crate::session::Session;

/// Does one call beyond the contract.
pub(crate) async fn perform_beyond(session: &Session, call_id: &str, action: ExtendedAction) -> Outcome {
    match action {
        ExtendedAction::Run(call) => run::run(session, call_id, call).await,
        ExtendedAction::Observe(call) => view::observe(session, call_id, call).await,
        ExtendedAction::ScrollElement(call) => scroll_element::scroll_element(session, call).await,
        ExtendedAction::SetTextSelection(call) => set_text_selection::set_text_selection(session, call).await,
    }
}

/// Does one call.
pub(crate) async fn perform(session: &Session, call_id: &str, call: Call) -> Outcome {
    match call {
        Call::Click(call) => pointer::click(session, &call.target, desktop::backend::Button::Left, 1).await,
        Call::DoubleClick(call) => {
            pointer::click(session, &call.target, desktop::backend::Button::Left, 2).await
        }
        Call::RightClick(call) => {
            pointer::click(session, &call.target, desktop::backend::Button::Right, 1).await
        }
        Call::Move(call) => pointer::move_to(session, &call.target).await,
        Call::Drag(call) => pointer::drag(session, call).await,
        Call::MouseDown(call) => pointer::down(session, call.target, call.button).await,
        Call::MouseUp(call) => pointer::up(session, call.target, call.button).await,
        Call::Scroll(call) => pointer::scroll(session, call).await,
        Call::TypeText(call) => keyboard::type_text(session, call).await,
        Call::Key(call) => keyboard::key(session, call).await,
        Call::Screenshot(call) => screenshot::screenshot(session, call_id, call).await,
        Call::StartScreencast(call) => screencast::start(session, call_id, call).await,
        Call::StopScreencast(_) => screencast::stop(session).await,
        Call::Wait(call) => wait::wait(session, call).await,
        Call::Exec(call) => exec::exec(session, call_id, call).await,
        Call::ClipboardGet(_) => clipboard::get(session).await,
        Call::ClipboardSet(call) => clipboard::set(session, call).await,
        Call::LaunchApp(call) => launch_app::launch_app(session, call).await,
        Call::ActivateWindow(call) => activate_window::activate_window(session, call).await,
        Call::Observe(call) => observe::observe(session, call_id, call).await,
        Call::InvokeAction(call) => element::invoke_action(session, call).await,
        Call::SetValue(call) => set_value::set_value(session, call).await,
    }
}
