//! The interpreter's process, and a cell in it.
//!
//! ```text
//!             its time is over, a control,       half the grace       half the grace
//!             or its client goes
//!  running ─────────────────────▶ interrupted ───────────▶ again ───────────▶ killed
//!     │                                │                     │                  │
//!     └────────── answer ──────────────┴─────────────────────┘            state is lost
//! ```

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as StdStream;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use aci::Number;
use aci::error_code::{CodedError, ErrorCode};
use aci::extension::action::RunControl;
use bytes::{BufMut as _, Bytes, BytesMut};
use futures_util::StreamExt as _;
use serde_json::json;
use sys::marked::Mark;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::process::Child;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::codec::{FramedRead, LengthDelimitedCodec};

use super::answer::Outcome;
use super::interrupt::{Begun, interrupt};
use super::{Cell, Controlled};
use crate::exec::{Text, base_environment, call_mark, end_all, group_of, put_under_guard};
use crate::server::Daemon;

/// Makes the kernel out of standard input, which is the socket to it.
const BOOT: &str = include_str!("boot.py");
const KERNEL: &str = include_str!("kernel.py");
/// How long an interpreter may take until it can do cells.
const START: Duration = Duration::from_secs(30);
/// How long a cell that was interrupted may take to stop.
const GRACE: Duration = Duration::from_secs(2);
/// How long the end of an interpreter is waited for that has closed its socket.
const ENDING: Duration = Duration::from_millis(500);
/// What is kept of the `repr()` of a value, in characters,
const VALUE_CHARACTERS: usize = 64 << 10;
/// and how many things a cell may show.
const OUTPUTS: usize = 64;
/// What an answer may have beside what the cell shows: value, traceback, names.
const ANSWER_BYTES: usize = 4 << 20;
/// What is read at a time of what the interpreter writes,
const PIECE: usize = 64 << 10;
/// and at most when a cell has ended: what a pipe holds at that moment. What comes later belongs to the next cell.
const PIPE: usize = 1 << 20;

/// An interpreter that is ready for cells.
#[derive(Debug)]
pub(super) struct Interpreter {
    child: Child,
    mark: Mark,
    answers: FramedRead<OwnedReadHalf, LengthDelimitedCodec>,
    requests: OwnedWriteHalf,
    /// What is written to its standard output and error, here and by all that it starts. `None` once nobody has it any more.
    pipe: Option<pipe::Receiver>,
    piece: Vec<u8>,
    output: Text,
    output_limit: usize,
    cells: u64,
}

/// Something that an interpreter did.
#[derive(Debug)]
enum Event {
    Answer(Bytes),
    Ended(Option<ExitStatus>),
}

impl Interpreter {
    /// Starts one.
    pub(super) async fn start(daemon: &Daemon) -> Result<Self, CodedError> {
        let program = daemon.python.display().to_string();
        let failed = |detail: String| CodedError::new(ErrorCode::ExecSpawnFailed, detail);
        let mut starting = Self::spawn(daemon).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => failed(format!(
                "there is no program {program:?}; install python3 on the desktop, or name one by the daemon's --python"
            )),
            _ => failed(format!("{program:?} could not be started: {error}")),
        })?;
        let kernel = format!("{}\n{KERNEL}", KERNEL.len());
        let ready = async {
            match starting.requests.write_all(kernel.as_bytes()).await {
                Ok(()) => Some(starting.event().await),
                Err(_) => None,
            }
        };
        if let Ok(Some(Event::Answer(_))) = timeout(START, ready).await {
            return Ok(starting);
        }
        starting.end().await;
        starting.read_what_is_there();
        let said = starting.output.finish();
        let last = said.lines().rev().find(|line| !line.trim().is_empty());
        Err(failed(format!(
            "{program:?} did not become an interpreter for cells; Python 3.9 or later is needed{}",
            last.map_or(String::new(), |line| format!("; it said: {}", line.trim()))
        )))
    }

    fn spawn(daemon: &Daemon) -> io::Result<Self> {
        let (ours, theirs) = StdStream::pair()?;
        ours.set_nonblocking(true)?;
        let (answers, requests) = UnixStream::from_std(ours)?.into_split();
        let (pipe, output) = io::pipe()?;
        let pipe = pipe::Receiver::from_owned_fd(OwnedFd::from(pipe))?;
        let mark = call_mark(daemon);
        let mut command = Command::new(&daemon.python);
        command
            .args(["-u", "-c", BOOT])
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::from(output.try_clone()?))
            .stderr(Stdio::from(output));
        base_environment(&mut command, daemon);
        put_under_guard(&mut command, daemon);
        command.env(mark.name(), mark.value());
        let limits = &daemon.limits;
        let codec = LengthDelimitedCodec::builder()
            .little_endian()
            // A text may take six times its bytes in JSON.
            .max_frame_length(
                limits
                    .run_outputs_bytes
                    .saturating_mul(6)
                    .saturating_add(ANSWER_BYTES),
            )
            .new_codec();
        Ok(Self {
            child: tokio::process::Command::from(command).spawn()?,
            mark,
            answers: FramedRead::new(answers, codec),
            requests,
            pipe: Some(pipe),
            piece: vec![0; PIECE],
            output: Text::new(limits.exec_buffer_bytes),
            output_limit: limits.exec_buffer_bytes,
            cells: 0,
        })
    }

    /// How many cells it was given.
    pub(super) fn cells(&self) -> u64 {
        self.cells
    }

    /// Reads what is written between cells; returns when it has ended, or speaks when it was not asked.
    pub(super) async fn rest(&mut self) {
        self.event().await;
    }

    /// Ends it, with all that it has started.
    pub(super) async fn end(&mut self) -> Option<ExitStatus> {
        end_all(&mut self.child, &self.mark).await
    }

    /// Does a cell to its end, whatever that is.
    pub(super) async fn run(
        &mut self,
        daemon: &Daemon,
        cell: &Cell,
        controls: &mut mpsc::Receiver<Controlled>,
    ) -> Outcome {
        self.cells += 1;
        let begun = Instant::now();
        let mut course = Course {
            since: Begun::now(),
            alarm: begun + cell.timeout,
            interrupts: 0,
            timed_out: false,
        };
        let request = request(daemon, &cell.code);
        let outcome = match self.course(&mut course, &request, cell, controls).await {
            Some(Event::Answer(answer)) => Outcome::read(answer),
            Some(Event::Ended(status)) => {
                // What it had started ends with it.
                let killed = self.end().await;
                Some(Outcome::lost(status.or(killed), self.cells))
            }
            None => None,
        };
        let mut outcome = match outcome {
            Some(outcome) => outcome,
            None => Outcome::lost(self.end().await, self.cells),
        };
        self.read_what_is_there();
        let output = std::mem::replace(&mut self.output, Text::new(self.output_limit));
        let result = &mut outcome.result;
        result.output_truncated = output.is_truncated();
        result.output = output.finish();
        result.timed_out = course.timed_out;
        result.interrupted = course.interrupts > 0;
        // Microseconds are as fine as means anything here. A duration is never negative, and zero is allowed.
        result.duration_ms =
            Number::new((begun.elapsed().as_secs_f64() * 1e6).round() / 1e3).unwrap_or_default();
        outcome
    }

    /// What a cell comes to; `None` where its interpreter has to be killed.
    async fn course(
        &mut self,
        course: &mut Course,
        request: &[u8],
        cell: &Cell,
        controls: &mut mpsc::Receiver<Controlled>,
    ) -> Option<Event> {
        let mut unsent = request;
        loop {
            let leader = group_of(&self.child);
            let next = tokio::select! {
                biased;
                event = event(&mut self.child, &mut self.answers, (&mut self.pipe, &mut self.piece, &mut self.output)) => {
                    return Some(event);
                }
                Some((control, done)) = controls.recv() => {
                    if control == RunControl::Restart {
                        course.interrupts += 1;
                        self.end().await;
                        // Whoever asked may be gone.
                        done.send(()).ok();
                        return None;
                    }
                    done.send(()).ok();
                    course.interrupts == 0
                }
                () = cell.session.over().cancelled(), if course.interrupts == 0 => true,
                () = sleep_until(course.alarm) => {
                    course.timed_out |= course.interrupts == 0;
                    true
                }
                sent = self.requests.write(unsent), if !unsent.is_empty() => {
                    unsent = &unsent[sent.unwrap_or(unsent.len())..];
                    false
                }
            };
            if next {
                if course.interrupts == 2 {
                    return None;
                }
                course.interrupts += 1;
                course.alarm = Instant::now() + GRACE / 2;
                if let Some(leader) = leader {
                    interrupt(leader, course.since).await;
                }
            }
        }
    }

    async fn event(&mut self) -> Event {
        event(
            &mut self.child,
            &mut self.answers,
            (&mut self.pipe, &mut self.piece, &mut self.output),
        )
        .await
    }

    /// Reads what has been written by now. Not by the runtime, which learns of it a little later.
    fn read_what_is_there(&mut self) {
        let mut read = 0;
        while let Some(pipe) = &self.pipe
            && read < PIPE
        {
            match rustix::io::read(pipe, &mut self.piece[..]) {
                Ok(0) => self.pipe = None,
                Ok(length) => {
                    self.output.take(&self.piece[..length]);
                    read += length;
                }
                Err(_) => return,
            }
        }
    }
}

/// How far a cell has come that is to stop.
#[derive(Debug)]
struct Course {
    since: Begun,
    alarm: Instant,
    interrupts: u32,
    timed_out: bool,
}

/// The next thing that an interpreter does; its output is read meanwhile, and kept where the wait is given up.
async fn event(
    child: &mut Child,
    answers: &mut FramedRead<OwnedReadHalf, LengthDelimitedCodec>,
    (pipe, piece, output): (&mut Option<pipe::Receiver>, &mut Vec<u8>, &mut Text),
) -> Event {
    loop {
        let reading = async {
            match pipe.as_mut() {
                Some(pipe) => pipe.read(piece).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            answer = answers.next() => return match answer {
                Some(Ok(answer)) => Event::Answer(answer.freeze()),
                // It has closed the socket, as it does when it ends, or said what is no answer.
                _ => Event::Ended(timeout(ENDING, child.wait()).await.ok().and_then(Result::ok)),
            },
            status = child.wait() => return Event::Ended(status.ok()),
            read = reading => match read {
                Ok(length) if length > 0 => output.take(&piece[..length]),
                _ => *pipe = None,
            },
        }
    }
}

/// A cell as the kernel reads it.
fn request(daemon: &Daemon, code: &str) -> Bytes {
    let request = json!({
        "code": code,
        "value_chars": VALUE_CHARACTERS,
        "outputs": OUTPUTS,
        "outputs_bytes": daemon.limits.run_outputs_bytes,
    })
    .to_string();
    let mut bytes = BytesMut::with_capacity(4 + request.len());
    // A message of a client is far from 4 GiB.
    bytes.put_u32_le(u32::try_from(request.len()).unwrap_or(u32::MAX));
    bytes.put_slice(request.as_bytes());
    bytes.freeze()
}
