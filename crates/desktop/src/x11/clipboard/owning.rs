//! Having the clipboard: taking it, losing it, and answering who asks for it.

use std::sync::Arc;

use x11rb::connection::SequenceNumber;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ConnectionExt as _, EventMask, PropMode, SelectionNotifyEvent, SelectionRequestEvent,
    Timestamp, Window,
};
use x11rb::wrapper::ConnectionExt as _;

use super::conversion::{Converted, Payload, convert, latin1};
use super::owner::Owner;
use crate::DesktopError;
use crate::x11::connection::answer;

/// How often the clipboard is taken anew when another program takes it at the same moment.
const ATTEMPTS: u32 = 3;

/// Conversions of one MULTIPLE request that are done; the rest is refused.
const PAIRS: usize = 64;

/// What we have the clipboard with.
#[derive(Debug)]
pub(super) struct Owned {
    pub(super) text: Arc<str>,
    /// The same as Latin-1, where that can hold it.
    pub(super) latin1: Option<Payload>,
    /// When it was taken, in the X server's time.
    pub(super) at: Timestamp,
    /// The request that took it; notices of a loss from before it are about an earlier time.
    taken_by: SequenceNumber,
}

impl Owner {
    /// Takes the clipboard, also where we have it, and offers `text` from now on. Transfers of an earlier text go on.
    ///
    /// # Errors
    /// `Busy` where another program keeps taking it; `Gone`.
    pub(super) fn take_ownership(&mut self, text: Arc<str>) -> Result<(), DesktopError> {
        let latin1 = latin1(&text);
        for _ in 0..ATTEMPTS {
            let at = self.server.time()?;
            let (conn, atoms, window) = (&self.server.conn, &self.server.atoms, self.server.window);
            let taken = conn.set_selection_owner(window, atoms.CLIPBOARD, at)?;
            let taken_by = taken.sequence_number();
            taken.ignore_error();
            if conn.get_selection_owner(atoms.CLIPBOARD)?.reply()?.owner == window {
                self.owned = Some(Owned {
                    text,
                    latin1,
                    at,
                    taken_by,
                });
                return Ok(());
            }
        }
        Err(DesktopError::Busy(
            "another program keeps taking the clipboard; close it, or try again".to_owned(),
        ))
    }

    /// Takes note that another program has taken the clipboard.
    pub(super) fn lose_ownership(&mut self, at: SequenceNumber) {
        if self.owned.as_ref().is_some_and(|owned| at >= owned.taken_by) {
            self.owned = None;
        }
    }

    /// Answers a program that asks for the clipboard.
    ///
    /// The time that it asks for is not looked at: programs give the time of the last event that they know, which can
    /// be from before the clipboard was taken, and a refusal would look to them like an empty clipboard.
    ///
    /// # Errors
    /// `Gone`.
    pub(super) fn answer(&mut self, request: SelectionRequestEvent) -> Result<(), DesktopError> {
        let atoms = &self.server.atoms;
        // Programs from before ICCCM leave the choice of the property to us (2.2).
        let property = match request.property {
            x11rb::NONE => request.target,
            property => property,
        };
        let ours = request.owner == self.server.window
            && request.selection == atoms.CLIPBOARD
            && request.requestor != self.server.window;
        let granted = ours
            && if request.target == atoms.MULTIPLE {
                request.property != x11rb::NONE && self.answer_multiple(request.requestor, property)?
            } else {
                self.hand_over(request.requestor, request.target, property)?
            };
        let notice = SelectionNotifyEvent {
            response_type: x11rb::protocol::xproto::SELECTION_NOTIFY_EVENT,
            sequence: 0,
            time: request.time,
            requestor: request.requestor,
            selection: request.selection,
            target: request.target,
            property: if granted { property } else { x11rb::NONE },
        };
        self.server
            .conn
            .send_event(false, request.requestor, EventMask::NO_EVENT, notice)?
            .ignore_error();
        Ok(())
    }

    /// Does all conversions on a list (ICCCM, 2.6.2), and marks there which failed. `false` where there is no list.
    fn answer_multiple(&mut self, requestor: Window, property: Atom) -> Result<bool, DesktopError> {
        let pair = self.server.atoms.ATOM_PAIR;
        let units = u32::try_from(2 * PAIRS).unwrap_or(u32::MAX);
        let list = self
            .server
            .conn
            .get_property(false, requestor, property, AtomEnum::ANY, 0, units)?;
        let Some(list) = answer(list.reply())? else {
            return Ok(false);
        };
        let Some(mut atoms) = list.value32().map(Iterator::collect::<Vec<Atom>>) else {
            return Ok(false);
        };
        if list.bytes_after > 0 {
            return Ok(false);
        }
        for pair in atoms.chunks_exact_mut(2) {
            let [target, place] = pair else { continue };
            let nested = *target == self.server.atoms.MULTIPLE;
            if nested || *place == x11rb::NONE || !self.hand_over(requestor, *target, *place)? {
                *place = x11rb::NONE;
            }
        }
        self.server
            .conn
            .change_property32(PropMode::REPLACE, requestor, property, pair, &atoms)?
            .ignore_error();
        Ok(true)
    }

    /// Puts the clipboard, as `target`, into a property of another program's window; `false` where it cannot be had so.
    fn hand_over(&mut self, requestor: Window, target: Atom, property: Atom) -> Result<bool, DesktopError> {
        let Some(converted) = self
            .owned
            .as_ref()
            .and_then(|owned| convert(&self.server.atoms, owned, target))
        else {
            return Ok(false);
        };
        let conn = &self.server.conn;
        match converted {
            Converted::Text { kind, text } => {
                self.transfers
                    .begin(&self.server, requestor, property, kind, text)
            }
            Converted::Words { kind, words } => {
                conn.change_property32(PropMode::REPLACE, requestor, property, kind, &words)?
                    .ignore_error();
                Ok(true)
            }
        }
    }
}
