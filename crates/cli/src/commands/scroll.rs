//! `shinken scroll`.

use std::process::ExitCode;

use super::click::pixel;
use crate::session::Session;
use crate::wrong_usage::wrong_usage;

/// Turns the wheel at a pixel of the screen.
#[derive(Debug, clap::Args)]
pub(crate) struct Scroll {
    /// Distance from the left edge in pixels.
    #[arg(value_parser = pixel, allow_negative_numbers = true)]
    x: i32,
    /// Distance from the top edge in pixels.
    #[arg(value_parser = pixel, allow_negative_numbers = true)]
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
        if self.dx == 0.0 && self.dy == 0.0 {
            return wrong_usage(
                "say how far: --dy 120 is one step of the wheel down the page, --dx one to the right",
            );
        }
        self.session.run(async |client| {
            client.scroll((self.x, self.y), self.dx, self.dy).await?;
            Ok(ExitCode::SUCCESS)
        })
    }
}
