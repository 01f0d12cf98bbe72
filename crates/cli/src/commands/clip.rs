//! `shinken clip`.

use std::process::ExitCode;

use crate::input;
use crate::output;
use crate::session::Session;

/// Reads or sets the clipboard's text.
#[derive(Debug, clap::Args)]
pub(crate) struct Clip {
    #[command(subcommand)]
    way: Way,
}

#[derive(Debug, clap::Subcommand)]
enum Way {
    /// Print the clipboard's text, as it is.
    Get {
        #[command(flatten)]
        session: Session,
    },
    /// Set it; the text is read from standard input where none is given.
    Set {
        /// The text.
        text: Option<String>,
        #[command(flatten)]
        session: Session,
    },
}

impl Clip {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.way {
            Way::Get { session } => session.run(async |client| {
                let text = client.clipboard_get().await?;
                output::bytes(text.as_bytes())?;
                Ok(ExitCode::SUCCESS)
            }),
            Way::Set { text, session } => {
                let text = match text {
                    Some(text) => text,
                    None => input::text()?,
                };
                session.run(async |client| {
                    client.clipboard_set(text).await?;
                    Ok(ExitCode::SUCCESS)
                })
            }
        }
    }
}
