//! Letting an owner that hands over a text in pieces (INCR) come to its end, though nobody reads it.
//!
//! Simple owners, xclip for one, serve nobody else until their pieces have been taken: to walk away would leave the
//! clipboard dead for everyone.

use std::time::{Duration, Instant};

use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _, Window};

use super::owner::Owner;
use super::reading::{Found, Reply};
use crate::DesktopError;
use crate::x11::connection::answer;

/// How long the owner may take for a piece.
const PATIENCE: Duration = Duration::from_secs(5);

/// Pieces that are taken at most. Most owners make them 64 KiB and larger.
const PIECES: u32 = 100_000;

/// A transfer to nobody.
#[derive(Debug)]
pub(super) struct Drain {
    window: Window,
    pieces: u32,
    /// When the owner is given up.
    deadline: Instant,
    caller: Option<Caller>,
}

/// Who is told when it is over, so that a second call finds the owner ready again, or at that time.
#[derive(Debug)]
pub(super) struct Caller {
    pub(super) reply: Reply,
    pub(super) deadline: Instant,
}

impl Drain {
    /// When the next thing is due, if nothing happens before.
    pub(super) fn deadline(&self) -> Instant {
        let told = self.caller.as_ref().map(|caller| caller.deadline);
        told.map_or(self.deadline, |told| told.min(self.deadline))
    }

    fn tell(&mut self, limit: usize) {
        if let Some(caller) = self.caller.take() {
            // Who has stopped waiting need not be told.
            caller.reply.send(Found::Pieces.outcome(limit)).ok();
        }
    }
}

impl Owner {
    /// Begins: the offer is accepted by deleting it.
    ///
    /// # Errors
    /// `Gone`.
    pub(super) fn drain(&mut self, window: Window, caller: Option<Caller>) -> Result<(), DesktopError> {
        let property = self.server.atoms.SHINKEN_CLIPBOARD;
        self.server.conn.delete_property(window, property)?.ignore_error();
        self.drains.push(Drain {
            window,
            pieces: 0,
            deadline: Instant::now() + PATIENCE,
            caller,
        });
        Ok(())
    }

    /// Takes a piece of a transfer to nobody, without fetching it. The last one is empty.
    ///
    /// # Errors
    /// `Gone`.
    pub(super) fn note_piece(&mut self, window: Window) -> Result<(), DesktopError> {
        let Some(index) = self.drains.iter().position(|drain| drain.window == window) else {
            return Ok(());
        };
        let (conn, property) = (&self.server.conn, self.server.atoms.SHINKEN_CLIPBOARD);
        let piece = conn.get_property(false, window, property, AtomEnum::ANY, 0, 0)?;
        let empty = answer(piece.reply())?.is_none_or(|piece| piece.bytes_after == 0);
        conn.delete_property(window, property)?.ignore_error();
        let drain = &mut self.drains[index];
        drain.pieces += 1;
        drain.deadline = Instant::now() + PATIENCE;
        if empty || drain.pieces >= PIECES {
            self.end_drain(index)?;
        }
        Ok(())
    }

    /// Tells callers who have waited long enough, and ends transfers whose owner does not go on.
    ///
    /// # Errors
    /// `Gone`.
    pub(super) fn give_up_drains(&mut self, now: Instant) -> Result<(), DesktopError> {
        for drain in &mut self.drains {
            if drain.deadline() <= now {
                drain.tell(self.limit_bytes);
            }
        }
        while let Some(index) = self.drains.iter().position(|drain| drain.deadline <= now) {
            self.end_drain(index)?;
        }
        Ok(())
    }

    /// Tells all callers: the owner has changed, so it does not matter to a second call whether the old one is ready again.
    pub(super) fn release_drained(&mut self) {
        for drain in &mut self.drains {
            drain.tell(self.limit_bytes);
        }
    }

    fn end_drain(&mut self, index: usize) -> Result<(), DesktopError> {
        let mut drain = self.drains.swap_remove(index);
        drain.tell(self.limit_bytes);
        self.server.conn.destroy_window(drain.window)?.ignore_error();
        Ok(())
    }
}
