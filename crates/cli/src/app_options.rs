//! Options of whatever looks at one application.

use shinken::Look;

/// Which application is looked at.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct AppOptions {
    /// The application of this name or with this process id, as `shinken apps` lists them; the focused one if none is named.
    #[arg(long, value_name = "NAME|PID")]
    app: Option<String>,
}

impl AppOptions {
    /// A look at that application.
    pub(crate) fn look(&self) -> Look {
        let look = Look::new();
        match &self.app {
            None => look,
            Some(app) => match app.parse() {
                Ok(pid) => look.process(pid),
                Err(_) => look.app(app),
            },
        }
    }
}
