//! `shinken observe`.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use shinken::aci::Wire as _;

use crate::output::line;
use crate::session::Session;

/// Prints the controls of the focused application, a line for each. Their ids mean something only to the session that asked, so a
/// program that acts on controls asks itself.
#[derive(Debug, clap::Args)]
pub(crate) struct Observe {
    /// Print the whole observation as JSON, with the areas of all controls.
    #[arg(long)]
    json: bool,
    /// First wait until nothing has changed for so many milliseconds.
    #[arg(long, value_name = "MS")]
    settle: Option<u32>,
    #[command(flatten)]
    session: Session,
}

impl Observe {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let settle = Duration::from_millis(self.settle.unwrap_or(0).into());
        self.session.run(async |client| {
            let tree = client.observe(false, settle).await?;
            if self.json {
                line(&tree.encode().to_string())?;
            } else {
                line(&tree.tree_text.context("the daemon answered without a tree")?)?;
            }
            Ok(ExitCode::SUCCESS)
        })
    }
}
