//! Processes that carry a mark in their environment.
//!
//! A child inherits its parent's environment whatever it does with its session or process group, so a variable set at
//! the top is found again in every descendant, also in those that called `setsid` and outlived their parent
//! (proc(5), `/proc/pid/environ`). A program that rewrites its own environment block escapes; none of the usual ones does.

use std::fs;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// How long a process may take to execute a program before it is taken for one without an environment.
const EXECUTING: Duration = Duration::from_millis(200);

/// A variable and the value that marks the processes of one owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    name: String,
    value: String,
}

impl Mark {
    /// The mark `name=value`; neither part may hold a NUL byte, which no environment can carry.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            value: value.into(),
        }
    }

    /// The variable's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The variable's value.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Every live process, zombies left out, whose environment carries this mark, the caller left out.
    pub fn processes(&self) -> Vec<Pid> {
        let wanted = format!("{}={}", self.name, self.value).into_bytes();
        let own = std::process::id();
        let Ok(entries) = fs::read_dir("/proc") else {
            return Vec::new();
        };
        entries
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok())
            .filter(|pid| u32::try_from(*pid).is_ok_and(|pid| pid != own))
            .filter(|pid| carries(*pid, &wanted))
            .filter_map(Pid::from_raw)
            .collect()
    }

    /// Kills every marked process and waits until none is left or the time is over; returns how many were still alive.
    ///
    /// The list is read again after each round, for a process may fork while it is being killed.
    pub fn kill_all(&self, within: Duration) -> usize {
        let deadline = Instant::now() + within;
        loop {
            let left = self.processes();
            if left.is_empty() || Instant::now() >= deadline {
                return left.len();
            }
            for pid in left {
                // It may have ended since it was listed; the next round tells.
                kill_process(pid, Signal::KILL).ok();
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Whether an entry of a process's environment is the wanted one; not for a process that has ended or is another user's.
///
/// While a process executes a new program its old memory is gone and its new one not yet filled, and the kernel then
/// shows no environment or a piece of one. Such a process is read again until the program is there, for it is alive.
fn carries(pid: i32, wanted: &[u8]) -> bool {
    let deadline = Instant::now() + EXECUTING;
    loop {
        let Ok(environ) = fs::read(format!("/proc/{pid}/environ")) else {
            return false;
        };
        if environ.split(|byte| *byte == 0).any(|entry| entry == wanted) {
            return true;
        }
        if is_whole(pid, &environ) || Instant::now() >= deadline {
            return false;
        }
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// Whether what was read of a process's environment is all of it. A zombie and a thread of the kernel, which have no
/// program, have none.
fn is_whole(pid: i32, environ: &[u8]) -> bool {
    if fs::read_link(format!("/proc/{pid}/exe")).is_err() {
        return true;
    }
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else {
        return true;
    };
    // The fields are counted behind the name, which is in parentheses and may hold spaces (proc(5)).
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    let field = |number: usize| fields.get(number - 3).and_then(|field| field.parse::<u64>().ok());
    let (Some(start_code), Some(env_start), Some(env_end)) = (field(26), field(50), field(51)) else {
        return true;
    };
    // The kernel notes last of all where the code begins; what it says of the environment before that is not final.
    start_code != 0 && env_end.saturating_sub(env_start) == environ.len() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_process_that_left_its_session_is_still_found_and_killed() {
        let mark = Mark::new("SYS_TEST_MARK", format!("{}-setsid", std::process::id()));
        let mut shell = Command::new("sh")
            .args(["-c", "setsid sleep 300 & wait"])
            .env(mark.name(), mark.value())
            .spawn()
            .unwrap();
        let deadline = Instant::now() + Duration::from_secs(5);
        while mark.processes().len() < 2 && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(mark.processes().len() >= 2, "sh and sleep carry the mark");
        assert_eq!(mark.kill_all(Duration::from_secs(5)), 0);
        shell.wait().unwrap();
        assert!(mark.processes().is_empty());
    }

    #[test]
    fn a_process_that_executes_one_program_after_another_is_never_overlooked() {
        let mark = Mark::new("SYS_TEST_MARK", format!("{}-exec", std::process::id()));
        let mut child = Command::new("sh")
            .args(["-c", r#"exec sh -c "$0" "$0""#, r#"exec sh -c "$0" "$0""#])
            .env(mark.name(), mark.value())
            .spawn()
            .unwrap();
        let overlooked = (0..500).filter(|_| mark.processes().is_empty()).count();
        let left = mark.kill_all(Duration::from_secs(5));
        child.wait().unwrap();
        assert_eq!((overlooked, left), (0, 0));
    }

    #[test]
    fn a_process_without_an_environment_costs_no_wait() {
        let mut child = Command::new("/bin/sleep").arg("300").env_clear().spawn().unwrap();
        let deadline = Instant::now() + Duration::from_secs(5);
        while !is_whole(child.id() as i32, &[]) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        let known = is_whole(child.id() as i32, &[]);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(known);
    }

    #[test]
    fn a_value_that_only_begins_alike_is_not_touched() {
        let long = Mark::new("SYS_TEST_MARK", format!("{}-ab", std::process::id()));
        let short = Mark::new("SYS_TEST_MARK", format!("{}-a", std::process::id()));
        let mut child = Command::new("sleep")
            .arg("300")
            .env(long.name(), long.value())
            .spawn()
            .unwrap();
        let deadline = Instant::now() + Duration::from_secs(5);
        while long.processes().is_empty() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(long.processes().len(), 1);
        assert!(short.processes().is_empty());
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
