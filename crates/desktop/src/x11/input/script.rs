//! What is sent for a gesture.

use std::time::Duration;

use crate::backend::Point;

/// One thing that the server is told to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    /// The pointer goes there.
    Pointer(Point),
    /// A button of the server goes down or up.
    Button(u8, bool),
    /// A key goes down or up.
    Key(u8, bool),
    /// These modifiers are locked or unlocked.
    Lock {
        /// Which.
        modifiers: u8,
        /// Whether they are on afterwards.
        on: bool,
    },
    /// This group is the active one.
    Group(u8),
}

/// Events in order, each with the pause before it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Script {
    steps: Vec<(Duration, Act)>,
    /// The pause before the next event.
    pause: Duration,
    total: Duration,
}

impl Script {
    /// The next event comes at least this much later. The server counts in milliseconds.
    pub(super) fn wait(&mut self, pause: Duration) {
        self.pause += pause;
    }

    pub(super) fn pointer(&mut self, to: Point) {
        self.push(Act::Pointer(to));
    }

    pub(super) fn button(&mut self, number: u8, down: bool) {
        self.push(Act::Button(number, down));
    }

    pub(super) fn key(&mut self, code: u8, down: bool) {
        self.push(Act::Key(code, down));
    }

    pub(super) fn push(&mut self, act: Act) {
        let pause = std::mem::take(&mut self.pause);
        self.total += pause;
        self.steps.push((pause, act));
    }

    pub(super) fn steps(&self) -> &[(Duration, Act)] {
        &self.steps
    }

    /// How long it takes.
    pub(super) fn total(&self) -> Duration {
        self.total
    }

    pub(super) fn presses_keys(&self) -> bool {
        self.steps.iter().any(|(_, act)| matches!(act, Act::Key(_, true)))
    }

    /// The buttons in the order in which they go down (true) and up.
    pub(super) fn buttons(&self) -> impl Iterator<Item = (u8, bool)> {
        self.steps.iter().filter_map(|(_, act)| match *act {
            Act::Button(number, down) => Some((number, down)),
            _ => None,
        })
    }
}
