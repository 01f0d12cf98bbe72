//! The folder of the running sandboxes.
//!
//! Each has a folder of its own there, named by its id, with `state.json`, its token, its sockets and its logs. The
//! supervisor holds a lock on `lock` in it for as long as it lives (flock(2)), which the kernel lets go of however it ends.
//! Whoever removes a folder holds that lock too.

pub(crate) mod display;

use std::fs::{self, File};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use sys::marked::Mark;

use crate::SandboxError;
use crate::runtime::Runtime;

/// The variable that marks a sandbox's processes.
pub(crate) const MARK: &str = "SHINKEN_SANDBOX";
/// What is being made has a name that begins so until its lock is held.
const UNBORN: &str = ".new-";
/// What is being removed has a name that begins so.
const DEAD: &str = ".dead-";
/// After so long it will not be born any more.
const BIRTH: Duration = Duration::from_secs(600);

/// What is known of a sandbox that runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// Its name.
    pub id: String,
    /// The provider that made it.
    pub provider: String,
    /// Where its daemon is, as a WebSocket's address.
    pub address: String,
    /// The file with the token that the daemon wants.
    pub token_file: PathBuf,
    /// Its X display, such as `:3`.
    pub display: String,
    /// The file that lets X clients in, for `XAUTHORITY`.
    pub xauthority: PathBuf,
    /// Width of its screen in pixels.
    pub width: u16,
    /// Height of its screen in pixels.
    pub height: u16,
    /// When it was started, in seconds since 1970.
    pub started: u64,
    /// The process that looks after it.
    pub supervisor: i32,
    /// The process of the X server.
    pub server: i32,
    /// The daemon's process.
    pub daemon: i32,
}

impl State {
    /// Its folder.
    ///
    /// # Errors
    /// `Runtime`, `Io`.
    pub fn folder(&self) -> Result<PathBuf, SandboxError> {
        Ok(root()?.join(&self.id))
    }

    /// The token that its daemon wants.
    ///
    /// # Errors
    /// `Io`.
    pub fn token(&self) -> Result<String, SandboxError> {
        let text = fs::read_to_string(&self.token_file);
        text.map(|text| text.trim().to_owned())
            .map_err(SandboxError::io("cannot read the desktop's token"))
    }

    /// The file with what its daemon logs.
    pub fn log_file(&self) -> PathBuf {
        self.token_file.with_file_name("daemon.log")
    }

    /// How long it has run.
    pub fn age(&self) -> Duration {
        let now = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        now.saturating_sub(Duration::from_secs(self.started))
    }
}

/// The mark of a sandbox's processes. It is the folder, so that two users, or two tests, cannot mean each other's.
pub(crate) fn mark(folder: &Path) -> Mark {
    Mark::new(MARK, folder.display().to_string())
}

/// The folder of all sandboxes, made where it is missing.
pub(crate) fn root() -> Result<PathBuf, SandboxError> {
    Ok(Runtime::open()?.path().to_owned())
}

/// The sandboxes that run and have come up, oldest first.
///
/// # Errors
/// `Runtime`, `Io`.
pub fn list() -> Result<Vec<State>, SandboxError> {
    let mut states: Vec<State> = folders()?
        .into_iter()
        .filter(|folder| !name(folder).starts_with('.') && is_alive(folder))
        .filter_map(|folder| serde_json::from_slice(&fs::read(folder.join("state.json")).ok()?).ok())
        .collect();
    states.sort_by(|a, b| (a.started, &a.id).cmp(&(b.started, &b.id)));
    Ok(states)
}

/// The sandbox of that name, or the only one that runs where none is named.
///
/// # Errors
/// `NotFound`, `Several`, `Runtime`, `Io`.
pub fn find(id: Option<&str>) -> Result<State, SandboxError> {
    let mut running = list()?;
    match id {
        Some(id) => {
            let names: Vec<String> = running.iter().map(|state| state.id.clone()).collect();
            running.into_iter().find(|state| state.id == id).ok_or_else(|| {
                SandboxError::NotFound(match names.as_slice() {
                    [] => {
                        format!("no desktop {id:?} runs, nor any other; start one with `shinken up --detach`")
                    }
                    names => format!("no desktop {id:?} runs; these do: {}", names.join(", ")),
                })
            })
        }
        None if running.len() > 1 => Err(SandboxError::Several(
            running.into_iter().map(|state| state.id).collect(),
        )),
        None => running.pop().ok_or_else(|| {
            SandboxError::NotFound("no desktop runs; start one with `shinken up --detach`".to_owned())
        }),
    }
}

/// Ends a sandbox and waits until nothing of it is left.
///
/// # Errors
/// `NotEnded`, `Runtime`, `Io`.
pub fn end(state: &State, within: Duration) -> Result<(), SandboxError> {
    let folder = state.folder()?;
    let deadline = Instant::now() + within;
    if is_alive(&folder)
        && let Some(pid) = rustix::process::Pid::from_raw(state.supervisor)
    {
        // It may end by itself at this moment.
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).ok();
        while folder.exists() && is_alive(&folder) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(10));
        }
        if is_alive(&folder) {
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).ok();
        }
    }
    let deadline = deadline + Duration::from_secs(5);
    while folder.exists() && Instant::now() < deadline {
        sweep_dead(&folder, Duration::from_millis(10));
    }
    // Its last act is to wait for its guard; then no process is left either.
    while !display::is_dead(state.supervisor.unsigned_abs()) && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(2));
    }
    if folder.exists() {
        Err(SandboxError::NotEnded(state.id.clone()))
    } else {
        Ok(())
    }
}

/// Sweeps away what dead sandboxes have left; returns their names.
///
/// # Errors
/// `Runtime`, `Io`.
pub fn collect_garbage() -> Result<Vec<String>, SandboxError> {
    let mut swept = Vec::new();
    for folder in folders()? {
        let name = name(&folder);
        if !name.starts_with('.') {
            if sweep_dead(&folder, Duration::ZERO) {
                swept.push(name.to_owned());
            }
        } else if name.starts_with(DEAD) || (name.starts_with(UNBORN) && age(&folder) >= BIRTH) {
            // Whoever was removing it may still be at it.
            fs::remove_dir_all(&folder).ok();
        }
    }
    Ok(swept)
}

/// A folder that was made for a sandbox, with its lock held.
#[derive(Debug)]
pub(crate) struct Claim {
    pub(crate) id: String,
    pub(crate) folder: PathBuf,
    /// Held for as long as the sandbox lives.
    _lock: File,
}

impl Claim {
    /// Sweeps the sandbox's folder, and everything that belongs to it, away.
    pub(crate) fn sweep(self) {
        sweep(&self.folder);
    }
}

/// Makes the folder of a new sandbox, in the place of a dead one of the same name.
pub(crate) fn claim(id: &str) -> Result<Claim, SandboxError> {
    let root = root()?;
    let unborn = root.join(format!("{UNBORN}{}-{id}", std::process::id()));
    let folder = root.join(id);
    // The longest path of a socket that the accessibility bus makes; unix(7) has room for 107 bytes.
    if folder.join("run/at-spi/bus_1000").as_os_str().len() > 107 {
        return Err(SandboxError::Invalid(format!(
            "the path {} is too long for sockets; set XDG_RUNTIME_DIR to a folder with a shorter one",
            folder.display()
        )));
    }
    // The accessibility bus takes what follows a colon in its folder for something else, and does not start.
    if folder.as_os_str().as_encoded_bytes().contains(&b':') {
        return Err(SandboxError::Invalid(format!(
            "no accessibility bus starts in {}, because of the colon; set XDG_RUNTIME_DIR to a folder without one",
            folder.display()
        )));
    }
    let making = || format!("cannot make the folder {}", folder.display());
    fs::DirBuilder::new()
        .mode(0o700)
        .create(&unborn)
        .map_err(SandboxError::io(making()))?;
    let made = lock_and_name(&unborn, &folder);
    let made = match made {
        Err(error) if is_taken(&error) && sweep_dead(&folder, Duration::ZERO) => {
            lock_and_name(&unborn, &folder)
        }
        made => made,
    };
    match made {
        Ok(lock) => Ok(Claim {
            id: id.to_owned(),
            folder,
            _lock: lock,
        }),
        Err(error) => {
            fs::remove_dir_all(&unborn).ok();
            Err(if is_taken(&error) {
                SandboxError::NameTaken(id.to_owned())
            } else {
                SandboxError::io(making())(error)
            })
        }
    }
}

/// Gives a new folder its name, with its lock held from the first moment on.
fn lock_and_name(unborn: &Path, folder: &Path) -> std::io::Result<File> {
    let lock = File::create(unborn.join("lock"))?;
    flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
    // A rename onto a folder works only where that is empty, which no sandbox's is.
    fs::rename(unborn, folder)?;
    Ok(lock)
}

fn is_taken(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{AlreadyExists, DirectoryNotEmpty};
    matches!(error.kind(), DirectoryNotEmpty | AlreadyExists)
}

/// Writes a file of a sandbox's folder so that nobody ever sees half of it.
pub(crate) fn write(folder: &Path, name: &str, text: &str) -> Result<(), SandboxError> {
    use std::io::Write as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    let partial = folder.join(format!(".{name}.partial"));
    let written = File::options()
        .create(true)
        .truncate(true)
        .write(true)
        .mode(0o600)
        .open(&partial)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .and_then(|()| fs::rename(&partial, folder.join(name)));
    written.map_err(SandboxError::io(format!("cannot write {name} of the desktop")))
}

/// Kills what carries the sandbox's mark, and removes its folder and what its X server left.
///
/// Only who holds the folder's lock may do this, for the mark and the name can belong to a new sandbox once the folder is
/// gone. So the folder leaves its name before anything in it is removed, the lock included.
fn sweep(folder: &Path) {
    mark(folder).kill_all(Duration::from_secs(5));
    let note = folder.join("display");
    if let Ok(text) = fs::read_to_string(&note) {
        // The lock is as old as the folder.
        let since = fs::metadata(folder.join("lock")).and_then(|lock| lock.modified());
        display::remove_dead(&text, since.unwrap_or_else(|_| SystemTime::now()));
    }
    let dead = folder.with_file_name(format!("{DEAD}{}-{}", std::process::id(), name(folder)));
    // Where that does not work, the next who collects garbage finds the folder as it is.
    if fs::rename(folder, &dead).is_ok() {
        fs::remove_dir_all(&dead).ok();
    }
}

/// Sweeps the folder of a sandbox whose supervisor is dead, if nobody else does so within this time; whether it did.
pub(crate) fn sweep_dead(folder: &Path, within: Duration) -> bool {
    let deadline = Instant::now() + within;
    loop {
        if let Some(_lock) = hold(folder) {
            sweep(folder);
            return true;
        }
        if !folder.exists() || Instant::now() >= deadline {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Takes the lock of a folder that nobody holds; `None` where somebody does, or only looks at it.
fn hold(folder: &Path) -> Option<File> {
    let path = folder.join("lock");
    let lock = File::open(&path).ok()?;
    flock(&lock, FlockOperation::NonBlockingLockExclusive).ok()?;
    // Meanwhile it may have been swept, and the name given to another.
    let same = fs::metadata(&path).ok()?.ino() == lock.metadata().ok()?.ino();
    same.then_some(lock)
}

fn folders() -> Result<Vec<PathBuf>, SandboxError> {
    let root = root()?;
    let entries = fs::read_dir(&root).map_err(SandboxError::io(format!("cannot read {}", root.display())))?;
    Ok(entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_dir())
        .collect())
}

fn name(folder: &Path) -> &str {
    folder
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default()
}

fn age(folder: &Path) -> Duration {
    let made = fs::metadata(folder).and_then(|metadata| metadata.modified());
    made.ok().and_then(|made| made.elapsed().ok()).unwrap_or_default()
}

/// Whether a supervisor holds the folder's lock.
pub(crate) fn is_alive(folder: &Path) -> bool {
    let Ok(lock) = File::open(folder.join("lock")) else {
        return false;
    };
    // Shared, so that two who look at the same time do not take each other for a supervisor.
    flock(&lock, FlockOperation::NonBlockingLockShared).is_err()
}
