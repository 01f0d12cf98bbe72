//! `shinken down`.

use std::process::ExitCode;
use std::time::Duration;

use sandbox::registry;

use crate::output::line;

/// Ends desktops, and returns when nothing of them is left.
#[derive(Debug, clap::Args)]
pub(crate) struct Down {
    /// Which; the only one that runs if none is named.
    names: Vec<String>,
    /// End all.
    #[arg(long, conflicts_with = "names")]
    all: bool,
}

impl Down {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let states = if self.all {
            registry::list()?
        } else if self.names.is_empty() {
            vec![registry::find(None)?]
        } else {
            // All are looked up first, so that a wrong name ends nothing.
            self.names
                .iter()
                .map(|name| registry::find(Some(name)))
                .collect::<Result<_, _>>()?
        };
        for state in states {
            registry::end(&state, Duration::from_secs(15))?;
            line(&format!("ended {}", state.id))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
