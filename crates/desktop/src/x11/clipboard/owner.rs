//! The thread: one loop over what the X server reports and what callers ask for.

use std::collections::VecDeque;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use x11rb::connection::{Connection as _, RequestConnection as _, SequenceNumber};
use x11rb::protocol::Event;
use x11rb::protocol::xfixes::{self, ConnectionExt as _, SelectionEventMask};
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _, PropMode, Property, Timestamp, Window};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

use super::drain::Drain;
use super::owning::Owned;
use super::reading::Reading;
use super::transfer::Transfers;
use super::{Kind, Request, wake};
use crate::DesktopError;
use crate::x11::atoms::Atoms;
use crate::x11::connection::connect;
use crate::x11::hidden_window::hidden_window;

/// Events that are handled before callers are looked after.
const EVENTS_AT_ONCE: usize = 256;

/// All that the thread has.
#[derive(Debug)]
pub(super) struct Owner {
    pub(super) server: Server,
    /// What we have the clipboard with, while we have it.
    pub(super) owned: Option<Owned>,
    /// Large texts on their way to others.
    pub(super) transfers: Transfers,
    /// The text of another program on its way to us.
    pub(super) reading: Option<Reading>,
    /// Windows of readings whose answer may still come, oldest first.
    pub(super) retired: VecDeque<Window>,
    /// Texts in pieces on their way to nobody.
    pub(super) drains: Vec<Drain>,
    pub(super) limit_bytes: usize,
    requests: Receiver<Request>,
    wake: Arc<OwnedFd>,
}

/// The connection of the thread.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) conn: RustConnection,
    pub(super) root: Window,
    pub(super) atoms: Atoms,
    /// Owns the selection. Never shown.
    pub(super) window: Window,
    /// Events that came while one was waited for.
    backlog: VecDeque<(Event, SequenceNumber)>,
}

/// Whether callers are still there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Callers {
    Present,
    Gone,
}

impl Owner {
    /// Connects.
    ///
    /// # Errors
    /// `Gone`; `Unsupported` where XFIXES is missing.
    pub(super) fn new(
        display: &str,
        limit_bytes: usize,
        requests: Receiver<Request>,
        wake: Arc<OwnedFd>,
    ) -> Result<Self, DesktopError> {
        Ok(Self {
            server: Server::open(display)?,
            owned: None,
            transfers: Transfers::default(),
            reading: None,
            retired: VecDeque::new(),
            drains: Vec::new(),
            limit_bytes,
            requests,
            wake,
        })
    }

    /// Serves until the callers or the X server are gone.
    ///
    /// # Errors
    /// `Gone`.
    pub(super) fn run(mut self) -> Result<(), DesktopError> {
        loop {
            if self.take_requests()? == Callers::Gone {
                return Ok(());
            }
            self.take_events()?;
            let now = Instant::now();
            self.transfers.drop_late(&self.server, now)?;
            self.give_up_reading(now)?;
            self.give_up_drains(now)?;
            // Flushing may read events in; the wait below would not see those.
            self.server.conn.flush()?;
            if self.take_events()? == 0 {
                self.wait()?;
            }
        }
    }

    fn take_requests(&mut self) -> Result<Callers, DesktopError> {
        loop {
            let request = match self.requests.try_recv() {
                Ok(request) => request,
                Err(TryRecvError::Empty) => return Ok(Callers::Present),
                Err(TryRecvError::Disconnected) => return Ok(Callers::Gone),
            };
            if Instant::now() >= request.deadline {
                continue;
            }
            match request.kind {
                Kind::Get(reply) => self.begin_reading(reply)?,
                Kind::Set(text, reply) => {
                    let outcome = self.take_ownership(text);
                    let gone = matches!(outcome, Err(DesktopError::Gone(_)));
                    // Who has stopped waiting need not be told.
                    reply.send(outcome.clone()).ok();
                    if gone {
                        outcome?;
                    }
                }
            }
        }
    }

    /// Handles what has been reported, but not so much that callers have to wait for it; how much that was.
    fn take_events(&mut self) -> Result<usize, DesktopError> {
        for taken in 0..EVENTS_AT_ONCE {
            let Some((event, at)) = self.server.next_event()? else {
                return Ok(taken);
            };
            match event {
                Event::SelectionRequest(request) => self.answer(request)?,
                Event::SelectionClear(clear) if clear.selection == self.server.atoms.CLIPBOARD => {
                    self.lose_ownership(at);
                }
                Event::SelectionNotify(notice) => self.note_answer(notice)?,
                Event::XfixesSelectionNotify(notice) => self.note_owner(notice.owner, at)?,
                Event::PropertyNotify(notice) if notice.state == Property::DELETE => {
                    self.transfers.go_on(&self.server, notice.window, notice.atom)?;
                }
                Event::PropertyNotify(notice) if notice.atom == self.server.atoms.SHINKEN_CLIPBOARD => {
                    self.note_piece(notice.window)?;
                }
                Event::DestroyNotify(notice) => self.transfers.forget(notice.window),
                _ => {}
            }
        }
        Ok(EVENTS_AT_ONCE)
    }

    /// Waits for the X server, for a caller, or until something is late.
    fn wait(&mut self) -> Result<(), DesktopError> {
        let deadlines = [
            self.transfers.deadline(),
            self.reading.as_ref().map(Reading::deadline),
            self.drains.iter().map(Drain::deadline).min(),
        ];
        let timeout = deadlines.into_iter().flatten().min().map(|deadline| {
            // Rounded up, so that the deadline has passed afterwards.
            let left = deadline.saturating_duration_since(Instant::now()) + Duration::from_millis(1);
            // A deadline is seconds away, which a time can hold.
            Timespec::try_from(left).unwrap_or_default()
        });
        let mut waited = [
            PollFd::from_borrowed_fd(self.server.conn.stream().as_fd(), PollFlags::IN),
            PollFd::new(&self.wake, PollFlags::IN),
        ];
        match poll(&mut waited, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(DesktopError::Gone(format!("cannot wait for it: {error}"))),
        }
        wake::clear(&self.wake);
        Ok(())
    }
}

impl Server {
    fn open(display: &str) -> Result<Self, DesktopError> {
        let (conn, root) = connect(display)?;
        if conn.extension_information(xfixes::X11_EXTENSION_NAME)?.is_none() {
            return Err(DesktopError::Unsupported(
                "the X server has no XFIXES extension, which the clipboard needs; use another X server"
                    .to_owned(),
            ));
        }
        let version = conn.xfixes_query_version(5, 0)?;
        let atoms = Atoms::new(&conn)?;
        version.reply()?;
        let atoms = atoms.reply()?;
        let window = hidden_window(&conn, root)?;
        conn.xfixes_select_selection_input(
            window,
            atoms.CLIPBOARD,
            SelectionEventMask::SET_SELECTION_OWNER
                | SelectionEventMask::SELECTION_WINDOW_DESTROY
                | SelectionEventMask::SELECTION_CLIENT_CLOSE,
        )?
        .check()?;
        Ok(Self {
            conn,
            root,
            atoms,
            window,
            backlog: VecDeque::new(),
        })
    }

    fn next_event(&mut self) -> Result<Option<(Event, SequenceNumber)>, DesktopError> {
        match self.backlog.pop_front() {
            Some(event) => Ok(Some(event)),
            None => Ok(self.conn.poll_for_event_with_sequence()?),
        }
    }

    /// The time of the X server, got as ICCCM 2.1 advises: from the notice of a change that changes nothing.
    ///
    /// # Errors
    /// `Gone`.
    pub(super) fn time(&mut self) -> Result<Timestamp, DesktopError> {
        let (conn, name) = (&self.conn, self.atoms.SHINKEN_TIME);
        conn.change_property8(PropMode::APPEND, self.window, name, AtomEnum::STRING, &[])?
            .ignore_error();
        // The notice comes before this answer.
        conn.get_input_focus()?.reply()?;
        while let Some((event, at)) = conn.poll_for_event_with_sequence()? {
            match event {
                Event::PropertyNotify(notice) if notice.window == self.window && notice.atom == name => {
                    return Ok(notice.time);
                }
                other => self.backlog.push_back((other, at)),
            }
        }
        Err(DesktopError::Gone("it does not tell the time".to_owned()))
    }
}
