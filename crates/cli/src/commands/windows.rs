//! `shinken windows`.

use std::process::ExitCode;

use crate::output::line;
use crate::session::Session;

/// Lists the top-level windows.
#[derive(Debug, clap::Args)]
pub(crate) struct Windows {
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    session: Session,
}

impl Windows {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        self.session.run(async |client| {
            let windows = client.list_windows().await?;
            if self.json {
                let json: serde_json::Value = windows
                    .iter()
                    .map(|window| {
                        serde_json::json!({
                            "id": window.id, "title": window.title, "pid": window.pid, "x": window.x, "y": window.y,
                            "w": window.w, "h": window.h, "focused": window.focused,
                        })
                    })
                    .collect();
                line(&json.to_string())?;
                return Ok(ExitCode::SUCCESS);
            }
            line(&format!("{:>12}  {:>8}  {:<22}  TITLE", "ID", "PID", "PLACE"))?;
            for window in windows {
                let pid = window.pid.map(|pid| pid.to_string()).unwrap_or_default();
                let place = format!("{}x{} at {},{}", window.w, window.h, window.x, window.y);
                let focus = if window.focused { " (active)" } else { "" };
                line(&format!("{:>12}  {pid:>8}  {place:<22}  {}{focus}", window.id, window.title))?;
            }
            Ok(ExitCode::SUCCESS)
        })
    }
}
