//! The parts of a sandbox and the order in which they start and end.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use rustix::process::{Pid, Signal, kill_process};
use rustix::rand::{GetRandomFlags, getrandom};

use super::display::{Number, write_authority};
use super::{Order, bus_address};
use crate::SandboxError;
use crate::programs::{ACCESSIBILITY, DBUS, OPENBOX, XVFB};
use crate::provider::Provider as _;
use crate::registry::{self, Claim, State};

/// How long all parts together may take to come up.
const STARTING: Duration = Duration::from_secs(25);
/// How long the daemon may take to end in order.
const ENDING: Duration = Duration::from_secs(4);

/// What belongs to the desktop that the owner sits at, or to another daemon, and would mislead programs on this one.
const OUTSIDE: &[&str] = &[
    "AT_SPI_BUS_ADDRESS",
    "DESKTOP_STARTUP_ID",
    "GDK_BACKEND",
    "NO_AT_BRIDGE",
    "QT_QPA_PLATFORM",
    "SESSION_MANAGER",
    "SHINKEND_TOKEN",
    "SHINKEND_TOKEN_FD",
    "WAYLAND_DISPLAY",
    "WAYLAND_SOCKET",
    "XDG_SESSION_ID",
    "XDG_SESSION_TYPE",
];

/// A running part.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) name: &'static str,
    pub(super) child: Child,
    /// Whether the sandbox can do without it for a moment; such a part is started again.
    pub(super) spare: bool,
}

/// The running parts, in the order in which they were started.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) running: Vec<Part>,
    surroundings: Option<Surroundings>,
}

/// What all parts are started with.
#[derive(Debug, Clone)]
struct Surroundings {
    folder: PathBuf,
    display: Option<String>,
}

impl Surroundings {
    /// A command in the sandbox's environment, its output in a log of its own.
    fn command(&self, program: &Path, name: &str) -> Result<Command, SandboxError> {
        let log = File::options()
            .create(true)
            .append(true)
            .open(self.folder.join(format!("{name}.log")))
            .map_err(SandboxError::io("cannot make a log file"))?;
        let errors = log
            .try_clone()
            .map_err(SandboxError::io("cannot share a log file"))?;
        let mark = registry::mark(&self.folder);
        let mut command = Command::new(program);
        command
            .env(mark.name(), mark.value())
            .env("XDG_RUNTIME_DIR", self.folder.join("run"))
            .env("XAUTHORITY", self.folder.join("xauthority"))
            .env(
                "DBUS_SESSION_BUS_ADDRESS",
                bus_address::of_socket(&self.folder.join("bus")),
            )
            .stdin(Stdio::null())
            .stdout(log)
            .stderr(errors);
        for name in OUTSIDE {
            command.env_remove(name);
        }
        match &self.display {
            Some(display) => command.env("DISPLAY", display),
            None => command.env_remove("DISPLAY"),
        };
        let says_encoding = ["LC_ALL", "LC_CTYPE", "LANG"]
            .iter()
            .any(|name| std::env::var_os(name).is_some());
        if !says_encoding {
            // Programs would take typed text for ASCII otherwise.
            command.env("LANG", "C.UTF-8");
        }
        // They are started by the supervisor's main thread, which lives as long as it does.
        sys::parent_death::die_with_parent(&mut command);
        Ok(command)
    }

    fn log_tail(&self, name: &str) -> String {
        let text = std::fs::read(self.folder.join(format!("{name}.log"))).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let mut lines: Vec<&str> = text
            .lines()
            .rev()
            .filter(|line| !line.trim().is_empty())
            .take(5)
            .collect();
        lines.reverse();
        if lines.is_empty() {
            String::new()
        } else {
            format!("; its last words: {}", lines.join(" / "))
        }
    }
}

impl Parts {
    /// Starts all, and returns when clients can connect.
    pub(super) fn start(&mut self, order: &Order, claim: &Claim) -> Result<State, SandboxError> {
        let deadline = Instant::now() + STARTING;
        let folder = &claim.folder;
        std::fs::create_dir(folder.join("run"))
            .map_err(SandboxError::io("cannot make a folder of the desktop"))?;
        set_private(&folder.join("run"))?;
        let mut surroundings = Surroundings {
            folder: folder.clone(),
            display: None,
        };
        let server = self.start_server(order, &mut surroundings, deadline)?;
        self.surroundings = Some(surroundings.clone());
        self.start_bus(&surroundings, deadline)?;
        self.start_spare("window-manager")?;
        if ACCESSIBILITY.find().is_some() {
            self.start_spare("accessibility")?;
        }
        let managed = folder.join("run/managed");
        self.wait_for(deadline, "window-manager", || managed.exists().then_some(()))?;
        let token: [u8; 32] = random()?;
        registry::write(folder, "token", &(hex(&token) + "\n"))?;
        let daemon = self.start_daemon(order, &surroundings)?;
        let address = self.wait_for(deadline, "daemon", || {
            std::fs::read_to_string(folder.join("addresses")).ok()
        })?;
        let state = State {
            id: claim.id.clone(),
            provider: crate::process::Process.name().to_owned(),
            address: format!("ws://{}/aci", address.lines().next().unwrap_or_default()),
            token_file: folder.join("token"),
            display: surroundings.display.unwrap_or_default(),
            xauthority: folder.join("xauthority"),
            width: order.size.0,
            height: order.size.1,
            started: SystemTime::now()
                .duration_since(SystemTime::UNIX_EPOCH)
                .unwrap_or_default()
                .as_secs(),
            supervisor: std::process::id().try_into().unwrap_or_default(),
            server,
            daemon,
        };
        let text = serde_json::to_string_pretty(&state).unwrap_or_default();
        registry::write(folder, "state.json", &text)?;
        Ok(state)
    }

    fn start_server(
        &mut self,
        order: &Order,
        surroundings: &mut Surroundings,
        deadline: Instant,
    ) -> Result<i32, SandboxError> {
        let authority = surroundings.folder.join("xauthority");
        write_authority(&authority, &random()?)?;
        let number = Number::pipe()?;
        let mut command = surroundings.command(&XVFB.require()?, "x-server")?;
        number.pass_to(&mut command);
        command.args(["-screen", "0", &format!("{}x{}x24", order.size.0, order.size.1)]);
        command
            .args(["-nolisten", "tcp", "-noreset"])
            .arg("-auth")
            .arg(authority);
        let pid = self.spawn("x-server", false, command)?;
        // For whoever sweeps after a server that was killed, from its first moment on.
        let note =
            |number: &str| registry::write(&surroundings.folder, "display", &format!("{number} {pid}\n"));
        note(registry::display::UNSAID)?;
        let number = number.read(deadline).map_err(|error| {
            SandboxError::NotStarted(format!("{error}{}", surroundings.log_tail("x-server")))
        })?;
        note(&number.to_string())?;
        surroundings.display = Some(format!(":{number}"));
        Ok(pid)
    }

    fn start_bus(&mut self, surroundings: &Surroundings, deadline: Instant) -> Result<(), SandboxError> {
        let socket = surroundings.folder.join("bus");
        let mut command = surroundings.command(&DBUS.require()?, "bus")?;
        command.args(["--session", "--nofork", "--nopidfile"]);
        command.arg(format!("--address={}", bus_address::of_socket(&socket)));
        self.spawn("bus", false, command)?;
        self.wait_for(deadline, "bus", || socket.exists().then_some(()))
    }

    /// Starts a part that may be started again.
    pub(super) fn start_spare(&mut self, name: &'static str) -> Result<(), SandboxError> {
        let Some(surroundings) = &self.surroundings else {
            return Ok(());
        };
        let mut command = if name == "window-manager" {
            let mut command = surroundings.command(&OPENBOX.require()?, name)?;
            // It runs this once it manages the screen.
            command.args(["--startup", "sh -c ': > \"$XDG_RUNTIME_DIR/managed\"'"]);
            command
        } else {
            let mut command = surroundings.command(&ACCESSIBILITY.require()?, name)?;
            command.args(["--launch-immediately", "--a11y=1"]);
            // That accessibility is on here is not to be written into the user's own settings.
            command.env("GSETTINGS_BACKEND", "memory");
            command
        };
        command.current_dir(home());
        self.spawn(name, true, command)?;
        Ok(())
    }

    fn start_daemon(&mut self, order: &Order, surroundings: &Surroundings) -> Result<i32, SandboxError> {
        let folder = &surroundings.folder;
        let mut command = surroundings.command(&order.daemon, "daemon")?;
        command
            .args(["--listen", "127.0.0.1:0", "--display"])
            .arg(surroundings.display.as_deref().unwrap_or_default());
        command.arg("--token-file").arg(folder.join("token"));
        command.arg("--addr-file").arg(folder.join("addresses"));
        command.args(&order.daemon_arguments);
        // What it runs begins where a person would.
        command.current_dir(home());
        self.spawn("daemon", false, command)
    }

    fn spawn(&mut self, name: &'static str, spare: bool, mut command: Command) -> Result<i32, SandboxError> {
        let child = command
            .spawn()
            .map_err(SandboxError::io(format!("cannot start the {name}")))?;
        let pid = child.id().try_into().unwrap_or_default();
        self.running.push(Part { name, child, spare });
        Ok(pid)
    }

    /// Asks again and again until the part of this name is ready, the time is over or a part has ended.
    fn wait_for<T>(
        &mut self,
        deadline: Instant,
        name: &str,
        mut ready: impl FnMut() -> Option<T>,
    ) -> Result<T, SandboxError> {
        loop {
            if let Some(found) = ready() {
                return Ok(found);
            }
            if let Some(why) = self.ended_part() {
                return Err(SandboxError::NotStarted(why));
            }
            if Instant::now() >= deadline {
                let known = self.surroundings.as_ref();
                let tail = known.map(|known| known.log_tail(name)).unwrap_or_default();
                return Err(SandboxError::NotStarted(format!(
                    "its {name} was not ready in time{tail}"
                )));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Says which part has ended that the sandbox cannot do without.
    pub(super) fn ended_part(&mut self) -> Option<String> {
        let surroundings = self.surroundings.as_ref();
        self.running
            .iter_mut()
            .filter(|part| !part.spare)
            .find_map(|part| {
                let status = part.child.try_wait().ok().flatten()?;
                let tail = surroundings
                    .map(|known| known.log_tail(part.name))
                    .unwrap_or_default();
                Some(format!("its {} ended ({status}){tail}", part.name))
            })
    }

    /// Ends all, the last first, so that each still has what it needs.
    pub(super) fn end(&mut self) {
        while let Some(mut part) = self.running.pop() {
            if part.name == "daemon" {
                signal(&part.child, Signal::TERM);
                let deadline = Instant::now() + ENDING;
                while matches!(part.child.try_wait(), Ok(None)) && Instant::now() < deadline {
                    std::thread::sleep(Duration::from_millis(5));
                }
            }
            // The X server removes its lock and socket on SIGTERM; what hangs is killed by the sweep.
            signal(&part.child, Signal::TERM);
            let deadline = Instant::now() + Duration::from_secs(1);
            while matches!(part.child.try_wait(), Ok(None)) && Instant::now() < deadline {
                std::thread::sleep(Duration::from_millis(2));
            }
            part.child.kill().ok();
            part.child.wait().ok();
        }
    }
}

fn signal(child: &Child, signal: Signal) {
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // It has not been waited for, so the number is still its own.
        kill_process(pid, signal).ok();
    }
}

fn home() -> PathBuf {
    std::env::var_os("HOME")
        .map(PathBuf::from)
        .filter(|home| home.is_dir())
        .unwrap_or_else(|| "/".into())
}

fn set_private(folder: &Path) -> Result<(), SandboxError> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))
        .map_err(SandboxError::io("cannot make a folder private"))
}

fn random<const N: usize>() -> Result<[u8; N], SandboxError> {
    let mut bytes = [0; N];
    // So few bytes come in one piece (getrandom(2)).
    getrandom(&mut bytes, GetRandomFlags::empty())
        .map_err(|error| SandboxError::io("cannot get random bytes")(error.into()))?;
    Ok(bytes)
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        write!(text, "{byte:02x}").ok();
        text
    })
}
