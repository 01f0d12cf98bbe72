//! Answers, as callers get them.

use aci::Wire as _;
use aci::frame::{Frame, Header};
use aci::geometry::CoordinateSpace;
use aci::observation::Observation;
use serde_json::Value;

use crate::error::ClientError;
use crate::run::RunResult;
use crate::screenshot::Screenshot;
use crate::view::View;

/// An answer, or why there is none.
pub(crate) type Answer = Result<Reply, ClientError>;

/// What a call that succeeded is answered with.
#[derive(Debug, Clone)]
pub enum Reply {
    /// It was done.
    Done,
    /// A value.
    Value(Value),
    /// Something seen.
    Seen(Seen),
    /// What came of a cell that showed something.
    Ran(Box<RunResult>),
}

/// Something seen.
#[derive(Debug, Clone)]
pub enum Seen {
    /// A picture.
    Picture(Screenshot),
    /// The pixels are still those whose hash was sent.
    NotModified(NotModified),
    /// The accessibility tree.
    Tree(Box<Observation>),
    /// A look beyond the contract.
    View(Box<View>),
}

/// The answer that saves sending a picture again.
#[derive(Debug, Clone, PartialEq)]
pub struct NotModified {
    /// The hash that was sent.
    pub frame_hash: String,
    /// How the picture's pixels lie on the screen now.
    pub display: Option<CoordinateSpace>,
    /// Where the pointer is now.
    pub pointer: Option<(i64, i64)>,
}

impl Seen {
    pub(crate) fn from_frame(frame: Frame) -> Result<Self, ClientError> {
        let Header::Observation(header) = frame.header() else {
            return Err(ClientError::protocol("a program's output is no observation"));
        };
        let image = header
            .image
            .ok_or_else(|| ClientError::protocol("an answer to a screenshot has no picture"))?;
        Ok(Self::Picture(Screenshot {
            bytes: frame.slice(image.off, image.len),
            format: image.format.unwrap_or(aci::welcome::ImageFormat::Png),
            w: image.w.to_u32(),
            h: image.h.to_u32(),
            scope: image.scope,
            display: header.display,
            frame_hash: header.frame_hash.clone(),
            pointer: header.pointer.map(|point| (point.0[0].get(), point.0[1].get())),
            from_cache: false,
        }))
    }

    pub(crate) fn from_observation(observation: Observation) -> Result<Self, ClientError> {
        let pointer = observation
            .pointer
            .map(|point| (point.0[0].get(), point.0[1].get()));
        if observation.not_modified.is_some() {
            // Its parser has seen to it that the hash is there.
            return Ok(Self::NotModified(NotModified {
                frame_hash: observation.frame_hash.unwrap_or_default(),
                display: observation.display,
                pointer,
            }));
        }
        let Some(image) = observation.image else {
            return Ok(Self::Tree(Box::new(observation)));
        };
        Ok(Self::Picture(Screenshot {
            bytes: crate::routes::from_base64(&image.data_b64)?,
            format: image.format.unwrap_or(aci::welcome::ImageFormat::Png),
            w: image.w.to_u32(),
            h: image.h.to_u32(),
            scope: image.scope,
            display: observation.display,
            frame_hash: observation.frame_hash,
            pointer,
            from_cache: false,
        }))
    }
}

impl Reply {
    pub(crate) fn done(self) -> Result<(), ClientError> {
        match self {
            Self::Done => Ok(()),
            other => Err(other.unexpected("an acknowledgement")),
        }
    }

    pub(crate) fn value(self) -> Result<Value, ClientError> {
        match self {
            Self::Value(value) => Ok(value),
            other => Err(other.unexpected("a result")),
        }
    }

    pub(crate) fn seen(self) -> Result<Seen, ClientError> {
        match self {
            Self::Seen(seen) => Ok(seen),
            other => Err(other.unexpected("an observation")),
        }
    }

    pub(crate) fn picture(self) -> Result<Screenshot, ClientError> {
        match self.seen()? {
            Seen::Picture(picture) => Ok(picture),
            Seen::NotModified(_) => Err(ClientError::protocol("not_modified came where no hash was sent")),
            Seen::Tree(_) | Seen::View(_) => {
                Err(ClientError::protocol("a tree came where a picture was asked for"))
            }
        }
    }

    fn unexpected(&self, wanted: &str) -> ClientError {
        let came = match self {
            Self::Done => "an acknowledgement",
            Self::Value(_) => "a result",
            Self::Seen(_) => "an observation",
            Self::Ran(_) => "the result of a cell",
        };
        ClientError::protocol(format!("{came} came where {wanted} was due"))
    }

    /// The answer as JSON, for people and scripts: the value of a result; of a picture all but its bytes.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Done => serde_json::json!({"ok": true}),
            Self::Value(value) => serde_json::json!({"ok": true, "value": value}),
            Self::Ran(result) => serde_json::json!({"ok": true, "value": result.to_json()}),
            Self::Seen(Seen::Picture(picture)) => {
                serde_json::json!({"ok": true, "observation": picture.to_json()})
            }
            Self::Seen(Seen::View(view)) => {
                serde_json::json!({"ok": true, "observation": view.to_json()})
            }
            Self::Seen(Seen::NotModified(same)) => serde_json::json!({"ok": true, "observation": {
                "not_modified": true,
                "frame_hash": same.frame_hash,
                "display": same.display.map(CoordinateSpace::encode),
                "pointer": same.pointer.map(|(x, y)| [x, y]),
            }}),
            Self::Seen(Seen::Tree(tree)) => {
                serde_json::json!({"ok": true, "observation": tree.as_ref().clone().encode()})
            }
        }
    }
}
