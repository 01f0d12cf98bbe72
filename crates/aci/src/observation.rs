//! Observations: pictures, tiles of pictures, and trees.

use std::sync::LazyLock;

use crate::element::Element;
use crate::geometry::CoordinateSpace;
use crate::rule::{Rule, Then, When};
use crate::target::Scope;
use crate::welcome::ImageFormat;
use crate::wire::{Array, Constant, Integer, Natural, NonEmpty, Number, Positive, wire_object, words};

words! {
    /// What `tree_text` holds.
    TreeMode {
        /// The whole tree.
        Full = "full",
        /// The difference to an earlier revision.
        Diff = "diff",
    }
}

wire_object! {
    /// A picture inside an observation, as text.
    #[derive(Eq)]
    pub struct Image: Open {
        /// The codec's bytes in base64.
        "ref" data_b64: required String,
        /// Width in pixels.
        "w" w: required Integer,
        /// Height in pixels.
        "h" h: required Integer,
        /// What it shows.
        "scope" scope: optional Scope,
        /// Its codec; png if absent.
        "format" format: optional ImageFormat,
    }
}

wire_object! {
    /// A changed part of a screencast's picture, as text.
    #[derive(Eq)]
    pub struct Tile: Closed {
        /// Left edge in pixels of the delivered picture.
        "x" x: required Natural,
        /// Top edge.
        "y" y: required Natural,
        /// Width.
        "w" w: required Positive,
        /// Height.
        "h" h: required Positive,
        /// The codec's bytes in base64.
        "ref" data_b64: required String,
    }
}

wire_object! {
    /// What changed in a tree.
    pub struct Delta: Open {
        /// Elements that are new.
        "added" added: optional Vec<Element>,
        /// Ids of elements that are gone.
        "removed" removed: optional Vec<String>,
        /// Elements that differ.
        "changed" changed: optional Vec<Element>,
    }
}

wire_object! {
    /// What the daemon saw.
    pub struct Observation: Closed, rules text_rules {
        fixed "type" = "observation";
        /// A name for this observation.
        "obs_id" obs_id: required String,
        /// The call that asked for it; absent on frames of a stream.
        "cause" cause: optional String,
        /// The screencast that it belongs to.
        "stream" stream: optional String,
        /// Its number in the screencast.
        "seq" seq: optional Natural,
        /// How its pixels lie on the screen.
        "display" display: optional CoordinateSpace,
        /// What `tree_text` holds.
        "tree" tree: optional TreeMode,
        /// The tree as text for a model.
        "tree_text" tree_text: optional String,
        /// Counts the session's structured observations.
        "revision" revision: optional Positive,
        /// The revision that a difference is against.
        "diff_of" diff_of: optional Positive,
        /// The element that has the keyboard focus.
        "focus" focus: optional String,
        /// How many elements there are.
        "node_count" node_count: optional Natural,
        /// How long taking it lasted, in milliseconds.
        "capture_ms" capture_ms: optional Number<0>,
        /// All elements.
        "elements" elements: optional Vec<Element>,
        /// What changed in the tree.
        "delta" delta: optional Delta,
        /// The picture.
        "image" image: optional Image,
        /// The parts of a screencast's picture that changed.
        "tiles" tiles: optional NonEmpty<Tile>,
        /// Stands for the picture's pixels; clients hand it back and read nothing into it.
        "frame_hash" frame_hash: optional String,
        /// The pixels are those that the client named, and so are left out.
        "not_modified" not_modified: optional Constant<true>,
        /// Where the pointer is, in pixels of the screen; it is never in the picture.
        "pointer" pointer: optional Array<Integer, 2>,
    }
}

wire_object! {
    /// A picture inside a binary message.
    #[derive(Copy, Eq)]
    pub struct BinaryImage: Closed {
        /// Where its bytes begin in the payload.
        "off" off: required Natural,
        /// How many bytes it has.
        "len" len: required Natural,
        /// Width in pixels.
        "w" w: required Integer,
        /// Height in pixels.
        "h" h: required Integer,
        /// What it shows.
        "scope" scope: optional Scope,
        /// Its codec; png if absent.
        "format" format: optional ImageFormat,
    }
}

wire_object! {
    /// A changed part of a screencast's picture inside a binary message.
    #[derive(Copy, Eq)]
    pub struct BinaryTile: Closed {
        /// Left edge in pixels of the delivered picture.
        "x" x: required Natural,
        /// Top edge.
        "y" y: required Natural,
        /// Width.
        "w" w: required Positive,
        /// Height.
        "h" h: required Positive,
        /// Where its bytes begin in the payload.
        "off" off: required Natural,
        /// How many bytes it has.
        "len" len: required Natural,
    }
}

wire_object! {
    /// The header of a binary message that carries a picture or tiles; the fields mean what they mean in an observation.
    pub struct BinaryFrameHeader: Closed, rules stream_rules {
        fixed "type" = "observation";
        /// A name for this observation.
        "obs_id" obs_id: required String,
        /// The call that asked for it.
        "cause" cause: optional String,
        /// The screencast that it belongs to.
        "stream" stream: optional String,
        /// Its number in the screencast.
        "seq" seq: optional Natural,
        /// How its pixels lie on the screen.
        "display" display: optional CoordinateSpace,
        /// The picture.
        "image" image: optional BinaryImage,
        /// The parts that changed.
        "tiles" tiles: optional NonEmpty<BinaryTile>,
        /// Stands for the picture's pixels.
        "frame_hash" frame_hash: optional String,
        /// Where the pointer is.
        "pointer" pointer: optional Array<Integer, 2>,
    }
}

/// Frames of a stream are numbered and carry pixels; tiles only come in streams and without a whole picture.
fn stream_rules() -> &'static [Rule] {
    static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
        let with = |field: &'static str, then: Then| Rule {
            when: When::Any(vec![field]),
            then,
        };
        vec![
            with("stream", Then::Require(vec!["seq"])),
            with("stream", Then::AnyOf(vec!["image", "tiles"])),
            with("seq", Then::Require(vec!["stream"])),
            with("tiles", Then::Require(vec!["stream"])),
            with("tiles", Then::Forbid(vec!["image"])),
        ]
    });
    &RULES
}

/// The same, and: an answer without pixels says which pixels, and to which call.
fn text_rules() -> &'static [Rule] {
    static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
        let with = |then: Then| Rule {
            when: When::Any(vec!["not_modified"]),
            then,
        };
        let mut rules = stream_rules().to_vec();
        rules.push(with(Then::Require(vec!["frame_hash", "cause"])));
        rules.push(with(Then::Forbid(vec!["image", "tiles"])));
        rules
    });
    &RULES
}

impl Observation {
    /// An observation with nothing but its name.
    pub fn new(obs_id: impl Into<String>) -> Self {
        Self {
            obs_id: obs_id.into(),
            cause: None,
            stream: None,
            seq: None,
            display: None,
            tree: None,
            tree_text: None,
            revision: None,
            diff_of: None,
            focus: None,
            node_count: None,
            capture_ms: None,
            elements: None,
            delta: None,
            image: None,
            tiles: None,
            frame_hash: None,
            not_modified: None,
            pointer: None,
        }
    }
}
