//! `shinken launch`.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::bail;
use shinken::{Client, Window};
use tokio::time::{Instant, sleep};

use crate::output::line;
use crate::session::Session;

/// How long to wait until the windows are asked for again.
const LOOK: Duration = Duration::from_millis(50);

/// Starts a program on the desktop, waits until a new window has the keyboard and prints it; the program runs on. What is typed
/// next goes to it.
#[derive(Debug, clap::Args)]
pub(crate) struct Launch {
    /// A name on PATH or an absolute path.
    app: String,
    /// Its arguments, verbatim; options of this command stand before the program.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<String>,
    /// Return at once, as for a program that shows no new window.
    #[arg(long, conflicts_with = "within")]
    no_wait: bool,
    /// How many seconds to wait for the window.
    #[arg(long, value_name = "S", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=600))]
    within: u64,
    #[command(flatten)]
    session: Session,
}

impl Launch {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        self.session.run(async |client| {
            if self.no_wait {
                client.launch_app(self.app, self.args).await?;
                return Ok(ExitCode::SUCCESS);
            }
            let before: Vec<u64> = client
                .list_windows()
                .await?
                .iter()
                .map(|window| window.id)
                .collect();
            client.launch_app(self.app.as_str(), self.args).await?;
            let window = appeared(client, &before, &self.app, Duration::from_secs(self.within)).await?;
            line(&format!("{}  {}", window.id, window.title))?;
            Ok(ExitCode::SUCCESS)
        })
    }
}

/// The window that was not there before and has the keyboard.
async fn appeared(client: &Client, before: &[u64], app: &str, within: Duration) -> anyhow::Result<Window> {
    let deadline = Instant::now() + within;
    loop {
        let mut windows = client.list_windows().await?;
        windows.retain(|window| !before.contains(&window.id));
        if let Some(place) = windows.iter().position(|window| window.focused) {
            return Ok(windows.swap_remove(place));
        }
        if Instant::now() >= deadline {
            let seconds = within.as_secs();
            match windows.first() {
                Some(window) => bail!(
                    "{app} was started and its window {} ({}) is there, but does not have the keyboard after {seconds} s; \
                     click into it",
                    window.id,
                    window.title
                ),
                None => bail!(
                    "{app} was started, but no new window came within {seconds} s; --no-wait does not wait for one, \
                     --within S waits longer"
                ),
            }
        }
        sleep(LOOK).await;
    }
}
