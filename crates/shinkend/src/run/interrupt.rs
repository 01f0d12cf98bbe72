//! Interrupting a cell, as Ctrl-C at a terminal would, but nothing that earlier cells have left running.

use std::fs;

use rustix::process::{Pid, Signal, kill_process};
use rustix::time::{ClockId, clock_gettime};

/// When a cell began, in the kernel's ticks since the machine started.
#[derive(Debug, Clone, Copy)]
pub(super) struct Begun(u64);

impl Begun {
    /// Now.
    pub(super) fn now() -> Self {
        let now = clock_gettime(ClockId::Boottime);
        let per_second = rustix::param::clock_ticks_per_second();
        let seconds = u64::try_from(now.tv_sec).unwrap_or_default();
        let nanoseconds = u64::try_from(now.tv_nsec).unwrap_or_default();
        Self(seconds * per_second + nanoseconds * per_second / 1_000_000_000)
    }
}

/// Interrupts the interpreter, then those processes of its group that have begun since; the interpreter first, so that it does
/// not take its child's end for the child's own.
pub(super) async fn interrupt(interpreter: Pid, since: Begun) {
    // It has not been reaped, so the number is its own.
    kill_process(interpreter, Signal::INT).ok();
    let children = tokio::task::spawn_blocking(move || group(interpreter, since));
    for child in children.await.unwrap_or_default() {
        // It may have ended since it was listed.
        kill_process(child, Signal::INT).ok();
    }
}

/// The processes of a group, without its leader, that have begun since.
fn group(leader: Pid, since: Begun) -> Vec<Pid> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok())
        .filter_map(Pid::from_raw)
        .filter(|pid| *pid != leader)
        .filter(|pid| {
            let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
            stat.is_ok_and(|stat| {
                group_and_start(&stat)
                    .is_some_and(|(group, start)| group == leader.as_raw_nonzero().get() && start >= since.0)
            })
        })
        .collect()
}

/// Fields 5 and 22 of a process's `stat` (proc(5)), counted behind the name, which is in parentheses and may hold spaces.
fn group_and_start(stat: &str) -> Option<(i32, u64)> {
    let mut fields = stat.rsplit(')').next()?.split_whitespace();
    let group = fields.nth(2)?.parse().ok()?;
    let start = fields.nth(16)?.parse().ok()?;
    Some((group, start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn only_what_has_begun_since_is_found() {
        let mut shell = Command::new("sh");
        shell.args(["-c", "sleep 300 & read line; sleep 301 & read line"]);
        shell.stdin(Stdio::piped());
        let mut shell = sys::session::own_session(&mut shell).spawn().unwrap();
        let leader = Pid::from_child(&shell);
        let first = testbed::eventually("a child", testbed::PATIENCE, || {
            Some(group(leader, Begun(0))).filter(|group| group.len() == 1)
        });
        std::thread::sleep(std::time::Duration::from_millis(30));
        let since = Begun::now();
        std::io::Write::write_all(shell.stdin.as_mut().unwrap(), b"\n").unwrap();
        let both = testbed::eventually("another child", testbed::PATIENCE, || {
            Some(group(leader, Begun(0))).filter(|group| group.len() == 2)
        });
        let later = group(leader, since);
        rustix::process::kill_process_group(leader, Signal::KILL).unwrap();
        shell.wait().unwrap();
        assert_eq!(later.len(), 1, "{both:?}");
        assert_ne!(later, first);
    }
}
