//! `shinken scroll`.

use std::process::ExitCode;

use crate::session::Session;

/// Turns the wheel at a pixel of the screen.
#[derive(Debug, clap::Args)]
pub(crate) struct Scroll {
    /// Distance from the left edge.
    x: i32,
    /// Distance from the top edge.
    y: i32,
    /// To the right, in 1/120 of a wheel step.
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    dx: f64,
    /// Down the page, in 1/120 of a wheel step.
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    dy: f64,
    #[command(flatten)]
    session: Session,
}

impl Scroll {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        self.session.run(async |client| {
            client.scroll((self.x, self.y), self.dx, self.dy).await?;
            Ok(ExitCode::SUCCESS)
        })
    }
}
