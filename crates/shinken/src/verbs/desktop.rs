//! Programs, clipboard and windows.

use aci::action::Action;
use aci::exec::ExecResult;
use aci::verb::Verb;
use aci::{Natural, NonEmptyString, Wire as _};

use super::act::Act;
use super::queries::WindowId;
use crate::client::Client;
use crate::error::ClientError;
use crate::exec::{Exec, ExecQueue, ExecStream};
use crate::routes::Opens;

impl Client {
    /// Runs a program and gives its output when it has ended. That the program failed is no error; see its exit code.
    ///
    /// # Errors
    /// As for any call.
    pub async fn exec(&self, exec: Exec) -> Result<ExecResult, ClientError> {
        let value = self.call(exec.into_action(false)?).await?.value()?;
        ExecResult::decode(value)
            .map_err(|fault| ClientError::protocol(format!("the result of exec: {fault}")))
    }

    /// Runs a program and gives its output as it comes.
    ///
    /// # Errors
    /// As for any call.
    pub async fn exec_stream(&self, exec: Exec) -> Result<ExecStream, ClientError> {
        let queue = ExecQueue::new(self.options().exec_buffer_bytes);
        let action = exec.into_action(true)?;
        let opens = Opens::Exec(std::sync::Arc::clone(&queue));
        let connection = self.connection();
        let mut call = self.send_on(&connection, action, Some(opens)).await?;
        call.answer().await?.done()?;
        Ok(ExecStream::new(call, queue))
    }

    /// The clipboard's text.
    ///
    /// # Errors
    /// As for any call.
    pub async fn clipboard_get(&self) -> Result<String, ClientError> {
        let value = self.call(Action::new(Verb::ClipboardGet)).await?.value()?;
        value
            .get("text")
            .and_then(|text| text.as_str())
            .map(str::to_owned)
            .ok_or_else(|| ClientError::protocol("the result of clipboard_get has no text"))
    }

    /// Puts a text on the clipboard.
    pub fn clipboard_set(&self, text: impl Into<String>) -> Act {
        let mut action = Action::new(Verb::ClipboardSet);
        action.text = Some(text.into());
        Act::new(self, Ok(action))
    }

    /// Starts a program on the desktop and does not wait for its end.
    pub fn launch_app(
        &self,
        app: impl Into<String>,
        args: impl IntoIterator<Item = impl Into<String>>,
    ) -> Act {
        let args: Vec<String> = args.into_iter().map(Into::into).collect();
        let action = named(app.into()).map(|app| {
            let mut action = Action::new(Verb::LaunchApp);
            action.app = Some(app);
            action.args = (!args.is_empty()).then_some(args);
            action
        });
        Act::new(self, action)
    }

    /// Raises and focuses a window, by its id or by a part of its title.
    pub fn activate_window(&self, window: impl Into<WindowId>) -> Act {
        let action = || {
            let mut action = Action::new(Verb::ActivateWindow);
            match window.into() {
                WindowId::Number(id) => action.window_id = Some(Natural::clamped(id)),
                WindowId::Title(title) => action.app = Some(named(title)?),
            }
            Ok(action)
        };
        Act::new(self, action())
    }
}

fn named(text: String) -> Result<NonEmptyString, ClientError> {
    NonEmptyString::new(text).ok_or_else(|| ClientError::invalid("the name is empty"))
}
