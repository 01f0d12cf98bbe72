//! The files that an X server which was killed has left in `/tmp`.
//!
//! A server holds a display number by `/tmp/.XN-lock` with its process id in it, and takes over the lock of a process that
//! is no more; one that chose its number itself (`-displayfd`) may do without. So between a look at a lock and its removal another server may have come to own it. Here the lock is
//! exchanged for one of our own in one step (renameat2(2)), looked at afterwards, and put back if it was another's; while
//! ours is there, no server takes the number.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use rustix::fs::{CWD, RenameFlags, renameat_with};

/// Where X servers have their sockets.
const SOCKETS: &str = "/tmp/.X11-unix";
/// How long a killed server may take to give back what it had.
const DYING: Duration = Duration::from_secs(5);

/// What stands for the number in the note of a server that has not said it yet.
pub(crate) const UNSAID: &str = "?";

/// Removes the lock and the socket that a note, `NUMBER PID`, is about, where that server is dead and they are still its own.
/// `since` is when it was started or before.
pub(super) fn remove_dead(note: &str, since: SystemTime) {
    let mut words = note.split_whitespace();
    let (Some(number), Some(Ok(server))) = (words.next(), words.next().map(str::parse)) else {
        return;
    };
    if !await_death(server) {
        return;
    }
    if number == UNSAID {
        remove_unsaid(since);
    } else if let Ok(number) = number.parse() {
        remove_numbered(number, server);
    }
}

fn remove_numbered(number: u32, server: u32) {
    let lock = PathBuf::from(format!("/tmp/.X{number}-lock"));
    if !lock.exists() {
        // A server that chose its number itself (`-displayfd`) has none.
        remove_socket(number);
        return;
    }
    if holder(&lock) != Some(server) {
        return;
    }
    let ours = PathBuf::from(format!("/tmp/.shinken-X{number}-{}", std::process::id()));
    // Where this fails the lock stays, and the next server that wants the number takes it over.
    remove_held(number, server, &lock, &ours).ok();
    // Our own lock, or the one that was exchanged for it.
    fs::remove_file(&ours).ok();
}

fn remove_held(number: u32, server: u32, lock: &Path, ours: &Path) -> std::io::Result<()> {
    File::options()
        .create_new(true)
        .write(true)
        .mode(0o444)
        .open(ours)?
        // Ten places and a line feed, as the servers write and read it.
        .write_all(format!("{:>10}\n", std::process::id()).as_bytes())?;
    renameat_with(CWD, ours, CWD, lock, RenameFlags::EXCHANGE)?;
    if holder(ours) != Some(server) {
        // Fails where its owner has ended meanwhile, and has removed ours for its own.
        renameat_with(CWD, ours, CWD, lock, RenameFlags::EXCHANGE)?;
        return Ok(());
    }
    remove_socket(number);
    // A server that had read the dead one's lock before may have removed ours for it, and be the owner now.
    fs::rename(lock, ours)?;
    if holder(ours) != Some(std::process::id()) {
        renameat_with(CWD, ours, CWD, lock, RenameFlags::NOREPLACE)?;
    }
    Ok(())
}

/// Removes the socket of this number unless somebody has it. It is looked at again under another name, so that one
/// which a server binds at this very moment is not mistaken for it.
fn remove_socket(number: u32) {
    let socket = PathBuf::from(format!("{SOCKETS}/X{number}"));
    let aside = format!("{SOCKETS}/.shinken-X{number}-{}", std::process::id());
    // A server that does without locks may have bound it anew.
    if is_bound(&socket) || fs::rename(&socket, &aside).is_err() {
        return;
    }
    if is_bound(&socket) || UnixStream::connect(&aside).is_ok() {
        renameat_with(CWD, &aside, CWD, &socket, RenameFlags::NOREPLACE).ok();
    }
    // Where it was not put back, it is dead, or another server has bound the name anew.
    fs::remove_file(&aside).ok();
}

fn holder(lock: &Path) -> Option<u32> {
    fs::read_to_string(lock).ok()?.trim().parse().ok()
}

/// Removes the sockets that nobody has any more and that are no older than this.
fn remove_unsaid(since: SystemTime) {
    for entry in fs::read_dir(SOCKETS).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let number = name
            .to_str()
            .and_then(|name| name.strip_prefix('X')?.parse::<u32>().ok());
        let since_then = entry.metadata().is_ok_and(|file| {
            file.uid() == rustix::process::geteuid().as_raw()
                && file.modified().is_ok_and(|made| made >= since)
        });
        match number {
            Some(number) if since_then && !is_bound(&entry.path()) => remove_socket(number),
            _ => {}
        }
    }
}

/// Whether a socket with this path exists, listening or not yet (proc_net_unix: the last word of a line is the path).
fn is_bound(socket: &Path) -> bool {
    let known = fs::read_to_string("/proc/net/unix").unwrap_or_default();
    let path = socket.to_string_lossy();
    known.lines().any(|line| line.split_whitespace().next_back() == Some(&path))
        // One that was bound in another network namespace is not listed here.
        || UnixStream::connect(socket).is_ok()
}

/// Waits for the end of a process that was killed; whether it has come.
///
/// A dying process loses its memory, and with that its mark, before its descriptors: it still listens when no marked
/// process can be found any more. One that still has its memory is another's, which has the number now.
fn await_death(process: u32) -> bool {
    let deadline = Instant::now() + DYING;
    loop {
        if is_dead(process) {
            return true;
        }
        let lives = match fs::read(format!("/proc/{process}/environ")) {
            Ok(environment) => !environment.is_empty(),
            // Another user's.
            Err(error) => error.kind() == std::io::ErrorKind::PermissionDenied,
        };
        if lives || Instant::now() >= deadline {
            return is_dead(process);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Whether there is no such process, or only what its parent has not yet asked after.
pub(super) fn is_dead(process: u32) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{process}/stat")) else {
        return true;
    };
    // The state follows the name, which is in parentheses and may hold some itself (proc(5)).
    let state = stat.rsplit_once(')').map(|(_, rest)| rest.trim_start());
    state.is_some_and(|state| state.starts_with(['Z', 'X']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_nobody_has_asked_after_is_dead() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        testbed::eventually("the child to end", Duration::from_secs(20), || {
            is_dead(child.id()).then_some(())
        });
        child.wait().unwrap();
        assert!(!is_dead(std::process::id()));
    }

    #[test]
    fn a_note_that_is_none_removes_nothing() {
        for note in ["", "x", "1", "1 x", "-1 99999999", "../../etc 99999999", "? x"] {
            remove_dead(note, SystemTime::UNIX_EPOCH);
        }
    }
}
