//! Gestures of the pointer.

use std::time::Duration;

use super::script::Script;
use crate::DesktopError;
use crate::backend::{Button, Point};

/// How long a button of a click is down. Programs that look at the state now and then see it, and people are slower.
const BUTTON_HELD: Duration = Duration::from_millis(25);
/// From the release of a double click's first half to its second.
const BETWEEN_CLICKS: Duration = Duration::from_millis(60);
/// A drag rests where it starts,
const DRAG_BEGINS: Duration = Duration::from_millis(40);
/// and longer where it ends: toolkits ask the window below, and wait for its answer, before they take a release for a drop.
/// With less than half of this GTK drops what is dragged at once somewhere else.
const DRAG_ENDS: Duration = Duration::from_millis(100);
/// Between two positions of a drag; a screen shows no more.
const DRAG_STEP: Duration = Duration::from_millis(10);
/// The fewest positions of a drag. The first ones are beyond the distance from which on toolkits see a drag.
const FEWEST_STEPS: u32 = 8;
const LONGEST_DRAG: Duration = Duration::from_secs(10);

/// The most steps of the wheel in one gesture; nobody means more.
const MOST_WHEEL_STEPS: f64 = 10_000.0;
/// The unit of scrolling, as in Windows and libinput.
const UNITS_PER_WHEEL_STEP: f64 = 120.0;

/// The width and height of a screen.
type Size = (u32, u32);

/// What is left of a wheel's turns that were no whole step, in units of a step.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Wheel {
    right: f64,
    down: f64,
}

fn number(button: Button) -> u8 {
    match button {
        Button::Left => 1,
        Button::Middle => 2,
        Button::Right => 3,
    }
}

fn check(size: Size, at: Point) -> Result<(), DesktopError> {
    let within = |value: i32, limit: u32| u32::try_from(value).is_ok_and(|value| value < limit);
    if within(at.x, size.0) && within(at.y, size.1) {
        return Ok(());
    }
    let (width, height) = size;
    Err(DesktopError::Invalid(format!(
        "({}, {}) is off the screen, which is {width}x{height} pixels: x is 0 to {}, y is 0 to {}",
        at.x,
        at.y,
        width.saturating_sub(1),
        height.saturating_sub(1)
    )))
}

/// Moves, where there is somewhere to go.
pub(super) fn glide(size: Size, to: Option<Point>) -> Result<Script, DesktopError> {
    let mut script = Script::default();
    if let Some(to) = to {
        check(size, to)?;
        script.pointer(to);
    }
    Ok(script)
}

pub(super) fn click(size: Size, at: Point, button: Button, count: u8) -> Result<Script, DesktopError> {
    if !(1..=2).contains(&count) {
        return Err(DesktopError::Invalid(format!(
            "a click is single or double, not {count} times"
        )));
    }
    let mut script = glide(size, Some(at))?;
    for nth in 0..count {
        if nth > 0 {
            script.wait(BETWEEN_CLICKS);
        }
        script.button(number(button), true);
        script.wait(BUTTON_HELD);
        script.button(number(button), false);
    }
    Ok(script)
}

pub(super) fn press(size: Size, at: Option<Point>, button: Button) -> Result<Script, DesktopError> {
    let mut script = glide(size, at)?;
    script.button(number(button), true);
    Ok(script)
}

pub(super) fn lift(size: Size, at: Option<Point>, button: Button) -> Result<Script, DesktopError> {
    let mut script = glide(size, at)?;
    script.button(number(button), false);
    Ok(script)
}

pub(super) fn drag(
    size: Size,
    (from, to): (Point, Point),
    button: Button,
    duration: Duration,
) -> Result<Script, DesktopError> {
    check(size, from)?;
    check(size, to)?;
    let duration = duration.min(LONGEST_DRAG);
    let mut script = glide(size, Some(from))?;
    script.button(number(button), true);
    script.wait(DRAG_BEGINS);
    let steps = u32::try_from(duration.as_millis() / DRAG_STEP.as_millis())
        .unwrap_or(FEWEST_STEPS)
        .max(FEWEST_STEPS);
    let pause = DRAG_STEP.max(duration / steps);
    for step in 1..=steps {
        script.wait(pause);
        script.pointer(Point {
            x: between(from.x, to.x, step, steps),
            y: between(from.y, to.y, step, steps),
        });
    }
    script.wait(DRAG_ENDS);
    script.button(number(button), false);
    Ok(script)
}

/// The position after `step` of `steps` equal ones.
fn between(from: i32, to: i32, step: u32, steps: u32) -> i32 {
    let way = i64::from(to) - i64::from(from);
    let done = way * i64::from(step) / i64::from(steps);
    // Never beyond the two ends, which fit.
    i32::try_from(i64::from(from) + done).unwrap_or(to)
}

/// Turns of the wheel at a position, and what is left of them for the next time.
pub(super) fn scroll(
    size: Size,
    at: Point,
    before: Wheel,
    (right, down): (f64, f64),
) -> Result<(Script, Wheel), DesktopError> {
    let mut script = glide(size, Some(at))?;
    let (horizontal, right) = whole_steps(before.right, right)?;
    let (vertical, down) = whole_steps(before.down, down)?;
    for (count, back, forth) in [(vertical, 4, 5), (horizontal, 6, 7)] {
        let button = if count < 0 { back } else { forth };
        for _ in 0..count.unsigned_abs() {
            script.button(button, true);
            script.button(button, false);
        }
    }
    Ok((script, Wheel { right, down }))
}

/// The whole steps of an amount, and the rest.
fn whole_steps(before: f64, units: f64) -> Result<(i32, f64), DesktopError> {
    let steps = before + units / UNITS_PER_WHEEL_STEP;
    if !steps.is_finite() || steps.abs() > MOST_WHEEL_STEPS {
        return Err(DesktopError::Invalid(format!(
            "{units} is too much to scroll at once; at most {} in either direction",
            MOST_WHEEL_STEPS * UNITS_PER_WHEEL_STEP
        )));
    }
    let whole = steps.trunc();
    Ok((whole as i32, steps - whole))
}
