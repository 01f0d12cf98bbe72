//! The process that starts a sandbox's parts, looks after them and ends them.
//!
//! It tells its owner by lines of JSON on its output: that the sandbox is ready, and in the end why it is over. The end of its
//! input means that the owner is gone.

mod bus_address;
mod display;
mod parts;
mod watch;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Child, ExitCode};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::registry::{self, Claim, State};
use crate::{SandboxError, guard};
use parts::Parts;

/// The word that makes a program with [`crate::helper_main`] a supervisor.
pub(crate) const SUPERVISE: &str = "__supervise-sandbox";

/// Says that a sandbox ends with its owner; any other word that it does not.
pub(crate) const OWNED: &str = "owned";

/// What the supervisor says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Report {
    /// Clients can connect.
    Ready(State),
    /// It is over, or never came up.
    Failed(Why),
}

/// Why it is over.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Why {
    /// A part did not come up, or ended.
    Part(String),
    /// The name is taken.
    NameTaken(String),
    /// It was asked to end.
    Asked,
}

impl Why {
    /// The reverse of [`Self::into_error`], so that the error says once what it is.
    fn from_error(error: SandboxError) -> Self {
        match error {
            SandboxError::NameTaken(name) => Self::NameTaken(name),
            SandboxError::NotStarted(why) => Self::Part(why),
            other => Self::Part(other.to_string()),
        }
    }

    pub(crate) fn into_error(self) -> SandboxError {
        match self {
            Self::NameTaken(name) => SandboxError::NameTaken(name),
            other => SandboxError::NotStarted(other.to_string()),
        }
    }
}

impl std::fmt::Display for Why {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Part(text) => f.write_str(text),
            Self::NameTaken(name) => write!(f, "the name {name:?} is taken"),
            Self::Asked => f.write_str("it was asked to end"),
        }
    }
}

/// What a supervisor is told on its command line.
#[derive(Debug)]
struct Order {
    id: String,
    /// Whether it ends with whoever started it.
    owned: bool,
    size: (u16, u16),
    daemon: PathBuf,
    daemon_arguments: Vec<String>,
}

impl Order {
    fn parse(arguments: &[String]) -> Option<Self> {
        let [id, owned, width, height, daemon, daemon_arguments @ ..] = arguments else {
            return None;
        };
        Some(Self {
            id: id.clone(),
            owned: owned == OWNED,
            size: (width.parse().ok()?, height.parse().ok()?),
            daemon: daemon.into(),
            daemon_arguments: daemon_arguments.to_vec(),
        })
    }
}

/// The supervisor's own main.
pub(crate) fn main(arguments: &[String]) -> ExitCode {
    let Some(order) = Order::parse(arguments) else {
        return ExitCode::from(2);
    };
    let why = match registry::claim(&order.id) {
        Ok(claim) => {
            let (why, guard) = supervise(&order, &claim);
            // With the lock still held, so that nobody takes the folder for a leftover while it is being removed.
            claim.sweep();
            if let Some(guard) = guard {
                dismiss(guard);
            }
            why
        }
        Err(error) => Why::from_error(error),
    };
    let asked = matches!(why, Why::Asked);
    report(&Report::Failed(why));
    if asked {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Brings the sandbox up and returns why it is over, with all parts ended.
fn supervise(order: &Order, claim: &Claim) -> (Why, Option<Child>) {
    let watch = match watch::Watch::new(order.owned) {
        Ok(watch) => watch,
        Err(error) => return (Why::from_error(error), None),
    };
    // Its input is kept open by this value and closed by our end.
    let mut guard = match guard::start(&claim.folder) {
        Ok(guard) => guard,
        Err(error) => return (Why::from_error(error), None),
    };
    let mut parts = Parts::default();
    let why = match parts.start(order, claim) {
        Ok(state) => {
            report(&Report::Ready(state));
            watch.until_over(&mut parts, &mut guard, claim)
        }
        Err(error) => Why::from_error(error),
    };
    parts.end();
    // The guard stays until all is swept, should this process be killed before.
    (why, Some(guard))
}

/// Lets the guard end, and waits for it, so that who waits for this process knows that both are gone.
fn dismiss(mut guard: Child) {
    drop(guard.stdin.take());
    let deadline = Instant::now() + Duration::from_secs(2);
    while matches!(guard.try_wait(), Ok(None)) && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn report(report: &Report) {
    if let Ok(line) = serde_json::to_string(report) {
        // The owner may be gone.
        writeln!(std::io::stdout(), "{line}").ok();
    }
}
