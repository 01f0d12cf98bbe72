//! Mouse and keyboard, by the daemon and by hand.

use serde_json::{Value, json};

use crate::cases::Shared;
use crate::echo::Script;
use crate::rounds::{Case, Effort};
use crate::scene::Painter;

/// Every input verb.
///
/// Those that take effect at once are called in a row. A click or a key keeps its button down for as long as programs need,
/// so each of these begins when the one before has taken effect; the processor slept meanwhile, and is warmed up
/// by moves to where the pointer is already, as a row of calls would. What the sleep costs is told apart: see [`rested`].
pub(crate) fn verbs<'a>(session: &'a Shared, effort: Effort) -> Vec<Case<'a>> {
    let at = |x: i32, y: i32| json!({"kind": "point_px", "x": x, "y": y});
    let (x, y) = Painter::POINT;
    let here = json!({"verb": "move", "target": at(x, y)});
    let away = json!({"verb": "move", "target": at(x - 50, y)});
    let (down, up) = (
        json!({"verb": "mouse_down", "target": at(x, y)}),
        json!({"verb": "mouse_up", "target": at(x, y)}),
    );
    let typed = |text: &str| json!({"verb": "type_text", "text": text});
    let in_a_row = |name, before: Option<&Value>, action: &Value| {
        let (before, action) = (before.cloned(), action.clone());
        Case::new(name, effort.calls, move || {
            let mut session = session.borrow_mut();
            if let Some(before) = &before {
                session.act(before)?;
            }
            Ok(session.act(&action)?.0)
        })
    };
    let each = |name, action: Value| {
        let here = here.clone();
        Case::new(name, effort.inputs, move || {
            let mut session = session.borrow_mut();
            session.act(&settle())?;
            for _ in 0..WARMING {
                session.act(&here)?;
            }
            Ok(session.act(&action)?.0)
        })
    };
    vec![
        in_a_row("move", Some(&away), &here),
        in_a_row("mouse_down", Some(&up), &down),
        in_a_row("mouse_up", Some(&down), &up),
        in_a_row(
            "scroll",
            None,
            &json!({"verb": "scroll", "target": at(x, y), "dy": 120}),
        ),
        each("click", json!({"verb": "click", "target": at(x, y)})),
        each(
            "double_click",
            json!({"verb": "double_click", "target": at(x, y)}),
        ),
        each("right_click", json!({"verb": "right_click", "target": at(x, y)})),
        each(
            "drag",
            json!({"verb": "drag", "target": at(x, y), "to": at(x + 40, y + 20)}),
        ),
        each("key", json!({"verb": "key", "keys": "a"})),
        each("type_text, one letter", typed("a")),
        each("type_text, twenty letters", typed("the quick brown fox ")),
        each("type_text, five foreign letters", typed("żółw✓")),
    ]
}

/// Waits until all input has taken effect.
fn settle() -> Value {
    json!({"verb": "wait", "ms": 0})
}

/// So many calls in a row, and the next is as fast as those.
pub(crate) const WARMING: usize = 20;

/// The same events, sent by the server that does nothing else; timed under the same circumstances as in [`verbs`].
pub(crate) fn by_hand<'a>(session: &'a Shared, echo: &'a Shared, effort: Effort) -> Vec<Case<'a>> {
    let here = Script::moving(Painter::POINT);
    let (x, y) = Painter::POINT;
    let away = Script::moving((x - 50, y));
    let in_a_row = |name, before: Option<&Script>, script: Script| {
        let before = before.cloned();
        Case::new(name, effort.calls, move || {
            let mut echo = echo.borrow_mut();
            if let Some(before) = &before {
                echo.echo(before.as_str())?;
            }
            echo.echo(script.as_str())
        })
    };
    let each = |name, script: Script| {
        let here = here.clone();
        Case::new(name, effort.inputs, move || {
            // The effect of what was sent by hand is not known to the daemon, but a press that rests keeps it busy as well.
            session.borrow_mut().act(&click())?;
            session.borrow_mut().act(&settle())?;
            let mut echo = echo.borrow_mut();
            for _ in 0..WARMING {
                echo.echo(here.as_str())?;
            }
            echo.echo(script.as_str())
        })
    };
    vec![
        in_a_row("by hand move", Some(&away), here.clone()),
        in_a_row("by hand scroll", None, here.clone().button(5, 0)),
        each("by hand click", here.clone().button(1, 25)),
        each("by hand key", Script::key_a()),
    ]
}

/// What an empty round trip, the write by hand and a click cost after the processor has slept while a click's button was
/// down. That is how an agent calls: seldom.
pub(crate) fn rested<'a>(session: &'a Shared, echo: &'a Shared, effort: Effort) -> Vec<Case<'a>> {
    let rest = move || {
        let mut session = session.borrow_mut();
        session.act(&click())?;
        session.act(&settle()).map(drop)
    };
    let script = Script::moving(Painter::POINT).button(1, 25);
    vec![
        Case::new("ping after a rest", effort.inputs, move || {
            rest()?;
            session.borrow_mut().ping()
        }),
        Case::new("by hand click after a rest", effort.inputs, move || {
            rest()?;
            echo.borrow_mut().echo(script.as_str())
        }),
        Case::new("click after a rest", effort.inputs, move || {
            rest()?;
            Ok(session.borrow_mut().act(&click())?.0)
        }),
        Case::new("key after a rest", effort.inputs, move || {
            rest()?;
            Ok(session.borrow_mut().act(&json!({"verb": "key", "keys": "a"}))?.0)
        }),
    ]
}

/// A click where it does nothing.
pub(crate) fn click() -> Value {
    let (x, y) = Painter::POINT;
    json!({"verb": "click", "target": {"kind": "point_px", "x": x, "y": y}})
}
