//! What is known of a control.

use std::sync::Arc;

/// Where an accessible object lives: the unique name of its connection on the accessibility bus, and its path there.
///
/// Toolkits use a path again for another object once the first is gone, so this alone says nothing of who it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Such as `:1.42`.
    pub bus: Arc<str>,
    /// Such as `/org/a11y/atspi/accessible/7`.
    pub path: Arc<str>,
}

impl Place {
    /// The place of this connection and path.
    pub fn new(bus: impl Into<Arc<str>>, path: impl Into<Arc<str>>) -> Self {
        Self {
            bus: bus.into(),
            path: path.into(),
        }
    }
}

/// An area of the screen in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rect {
    /// Left edge.
    pub x: i32,
    /// Top edge.
    pub y: i32,
    /// Width, at least 1.
    pub w: u32,
    /// Height, at least 1.
    pub h: u32,
}

impl Rect {
    pub(crate) fn intersects(self, other: Self) -> bool {
        let apart =
            |from: i32, length: u32, other: i32| i64::from(from) + i64::from(length) <= i64::from(other);
        !(apart(self.x, self.w, other.x)
            || apart(other.x, other.w, self.x)
            || apart(self.y, self.h, other.y)
            || apart(other.y, other.h, self.y))
    }

    /// The area that both have.
    pub(crate) fn common(self, other: Self) -> Option<Self> {
        let (x, w) = common((self.x, self.w), (other.x, other.w))?;
        let (y, h) = common((self.y, self.h), (other.y, other.h))?;
        Some(Self { x, y, w, h })
    }

    pub(crate) fn contains(self, (x, y): (i32, i32)) -> bool {
        self.intersects(Self { x, y, w: 1, h: 1 })
    }

    pub(crate) fn middle(self) -> (i32, i32) {
        (
            self.x.saturating_add_unsigned(self.w / 2),
            self.y.saturating_add_unsigned(self.h / 2),
        )
    }
}

/// The part that two stretches of a line have in common, each with where it begins and how long it is.
fn common(one: (i32, u32), other: (i32, u32)) -> Option<(i32, u32)> {
    let from = one.0.max(other.0);
    let end = |stretch: (i32, u32)| i64::from(stretch.0) + i64::from(stretch.1);
    let length = end(one).min(end(other)) - i64::from(from);
    Some((from, u32::try_from(length).ok().filter(|&length| length > 0)?))
}

/// What a control is like at the moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    /// What it is, such as `button`. A control whose role changes is another control.
    pub role: String,
    /// Its name.
    pub name: String,
    /// Its longer description.
    pub description: String,
    /// Its value or text; of a password never.
    pub value: Option<String>,
    /// Its states in alphabetical order, such as `focused`.
    pub states: Vec<&'static str>,
    /// The names of its actions, in the application's order; empty where one has none.
    pub actions: Vec<String>,
    /// Where it is drawn; `None` where it is not, or where the toolkit does not say it truly.
    pub rect: Option<Rect>,
}

impl Facts {
    /// Whether it is in this state.
    pub fn is(&self, state: &str) -> bool {
        self.states.contains(&state)
    }

    /// The actions that can be named.
    pub fn named_actions(&self) -> impl Iterator<Item = &str> {
        self.actions
            .iter()
            .map(String::as_str)
            .filter(|name| !name.is_empty())
    }
}
