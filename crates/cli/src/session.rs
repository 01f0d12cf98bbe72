//! Which desktop a command is for, and the session with it.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use sandbox::registry;
use shinken::{Client, Options};

use crate::wrong_usage::wrong_usage;

/// Which desktop.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Desktop")]
pub(crate) struct Session {
    /// The desktop of this name; the only one that runs if none is named.
    #[arg(long, alias = "name", value_name = "NAME", conflicts_with = "connect")]
    sandbox: Option<String>,
    /// Any daemon: ws://HOST:PORT or unix:PATH.
    #[arg(long, value_name = "ADDRESS", env = "SHINKEN_CONNECT")]
    connect: Option<String>,
    /// The file with that daemon's token.
    #[arg(long, value_name = "FILE", env = "SHINKEN_TOKEN_FILE")]
    token_file: Option<PathBuf>,
}

impl Session {
    /// The same for the desktop of this name.
    pub(crate) fn of(mut self, name: &str) -> anyhow::Result<Self> {
        // SHINKEN_CONNECT in the environment gives way, as it does to --sandbox.
        if self.sandbox.is_some() {
            return wrong_usage("the desktop is named twice: before the colon and by --sandbox");
        }
        self.sandbox = Some(name.to_owned());
        self.connect = None;
        Ok(self)
    }

    /// Connects, does the work and says goodbye.
    pub(crate) fn run(
        &self,
        work: impl AsyncFnOnce(&Client) -> anyhow::Result<ExitCode>,
    ) -> anyhow::Result<ExitCode> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?;
        let outcome = runtime.block_on(async {
            let client = self.connect().await?;
            let outcome = work(&client).await;
            client.close().await;
            outcome
        });
        runtime.shutdown_background();
        outcome
    }

    async fn connect(&self) -> anyhow::Result<Client> {
        let mut options = Options::default();
        let (address, token_file) = match &self.connect {
            Some(address) => (address.clone(), self.token_file.clone()),
            None => {
                let state = registry::find(self.sandbox.as_deref())?;
                options.log_file = Some(state.log_file());
                // A desktop of this machine ends with its daemon, which never comes back.
                options.reconnect = None;
                (state.address, Some(state.token_file))
            }
        };
        let token = match token_file {
            Some(file) => {
                let text = std::fs::read_to_string(&file);
                Some(text.with_context(|| format!("cannot read the token file {}", file.display()))?)
            }
            None => None,
        };
        Ok(Client::connect(&address, token.as_deref().map(str::trim), options).await?)
    }
}
