//! Where an action is aimed, and what a picture is taken of.

use std::fmt;

use serde_json::{Value, json};

use crate::wire::{Fault, Number, Wire, wire_object, words};

words! {
    /// The ways to say where an action is aimed.
    TargetKind {
        /// A pixel of the whole screen.
        PointPx = "point_px",
        /// A share of the screen's width and height, 0 to 1.
        PointNorm = "point_norm",
        /// An element of a structured observation.
        ElementRef = "element_ref",
    }
}

words! {
    /// Where an element comes from.
    ElementSource {
        /// The Linux accessibility bus.
        Atspi = "atspi",
        /// Windows UI Automation.
        Uia = "uia",
        /// The macOS accessibility interface.
        Ax = "ax",
        /// The Chrome DevTools Protocol.
        Cdp = "cdp",
        /// Marks found in pixels.
        Som = "som",
    }
}

words! {
    /// A pointer button; `left` where an action names none.
    PointerButton {
        /// The primary button.
        Left = "left",
        /// The wheel's button.
        Middle = "middle",
        /// The one for context menus.
        Right = "right",
    }
}

wire_object! {
    /// A pixel of the whole screen, top-left origin. A fraction counts to the pixel that contains it.
    #[derive(Copy)]
    pub struct PointPx: Closed {
        fixed "kind" = "point_px";
        /// From the left edge, in pixels.
        "x" x: required Number,
        /// From the top edge, in pixels.
        "y" y: required Number,
    }
}

wire_object! {
    /// A share of the screen: 0 is the first pixel, 1 the last.
    #[derive(Copy)]
    pub struct PointNorm: Closed {
        fixed "kind" = "point_norm";
        /// Across.
        "x" x: required Number<0, 1000>,
        /// Down.
        "y" y: required Number<0, 1000>,
    }
}

wire_object! {
    /// An element of this session's structured observations.
    #[derive(Eq)]
    pub struct ElementRef: Closed {
        fixed "kind" = "element_ref";
        /// The element's id, such as `e14`.
        "ref" reference: required String,
        /// Where the element came from.
        "source" source: optional ElementSource,
    }
}

/// Where an action is aimed.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// A pixel of the screen.
    PointPx(PointPx),
    /// A share of the screen.
    PointNorm(PointNorm),
    /// An element.
    ElementRef(ElementRef),
}

impl Target {
    /// A pixel of the screen; `None` for numbers that are not finite.
    pub fn px(x: f64, y: f64) -> Option<Self> {
        Some(Self::PointPx(PointPx {
            x: Number::new(x)?,
            y: Number::new(y)?,
        }))
    }

    /// A share of the screen; `None` outside of 0 to 1.
    pub fn norm(x: f64, y: f64) -> Option<Self> {
        Some(Self::PointNorm(PointNorm {
            x: Number::new(x)?,
            y: Number::new(y)?,
        }))
    }

    /// Which kind it is.
    pub fn kind(&self) -> TargetKind {
        match self {
            Self::PointPx(_) => TargetKind::PointPx,
            Self::PointNorm(_) => TargetKind::PointNorm,
            Self::ElementRef(_) => TargetKind::ElementRef,
        }
    }

    pub(crate) fn definition() -> Value {
        json!({"oneOf": [PointPx::schema(), PointNorm::schema(), ElementRef::schema()]})
    }
}

impl Wire for Target {
    fn decode(value: Value) -> Result<Self, Fault> {
        let object = value
            .as_object()
            .ok_or_else(|| Fault::expected("a target object", &value))?;
        let kind = object
            .get("kind")
            .cloned()
            .ok_or_else(|| Fault::new("the field \"kind\" is missing"))?;
        match TargetKind::decode(kind).map_err(|fault| fault.inside("kind"))? {
            TargetKind::PointPx => PointPx::decode(value).map(Self::PointPx),
            TargetKind::PointNorm => PointNorm::decode(value).map(Self::PointNorm),
            TargetKind::ElementRef => ElementRef::decode(value).map(Self::ElementRef),
        }
    }

    fn encode(self) -> Value {
        match self {
            Self::PointPx(point) => point.encode(),
            Self::PointNorm(point) => point.encode(),
            Self::ElementRef(element) => element.encode(),
        }
    }

    fn schema() -> Value {
        json!({"$ref": "#/$defs/Target"})
    }
}

/// What a picture shows: `screen`, `active_window`, or `window:<id>` with the id in decimal or `0x` hexadecimal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Scope {
    /// The whole screen.
    #[default]
    Screen,
    /// The active window.
    ActiveWindow,
    /// The window with this id; an id beyond 64 bits is held as the largest one, which no window has.
    Window(u64),
}

impl Scope {
    /// Reads the word.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "screen" => return Some(Self::Screen),
            "active_window" => return Some(Self::ActiveWindow),
            _ => {}
        }
        let id = word.strip_prefix("window:")?;
        let (digits, radix) = id.strip_prefix("0x").map_or((id, 10), |hex| (hex, 16));
        if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
            return None;
        }
        // Only digits are left, so the one way to fail is a number too large.
        Some(Self::Window(
            u64::from_str_radix(digits, radix).unwrap_or(u64::MAX),
        ))
    }

    pub(crate) fn definition() -> Value {
        json!({
            "oneOf": [
                {"enum": ["screen", "active_window"]},
                {"type": "string", "pattern": "^window:(0x[0-9a-fA-F]+|[0-9]+)$"},
            ],
            "description": "what a picture shows: the screen, the active window, or one window by its id",
        })
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Screen => f.write_str("screen"),
            Self::ActiveWindow => f.write_str("active_window"),
            Self::Window(id) => write!(f, "window:{id}"),
        }
    }
}

impl Wire for Scope {
    fn decode(value: Value) -> Result<Self, Fault> {
        value
            .as_str()
            .and_then(Self::from_word)
            .ok_or_else(|| Fault::expected("screen, active_window or window:<id>", &value))
    }

    fn encode(self) -> Value {
        Value::String(self.to_string())
    }

    fn schema() -> Value {
        json!({"$ref": "#/$defs/Scope"})
    }
}
