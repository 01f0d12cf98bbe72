//! Whether the program that has the focus has read all that was sent to it.
//!
//! A program looks up what a key means when it comes to read the event, not when the key goes down. So a key that was
//! bound for one character must stay bound until the program has read it. Programs of the usual toolkits answer a question
//! that they read in the same queue as keys (`_NET_WM_PING`, EWMH). Of the others it is awaited that they sleep: a
//! program that has something to read does not.

use std::time::{Duration, Instant};

use x11rb::protocol::xproto::{
    AtomEnum, CLIENT_MESSAGE_EVENT, ClientMessageEvent, ConnectionExt as _, EventMask, InputFocus, Window,
};

use super::seat::{Pong, Seat};
use crate::DesktopError;
use crate::x11::connection::answer;

/// How long a program that is said to answer may take.
const ANSWER: Duration = Duration::from_secs(4);
/// How long one that does not answer is given at least, and at most.
const SHORTEST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(2);
/// How often, and how many times in a row, such a program must be found asleep.
const GLANCE: Duration = Duration::from_millis(10);
const GLANCES: u32 = 4;
/// The same for one of which nothing is known.
const UNKNOWN: Duration = Duration::from_millis(400);
/// Windows deeper than this in others are not looked for.
const DEPTH: usize = 32;
/// Protocols of a window that are read.
const PROTOCOLS: u32 = 64;

/// How to find out that a program has read its events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Listener {
    /// It answers for this window.
    Answers(Window),
    /// It does not, and is this process.
    Process(u32),
    /// It does not, and is nobody that we know.
    Unknown,
}

impl Listener {
    /// Who has the focus.
    pub(super) fn find(seat: &mut Seat) -> Result<Self, DesktopError> {
        seat.round_trip()?;
        let mut window = seat.focus();
        let mut found = Self::Unknown;
        for _ in 0..DEPTH {
            if window == x11rb::NONE || window == u32::from(InputFocus::POINTER_ROOT) || window == seat.root {
                break;
            }
            let (atoms, conn) = (&seat.atoms, &seat.conn);
            let protocols =
                conn.get_property(false, window, atoms.WM_PROTOCOLS, AtomEnum::ATOM, 0, PROTOCOLS)?;
            let process = conn.get_property(false, window, atoms._NET_WM_PID, AtomEnum::CARDINAL, 0, 1)?;
            let tree = conn.query_tree(window)?;
            let (protocols, process) = (answer(protocols.reply())?, answer(process.reply())?);
            let Some(tree) = answer(tree.reply())? else { break };
            let answers = protocols.and_then(|list| {
                list.value32()
                    .map(|mut list| list.any(|atom| atom == atoms._NET_WM_PING))
            });
            if answers == Some(true) {
                return Ok(Self::Answers(window));
            }
            if let Some(process) = process.and_then(|value| value.value32()?.next()) {
                found = Self::Process(process);
            }
            window = tree.parent;
        }
        Ok(found)
    }

    /// Waits until it has read all that was sent so far; `false` if it did not answer.
    pub(super) fn wait(self, seat: &mut Seat) -> Result<bool, DesktopError> {
        seat.round_trip()?;
        match self {
            Self::Answers(window) => ask(seat, window),
            Self::Process(process) => {
                wait_for_sleep(process);
                Ok(true)
            }
            Self::Unknown => {
                std::thread::sleep(UNKNOWN);
                Ok(true)
            }
        }
    }
}

fn ask(seat: &mut Seat, window: Window) -> Result<bool, DesktopError> {
    let time = seat.server_time()?;
    let data = [seat.atoms._NET_WM_PING, time, window, 0, 0];
    let question = ClientMessageEvent {
        response_type: CLIENT_MESSAGE_EVENT,
        format: 32,
        sequence: 0,
        window,
        type_: seat.atoms.WM_PROTOCOLS,
        data: data.into(),
    };
    seat.conn
        .send_event(false, window, EventMask::NO_EVENT, question)?;
    seat.await_pong(Pong { time, window }, Instant::now() + ANSWER)
}

fn wait_for_sleep(process: u32) {
    let (earliest, latest) = (Instant::now() + SHORTEST, Instant::now() + LONGEST);
    let mut asleep = 0;
    while asleep < GLANCES && Instant::now() < latest {
        std::thread::sleep(GLANCE);
        asleep = if sleeps(process) { asleep + 1 } else { 0 };
    }
    std::thread::sleep(earliest.saturating_duration_since(Instant::now()));
}

/// Whether a process waits for something to happen. One that cannot be looked at does not say so.
fn sleeps(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The state follows the name, which is in brackets and may hold anything (proc_pid_stat(5)).
    stat.rsplit_once(") ")
        .is_some_and(|(_, rest)| rest.starts_with('S'))
}
