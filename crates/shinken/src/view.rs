//! What the verb `observe` gives beyond the contract: the tree, a picture, or both taken together.

use std::time::Duration;

use aci::extension::view::{BinaryView, Settle, View as WireView};
use aci::frame::{Frame, Header};
use aci::observation::Observation;
use serde_json::Value;

use crate::error::ClientError;
use crate::reply::Seen;
use crate::screenshot::{Screenshot, Shot};

/// What a look is to show: the tree of the focused application, if nothing else is said.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Look {
    name: Option<String>,
    process: Option<u32>,
    shot: Option<Shot>,
    marks: bool,
    no_tree: bool,
    diff: bool,
    quiet: Duration,
}

impl Look {
    /// The tree of the focused application.
    pub fn new() -> Self {
        Self::default()
    }

    /// Of the application of this name (its own or its program's), whichever has the focus. One that is there more than once is
    /// refused as `ambiguous_app`, with all of them.
    #[must_use]
    pub fn app(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Of the application of this process.
    #[must_use]
    pub fn process(mut self, pid: u32) -> Self {
        self.process = Some(pid);
        self
    }

    /// A picture with it, between which and the tree the screen does not change.
    #[must_use]
    pub fn picture(mut self, shot: Shot) -> Self {
        self.shot = Some(shot);
        self
    }

    /// A picture in which each element that can be used has a box with the number of its id: 14 stands for `e14`.
    #[must_use]
    pub fn marks(mut self, shot: Shot) -> Self {
        self.shot = Some(shot);
        self.marks = true;
        self
    }

    /// The picture alone.
    #[must_use]
    pub fn without_tree(mut self) -> Self {
        self.no_tree = true;
        self
    }

    /// As a difference to what the session saw last.
    #[must_use]
    pub fn diff(mut self) -> Self {
        self.diff = true;
        self
    }

    /// Once the interface has been quiet for so long.
    #[must_use]
    pub fn settle(mut self, quiet: Duration) -> Self {
        self.quiet = quiet;
        self
    }

    pub(crate) fn selector(&self) -> Option<(Option<&str>, Option<u32>)> {
        let some = self.name.is_some() || self.process.is_some();
        some.then_some((self.name.as_deref(), self.process))
    }

    pub(crate) fn shot(&self) -> Option<Shot> {
        self.shot
    }

    pub(crate) fn has_marks(&self) -> bool {
        self.marks
    }

    pub(crate) fn has_tree(&self) -> bool {
        !self.no_tree
    }

    pub(crate) fn is_diff(&self) -> bool {
        self.diff
    }

    pub(crate) fn quiet(&self) -> Duration {
        self.quiet
    }
}

/// A look at an application.
#[derive(Debug, Clone)]
pub struct View {
    /// The tree, where it was asked for.
    pub tree: Option<Observation>,
    /// The picture, where it was asked for.
    pub picture: Option<Screenshot>,
    /// How the interface came to rest before, where the runtime tells.
    pub settle: Option<Settle>,
}

impl View {
    /// What came for a look.
    pub(crate) fn from_seen(seen: Seen) -> Result<Self, ClientError> {
        match seen {
            Seen::View(view) => Ok(*view),
            Seen::Tree(tree) => Ok(Self {
                tree: Some(*tree),
                picture: None,
                settle: None,
            }),
            Seen::Picture(_) | Seen::NotModified(_) => {
                Err(ClientError::protocol("a picture came where a look was asked for"))
            }
        }
    }

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
            settle: Some(settle),
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
            settle: Some(settle),
        })
    }

    /// All but the bytes of the picture.
    pub fn to_json(&self) -> Value {
        use aci::Wire as _;
        serde_json::json!({
            "tree": self.tree.clone().map(Observation::encode),
            "picture": self.picture.as_ref().map(Screenshot::to_json),
            "settle": self.settle.map(Settle::encode),
        })
    }
}
