//! What stands before each frame: RFC 6455, section 5.2.

use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::error::ProtocolError;

/// The most bytes of a head: two, eight of a length, four of a mask.
pub(crate) const LONGEST: usize = 14;

/// Kinds of frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opcode {
    /// More of the message under way.
    Continue,
    /// A message of text, or its first part.
    Text,
    /// One of bytes.
    Binary,
    /// The end.
    Close,
    /// A question for a sign of life.
    Ping,
    /// A sign of life.
    Pong,
}

impl Opcode {
    fn read(bits: u8) -> Result<Self, Error> {
        Ok(match bits {
            0 => Self::Continue,
            1 => Self::Text,
            2 => Self::Binary,
            8 => Self::Close,
            9 => Self::Ping,
            10 => Self::Pong,
            other => return Err(ProtocolError::InvalidOpcode(other).into()),
        })
    }

    fn bits(self) -> u8 {
        match self {
            Self::Continue => 0,
            Self::Text => 1,
            Self::Binary => 2,
            Self::Close => 8,
            Self::Ping => 9,
            Self::Pong => 10,
        }
    }

    /// Whether such frames may stand between the parts of a message.
    pub(crate) fn is_control(self) -> bool {
        matches!(self, Self::Close | Self::Ping | Self::Pong)
    }
}

/// What a head says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    /// Whether it is the last frame of its message.
    pub(crate) is_last: bool,
    pub(crate) opcode: Opcode,
    pub(crate) mask: Option<[u8; 4]>,
    /// How many bytes follow.
    pub(crate) length: u64,
}

impl Head {
    /// Reads a head; `None` where more bytes belong to it. What is wrong with the first two is found without waiting for more.
    pub(crate) fn read(bytes: &[u8]) -> Result<Option<Self>, Error> {
        let Some((&[first, second], rest)) = bytes.split_first_chunk::<2>() else {
            return Ok(None);
        };
        if first & 0x70 != 0 {
            return Err(ProtocolError::NonZeroReservedBits.into());
        }
        let is_last = first & 0x80 != 0;
        let opcode = Opcode::read(first & 0x0f)?;
        let short = second & 0x7f;
        if opcode.is_control() && !is_last {
            return Err(ProtocolError::FragmentedControlFrame.into());
        }
        if opcode.is_control() && short > 125 {
            return Err(ProtocolError::ControlFrameTooBig.into());
        }
        let (length, rest) = match short {
            126 => match rest.split_first_chunk::<2>() {
                Some((length, rest)) => (u64::from(u16::from_be_bytes(*length)), rest),
                None => return Ok(None),
            },
            127 => match rest.split_first_chunk::<8>() {
                Some((length, rest)) => (u64::from_be_bytes(*length), rest),
                None => return Ok(None),
            },
            short => (u64::from(short), rest),
        };
        let mask = match (second & 0x80 != 0, rest.first_chunk::<4>()) {
            (false, _) => None,
            (true, Some(mask)) => Some(*mask),
            (true, None) => return Ok(None),
        };
        Ok(Some(Self {
            is_last,
            opcode,
            mask,
            length,
        }))
    }

    /// Writes it in as few bytes as it takes.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.push(if self.is_last { 0x80 } else { 0 } | self.opcode.bits());
        let masked = if self.mask.is_some() { 0x80 } else { 0 };
        if let Ok(short @ 0..=125) = u8::try_from(self.length) {
            out.push(masked | short);
        } else if let Ok(length) = u16::try_from(self.length) {
            out.push(masked | 126);
            out.extend_from_slice(&length.to_be_bytes());
        } else {
            out.push(masked | 127);
            out.extend_from_slice(&self.length.to_be_bytes());
        }
        out.extend_from_slice(self.mask.as_ref().map_or(&[], |mask| mask.as_slice()));
    }
}

/// Masks a payload, or takes the mask off.
pub(crate) fn mask(payload: &mut [u8], mask: [u8; 4]) {
    let repeated: [u8; 16] = std::array::from_fn(|index| mask[index % 4]);
    // Pieces of a fixed size are masked by one instruction each.
    let (pieces, rest) = payload.as_chunks_mut::<16>();
    for piece in pieces {
        for (byte, mask) in piece.iter_mut().zip(repeated) {
            *byte ^= mask;
        }
    }
    for (byte, mask) in rest.iter_mut().zip(repeated) {
        *byte ^= mask;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for length in [0, 1, 125, 126, 65_535, 65_536, u64::from(u32::MAX) + 1] {
            for mask in [None, Some([1, 2, 3, 4])] {
                for (is_last, opcode) in [(true, Opcode::Text), (false, Opcode::Binary)] {
                    let head = Head {
                        is_last,
                        opcode,
                        mask,
                        length,
                    };
                    let mut bytes = Vec::new();
                    head.write(&mut bytes);
                    assert_eq!(Head::read(&bytes).unwrap(), Some(head));
                    for part in 0..bytes.len() {
                        assert_eq!(Head::read(&bytes[..part]).unwrap(), None);
                    }
                }
            }
        }
    }

    #[test]
    fn a_mask_is_its_own_reverse() {
        let mut payload: Vec<u8> = (0..=255).cycle().take(1003).collect();
        let plain = payload.clone();
        mask(&mut payload, [7, 11, 13, 17]);
        assert_eq!(payload[..5], [7, 1 ^ 11, 2 ^ 13, 3 ^ 17, 4 ^ 7]);
        mask(&mut payload, [7, 11, 13, 17]);
        assert_eq!(payload, plain);
    }
}
