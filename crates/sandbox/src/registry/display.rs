//! The files that an X server which was killed has left in `/tmp`.
//!
//! A server holds a display number by `/tmp/.XN-lock` with its process id in it, and takes over the lock of a process that
//! is no more; one that chose its number itself (`-displayfd`) may do without. So between a look at a lock and its removal another server may have come to own it. Here the lock is
//! exchanged for one of our own in one step (renameat2(2)), looked at afterwards, and put back if it was another's; while
//! ours is there, no server takes the number.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, RenameFlags, renameat_with};

/// Removes the lock and the socket that a note, `NUMBER PID`, is about, where that server is dead and they are still its own.
pub(super) fn remove_dead(note: &str) {
    let mut words = note.split_whitespace().map(str::parse::<u32>);
    let (Some(Ok(number)), Some(Ok(server))) = (words.next(), words.next()) else {
        return;
    };
    let lock = PathBuf::from(format!("/tmp/.X{number}-lock"));
    if !is_dead(server) {
        return;
    }
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

/// Removes the socket of this number unless somebody listens there. It is looked at under another name, so that one
/// which a server binds at this very moment is not mistaken for it.
fn remove_socket(number: u32) {
    let socket = format!("/tmp/.X11-unix/X{number}");
    let aside = format!("/tmp/.X11-unix/.shinken-X{number}-{}", std::process::id());
    // A killed server with several threads still listens for a moment; one that does without locks goes on to.
    let deadline = Instant::now() + Duration::from_secs(1);
    while UnixStream::connect(&socket).is_ok() {
        if Instant::now() >= deadline {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    if fs::rename(&socket, &aside).is_err() {
        return;
    }
    if UnixStream::connect(&aside).is_ok() {
        renameat_with(CWD, &aside, CWD, &socket, RenameFlags::NOREPLACE).ok();
    }
    // Where it was not put back, it is dead, or another server has bound the name anew.
    fs::remove_file(&aside).ok();
}

fn holder(lock: &Path) -> Option<u32> {
    fs::read_to_string(lock).ok()?.trim().parse().ok()
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
        for note in ["", "x", "1", "1 x", "-1 2", "../../etc 1"] {
            remove_dead(note);
        }
    }
}
