//! Handing over texts that are too large for one property, piece by piece (ICCCM, 2.7.2, INCR).

use std::time::{Duration, Instant};

use x11rb::connection::RequestConnection as _;
use x11rb::errors::ReplyError;
use x11rb::protocol::xproto::{
    Atom, ChangeWindowAttributesAux, ConnectionExt as _, EventMask, PropMode, Window,
};
use x11rb::wrapper::ConnectionExt as _;

use super::conversion::Payload;
use super::owner::Server;
use crate::DesktopError;

/// The largest piece, which is also the largest text that goes at once. GTK and others use the same.
const PIECE_BYTES: usize = 256 << 10;

/// What a request takes beside its data, generously.
const REQUEST_BYTES: usize = 64;

/// Transfers at a time. More are refused.
const TRANSFERS: usize = 64;

/// How long a requestor may take to fetch a piece.
const PATIENCE: Duration = Duration::from_secs(10);

/// The transfers under way.
#[derive(Debug, Default)]
pub(super) struct Transfers {
    under_way: Vec<Transfer>,
}

#[derive(Debug)]
struct Transfer {
    requestor: Window,
    property: Atom,
    kind: Atom,
    text: Payload,
    sent: usize,
    deadline: Instant,
}

impl Transfers {
    /// Hands over `text`: at once where it fits into a property, else the beginning of a transfer. `false` where
    /// that cannot be.
    ///
    /// # Errors
    /// `Gone`.
    pub(super) fn begin(
        &mut self,
        server: &Server,
        requestor: Window,
        property: Atom,
        kind: Atom,
        text: Payload,
    ) -> Result<bool, DesktopError> {
        let conn = &server.conn;
        // Who asks again has given up the first.
        if let Some(index) = self.find(requestor, property) {
            self.end(server, index)?;
        }
        let bytes = text.bytes();
        if bytes.len() <= piece_bytes(server) {
            conn.change_property8(PropMode::REPLACE, requestor, property, kind, bytes)?
                .ignore_error();
            return Ok(true);
        }
        if self.under_way.len() >= TRANSFERS || !select(server, requestor)? {
            return Ok(false);
        }
        // A lower bound of the size, which is a number of 32 bits.
        let size = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        conn.change_property32(PropMode::REPLACE, requestor, property, server.atoms.INCR, &[size])?
            .ignore_error();
        self.under_way.push(Transfer {
            requestor,
            property,
            kind,
            text,
            sent: 0,
            deadline: Instant::now() + PATIENCE,
        });
        Ok(true)
    }

    /// The requestor has taken, and deleted, a piece: gives it the next one. The last piece is empty.
    ///
    /// # Errors
    /// `Gone`.
    pub(super) fn go_on(
        &mut self,
        server: &Server,
        requestor: Window,
        property: Atom,
    ) -> Result<(), DesktopError> {
        let Some(index) = self.find(requestor, property) else {
            return Ok(());
        };
        let transfer = &mut self.under_way[index];
        let rest = &transfer.text.bytes()[transfer.sent..];
        let piece = &rest[..rest.len().min(piece_bytes(server))];
        server
            .conn
            .change_property8(PropMode::REPLACE, requestor, property, transfer.kind, piece)?
            .ignore_error();
        if piece.is_empty() {
            self.end(server, index)
        } else {
            transfer.sent += piece.len();
            transfer.deadline = Instant::now() + PATIENCE;
            Ok(())
        }
    }

    /// The requestor's window is gone.
    pub(super) fn forget(&mut self, requestor: Window) {
        self.under_way.retain(|transfer| transfer.requestor != requestor);
    }

    /// Ends transfers whose requestor does not fetch.
    ///
    /// # Errors
    /// `Gone`.
    pub(super) fn drop_late(&mut self, server: &Server, now: Instant) -> Result<(), DesktopError> {
        while let Some(index) = self
            .under_way
            .iter()
            .position(|transfer| transfer.deadline <= now)
        {
            self.end(server, index)?;
        }
        Ok(())
    }

    /// When the first one is late.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.under_way.iter().map(|transfer| transfer.deadline).min()
    }

    fn find(&self, requestor: Window, property: Atom) -> Option<usize> {
        self.under_way
            .iter()
            .position(|transfer| (transfer.requestor, transfer.property) == (requestor, property))
    }

    fn end(&mut self, server: &Server, index: usize) -> Result<(), DesktopError> {
        let requestor = self.under_way.swap_remove(index).requestor;
        let more = self
            .under_way
            .iter()
            .any(|transfer| transfer.requestor == requestor);
        if !more {
            let none = ChangeWindowAttributesAux::new().event_mask(EventMask::NO_EVENT);
            server
                .conn
                .change_window_attributes(requestor, &none)?
                .ignore_error();
        }
        Ok(())
    }
}

/// Has the requestor's window report its properties and its end; `false` where it is gone.
fn select(server: &Server, requestor: Window) -> Result<bool, DesktopError> {
    let mask = EventMask::PROPERTY_CHANGE | EventMask::STRUCTURE_NOTIFY;
    let selected = server
        .conn
        .change_window_attributes(requestor, &ChangeWindowAttributesAux::new().event_mask(mask))?;
    match selected.check() {
        Ok(()) => Ok(true),
        Err(ReplyError::X11Error(_)) => Ok(false),
        Err(ReplyError::ConnectionError(error)) => Err(error.into()),
    }
}

fn piece_bytes(server: &Server) -> usize {
    server
        .conn
        .maximum_request_bytes()
        .saturating_sub(REQUEST_BYTES)
        .min(PIECE_BYTES)
}
