//! Pointer and keyboard.

use std::time::{Duration, Instant};

use crate::DesktopError;

/// A position in pixels of the whole screen, top-left origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Point {
    /// Distance from the left edge.
    pub x: i32,
    /// Distance from the top edge.
    pub y: i32,
}

/// A pointer button.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Button {
    /// The primary one.
    Left,
    /// The wheel's.
    Middle,
    /// The one that opens context menus.
    Right,
}

/// Whoever may hold a button or a key down: a session of the daemon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Holder(pub u64);

/// One thing a person does with mouse or keyboard.
#[derive(Debug, Clone, PartialEq)]
pub enum Gesture {
    /// Move the pointer.
    Move(Point),
    /// Move, then press and release `button` `count` times, as a double click where it is 2.
    Click {
        /// Where.
        at: Point,
        /// With what.
        button: Button,
        /// How often: 1 or 2.
        count: u8,
    },
    /// Press and keep down, after a move where `at` is given.
    ButtonDown {
        /// Where; the current position if none.
        at: Option<Point>,
        /// What.
        button: Button,
    },
    /// Release, after a move where `at` is given.
    ButtonUp {
        /// Where; the current position if none.
        at: Option<Point>,
        /// What.
        button: Button,
    },
    /// Press at `from`, move along a straight line, release exactly at `to`.
    Drag {
        /// Where the button goes down.
        from: Point,
        /// Where it is released.
        to: Point,
        /// With what.
        button: Button,
        /// How long the way takes; clamped to ten seconds.
        duration: Duration,
    },
    /// Turn the wheel at `at`. The unit is 1/120 of a wheel step; positive is right and down.
    /// What is less than a step is kept per holder and added to the next call.
    Scroll {
        /// Where.
        at: Point,
        /// To the right.
        dx: f64,
        /// Down the page.
        dy: f64,
    },
    /// Press a chord in xdotool's grammar, `ctrl+shift+t`, and release it in reverse.
    Key(String),
    /// Type this text exactly.
    Type(String),
}

/// Whether a gesture can be done without waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Only writes to the display server that cannot block: microseconds; may be done on an async thread.
    Immediate,
    /// May wait for the display server or for time to pass: needs a thread that may block.
    Blocking,
}

/// Mouse and keyboard of a desktop. Whoever has it has the total order of all input.
pub trait Input: Send + std::fmt::Debug {
    /// Width and height of the screen in pixels, kept current when the screen is resized.
    fn screen_size(&mut self) -> Result<(u32, u32), DesktopError>;

    /// Whether [`Input::perform`] with this gesture would block, in the present state of the connection.
    fn pace(&mut self, gesture: &Gesture) -> Pace;

    /// Does the gesture. On return every event is with the display server in order; the last one takes effect at the
    /// returned instant, at most 250 ms away. What stays down is held in the name of `holder`.
    ///
    /// # Errors
    /// `Invalid` (a point off the screen, an unknown key: nothing has been pressed), `WindowNotFound` (text, or
    /// keys that type or edit, while no window has the focus), `Gone`.
    fn perform(&mut self, holder: Holder, gesture: &Gesture) -> Result<Instant, DesktopError>;

    /// Waits until every event sent so far has taken effect. Blocks.
    ///
    /// # Errors
    /// `Gone`.
    fn settle(&mut self) -> Result<(), DesktopError>;

    /// Releases all that this holder still holds, and forgets its fractions of wheel steps.
    ///
    /// # Errors
    /// `Gone`.
    fn release(&mut self, holder: Holder) -> Result<(), DesktopError>;
}
