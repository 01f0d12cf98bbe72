//! `shinken key`.

use std::process::ExitCode;

use shinken::aci::error_code::ErrorCode;

use crate::session::Session;
use crate::wrong_usage::wrong_usage;

/// Presses chords, one after another.
#[derive(Debug, clap::Args)]
pub(crate) struct Key {
    /// Such as ctrl+s, Return or alt+F4.
    #[arg(required = true, value_name = "CHORD")]
    chords: Vec<String>,
    #[command(flatten)]
    session: Session,
}

impl Key {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        self.session.run(async |client| {
            for chord in self.chords {
                match client.key(chord).await {
                    // No such key: that does not depend on the desktop.
                    Err(error) if error.code() == Some(ErrorCode::InvalidAction) => {
                        return wrong_usage(error.to_string());
                    }
                    other => other?,
                };
            }
            Ok(ExitCode::SUCCESS)
        })
    }
}
