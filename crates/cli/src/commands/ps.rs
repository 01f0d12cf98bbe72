//! `shinken ps`.

use std::process::ExitCode;

use sandbox::registry;

use crate::output::line;

/// Lists the desktops that run, oldest first.
#[derive(Debug, clap::Args)]
pub(crate) struct Ps {
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Ps {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let running = registry::list()?;
        if self.json {
            line(&serde_json::to_string(&running)?)?;
            return Ok(ExitCode::SUCCESS);
        }
        if running.is_empty() {
            line("no desktop runs; `shinken up` starts one")?;
            return Ok(ExitCode::SUCCESS);
        }
        line(&format!(
            "{:<16} {:<9} {:<8} {:<11} {:>8}  ADDRESS",
            "NAME", "PROVIDER", "DISPLAY", "SIZE", "AGE"
        ))?;
        for state in running {
            let size = format!("{}x{}", state.width, state.height);
            let age = state.age().as_secs();
            let age = match age {
                0..120 => format!("{age} s"),
                120..7200 => format!("{} min", age / 60),
                _ => format!("{} h", age / 3600),
            };
            line(&format!(
                "{:<16} {:<9} {:<8} {size:<11} {age:>8}  {}",
                state.id, state.provider, state.display, state.address
            ))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
