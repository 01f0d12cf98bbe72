//! `shinken shot`: one picture.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;

use crate::output::{bytes, line};
use crate::session::Session;
use crate::shot_options::ShotOptions;

/// Takes a picture of the desktop and writes it to a file.
#[derive(Debug, clap::Args)]
pub(crate) struct Shot {
    /// Where to write it; - is standard output.
    #[arg(default_value = "shot.png")]
    file: PathBuf,
    #[command(flatten)]
    options: ShotOptions,
    #[command(flatten)]
    session: Session,
}

impl Shot {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let shot = self.options.shot(Some(&self.file))?;
        self.session.run(async |client| {
            let picture = client.screenshot(shot).await?;
            if self.file.as_os_str() == "-" {
                bytes(&picture.bytes)?;
                return Ok(ExitCode::SUCCESS);
            }
            std::fs::write(&self.file, &picture.bytes)
                .with_context(|| format!("cannot write {}", self.file.display()))?;
            line(&format!(
                "{}: {}x{}, {} bytes",
                self.file.display(),
                picture.w,
                picture.h,
                picture.bytes.len()
            ))?;
            Ok(ExitCode::SUCCESS)
        })
    }
}
