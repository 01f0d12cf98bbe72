//! Binary messages: `u32` little-endian length of the header, the header as JSON, the payload.
//!
//! The contract says in prose what its schema does not: a picture frame has exactly one of `image` and `tiles`, and tiles
//! lie one after another. So a header alone may have neither (as the schema has it), but a frame may not; and ranges
//! that share bytes are refused, though their order and gaps between them are not looked at.
//!
//! Decoding never copies the payload: a [`Frame`] shares the message's buffer and hands out slices of it.

use bytes::Bytes;
use serde_json::Value;

use crate::exec::BinaryExecOutputHeader;
use crate::extension::run::BinaryRunResult;
use crate::extension::view::BinaryView;
use crate::extension::{Extension, Extensions};
use crate::observation::BinaryFrameHeader;
use crate::wire::{Fault, Natural, Wire};

/// The header of a binary message.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "headers are handled one at a time and never kept in bulk"
)]
pub enum Header {
    /// A picture or tiles.
    Observation(BinaryFrameHeader),
    /// A piece of a program's output.
    ExecOutput(BinaryExecOutputHeader),
    /// A picture with the tree, beyond the contract.
    View(Box<BinaryView>),
    /// What a cell gave, beyond the contract.
    Run(Box<BinaryRunResult>),
}

/// A binary message whose every range has been checked against its payload.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    header: Header,
    payload: Bytes,
}

/// Why a binary message is not a frame.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// It has no room for the length of its header.
    #[error("a frame has at least 4 bytes, this one {0}")]
    TooShort(usize),
    /// The header is said to be longer than the message.
    #[error("the header is said to have {claimed} bytes, but only {available} follow")]
    HeaderPastEnd {
        /// What the first four bytes say.
        claimed: usize,
        /// What is there.
        available: usize,
    },
    /// The header is not what it should be.
    #[error("the header is broken: {0}")]
    Header(Fault),
    /// A range of the header is not inside the payload.
    #[error("{what} is said to have {len} bytes at {off}, but the payload has {payload}")]
    RangePastEnd {
        /// Which range.
        what: String,
        /// Where it is said to begin.
        off: i64,
        /// How long it is said to be.
        len: i64,
        /// How long the payload is.
        payload: usize,
    },
    /// Two ranges of the header share bytes, so that at least one of them lies.
    #[error("{what} begins at {off}, inside of {other}, which ends at {end}")]
    Overlap {
        /// The range that begins later.
        what: String,
        /// Where it is said to begin.
        off: usize,
        /// The range that begins before it.
        other: String,
        /// Where that one ends.
        end: usize,
    },
    /// A picture frame without picture and tiles.
    #[error("the header has neither image nor tiles")]
    NoPixels,
}

impl Header {
    fn decode(bytes: &[u8], on: &Extensions) -> Result<Self, Fault> {
        let value: Value =
            serde_json::from_slice(bytes).map_err(|error| Fault::new(format!("it is not JSON: {error}")))?;
        match value.get("type").and_then(Value::as_str) {
            Some("observation") if on.have_views() && value.get("settle").is_some() => {
                BinaryView::decode(value).map(|view| Self::View(Box::new(view)))
            }
            Some("observation") => BinaryFrameHeader::decode(value).map(Self::Observation),
            Some("exec_output") => BinaryExecOutputHeader::decode(value).map(Self::ExecOutput),
            Some("result") if on.has(Extension::Run) => {
                BinaryRunResult::decode(value).map(|result| Self::Run(Box::new(result)))
            }
            _ => Err(Fault::new("its type is neither observation nor exec_output")),
        }
    }

    fn encode(self) -> Value {
        match self {
            Self::Observation(header) => header.encode(),
            Self::ExecOutput(header) => header.encode(),
            Self::View(header) => header.encode(),
            Self::Run(header) => header.encode(),
        }
    }

    /// Every range of the payload that the header names.
    fn ranges(&self) -> Vec<(Natural, Natural)> {
        match self {
            Self::ExecOutput(header) => vec![(header.data.off, header.data.len)],
            Self::View(header) => vec![(header.image.off, header.image.len)],
            Self::Run(header) => header.ranges().map(|data| (data.off, data.len)).collect(),
            Self::Observation(header) => {
                let image = header.image.iter().map(|image| (image.off, image.len));
                let tiles = header.tiles.iter().flat_map(|tiles| tiles.as_slice());
                image.chain(tiles.map(|tile| (tile.off, tile.len))).collect()
            }
        }
    }

    /// What the range at `index` of [`Self::ranges`] is called.
    fn range_name(&self, index: usize) -> String {
        match self {
            Self::ExecOutput(_) => "data".to_owned(),
            Self::View(_) => "image".to_owned(),
            Self::Run(_) => format!("data[{index}]"),
            // A header has an image or tiles and never both; its parser sees to that.
            Self::Observation(header) if header.image.is_some() => "image".to_owned(),
            Self::Observation(_) => format!("tiles[{index}]"),
        }
    }

    /// Holds the header against its payload.
    fn check(&self, payload: &Bytes) -> Result<(), FrameError> {
        let ranges = self.ranges();
        if ranges.is_empty() && !matches!(self, Self::Run(_)) {
            return Err(FrameError::NoPixels);
        }
        let mut taken = Vec::with_capacity(ranges.len());
        for (index, (off, len)) in ranges.into_iter().enumerate() {
            let range = range(payload, off, len).ok_or_else(|| FrameError::RangePastEnd {
                what: self.range_name(index),
                off: off.get(),
                len: len.get(),
                payload: payload.len(),
            })?;
            // A range without bytes shares none.
            if !range.is_empty() {
                taken.push((range.start, range.end, index));
            }
        }
        // Usual frames are in order already, which costs one pass.
        taken.sort_unstable();
        for pair in taken.windows(2) {
            if let [(_, end, other), (off, _, what)] = *pair
                && off < end
            {
                return Err(FrameError::Overlap {
                    what: self.range_name(what),
                    off,
                    other: self.range_name(other),
                    end,
                });
            }
        }
        Ok(())
    }
}

/// Reads a binary message of the contract.
///
/// # Errors
/// A [`FrameError`] where the header is broken or lies about a length.
pub fn decode(message: Bytes) -> Result<Frame, FrameError> {
    decode_with(message, &Extensions::NONE)
}

/// Reads a binary message where these extensions are on.
///
/// # Errors
/// As [`decode`].
pub fn decode_with(message: Bytes, on: &Extensions) -> Result<Frame, FrameError> {
    let Some((length, rest)) = message.split_first_chunk::<4>() else {
        return Err(FrameError::TooShort(message.len()));
    };
    // A length that does not fit the address space is past every end.
    let claimed = usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX);
    let available = rest.len();
    let header = rest
        .get(..claimed)
        .ok_or(FrameError::HeaderPastEnd { claimed, available })?;
    let header = Header::decode(header, on).map_err(FrameError::Header)?;
    let payload = message.slice(4 + claimed..);
    header.check(&payload)?;
    Ok(Frame { header, payload })
}

/// Writes a binary message: the header, then the parts of the payload one after another.
///
/// `None` where the header is longer than its length field can say.
pub fn encode(header: Header, payload: &[&[u8]]) -> Option<Vec<u8>> {
    let header = header.encode().to_string();
    let length = u32::try_from(header.len()).ok()?;
    let size = payload.iter().map(|part| part.len()).sum::<usize>();
    let mut message = Vec::with_capacity(4 + header.len() + size);
    message.extend_from_slice(&length.to_le_bytes());
    message.extend_from_slice(header.as_bytes());
    for part in payload {
        message.extend_from_slice(part);
    }
    Some(message)
}

impl Frame {
    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The header, owned; the payload is given up.
    pub fn into_header(self) -> Header {
        self.header
    }

    /// The payload, shared with the message.
    pub fn payload(&self) -> &Bytes {
        &self.payload
    }

    /// The bytes at a range of the payload, shared with the message; empty for a range that the header does not have.
    pub fn slice(&self, off: Natural, len: Natural) -> Bytes {
        range(&self.payload, off, len).map_or_else(Bytes::new, |range| self.payload.slice(range))
    }
}

fn range(payload: &Bytes, off: Natural, len: Natural) -> Option<std::ops::Range<usize>> {
    let start = usize::try_from(off.get()).ok()?;
    let end = start.checked_add(usize::try_from(len.get()).ok()?)?;
    (end <= payload.len()).then_some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::{Channel, PayloadRange};

    fn output(off: i64, len: i64) -> Header {
        Header::ExecOutput(BinaryExecOutputHeader {
            cause: "c".to_owned(),
            seq: Natural::clamped(0),
            channel: Channel::Stdout,
            data: PayloadRange {
                off: Natural::clamped(off),
                len: Natural::clamped(len),
            },
        })
    }

    #[test]
    fn a_frame_shares_the_messages_buffer() {
        let message = Bytes::from(encode(output(2, 3), &[b"ab", b"cde", b"f"]).unwrap());
        let frame = decode(message.clone()).unwrap();
        let data = frame.slice(Natural::clamped(2), Natural::clamped(3));
        assert_eq!(&data[..], b"cde");
        let inside = message.as_ptr_range();
        assert!(
            inside.contains(&data.as_ptr()),
            "the slice points into the message"
        );
    }

    #[test]
    fn lengths_that_lie_are_refused() {
        for (off, len) in [
            (0, 7),
            (7, 0),
            (6, 1),
            (i64::MAX, 1),
            (1, i64::MAX),
            (i64::MAX, i64::MAX),
        ] {
            let message = Bytes::from(encode(output(off, len), &[b"abcdef"]).unwrap());
            assert!(
                matches!(decode(message), Err(FrameError::RangePastEnd { .. })),
                "{off} {len}"
            );
        }
        for claimed in [5_u32, 1 << 20, u32::MAX] {
            let mut message = claimed.to_le_bytes().to_vec();
            message.extend_from_slice(b"{}");
            assert!(
                matches!(decode(message.into()), Err(FrameError::HeaderPastEnd { .. })),
                "{claimed}"
            );
        }
        assert_eq!(decode(Bytes::from_static(b"abc")), Err(FrameError::TooShort(3)));
        assert!(matches!(
            decode(Bytes::from_static(&[2, 0, 0, 0, b'{', b'}'])),
            Err(FrameError::Header(_))
        ));
    }
}
