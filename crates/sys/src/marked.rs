//! Processes that carry a mark in their environment.
//!
//! A child inherits its parent's environment whatever it does with its session or process group, so a variable set at
//! the top is found again in every descendant, also in those that called `setsid` and outlived their parent
//! (proc(5), `/proc/pid/environ`). A program that rewrites its own environment block escapes; none of the usual ones does.

use std::fs;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

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
            .filter(|pid| {
                // A zombie's environment reads as empty, so it never counts.
                fs::read(format!("/proc/{pid}/environ"))
                    .is_ok_and(|environ| environ.split(|byte| *byte == 0).any(|entry| entry == wanted))
            })
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
