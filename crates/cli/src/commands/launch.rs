//! `shinken launch`.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::bail;
use shinken::ClientError;

use crate::output::line;
use crate::session::Session;

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
            let within = Duration::from_secs(self.within);
            let window = match client.launch(&self.app, self.args, within).await {
                Err(error @ ClientError::NoWindow { .. }) => {
                    bail!("{error}; --no-wait does not wait for one, --within S waits longer")
                }
                window => window?,
            };
            line(&format!("{}  {}", window.id, window.title))?;
            Ok(ExitCode::SUCCESS)
        })
    }
}
