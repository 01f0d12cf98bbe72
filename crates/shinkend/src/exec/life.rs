//! A program from its start to its end.

use std::os::unix::process::ExitStatusExt as _;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use aci::error_code::{CodedError, ErrorCode};
use aci::{Integer, Number};
use rustix::process::{Pid, Signal, kill_process_group};
use sys::marked::Mark;
use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::What;
use crate::server::Daemon;

/// The variable that marks the processes of one call.
const VARIABLE: &str = "SHINKEND_EXEC";
/// How long is tried to kill what a program has started.
const KILLING: Duration = Duration::from_secs(2);

/// A program that runs.
#[derive(Debug)]
pub(super) struct Program {
    child: Child,
    mark: Mark,
    begun: Instant,
    deadline: Instant,
    stdin: Option<(ChildStdin, String)>,
    pipes: Option<(ChildStdout, ChildStderr)>,
    _place: OwnedSemaphorePermit,
}

/// How a program ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    /// `None` where the system would not say.
    status: Option<ExitStatus>,
    pub(super) timed_out: bool,
    duration: Duration,
}

impl End {
    /// Of a program that could not be started.
    pub(super) const NEVER_BEGUN: Self = Self {
        status: None,
        timed_out: false,
        duration: Duration::ZERO,
    };

    /// Null where its time was over, even if it ended by itself while it was being killed.
    pub(super) fn exit_code(self) -> Option<Integer> {
        let status = self.status.filter(|_| !self.timed_out)?;
        status.code().map(Integer::clamped)
    }

    pub(super) fn signal(self) -> Option<Integer> {
        self.status?.signal().map(Integer::clamped)
    }

    pub(super) fn duration_ms(self) -> Number<0> {
        // Microseconds are as fine as means anything here. A duration is never negative, and zero is allowed.
        Number::new((self.duration.as_secs_f64() * 1e6).round() / 1e3).unwrap_or_default()
    }
}

impl Program {
    /// Starts it.
    pub(super) fn start(
        daemon: &Daemon,
        what: &What,
        stdin: Option<String>,
        timeout: Duration,
        place: OwnedSemaphorePermit,
    ) -> Result<Self, CodedError> {
        let mark = call_mark(daemon);
        let mut command = what.command(daemon)?;
        command
            .env(mark.name(), mark.value())
            .stdin(if stdin.is_some() {
                Stdio::piped()
            } else {
                Stdio::null()
            })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let begun = Instant::now();
        let mut child = tokio::process::Command::from(command)
            .spawn()
            .map_err(|error| spawn_failed(what.program(), &error))?;
        Ok(Self {
            stdin: child.stdin.take().zip(stdin),
            pipes: child.stdout.take().zip(child.stderr.take()),
            child,
            mark,
            begun,
            deadline: begun + timeout,
            _place: place,
        })
    }

    /// Its output; once.
    pub(super) fn take_pipes(&mut self) -> Option<(ChildStdout, ChildStderr)> {
        self.pipes.take()
    }

    /// Lives through it: feeds its input, and kills it with all its descendants when its time is over or its client is
    /// gone. `exited` is cancelled when it has ended.
    pub(super) async fn live(mut self, client_gone: &CancellationToken, exited: CancellationToken) -> End {
        let ended = exited.drop_guard();
        let feeding = self
            .stdin
            .take()
            .map(|(stdin, text)| tokio::spawn(feed(stdin, text)));
        let (status, timed_out) = tokio::select! {
            biased;
            status = self.child.wait() => (status.ok(), false),
            () = client_gone.cancelled() => (self.kill().await, false),
            () = tokio::time::sleep_until(self.deadline) => (self.kill().await, true),
        };
        if let Some(feeding) = feeding {
            feeding.abort();
        }
        drop(ended);
        End {
            status,
            timed_out,
            duration: self.begun.elapsed(),
        }
    }

    async fn kill(&mut self) -> Option<ExitStatus> {
        end_all(&mut self.child, &self.mark).await
    }
}

/// A mark for the program of one call, and for all that it starts.
pub(crate) fn call_mark(daemon: &Daemon) -> Mark {
    let number = daemon
        .next_exec
        .fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    Mark::new(VARIABLE, format!("{}.{number}", daemon.guard.mark().value()))
}

/// Kills a program that leads a group of its own, and all that carries its mark; how it ended, where it has.
pub(crate) async fn end_all(child: &mut Child, mark: &Mark) -> Option<ExitStatus> {
    // One that has not been reaped keeps its number; its group may be empty, which is no fault.
    if let Some(pid) = group_of(child) {
        kill_process_group(pid, Signal::KILL).ok();
    }
    let status = tokio::time::timeout(KILLING, child.wait())
        .await
        .ok()
        .and_then(Result::ok);
    let mark = mark.clone();
    let left = tokio::task::spawn_blocking(move || mark.kill_all(KILLING))
        .await
        .unwrap_or(1);
    if left > 0 {
        tracing::warn!("{left} processes of a program that was to end would not");
    }
    status
}

/// The group that a program leads, until it has been reaped.
pub(crate) fn group_of(child: &Child) -> Option<Pid> {
    Pid::from_raw(i32::try_from(child.id()?).ok()?)
}

async fn feed(mut stdin: ChildStdin, text: String) {
    // A program that does not read its input, or not all, is none of our business.
    if stdin.write_all(text.as_bytes()).await.is_ok() {
        stdin.shutdown().await.ok();
    }
}

fn spawn_failed(program: &str, error: &std::io::Error) -> CodedError {
    let detail = match error.kind() {
        std::io::ErrorKind::NotFound => {
            format!(
                "there is no program {program:?} on PATH; arguments go into argv one by one, a shell line into shell"
            )
        }
        std::io::ErrorKind::PermissionDenied => format!("{program:?} may not be executed: {error}"),
        _ => format!("{program:?} could not be started: {error}"),
    };
    CodedError::new(ErrorCode::ExecSpawnFailed, detail)
}
