//! `shinken click`.

use std::process::ExitCode;

use anyhow::bail;

use crate::session::Session;

/// Clicks at a pixel of the screen.
#[derive(Debug, clap::Args)]
pub(crate) struct Click {
    /// Distance from the left edge.
    x: i32,
    /// Distance from the top edge.
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
            bail!("only the left button clicks twice");
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
