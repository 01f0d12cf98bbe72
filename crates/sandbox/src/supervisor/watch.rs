//! Waiting for something to happen to a sandbox.

use std::fs::File;
use std::os::fd::{AsFd as _, OwnedFd};
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::Why;
use super::parts::Parts;
use crate::registry::Claim;
use crate::{SandboxError, guard};

/// How often it looks even if nothing has told it to: a signal may fall between a look and the wait.
const LOOK: Timespec = Timespec {
    tv_sec: 1,
    tv_nsec: 0,
};
/// A part that may be started again is given up after so many times,
const RESTARTS: usize = 5;
/// within so long.
const WITHIN: Duration = Duration::from_secs(60);
/// A log is cut when it has grown so large, so that no part can fill the disk.
const LOG_BYTES: u64 = 4 << 20;

/// What tells that the sandbox is to end.
#[derive(Debug)]
pub(super) struct Watch {
    asked: Arc<AtomicBool>,
    /// Whether it ends with its owner, whose pipe is our input.
    owned: bool,
}

impl Watch {
    pub(super) fn new(owned: bool) -> Result<Self, SandboxError> {
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [
            signal_hook::consts::SIGTERM,
            signal_hook::consts::SIGINT,
            signal_hook::consts::SIGHUP,
        ] {
            signal_hook::flag::register(signal, Arc::clone(&asked))
                .map_err(SandboxError::io("cannot listen for signals"))?;
        }
        Ok(Self { asked, owned })
    }

    /// Returns when the sandbox is to end, or has lost a part that it cannot do without.
    pub(super) fn until_over(&self, parts: &mut Parts, guard: &mut Child, claim: &Claim) -> Why {
        let mut restarts = Vec::new();
        loop {
            if self.asked.load(Ordering::Relaxed) || !self.wait(parts, guard) {
                return Why::Asked;
            }
            if let Some(why) = parts.ended_part() {
                return Why::Part(why);
            }
            if let Err(error) = restart_spares(parts, &mut restarts).and_then(|()| keep_guard(guard, claim)) {
                return Why::Part(error.to_string());
            }
            cut_logs(claim);
        }
    }

    /// Waits until something has ended, or for a while; `false` when the owner is gone.
    fn wait(&self, parts: &Parts, guard: &Child) -> bool {
        let children = parts.running.iter().map(|part| &part.child).chain([guard]);
        // A child that cannot be watched is looked at when the time is over.
        let ends: Vec<OwnedFd> = children.filter_map(end_of).collect();
        let mut watched: Vec<PollFd<'_>> = ends.iter().map(|end| PollFd::new(end, PollFlags::IN)).collect();
        let input = std::io::stdin();
        let input = input.as_fd();
        if self.owned {
            watched.push(PollFd::from_borrowed_fd(input, PollFlags::IN));
        }
        // A signal ends the wait too, which is no error.
        poll(&mut watched, Some(&LOOK)).ok();
        let owner_moved = self.owned && watched.last().is_some_and(|owner| !owner.revents().is_empty());
        // Nothing is ever written; an end and an error both mean that the owner is gone.
        !owner_moved
            || matches!(
                rustix::io::read(input, &mut [0; 16]),
                Ok(1..) | Err(rustix::io::Errno::INTR)
            )
    }
}

/// Becomes readable when the child ends.
fn end_of(child: &Child) -> Option<OwnedFd> {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw)?;
    pidfd_open(pid, PidfdFlags::empty()).ok()
}

/// Starts those parts again that have ended and may be.
fn restart_spares(parts: &mut Parts, restarts: &mut Vec<Instant>) -> Result<(), SandboxError> {
    let ended: Vec<&'static str> = parts
        .running
        .iter_mut()
        .filter_map(|part| (part.spare && !matches!(part.child.try_wait(), Ok(None))).then_some(part.name))
        .collect();
    parts.running.retain(|part| !ended.contains(&part.name));
    for name in ended {
        restarts.retain(|at| at.elapsed() < WITHIN);
        if restarts.len() >= RESTARTS {
            return Err(SandboxError::NotStarted(format!(
                "its {name} ends again and again"
            )));
        }
        restarts.push(Instant::now());
        parts.start_spare(name)?;
    }
    Ok(())
}

/// Without its guard a sandbox that is killed would leave something behind.
fn keep_guard(guard: &mut Child, claim: &Claim) -> Result<(), SandboxError> {
    if !matches!(guard.try_wait(), Ok(None)) {
        *guard = guard::start(&claim.folder)?;
    }
    Ok(())
}

fn cut_logs(claim: &Claim) {
    let Ok(entries) = std::fs::read_dir(&claim.folder) else {
        return;
    };
    for entry in entries.flatten() {
        let is_log = entry
            .path()
            .extension()
            .is_some_and(|extension| extension == "log");
        if is_log && entry.metadata().is_ok_and(|file| file.len() > LOG_BYTES) {
            // They are opened for appending, so their writers go on at the new end.
            File::options()
                .write(true)
                .open(entry.path())
                .and_then(|log| log.set_len(0))
                .ok();
        }
    }
}
