//! `shinken apps`.

use std::process::ExitCode;

use crate::output::line;
use crate::session::Session;

/// Lists the applications that have a window or offer their controls.
#[derive(Debug, clap::Args)]
pub(crate) struct Apps {
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    session: Session,
}

impl Apps {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        self.session.run(async |client| {
            let apps = client.apps().await?;
            if self.json {
                let json: serde_json::Value = apps
                    .iter()
                    .map(|app| {
                        serde_json::json!({
                            "name": app.name, "pid": app.pid, "path": app.path, "focused": app.focused,
                        })
                    })
                    .collect();
                line(&json.to_string())?;
                return Ok(ExitCode::SUCCESS);
            }
            line(&format!("{:>8}  {:<24}  PROGRAM", "PID", "NAME"))?;
            for app in apps {
                let path = app.path.unwrap_or_default();
                let focus = if app.focused { " (active)" } else { "" };
                line(&format!("{:>8}  {:<24}  {path}{focus}", app.pid, app.name))?;
            }
            Ok(ExitCode::SUCCESS)
        })
    }
}
