//! A connection to the X server.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use x11rb::connection::Connection as _;
use x11rb::errors::{ConnectError, ConnectionError, ReplyError, ReplyOrIdError};
use x11rb::reexports::x11rb_protocol::{parse_display::parse_display, xauth};
use x11rb::rust_connection::{DefaultStream, PollMode, RustConnection, Stream};
use x11rb::utils::RawFdContainer;

use crate::DesktopError;

/// How long a server may keep a caller waiting. A server at work answers in milliseconds; one that was stopped, or
/// hangs, never does.
const PATIENCE: Duration = Duration::from_secs(5);

/// The TCP port of display 0.
const FIRST_PORT: u16 = 6000;

/// Connects to `display` (such as `:1`); returns the connection and the root window.
pub(crate) fn connect(display: &str) -> Result<(RustConnection, u32), DesktopError> {
    let (connection, screen) =
        x11rb::connect(Some(display)).map_err(|error| not_connected(display, &error))?;
    let root = root_of(&connection, display, screen)?;
    Ok((connection, root))
}

/// The answer of a question about a window, `None` where that window is gone.
///
/// # Errors
/// `Gone`.
pub(crate) fn answer<R>(reply: Result<R, ReplyError>) -> Result<Option<R>, DesktopError> {
    match reply {
        Ok(reply) => Ok(Some(reply)),
        Err(ReplyError::X11Error(_)) => Ok(None),
        Err(ReplyError::ConnectionError(error)) => Err(error.into()),
    }
}

/// Why there is no connection, and what helps.
fn not_connected(display: &str, error: &ConnectError) -> DesktopError {
    DesktopError::Gone(match error {
        ConnectError::DisplayParsingError(_) => {
            format!("{display:?} is not the name of a display, which is one such as :1")
        }
        ConnectError::IoError(error) => format!("nothing listens at display {display}: {error}"),
        ConnectError::SetupFailed(_) | ConnectError::SetupAuthenticate(_) => format!(
            "display {display} lets nobody in without its cookie; set XAUTHORITY to the file that holds it: {error}"
        ),
        other => format!("display {display}: {other}"),
    })
}

/// A connection whose every wait for the server ends after [`PATIENCE`].
pub(crate) type PatientConnection = RustConnection<PatientStream>;

/// Connects like [`connect`]; a server that has stopped makes the calls on this connection fail instead of hang.
///
/// Not for those who wait for an event that may not come: that would be an error after the same time.
pub(crate) fn connect_patiently(display: &str) -> Result<(PatientConnection, u32), DesktopError> {
    let failed = |error: ConnectError| not_connected(display, &error);
    let parsed = parse_display(Some(display)).map_err(|error| failed(error.into()))?;
    // x11rb adds the number to a port without a check.
    if parsed.display > u16::MAX - FIRST_PORT {
        return Err(DesktopError::Gone(format!(
            "there is no display {display}: the number is too large"
        )));
    }
    let mut failure = io::Error::from(io::ErrorKind::NotFound);
    for address in parsed.connect_instruction() {
        let (stream, (family, peer)) = match DefaultStream::connect(&address) {
            Ok(found) => found,
            Err(error) => {
                failure = error;
                continue;
            }
        };
        // Without a cookie, or where the file cannot be read, the server decides by the peer alone.
        let (name, data) = xauth::get_auth(family, &peer, parsed.display)
            .unwrap_or(None)
            .unwrap_or_default();
        let screen = usize::from(parsed.screen);
        let stream = PatientStream {
            inner: stream,
            full: AtomicBool::new(false),
        };
        let connection =
            RustConnection::connect_to_stream_with_auth_info(stream, screen, name, data).map_err(failed)?;
        let root = root_of(&connection, display, screen)?;
        return Ok((connection, root));
    }
    Err(failed(failure.into()))
}

fn root_of<S: Stream>(
    connection: &RustConnection<S>,
    display: &str,
    screen: usize,
) -> Result<u32, DesktopError> {
    let screen_of = connection.setup().roots.get(screen);
    screen_of
        .map(|screen| screen.root)
        .ok_or_else(|| DesktopError::Gone(format!("display {display} has no screen {screen}")))
}

/// A socket to the X server on which no wait is longer than [`PATIENCE`].
#[derive(Debug)]
pub(crate) struct PatientStream {
    inner: DefaultStream,
    /// The last write found the socket full. Otherwise the next is tried without asking first, which spares the question.
    full: AtomicBool,
}

impl PatientStream {
    /// Waits until the server has sent something, at most until `deadline`; says whether it has.
    pub(crate) fn readable_by(&self, deadline: Instant) -> io::Result<bool> {
        self.ready(PollFlags::IN, deadline)
    }

    fn note_full(&self, written: io::Result<usize>) -> io::Result<usize> {
        let full = matches!(&written, Err(error) if error.kind() == io::ErrorKind::WouldBlock);
        self.full.store(full, Ordering::Relaxed);
        written
    }

    fn ready(&self, wanted: PollFlags, deadline: Instant) -> io::Result<bool> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let timeout = Timespec::try_from(left).map_err(io::Error::other)?;
            match poll(&mut [PollFd::new(&self.inner, wanted)], Some(&timeout)) {
                // A hang-up counts: it shows when the caller reads.
                Ok(ready) => return Ok(ready > 0),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl Stream for PatientStream {
    fn poll(&self, mode: PollMode) -> io::Result<()> {
        if mode.writable() && !self.full.load(Ordering::Relaxed) {
            return Ok(());
        }
        let mut wanted = PollFlags::empty();
        wanted.set(PollFlags::IN, mode.readable());
        wanted.set(PollFlags::OUT, mode.writable());
        if self.ready(wanted, Instant::now() + PATIENCE)? {
            return Ok(());
        }
        let text = format!("no answer within {} seconds", PATIENCE.as_secs());
        Err(io::Error::new(io::ErrorKind::TimedOut, text))
    }

    fn read(&self, buf: &mut [u8], fds: &mut Vec<RawFdContainer>) -> io::Result<usize> {
        self.inner.read(buf, fds)
    }

    fn write(&self, buf: &[u8], fds: &mut Vec<RawFdContainer>) -> io::Result<usize> {
        self.note_full(self.inner.write(buf, fds))
    }

    fn write_vectored(&self, bufs: &[io::IoSlice<'_>], fds: &mut Vec<RawFdContainer>) -> io::Result<usize> {
        self.note_full(self.inner.write_vectored(bufs, fds))
    }
}

impl From<ConnectionError> for DesktopError {
    fn from(error: ConnectionError) -> Self {
        Self::Gone(error.to_string())
    }
}

impl From<ReplyError> for DesktopError {
    fn from(error: ReplyError) -> Self {
        match error {
            ReplyError::ConnectionError(error) => error.into(),
            ReplyError::X11Error(error) => {
                Self::Unsupported(format!("the X server refused a request: {error:?}"))
            }
        }
    }
}

impl From<ReplyOrIdError> for DesktopError {
    fn from(error: ReplyOrIdError) -> Self {
        match error {
            ReplyOrIdError::ConnectionError(error) => error.into(),
            ReplyOrIdError::X11Error(error) => {
                Self::Unsupported(format!("the X server refused a request: {error:?}"))
            }
            ReplyOrIdError::IdsExhausted => Self::Gone("the X server has no resource ids left".to_owned()),
        }
    }
}
