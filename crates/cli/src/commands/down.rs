//! `shinken down`.

use std::process::ExitCode;
use std::time::Duration;

use sandbox::{SandboxError, registry};

use crate::output::line;

/// Ends desktops, and returns when nothing of them is left.
#[derive(Debug, clap::Args)]
pub(crate) struct Down {
    /// Which; the only one that runs if none is named.
    names: Vec<String>,
    /// The same, as the other commands have it.
    #[arg(long = "sandbox", alias = "name", value_name = "NAME")]
    more: Vec<String>,
    /// End all.
    #[arg(long, conflicts_with_all = ["names", "more"])]
    all: bool,
}

impl Down {
    pub(crate) fn run(mut self) -> anyhow::Result<ExitCode> {
        self.names.append(&mut self.more);
        let states = if self.all {
            registry::list()?
        } else if self.names.is_empty() {
            let only = registry::find(None).map_err(|error| match error {
                SandboxError::Several(names) => anyhow::anyhow!(
                    "several desktops run ({}); end one with `shinken down NAME`, or all with --all",
                    names.join(", ")
                ),
                other => other.into(),
            });
            vec![only?]
        } else {
            // All are looked up first, so that a wrong name ends nothing.
            self.names
                .iter()
                .map(|name| registry::find(Some(name)))
                .collect::<Result<_, _>>()?
        };
        // All are ended, also when nobody reads of it.
        let mut told = Ok(());
        for state in states {
            registry::end(&state, Duration::from_secs(15))?;
            told = told.and_then(|()| line(&format!("ended {}", state.id)));
        }
        told?;
        Ok(ExitCode::SUCCESS)
    }
}
