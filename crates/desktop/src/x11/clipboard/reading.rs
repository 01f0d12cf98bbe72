//! Reading what another program has on the clipboard.
//!
//! Each reading has a window of its own, so that an answer that comes too late is never taken for that of a later one,
//! and so that an owner that got stuck with one window serves the next.
//!
//! Owners change while they are asked, and one that is gone does not answer. Whom a question has reached is known exactly:
//! the X server reports a new owner by a notice that carries the number of the last of our requests it had seen. Only an
//! owner that came after the question makes us ask anew. Asking one owner twice is no way out, since simple ones, xclip
//! for one, drop the second question while they hand over a large text for the first.

use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use x11rb::connection::SequenceNumber;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ConnectionExt as _, GetPropertyReply, SelectionNotifyEvent, Window,
};

use super::drain::Caller;
use super::owner::Owner;
use crate::DesktopError;
use crate::x11::connection::answer;
use crate::x11::hidden_window::hidden_window;
use crate::x11::text::{self, NotText};

/// How long the owner may take.
const PATIENCE: Duration = Duration::from_millis(2500);

/// Windows of readings given up that are kept for a late answer. An owner that finds none may die of the X error.
const RETIRED: usize = 32;

/// The way to a caller.
pub(super) type Reply = SyncSender<Result<String, DesktopError>>;

/// A reading under way.
#[derive(Debug)]
pub(super) struct Reading {
    reply: Reply,
    deadline: Instant,
    /// Receives the text.
    window: Window,
    /// Who was asked, as far as notices have told.
    owner: Window,
    /// The question. A notice of a new owner from before it means that it has reached that one.
    asked_by: SequenceNumber,
    target: Atom,
    /// The question has reached an owner that was not asked for the better form before.
    astray: bool,
    /// An earlier target gave text, but in no encoding that it may be in.
    not_utf8: bool,
}

/// What an owner gave.
#[derive(Debug)]
pub(super) enum Found {
    Text(String),
    /// This many bytes.
    TooLarge(usize),
    /// The offer to hand it over piece by piece, which is for texts that are too large for one property.
    Pieces,
    /// Bytes that claim to be UTF-8.
    NotUtf8,
    /// No text.
    Nothing,
}

impl Found {
    /// What the caller is told.
    pub(super) fn outcome(self, limit: usize) -> Result<String, DesktopError> {
        let too_large = |how: &str| {
            DesktopError::ClipboardTooLarge(format!(
                "the text on the clipboard {how}; the limit is {limit} bytes: copy less, or save it to a file"
            ))
        };
        Err(match self {
            Self::Text(text) => return Ok(text),
            Self::TooLarge(bytes) => too_large(&format!("has {bytes} bytes")),
            Self::Pieces => too_large("is so large that its owner hands it over in pieces only"),
            Self::NotUtf8 => DesktopError::Unsupported(
                "the text on the clipboard is not valid UTF-8, as which its owner gives it out; \
                 save it to a file in the program that has it"
                    .to_owned(),
            ),
            Self::Nothing => DesktopError::Unsupported(
                "the clipboard holds no text but something else, such as a picture or files; \
                 copy text, or save it to a file in the program that has it"
                    .to_owned(),
            ),
        })
    }
}

impl Reading {
    /// When it is given up.
    pub(super) fn deadline(&self) -> Instant {
        self.deadline
    }
}

impl Owner {
    /// Begins to read.
    ///
    /// # Errors
    /// `Gone`.
    pub(super) fn begin_reading(&mut self, reply: Reply) -> Result<(), DesktopError> {
        // A reading that is still under way is that of a caller who has stopped waiting.
        if let Some(earlier) = self.reading.take() {
            self.retire(earlier.window)?;
        }
        self.ask_owner(reply, Instant::now() + PATIENCE)
    }

    fn ask_owner(&mut self, reply: Reply, deadline: Instant) -> Result<(), DesktopError> {
        let clipboard = self.server.atoms.CLIPBOARD;
        let owner = self.server.conn.get_selection_owner(clipboard)?.reply()?.owner;
        if owner == x11rb::NONE || owner == self.server.window {
            let text = self.owned.as_ref().filter(|_| owner != x11rb::NONE);
            let text = text.map_or_else(String::new, |owned| owned.text.as_ref().to_owned());
            // Who has stopped waiting need not be told; the same below.
            reply.send(Ok(text)).ok();
            return Ok(());
        }
        let window = hidden_window(&self.server.conn, self.server.root)?;
        let target = self.server.atoms.UTF8_STRING;
        let asked_by = self.convert(window, target)?;
        self.reading = Some(Reading {
            reply,
            deadline,
            window,
            owner,
            asked_by,
            target,
            astray: false,
            not_utf8: false,
        });
        Ok(())
    }

    /// Asks the owner for the clipboard as `target`; the number of the question.
    fn convert(&mut self, window: Window, target: Atom) -> Result<SequenceNumber, DesktopError> {
        let now = self.server.time()?;
        let atoms = &self.server.atoms;
        let property = atoms.SHINKEN_CLIPBOARD;
        let question = self
            .server
            .conn
            .convert_selection(window, atoms.CLIPBOARD, target, property, now)?;
        let number = question.sequence_number();
        question.ignore_error();
        Ok(number)
    }

    /// Takes the answer of an owner.
    ///
    /// # Errors
    /// `Gone`.
    pub(super) fn note_answer(&mut self, notice: SelectionNotifyEvent) -> Result<(), DesktopError> {
        if let Some(index) = self.retired.iter().position(|window| *window == notice.requestor) {
            self.retired.remove(index);
            return self.take_late(notice);
        }
        let Some(mut reading) = self.reading.take_if(|reading| reading.window == notice.requestor) else {
            return Ok(());
        };
        let found = match notice.property {
            x11rb::NONE => Found::Nothing,
            property => self.fetch(reading.window, property)?,
        };
        // Without an owner the X server itself refuses.
        let unowned = reading.owner == x11rb::NONE && matches!(found, Found::Nothing);
        if unowned || (reading.astray && !matches!(found, Found::Pieces)) {
            self.server.conn.destroy_window(reading.window)?.ignore_error();
            return self.ask_owner(reading.reply, reading.deadline);
        }
        let string = Atom::from(AtomEnum::STRING);
        if matches!(found, Found::Nothing | Found::NotUtf8) && reading.target != string {
            reading.target = string;
            reading.not_utf8 = matches!(found, Found::NotUtf8);
            reading.asked_by = self.convert(reading.window, string)?;
            self.reading = Some(reading);
            return Ok(());
        }
        if matches!(found, Found::Pieces) {
            let (reply, deadline) = (reading.reply, reading.deadline);
            return self.drain(reading.window, Some(Caller { reply, deadline }));
        }
        self.server.conn.destroy_window(reading.window)?.ignore_error();
        let outcome = match found {
            Found::Nothing if reading.not_utf8 => Found::NotUtf8.outcome(self.limit_bytes),
            found => found.outcome(self.limit_bytes),
        };
        reading.reply.send(outcome).ok();
        Ok(())
    }

    /// Takes an answer that comes too late, so that its owner can go on to other things.
    fn take_late(&mut self, notice: SelectionNotifyEvent) -> Result<(), DesktopError> {
        let (window, conn) = (notice.requestor, &self.server.conn);
        let asked = conn.get_property(false, window, notice.property, AtomEnum::ANY, 0, 0)?;
        if answer(asked.reply())?.is_some_and(|offer| offer.type_ == self.server.atoms.INCR) {
            return self.drain(window, None);
        }
        conn.destroy_window(window)?.ignore_error();
        Ok(())
    }

    /// Takes the text out of a property.
    fn fetch(&self, window: Window, property: Atom) -> Result<Found, DesktopError> {
        let conn = &self.server.conn;
        // In units of four bytes, and one more to see that there is more.
        let units = u32::try_from(self.limit_bytes / 4 + 1).unwrap_or(u32::MAX);
        let asked = conn.get_property(false, window, property, AtomEnum::ANY, 0, units)?;
        let Some(answer) = answer(asked.reply())? else {
            return Ok(Found::Nothing);
        };
        if answer.type_ == self.server.atoms.INCR {
            // Not deleted: that would have the owner send the first piece.
            return Ok(Found::Pieces);
        }
        // Some owners wait for this (ICCCM, 2.4).
        conn.delete_property(window, property)?.ignore_error();
        Ok(self.judge(answer))
    }

    fn judge(&self, property: GetPropertyReply) -> Found {
        let left = usize::try_from(property.bytes_after).unwrap_or(usize::MAX);
        let bytes = property.value.len().saturating_add(left);
        if property.format != 8 {
            return Found::Nothing;
        }
        if bytes > self.limit_bytes {
            return Found::TooLarge(bytes);
        }
        match text::decode(&self.server.atoms, property.type_, property.value) {
            // Latin-1 grows when it becomes UTF-8.
            Ok(text) if text.len() > self.limit_bytes => Found::TooLarge(text.len()),
            Ok(text) => Found::Text(text),
            Err(NotText::Kind) => Found::Nothing,
            Err(NotText::Encoding) => Found::NotUtf8,
        }
    }

    /// Takes note of a new owner. One that was asked and is gone will not answer any more, so the new one is asked, unless
    /// the question has reached that one already.
    ///
    /// # Errors
    /// `Gone`.
    pub(super) fn note_owner(&mut self, owner: Window, at: SequenceNumber) -> Result<(), DesktopError> {
        self.release_drained();
        let Some(mut reading) = self.reading.take_if(|reading| reading.owner != owner) else {
            return Ok(());
        };
        if at < reading.asked_by {
            reading.owner = owner;
            // The better form is asked for first, so this question is a second one, and the first went to another.
            reading.astray |= reading.target != self.server.atoms.UTF8_STRING;
            self.reading = Some(reading);
            return Ok(());
        }
        self.retire(reading.window)?;
        self.ask_owner(reading.reply, reading.deadline)
    }

    /// Ends a reading whose owner does not answer.
    pub(super) fn give_up_reading(&mut self, now: Instant) -> Result<(), DesktopError> {
        let Some(reading) = self.reading.take_if(|reading| reading.deadline <= now) else {
            return Ok(());
        };
        self.retire(reading.window)?;
        let error = DesktopError::ClipboardTimeout(format!(
            "the program that has the clipboard did not answer within {} ms, it may hang; \
             try again, or set the clipboard anew",
            PATIENCE.as_millis()
        ));
        reading.reply.send(Err(error)).ok();
        Ok(())
    }

    /// Keeps the window of a reading that was given up, for a while.
    fn retire(&mut self, window: Window) -> Result<(), DesktopError> {
        self.retired.push_back(window);
        if self.retired.len() > RETIRED
            && let Some(oldest) = self.retired.pop_front()
        {
            self.server.conn.destroy_window(oldest)?.ignore_error();
        }
        Ok(())
    }
}
