//! `shinken launch`.

use std::process::ExitCode;

use crate::session::Session;

/// Starts a program on the desktop and lets go of it.
#[derive(Debug, clap::Args)]
pub(crate) struct Launch {
    #[command(flatten)]
    session: Session,
    /// A name on PATH or an absolute path.
    app: String,
    /// Its arguments, verbatim.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<String>,
}

impl Launch {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        self.session.run(async |client| {
            client.launch_app(self.app, self.args).await?;
            Ok(ExitCode::SUCCESS)
        })
    }
}
