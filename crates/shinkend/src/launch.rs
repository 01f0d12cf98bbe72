//! Programs that are started on the desktop and left to themselves.
//!
//! Each leads a session of its own and carries the daemon's mark, so that it ends with the daemon. Every one is reaped.

use std::collections::VecDeque;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use aci::error_code::{CodedError, ErrorCode};
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, ChildStderr};
use tokio::time::{Instant, timeout_at};

use crate::exec::{base_environment, put_under_guard};
use crate::reply::invalid;
use crate::server::Daemon;

/// A program that ends with an error within this time did not start.
const START: Duration = Duration::from_millis(250);
/// How much of the end of its standard error is kept for that case.
const TAIL: usize = 2048;

/// Starts `app`; returns when it has run for a moment, or has ended well before that.
pub(crate) async fn launch(daemon: &Arc<Daemon>, app: &str, args: Vec<String>) -> Result<(), CodedError> {
    if app.contains('\0') || args.iter().any(|arg| arg.contains('\0')) {
        return Err(invalid(
            "app and args must not hold NUL characters; no program can receive one",
        ));
    }
    let program = find(app)?;
    let mut command = Command::new(&program);
    // As a shell would start it; the path is only how it is found.
    command
        .arg0(app)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    base_environment(&mut command, daemon);
    put_under_guard(&mut command, daemon);
    let mut child = tokio::process::Command::from(command).spawn().map_err(|error| {
        CodedError::new(
            ErrorCode::ExecSpawnFailed,
            format!("{} could not be started: {error}", program.display()),
        )
    })?;
    let mut tail = Tail::new(child.stderr.take());
    let start = Instant::now() + START;
    let ended = tokio::select! {
        biased;
        status = child.wait() => Some(status),
        () = tail.read_until(Some(start)) => None,
    };
    match ended {
        Some(status) if !status.as_ref().is_ok_and(ExitStatus::success) => {
            tail.read_until(Some(Instant::now() + Duration::from_millis(50)))
                .await;
            Err(CodedError::new(
                ErrorCode::ExecSpawnFailed,
                format!(
                    "{} ended at once{}{}",
                    program.display(),
                    how(status.ok()),
                    tail.last_line()
                ),
            ))
        }
        // Those that ended well hand over to one that runs already, or leave a child behind that may still write.
        _ => {
            daemon.tasks.spawn(live_on(Arc::clone(daemon), child, tail));
            Ok(())
        }
    }
}

/// Reads what the program says, so that it is never held up, and reaps it.
async fn live_on(daemon: Arc<Daemon>, mut child: Child, mut tail: Tail) {
    let living = async {
        // The pipe may be closed long before the program ends, or outlive it.
        tokio::join!(child.wait(), tail.read_until(None))
    };
    tokio::select! {
        () = daemon.shutdown.cancelled() => {}
        _ = living => {}
    }
}

fn how(status: Option<ExitStatus>) -> String {
    let Some(status) = status else {
        return String::new();
    };
    match (status.code(), status.signal()) {
        (Some(code), _) => format!(" with exit code {code}"),
        (None, Some(signal)) => format!(", killed by signal {signal}"),
        (None, None) => String::new(),
    }
}

/// The program file that a name stands for.
fn find(app: &str) -> Result<PathBuf, CodedError> {
    let not_found = |detail: String| CodedError::new(ErrorCode::AppNotFound, detail);
    let runs = |path: &Path| {
        path.metadata()
            .is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    };
    if app.starts_with('/') {
        let path = PathBuf::from(app);
        return if runs(&path) {
            Ok(path)
        } else {
            Err(not_found(format!("{app:?} is not a file that can be executed")))
        };
    }
    if app.contains('/') {
        return Err(not_found(format!(
            "{app:?} is neither a name on PATH nor an absolute path; give one of these"
        )));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    if let Some(found) = std::env::split_paths(&path)
        .map(|folder| folder.join(app))
        .find(|path| runs(path))
    {
        return Ok(found);
    }
    Err(not_found(if app.contains(char::is_whitespace) {
        format!("there is no program {app:?} on PATH; app is the program alone, its arguments go into args")
    } else if Path::new(app)
        .extension()
        .is_some_and(|extension| extension == "desktop")
    {
        format!("{app:?} is a desktop entry, not a program; launch the program that its Exec line names")
    } else {
        format!(
            "there is no program {app:?} on PATH; exec with `ls` on the folders of PATH shows what there is"
        )
    }))
}

/// The end of what a program has written to its standard error.
#[derive(Debug)]
struct Tail {
    pipe: Option<ChildStderr>,
    bytes: VecDeque<u8>,
}

impl Tail {
    fn new(pipe: Option<ChildStderr>) -> Self {
        Self {
            pipe,
            bytes: VecDeque::new(),
        }
    }

    /// Reads until the time is over, or to the end of the pipe where there is no time. With a time it waits that long
    /// even if the pipe ends sooner.
    async fn read_until(&mut self, until: Option<Instant>) {
        let mut buffer = [0; 1024];
        while let Some(pipe) = &mut self.pipe {
            let read = match until {
                Some(until) => match timeout_at(until, pipe.read(&mut buffer)).await {
                    Ok(read) => read,
                    Err(_) => return,
                },
                None => pipe.read(&mut buffer).await,
            };
            match read {
                Ok(length) if length > 0 => {
                    self.bytes.extend(&buffer[..length]);
                    let excess = self.bytes.len().saturating_sub(TAIL);
                    self.bytes.drain(..excess);
                }
                _ => self.pipe = None,
            }
        }
        if let Some(until) = until {
            tokio::time::sleep_until(until).await;
        }
    }

    fn last_line(mut self) -> String {
        let text = String::from_utf8_lossy(self.bytes.make_contiguous()).into_owned();
        match text.lines().rev().find(|line| !line.trim().is_empty()) {
            Some(line) => format!("; it said: {}", line.trim()),
            None => String::new(),
        }
    }
}
