//! `shinken key`.

use std::process::ExitCode;

use crate::session::Session;

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
                client.key(chord).await?;
            }
            Ok(ExitCode::SUCCESS)
        })
    }
}
