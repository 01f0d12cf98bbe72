//! What the verb `observe` gives beyond the contract: the tree, a picture, or both taken together.

use aci::extension::view::{BinaryView, Settle, View as WireView};
use aci::frame::{Frame, Header};
use aci::observation::Observation;
use serde_json::Value;

use crate::error::ClientError;
use crate::reply::Seen;
use crate::screenshot::Screenshot;

/// A look at an application.
#[derive(Debug, Clone)]
pub struct View {
    /// The tree, where it was asked for.
    pub tree: Option<Observation>,
    /// The picture, where it was asked for.
    pub picture: Option<Screenshot>,
    /// How the interface came to rest before.
    pub settle: Settle,
}

impl View {
    pub(crate) fn from_text(view: WireView) -> Result<Self, ClientError> {
        let WireView { mut seen, settle } = view;
        let image = seen.image.take();
        let mut picture = None;
        if image.is_some() {
            let mut alone = Observation::new(seen.obs_id.clone());
            alone.image = image;
            (alone.display, alone.pointer) = (seen.display, seen.pointer);
            alone.frame_hash = seen.frame_hash.clone();
            if let Seen::Picture(taken) = Seen::from_observation(alone)? {
                picture = Some(taken);
            }
        }
        Ok(Self {
            tree: seen.tree_text.is_some().then_some(seen),
            picture,
            settle,
        })
    }

    /// `None` where the frame is another thing.
    pub(crate) fn from_frame(frame: &Frame) -> Option<Self> {
        let Header::View(view) = frame.header() else {
            return None;
        };
        let BinaryView { seen, image, settle } = (**view).clone();
        let picture = Screenshot {
            bytes: frame.slice(image.off, image.len),
            format: image.format.unwrap_or(aci::welcome::ImageFormat::Png),
            w: image.w.to_u32(),
            h: image.h.to_u32(),
            scope: image.scope,
            display: seen.display,
            frame_hash: seen.frame_hash.clone(),
            pointer: seen
                .pointer
                .as_ref()
                .map(|point| (point.0[0].get(), point.0[1].get())),
            from_cache: false,
        };
        Some(Self {
            tree: seen.tree_text.is_some().then_some(seen),
            picture: Some(picture),
            settle,
        })
    }

    /// All but the bytes of the picture.
    pub fn to_json(&self) -> Value {
        use aci::Wire as _;
        serde_json::json!({
            "tree": self.tree.clone().map(Observation::encode),
            "picture": self.picture.as_ref().map(Screenshot::to_json),
            "settle": self.settle.encode(),
        })
    }
}
