//! `shinken act`: any action, as JSON.

use std::process::ExitCode;

use shinken::aci::Wire as _;
use shinken::aci::action::Action;
use shinken::aci::message::QueryKind;
use shinken::aci::verb::VERBS;

use crate::output::line;
use crate::session::Session;

/// Does an action that is given as JSON, such as {"verb":"key","keys":"ctrl+s"}, and prints the answer as JSON; of a picture
/// all but its bytes.
#[derive(Debug, clap::Args)]
pub(crate) struct Act {
    /// The action.
    #[arg(value_name = "JSON", value_parser = parse)]
    action: Box<Action>,
    #[command(flatten)]
    session: Session,
}

impl Act {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        self.session.run(async |client| {
            let acted = client.act(*self.action).await?;
            let mut json = acted.reply.to_json();
            let mut code = ExitCode::SUCCESS;
            match acted.observation {
                Some(Ok(seen)) => json["observation"] = seen.to_json(),
                // The action was done all the same, which must not be lost.
                Some(Err(error)) => {
                    json["observation_error"] = error.to_string().into();
                    code = ExitCode::FAILURE;
                }
                None => {}
            }
            line(&json.to_string())?;
            Ok(code)
        })
    }
}

fn parse(text: &str) -> Result<Box<Action>, String> {
    let value: serde_json::Value =
        serde_json::from_str(text).map_err(|error| format!("the action is not JSON: {error}"))?;
    let verb = value["verb"].as_str().map(str::to_owned).unwrap_or_default();
    if QueryKind::from_word(&verb).is_some() {
        return Err(match verb.as_str() {
            "list_windows" => {
                "list_windows is a question and no action; `shinken windows --json` asks it".to_owned()
            }
            _ => format!("{verb} is a question of the protocol and no action"),
        });
    }
    Action::decode(value).map(Box::new).map_err(|error| {
        let takes_target = VERBS.iter().any(|row| {
            row.verb.as_str() == verb
                && row
                    .required
                    .iter()
                    .chain(row.optional)
                    .any(|field| *field == "target")
        });
        let example = if takes_target {
            r#"; a place is given as "target":{"kind":"point_px","x":3,"y":4}"#
        } else {
            ""
        };
        format!("the action is not one of ACI v0: {error}{example}")
    })
}
