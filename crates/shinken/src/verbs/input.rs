//! Pointer, gestures, keyboard and waiting.

use std::time::Duration;

use aci::action::Action;
use aci::target::PointerButton;
use aci::verb::Verb;
use aci::{Natural, Number};

use super::act::{self, Act, Place};
use crate::client::Client;
use crate::error::ClientError;

impl Client {
    /// Presses and releases the left button at a place.
    pub fn click(&self, at: impl Into<Place>) -> Act {
        self.at(Verb::Click, at)
    }

    /// Clicks twice, fast enough for a double click.
    pub fn double_click(&self, at: impl Into<Place>) -> Act {
        self.at(Verb::DoubleClick, at)
    }

    /// Presses and releases the right button at a place.
    pub fn right_click(&self, at: impl Into<Place>) -> Act {
        self.at(Verb::RightClick, at)
    }

    /// Moves the pointer; the verb is `move`, which is a word of Rust.
    pub fn move_to(&self, at: impl Into<Place>) -> Act {
        self.at(Verb::Move, at)
    }

    /// Presses a button at one place, moves along a line for this long, and releases it at another.
    pub fn drag(
        &self,
        from: impl Into<Place>,
        to: impl Into<Place>,
        button: PointerButton,
        duration: Duration,
    ) -> Act {
        let (from, to) = (from.into(), to.into());
        let action = || {
            let mut action = Action::new(Verb::Drag);
            action.target = Some(from.target()?);
            action.to = Some(to.target()?);
            act::button(&mut action, button);
            action.duration_ms = (!duration.is_zero()).then(|| Natural::clamped(duration.as_millis()));
            Ok(action)
        };
        Act::new(self, action())
    }

    /// Presses a button and keeps it down, at a place or where the pointer is.
    pub fn mouse_down(&self, at: Option<Place>, button: PointerButton) -> Act {
        self.half(Verb::MouseDown, at, button)
    }

    /// Releases a button, at a place or where the pointer is.
    pub fn mouse_up(&self, at: Option<Place>, button: PointerButton) -> Act {
        self.half(Verb::MouseUp, at, button)
    }

    /// Turns the wheel at a place: `dx` to the right and `dy` down the page, in 1/120 of a wheel step.
    pub fn scroll(&self, at: impl Into<Place>, dx: f64, dy: f64) -> Act {
        let at = at.into();
        let action = || {
            let mut action = Action::new(Verb::Scroll);
            action.target = Some(at.target()?);
            action.dx = distance(dx)?;
            action.dy = distance(dy)?;
            Ok(action)
        };
        Act::new(self, action())
    }

    /// Types the text exactly, whatever the keyboard layout.
    pub fn type_text(&self, text: impl Into<String>) -> Act {
        let mut action = Action::new(Verb::TypeText);
        action.text = Some(text.into());
        Act::new(self, Ok(action))
    }

    /// Presses a chord such as `ctrl+shift+t`.
    pub fn key(&self, keys: impl Into<String>) -> Act {
        let mut action = Action::new(Verb::Key);
        action.keys = Some(keys.into());
        Act::new(self, Ok(action))
    }

    /// Waits in the runtime, and with it the session's later calls; at most a minute.
    ///
    /// # Errors
    /// As for any call.
    pub async fn wait(&self, duration: Duration) -> Result<(), ClientError> {
        let mut action = Action::new(Verb::Wait);
        action.ms = Some(Natural::clamped(duration.as_millis()));
        self.call(action).await?.done()
    }

    fn at(&self, verb: Verb, at: impl Into<Place>) -> Act {
        let action = at.into().target().map(|target| {
            let mut action = Action::new(verb);
            action.target = Some(target);
            action
        });
        Act::new(self, action)
    }

    fn half(&self, verb: Verb, at: Option<Place>, button: PointerButton) -> Act {
        let action = at.map(Place::target).transpose().map(|target| {
            let mut action = Action::new(verb);
            action.target = target;
            act::button(&mut action, button);
            action
        });
        Act::new(self, action)
    }
}

/// A distance of the wheel, where it is one.
fn distance(value: f64) -> Result<Option<Number>, ClientError> {
    let number =
        Number::new(value).ok_or_else(|| ClientError::invalid("a distance is not a finite number"))?;
    Ok((value != 0.0).then_some(number))
}
