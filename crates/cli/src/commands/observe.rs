//! `shinken observe`.

use std::process::ExitCode;

use anyhow::bail;
use serde_json::{Value, json};
use shinken::aci::Wire as _;
use shinken::aci::action::Action;

use crate::output::line;
use crate::session::Session;

/// Prints the controls of the focused application, a line for each; their ids are targets of actions in this session only, so use
/// `act` with several actions, or a program, to act on them.
#[derive(Debug, clap::Args)]
pub(crate) struct Observe {
    /// Print the whole observation as JSON, with the areas of all controls.
    #[arg(long)]
    json: bool,
    /// First wait until nothing has changed for so many milliseconds.
    #[arg(long, value_name = "MS")]
    settle: Option<u32>,
    #[command(flatten)]
    session: Session,
}

impl Observe {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let mut action = json!({"verb": "observe"});
        if let Some(ms) = self.settle {
            action["settle_ms"] = ms.into();
        }
        let action = Action::decode(action)?;
        self.session.run(async |client| {
            let seen = client.act(action).await?.reply.to_json();
            let observation = &seen["observation"];
            if self.json {
                line(&observation.to_string())?;
            } else {
                match &observation["tree_text"] {
                    Value::String(text) => line(text)?,
                    _ => bail!("the daemon answered without a tree: {seen}"),
                }
            }
            Ok(ExitCode::SUCCESS)
        })
    }
}
