//! Starting a program and waiting for its window.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::queries::Window;
use crate::client::Client;
use crate::error::ClientError;

/// How long to wait until the windows are asked for again.
const LOOK: Duration = Duration::from_millis(50);

impl Client {
    /// Starts a program on the desktop and waits until a window that was not there before has the keyboard, so that what is
    /// typed next goes to it. [`Self::launch_app`] does not wait.
    ///
    /// # Errors
    /// [`ClientError::NoWindow`] where none came in time, or none that has the keyboard; the program runs on. As for any call.
    pub async fn launch(
        &self,
        app: &str,
        args: impl IntoIterator<Item = impl Into<String>>,
        within: Duration,
    ) -> Result<Window, ClientError> {
        let before: Vec<u64> = self
            .list_windows()
            .await?
            .iter()
            .map(|window| window.id)
            .collect();
        self.launch_app(app, args).await?;
        let deadline = Instant::now() + within;
        loop {
            let mut windows = self.list_windows().await?;
            windows.retain(|window| !before.contains(&window.id));
            if let Some(place) = windows.iter().position(|window| window.focused) {
                return Ok(windows.swap_remove(place));
            }
            if Instant::now() >= deadline {
                return Err(ClientError::NoWindow {
                    app: app.to_owned(),
                    within,
                    unfocused: windows.pop().map(Box::new),
                });
            }
            sleep(LOOK).await;
        }
    }
}
