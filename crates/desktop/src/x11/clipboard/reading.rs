//! Reading what another program has on the clipboard.
//!
//! Each reading has a window of its own, so that an answer that comes too late is never taken for that of a later one,
//! and so that an owner that got stuck with one window serves the next.

use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use x11rb::connection::SequenceNumber;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ConnectionExt as _, GetPropertyReply, SelectionNotifyEvent, Window,
};

use super::owner::{Owner, hidden_window};
use crate::DesktopError;
use crate::x11::connection::answer;
use crate::x11::text;

/// How long the owner may take.
const PATIENCE: Duration = Duration::from_millis(2500);

/// Windows of readings given up that are kept for a late answer. An owner that finds none may die of the X error.
const RETIRED: usize = 32;

type Reply = SyncSender<Result<String, DesktopError>>;

/// A reading under way.
#[derive(Debug)]
pub(super) struct Reading {
    reply: Reply,
    deadline: Instant,
    /// Receives the text.
    window: Window,
    /// Who was asked.
    owner: Window,
    /// The request that asked; notices of new owners from before it are old.
    asked_by: SequenceNumber,
    target: Atom,
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
        });
        Ok(())
    }

    /// Asks the owner for the clipboard as `target`.
    fn convert(&mut self, window: Window, target: Atom) -> Result<SequenceNumber, DesktopError> {
        let now = self.server.time()?;
        let atoms = &self.server.atoms;
        let property = atoms.SHINKEN_CLIPBOARD;
        let asked = self
            .server
            .conn
            .convert_selection(window, atoms.CLIPBOARD, target, property, now)?;
        let asked_by = asked.sequence_number();
        asked.ignore_error();
        Ok(asked_by)
    }

    /// Takes the answer of an owner.
    ///
    /// # Errors
    /// `Gone`.
    pub(super) fn note_answer(&mut self, notice: SelectionNotifyEvent) -> Result<(), DesktopError> {
        if let Some(index) = self.retired.iter().position(|window| *window == notice.requestor) {
            // Too late, but now the owner is done with it.
            self.retired.remove(index);
            self.server.conn.destroy_window(notice.requestor)?.ignore_error();
            return Ok(());
        }
        let Some(mut reading) = self.reading.take_if(|reading| reading.window == notice.requestor) else {
            return Ok(());
        };
        let outcome = match notice.property {
            x11rb::NONE => Ok(None),
            property => self.fetch(reading.window, property)?,
        };
        let string = Atom::from(AtomEnum::STRING);
        let outcome = match outcome {
            Ok(Some(text)) => Ok(text),
            Ok(None) if reading.target != string => {
                reading.target = string;
                reading.asked_by = self.convert(reading.window, string)?;
                self.reading = Some(reading);
                return Ok(());
            }
            Ok(None) => Err(DesktopError::Unsupported(
                "the clipboard holds no text but something else, such as a picture or files; \
                 copy text, or save it to a file in the program that has it"
                    .to_owned(),
            )),
            Err(error) => Err(error),
        };
        // This also tells an owner that would send more that nobody reads it.
        self.server.conn.destroy_window(reading.window)?.ignore_error();
        reading.reply.send(outcome).ok();
        Ok(())
    }

    /// Takes the text out of a property; the inner `None` where there is no text in it.
    fn fetch(
        &self,
        window: Window,
        property: Atom,
    ) -> Result<Result<Option<String>, DesktopError>, DesktopError> {
        let conn = &self.server.conn;
        // In units of four bytes, and one more to see that there is more.
        let units = u32::try_from(self.limit_bytes / 4 + 1).unwrap_or(u32::MAX);
        let property = conn.get_property(false, window, property, AtomEnum::ANY, 0, units)?;
        Ok(match answer(property.reply())? {
            Some(property) => self.judge(property),
            None => Ok(None),
        })
    }

    fn judge(&self, property: GetPropertyReply) -> Result<Option<String>, DesktopError> {
        let limit = self.limit_bytes;
        let atoms = &self.server.atoms;
        let too_large = |how: &str| {
            Err(DesktopError::ClipboardTooLarge(format!(
                "the text on the clipboard {how}; the limit is {limit} bytes: copy less, or save it to a file"
            )))
        };
        if property.type_ == atoms.INCR {
            return too_large("is so large that its owner hands it over in pieces only");
        }
        if property.bytes_after > 0 || property.value.len() > limit {
            let bytes =
                property.value.len() + usize::try_from(property.bytes_after).unwrap_or(usize::MAX / 2);
            return too_large(&format!("has {bytes} bytes"));
        }
        if property.format != 8 {
            return Ok(None);
        }
        match text::decode(atoms, property.type_, property.value) {
            // Latin-1 grows when it becomes UTF-8.
            Some(text) if text.len() > limit => too_large(&format!("has {} bytes", text.len())),
            text => Ok(text),
        }
    }

    /// Takes note of a new owner: one that was asked and is gone will not answer any more, so the new one is asked.
    ///
    /// # Errors
    /// `Gone`.
    pub(super) fn note_owner(&mut self, owner: Window, at: SequenceNumber) -> Result<(), DesktopError> {
        let Some(reading) = self
            .reading
            .take_if(|reading| reading.owner != owner && at >= reading.asked_by)
        else {
            return Ok(());
        };
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
