//! What the kernel says of a process.

use std::fs;

use anyhow::Context as _;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Resident memory in MiB.
pub(crate) fn memory_mib(pid: u32) -> anyhow::Result<f64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).context("the process is gone")?;
    let kib: f64 = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .and_then(|rest| rest.trim().strip_suffix("kB"))
        .and_then(|number| number.trim().parse().ok())
        .context("the kernel does not tell VmRSS")?;
    Ok(kib / 1024.0)
}

/// How many threads it has.
pub(crate) fn threads(pid: u32) -> anyhow::Result<usize> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).context("the process is gone")?;
    Ok(tasks.count())
}

/// Processor time in seconds: user and system time of all threads, also of ended ones, in steps of the kernel's clock (10 ms).
pub(crate) fn processor_seconds(pid: u32) -> anyhow::Result<f64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).context("the process is gone")?;
    let ticks = ticks(&stat).context("the kernel does not tell utime and stime")?;
    Ok(ticks / rustix::param::clock_ticks_per_second() as f64)
}

/// `utime` plus `stime` (proc(5), fields 14 and 15). The name before them is in parentheses and may hold anything.
fn ticks(stat: &str) -> Option<f64> {
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split(' ').skip(11);
    let mut next = || fields.next()?.parse::<f64>().ok();
    Some(next()? + next()?)
}

/// Lets this process and its children open as many files as they may: a session is one.
pub(crate) fn allow_many_files() -> anyhow::Result<()> {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(
        Resource::Nofile,
        Rlimit {
            current: limit.maximum,
            maximum: limit.maximum,
        },
    )
    .context("cannot raise the limit of open files")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_is_read_behind_any_name() {
        let stat = "7 (a) b) c) S 1 7 7 0 -1 4194560 1 0 0 0 250 50 0 0 20 0 1 0 5 6 7";
        assert_eq!(ticks(stat), Some(300.0));
        assert_eq!(ticks("7 (a) S 1"), None);
    }

    #[test]
    fn this_process_has_memory() {
        assert!(memory_mib(std::process::id()).expect("it is there") > 0.1);
    }
}
