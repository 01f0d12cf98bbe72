//! `shinken type`.

use std::process::ExitCode;

use crate::input;
use crate::session::Session;

/// Types a text exactly, whatever the keyboard layout.
#[derive(Debug, clap::Args)]
pub(crate) struct TypeText {
    /// The text; - reads it from standard input.
    text: String,
    #[command(flatten)]
    session: Session,
}

impl TypeText {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let text = match self.text.as_str() {
            "-" => input::text()?,
            text => text.to_owned(),
        };
        self.session.run(async |client| {
            client.type_text(text).await?;
            Ok(ExitCode::SUCCESS)
        })
    }
}
