//! `shinken observe`.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use shinken::aci::Wire as _;
use shinken::aci::observation::Observation;
use shinken::{Client, Look};

use crate::app_options::AppOptions;
use crate::output::line;
use crate::session::Session;

/// How often `--diff` looks again.
const AGAIN: Duration = Duration::from_millis(300);

/// Prints the controls of an application, a line for each. Their ids mean something only to the session that asked, so a
/// program that acts on controls asks itself.
#[derive(Debug, clap::Args)]
pub(crate) struct Observe {
    /// Then go on, and print what changes, until Ctrl-C or --seconds.
    #[arg(long)]
    diff: bool,
    /// End --diff after so many seconds.
    #[arg(long, value_name = "S", requires = "diff")]
    seconds: Option<u64>,
    /// Print the whole observation as JSON, with the areas of all controls; a line for each.
    #[arg(long)]
    json: bool,
    /// First wait until nothing has changed for so many milliseconds.
    #[arg(long, value_name = "MS")]
    settle: Option<u32>,
    #[command(flatten)]
    app: AppOptions,
    #[command(flatten)]
    session: Session,
}

impl Observe {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let look = self.app.look();
        let look = look.settle(Duration::from_millis(self.settle.unwrap_or(0).into()));
        self.session.run(async |client| {
            self.print(tree(client, look.clone()).await?)?;
            if self.diff {
                self.follow(client, look.diff()).await?;
            }
            Ok(ExitCode::SUCCESS)
        })
    }

    async fn follow(&self, client: &Client, look: Look) -> anyhow::Result<()> {
        let begun = Instant::now();
        let is_over = || {
            self.seconds
                .is_some_and(|seconds| begun.elapsed() >= Duration::from_secs(seconds))
        };
        while !is_over() {
            tokio::select! {
                interrupted = tokio::signal::ctrl_c() => {
                    interrupted?;
                    break;
                }
                () = tokio::time::sleep(AGAIN) => {}
            }
            let seen = tree(client, look.clone()).await?;
            let text = seen.tree_text.as_deref().unwrap_or_default();
            if !text.lines().any(|line| line == "no change") {
                self.print(seen)?;
            }
        }
        Ok(())
    }

    fn print(&self, tree: Observation) -> anyhow::Result<()> {
        if self.json {
            line(&tree.encode().to_string())?;
        } else {
            line(&tree.tree_text.context("the daemon answered without a tree")?)?;
        }
        Ok(())
    }
}

async fn tree(client: &Client, look: Look) -> anyhow::Result<Observation> {
    let view = client.observe(look).await?;
    view.tree.context("the daemon answered without a tree")
}
