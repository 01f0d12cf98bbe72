//! Messages out of bytes, without any I/O.

use bytes::Bytes;
use tokio_tungstenite::tungstenite::error::{CapacityError, ProtocolError};
use tokio_tungstenite::tungstenite::protocol::frame::coding::Data;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role};
use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes};

use crate::head::{self, Head, Opcode};

/// The message under way, and the frame of it.
#[derive(Debug)]
pub(crate) struct Assembly {
    role: Role,
    /// The most bytes of a message.
    limit: usize,
    /// The bytes of a head that is not whole yet.
    head: [u8; head::LONGEST],
    head_bytes: usize,
    frame: Option<Frame>,
    /// The payload of a control frame under way.
    control: Vec<u8>,
    message: Option<Parts>,
}

/// A frame whose payload is under way.
#[derive(Debug)]
struct Frame {
    head: Head,
    /// How many bytes are still to come.
    left: usize,
    /// Where in its buffer its payload begins.
    from: usize,
}

/// What there is of a message.
#[derive(Debug)]
struct Parts {
    is_text: bool,
    payload: Vec<u8>,
}

impl Assembly {
    pub(crate) fn new(role: Role, limit: usize) -> Self {
        Self {
            role,
            limit,
            head: [0; head::LONGEST],
            head_bytes: 0,
            frame: None,
            control: Vec::new(),
            message: None,
        }
    }

    pub(crate) fn set_limit(&mut self, bytes: usize) {
        self.limit = bytes;
    }

    /// Takes bytes as they came, up to the end of a message; what is left of them comes after it.
    pub(crate) fn take(&mut self, input: &mut &[u8]) -> Result<Option<Message>, Error> {
        while !input.is_empty() {
            if self.frame.is_none() {
                let Some(head) = self.take_head(input)? else {
                    continue;
                };
                self.begin(head)?;
            } else if let Some((buffer, left)) = self.room() {
                let (now, later) = input.split_at(left.min(input.len()));
                buffer.extend_from_slice(now);
                *input = later;
                self.received(now.len());
            }
            if let Some(message) = self.finish()? {
                return Ok(Some(message));
            }
        }
        Ok(None)
    }

    /// Where the payload of the frame under way goes, and how much of it is missing.
    pub(crate) fn room(&mut self) -> Option<(&mut Vec<u8>, usize)> {
        let frame = self.frame.as_ref()?;
        let buffer = if frame.head.opcode.is_control() {
            &mut self.control
        } else {
            &mut self.message.as_mut()?.payload
        };
        Some((buffer, frame.left))
    }

    /// So many bytes were put there.
    pub(crate) fn received(&mut self, bytes: usize) {
        if let Some(frame) = &mut self.frame {
            frame.left -= bytes;
        }
    }

    fn take_head(&mut self, input: &mut &[u8]) -> Result<Option<Head>, Error> {
        if let Some((byte, rest)) = input.split_first()
            && let Some(place) = self.head.get_mut(self.head_bytes)
        {
            (*place, *input) = (*byte, rest);
            self.head_bytes += 1;
        }
        let head = Head::read(&self.head[..self.head_bytes])?;
        if head.is_some() {
            self.head_bytes = 0;
        }
        Ok(head)
    }

    fn begin(&mut self, head: Head) -> Result<(), Error> {
        match (self.role, head.mask) {
            (Role::Server, None) => return Err(ProtocolError::UnmaskedFrameFromClient.into()),
            (Role::Client, Some(_)) => return Err(ProtocolError::MaskedFrameFromServer.into()),
            _ => {}
        }
        let before = self.message.as_ref().map(|parts| parts.payload.len());
        match (head.opcode, before) {
            (Opcode::Continue, None) => return Err(ProtocolError::UnexpectedContinueFrame.into()),
            (Opcode::Text, Some(_)) => return Err(ProtocolError::ExpectedFragment(Data::Text).into()),
            (Opcode::Binary, Some(_)) => return Err(ProtocolError::ExpectedFragment(Data::Binary).into()),
            _ => {}
        }
        let is_control = head.opcode.is_control();
        let from = if is_control { 0 } else { before.unwrap_or(0) };
        // A control frame has at most 125 bytes, and belongs to no message.
        let limit = if is_control { usize::MAX } else { self.limit };
        let size = usize::try_from(head.length).unwrap_or(usize::MAX);
        let whole = from.saturating_add(size);
        if whole > limit {
            return Err(CapacityError::MessageTooLong {
                size: whole,
                max_size: limit,
            }
            .into());
        }
        if is_control {
            self.control = Vec::with_capacity(size);
        } else if let Some(parts) = &mut self.message {
            // Not exactly: a message may come in many small parts.
            parts.payload.reserve(size);
        } else {
            self.message = Some(Parts {
                is_text: head.opcode == Opcode::Text,
                payload: Vec::with_capacity(size),
            });
        }
        self.frame = Some(Frame {
            head,
            left: size,
            from,
        });
        Ok(())
    }

    /// The message that the frame under way completes, if it is whole.
    pub(crate) fn finish(&mut self) -> Result<Option<Message>, Error> {
        let Some(Frame { head, from, .. }) = self.frame.take_if(|frame| frame.left == 0) else {
            return Ok(None);
        };
        let buffer = if head.opcode.is_control() {
            Some(&mut self.control)
        } else {
            self.message.as_mut().map(|parts| &mut parts.payload)
        };
        if let (Some(mask), Some(buffer)) = (head.mask, buffer) {
            head::mask(&mut buffer[from..], mask);
        }
        if head.opcode.is_control() {
            let payload = Bytes::from(std::mem::take(&mut self.control));
            return Ok(Some(match head.opcode {
                Opcode::Ping => Message::Ping(payload),
                Opcode::Pong => Message::Pong(payload),
                _ => Message::Close(goodbye(payload)?),
            }));
        }
        if !head.is_last {
            return Ok(None);
        }
        let Some(Parts { is_text, payload }) = self.message.take() else {
            return Ok(None);
        };
        Ok(Some(if is_text {
            Message::Text(text(payload.into())?)
        } else {
            Message::Binary(payload.into())
        }))
    }

    /// How many bytes it holds beside itself.
    #[cfg(test)]
    pub(crate) fn held(&self) -> usize {
        self.control.capacity() + self.message.as_ref().map_or(0, |parts| parts.payload.capacity())
    }
}

fn text(payload: Bytes) -> Result<Utf8Bytes, Error> {
    Utf8Bytes::try_from(payload).map_err(|error| Error::Utf8(error.to_string()))
}

fn goodbye(payload: Bytes) -> Result<Option<CloseFrame>, Error> {
    match payload.split_first_chunk::<2>() {
        None if payload.is_empty() => Ok(None),
        None => Err(ProtocolError::InvalidCloseSequence.into()),
        Some((code, _)) => Ok(Some(CloseFrame {
            code: u16::from_be_bytes(*code).into(),
            reason: text(payload.slice(2..))?,
        })),
    }
}
