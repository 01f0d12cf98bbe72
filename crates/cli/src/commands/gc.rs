//! `shinken gc`.

use std::process::ExitCode;

use sandbox::registry;

use crate::output::line;

/// Sweeps away processes and files of desktops whose supervisor was killed. Those that run are left alone.
#[derive(Debug, clap::Args)]
pub(crate) struct Gc {}

impl Gc {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let swept = registry::collect_garbage()?;
        if swept.is_empty() {
            line("nothing was left over")?;
        }
        for name in swept {
            line(&format!("swept away {name}"))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
