//! The kinds of sandboxes.

use std::path::PathBuf;
use std::time::Duration;

use aci::extension::Grant;
use serde::Serialize;

use crate::SandboxError;
use crate::process::{Process, Sandbox};

/// What can be saved of a running sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SnapshotKind {
    /// Nothing.
    None,
    /// Its files.
    Disk,
    /// Its memory and its files.
    Memory,
    /// Its processes.
    Process,
    /// Whatever an outside service saves.
    ProviderManaged,
}

/// What keeps programs in a sandbox from the rest of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// Nothing: they run as the user.
    None,
    /// Namespaces.
    Container,
    /// A virtual machine.
    VirtualMachine,
}

/// What a sandbox is to be like.
#[derive(Debug, Clone)]
pub struct Options {
    /// Width and height of the screen in pixels.
    pub size: (u16, u16),
    /// Its name; a short random one if none is given.
    pub name: Option<String>,
    /// Whether it lives on when its owner ends.
    pub detach: bool,
    /// How long it may take to start.
    pub within: Duration,
    /// What its daemon offers although that is off by default.
    pub grants: Vec<Grant>,
    /// More arguments for its daemon, for instance `--max-connections`, `2000`.
    pub daemon_arguments: Vec<String>,
    /// Where the project's own programs lie; beside the running program, as their variables say, or on `PATH` if not said.
    pub programs: Option<PathBuf>,
}

impl std::fmt::Display for SnapshotKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::None => "nothing of it can be saved",
            Self::Disk => "its files can be saved",
            Self::Memory => "its memory and files can be saved",
            Self::Process => "its processes can be saved",
            Self::ProviderManaged => "saved by an outside service",
        })
    }
}

impl std::fmt::Display for Isolation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::None => "isolates nothing",
            Self::Container => "isolates by namespaces",
            Self::VirtualMachine => "isolates by a virtual machine",
        })
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            size: (1280, 800),
            name: None,
            detach: false,
            within: Duration::from_secs(30),
            grants: Vec::new(),
            daemon_arguments: Vec::new(),
            programs: None,
        }
    }
}

/// Something that makes sandboxes.
pub trait Provider: std::fmt::Debug + Sync {
    /// Its name, as it stands in a sandbox's state.
    fn name(&self) -> &'static str;

    /// What can be saved of its sandboxes.
    fn snapshot_kind(&self) -> SnapshotKind;

    /// What its sandboxes are kept apart by.
    fn isolation(&self) -> Isolation;

    /// Makes one, and returns when clients can connect.
    ///
    /// # Errors
    /// [`SandboxError`], with nothing left of what was begun.
    fn start(&self, options: &Options) -> Result<Sandbox, SandboxError>;
}

/// All providers, those first that are to be preferred where nobody says which; adding one is adding it here.
pub const PROVIDERS: &[&dyn Provider] = &[&Process];

/// The provider of this name; the best one of this machine if none is named.
///
/// # Errors
/// `Invalid` with the names that there are.
pub fn choose(name: Option<&str>) -> Result<&'static dyn Provider, SandboxError> {
    let fits = |provider: &&&'static dyn Provider| name.is_none_or(|name| provider.name() == name);
    PROVIDERS.iter().find(fits).copied().ok_or_else(|| {
        let names: Vec<&str> = PROVIDERS.iter().map(|provider| provider.name()).collect();
        SandboxError::Invalid(format!(
            "there is no provider {:?}; there is {}",
            name.unwrap_or_default(),
            names.join(", ")
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_is_chosen_by_name_or_by_itself() {
        assert_eq!(choose(None).unwrap().name(), PROVIDERS[0].name());
        assert_eq!(choose(Some("process")).unwrap().name(), "process");
        let error = choose(Some("cloud")).unwrap_err().to_string();
        assert!(
            error.contains("\"cloud\"") && error.contains("process"),
            "{error}"
        );
    }
}
