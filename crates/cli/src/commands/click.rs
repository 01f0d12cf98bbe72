//! `shinken click`.

use std::process::ExitCode;

use crate::session::Session;
use crate::wrong_usage::wrong_usage;

/// Clicks at a pixel of the screen.
#[derive(Debug, clap::Args)]
pub(crate) struct Click {
    /// Distance from the left edge in pixels.
    #[arg(value_parser = pixel, allow_negative_numbers = true)]
    x: i32,
    /// Distance from the top edge in pixels.
    #[arg(value_parser = pixel, allow_negative_numbers = true)]
    y: i32,
    /// The button.
    #[arg(long, value_enum, default_value = "left")]
    button: Button,
    /// Click twice.
    #[arg(long)]
    double: bool,
    #[command(flatten)]
    session: Session,
}

/// The buttons that click; the middle one is pressed and released.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Button {
    Left,
    Middle,
    Right,
}

impl Click {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let at = (self.x, self.y);
        if self.double && self.button != Button::Left {
            return wrong_usage("only the left button clicks twice");
        }
        self.session.run(async |client| {
            match self.button {
                Button::Left if self.double => client.double_click(at).await?,
                Button::Left => client.click(at).await?,
                Button::Right => client.right_click(at).await?,
                Button::Middle => {
                    use shinken::aci::target::PointerButton;
                    client.mouse_down(Some(at.into()), PointerButton::Middle).await?;
                    client.mouse_up(None, PointerButton::Middle).await?;
                }
            }
            Ok(ExitCode::SUCCESS)
        })
    }
}

/// One of the two numbers of a place.
pub(super) fn pixel(text: &str) -> Result<i32, String> {
    match text.parse() {
        Ok(pixel) if pixel >= 0 => Ok(pixel),
        _ => Err("the place is two whole numbers from 0 on, X Y in pixels, such as 640 400".to_owned()),
    }
}
