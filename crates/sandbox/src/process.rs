//! The provider whose sandboxes are processes of the user: an X server, a window manager, two buses and the daemon.
//!
//! It isolates nothing and needs no rights. For a first run, for tests and for CI.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::SandboxError;
use crate::programs::{PROGRAMS, SHINKEN, SHINKEND};
use crate::provider::{Isolation, Options, Provider, SnapshotKind};
use crate::registry::{self, State};
use crate::supervisor::{OWNED, Report, SUPERVISE};

/// How long an orderly end may take.
const ENDING: Duration = Duration::from_secs(10);

/// The provider.
#[derive(Debug, Clone, Copy)]
pub struct Process;

impl Provider for Process {
    fn name(&self) -> &'static str {
        "process"
    }

    fn snapshot_kind(&self) -> SnapshotKind {
        SnapshotKind::None
    }

    fn isolation(&self) -> Isolation {
        Isolation::None
    }

    fn start(&self, options: &Options) -> Result<Sandbox, SandboxError> {
        let id = match &options.name {
            Some(name) => checked(name)?.to_owned(),
            None => random_name(),
        };
        let folder = options.programs.as_deref();
        for program in PROGRAMS.iter().filter(|program| program.needed) {
            program.require_from(folder)?;
        }
        let daemon = SHINKEND.require_from(folder)?;
        let mut command = Command::new(SHINKEN.require_from(folder)?);
        let owned = if options.detach { "detached" } else { OWNED };
        command
            .arg(SUPERVISE)
            .args([
                &id,
                owned,
                &options.size.0.to_string(),
                &options.size.1.to_string(),
            ])
            .arg(daemon);
        for grant in &options.grants {
            command.args(["--grant", grant.as_str()]);
        }
        command.args(&options.daemon_arguments);
        command.stdin(if options.detach {
            Stdio::null()
        } else {
            Stdio::piped()
        });
        command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .current_dir("/");
        // In a session of its own, so that Ctrl-C at a terminal reaches only its owner.
        let mut child = sys::session::own_session(&mut command)
            .spawn()
            .map_err(SandboxError::io("cannot start the desktop's supervisor"))?;
        let reports = reports(&mut child);
        match reports.recv_timeout(options.within) {
            Ok(Report::Ready(state)) => Ok(Sandbox {
                owner: child.stdin.take(),
                detached: options.detach,
                state,
                child,
                reports,
            }),
            Ok(Report::Failed(why)) => {
                child.wait().ok();
                Err(why.into_error())
            }
            Err(error) => {
                let late = matches!(error, mpsc::RecvTimeoutError::Timeout);
                give_up(child, &id);
                Err(SandboxError::NotStarted(if late {
                    format!("it was not ready within {} s", options.within.as_secs())
                } else {
                    "its supervisor ended without a word".to_owned()
                }))
            }
        }
    }
}

/// Ends a supervisor that did not get ready.
fn give_up(mut child: Child, id: &str) {
    drop(child.stdin.take());
    child.kill().ok();
    child.wait().ok();
    // Its guard does the same; whoever comes first.
    if let Ok(root) = registry::root() {
        registry::sweep_dead(&root.join(id), ENDING);
    }
}

/// What the supervisor says, line by line. The thread ends with the supervisor.
fn reports(child: &mut Child) -> mpsc::Receiver<Report> {
    let (sender, receiver) = mpsc::sync_channel(4);
    if let Some(output) = child.stdout.take() {
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let Ok(report) = serde_json::from_str(&line) else {
                    continue;
                };
                if sender.send(report).is_err() {
                    return;
                }
            }
        });
    }
    receiver
}

/// A running sandbox. Unless it is detached it ends with this object, and with the process that has it.
#[derive(Debug)]
pub struct Sandbox {
    state: State,
    detached: bool,
    child: Child,
    /// Closing it tells the supervisor that the owner is gone.
    owner: Option<ChildStdin>,
    reports: mpsc::Receiver<Report>,
}

impl Sandbox {
    /// What is known of it.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The token that its daemon wants.
    ///
    /// # Errors
    /// `Io`.
    pub fn token(&self) -> Result<String, SandboxError> {
        self.state.token()
    }

    /// Waits for its end, at most so long; says why it ended.
    pub fn wait(&mut self, within: Duration) -> Option<String> {
        match self.reports.recv_timeout(within) {
            Ok(Report::Failed(why)) => Some(why.to_string()),
            Ok(Report::Ready(_)) | Err(mpsc::RecvTimeoutError::Timeout) => None,
            Err(mpsc::RecvTimeoutError::Disconnected) => Some("its supervisor is gone".to_owned()),
        }
    }

    /// Ends it, and returns when nothing of it is left.
    ///
    /// # Errors
    /// `NotEnded`, `Runtime`, `Io`.
    pub fn end(mut self) -> Result<(), SandboxError> {
        self.detached = false;
        self.finish()
    }

    fn finish(&mut self) -> Result<(), SandboxError> {
        if self.detached {
            return Ok(());
        }
        self.detached = true;
        drop(self.owner.take());
        let ended = registry::end(&self.state, ENDING);
        let deadline = Instant::now() + Duration::from_secs(1);
        // The folder is the last thing that the supervisor removes, so it ends at once.
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(2));
        }
        ended
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // Its guard sweeps what cannot be ended here.
        self.finish().ok();
    }
}

/// A name that can be a folder's and is easy to type.
fn checked(name: &str) -> Result<&str, SandboxError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if (1..=40).contains(&name.len()) && name.chars().all(plain) && !name.starts_with('-') {
        return Ok(name);
    }
    Err(SandboxError::Invalid(format!(
        "{name:?} cannot be a desktop's name: use 1 to 40 letters, digits, - and _, the first one not a -"
    )))
}

fn random_name() -> String {
    use std::hash::{BuildHasher as _, Hasher as _};
    // The standard library seeds each of its hash states from the kernel.
    let random = std::collections::hash_map::RandomState::new()
        .build_hasher()
        .finish();
    format!("d{:06x}", random & 0xff_ffff)
}
