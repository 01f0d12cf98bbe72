//! Clicks, moves, gestures and the wheel.

use std::time::Duration;

use aci::target::{PointerButton, Target};
use aci::verb::call;
use desktop::backend::{Button, Gesture};

use super::place::point;
use crate::reply::{Outcome, Reply};
use crate::session::Session;

pub(super) async fn click(session: &Session, target: &Target, button: Button, count: u8) -> Outcome {
    let at = point(session, target).await?;
    gesture(session, Gesture::Click { at, button, count }).await
}

pub(super) async fn move_to(session: &Session, target: &Target) -> Outcome {
    let at = point(session, target).await?;
    gesture(session, Gesture::Move(at)).await
}

pub(super) async fn drag(session: &Session, call: call::Drag) -> Outcome {
    let from = point(session, &call.target).await?;
    let to = point(session, &call.to).await?;
    let duration = Duration::from_millis(call.duration_ms.map_or(0, |ms| ms.to_u64()));
    gesture(
        session,
        Gesture::Drag {
            from,
            to,
            button: button(call.button),
            duration,
        },
    )
    .await
}

pub(super) async fn down(session: &Session, target: Option<Target>, which: Option<PointerButton>) -> Outcome {
    let at = match target {
        Some(target) => Some(point(session, &target).await?),
        None => None,
    };
    gesture(
        session,
        Gesture::ButtonDown {
            at,
            button: button(which),
        },
    )
    .await
}

pub(super) async fn up(session: &Session, target: Option<Target>, which: Option<PointerButton>) -> Outcome {
    let at = match target {
        Some(target) => Some(point(session, &target).await?),
        None => None,
    };
    gesture(
        session,
        Gesture::ButtonUp {
            at,
            button: button(which),
        },
    )
    .await
}

pub(super) async fn scroll(session: &Session, call: call::Scroll) -> Outcome {
    let at = point(session, &call.target).await?;
    let amount = |delta: Option<aci::Number>| delta.map_or(0.0, aci::Number::get);
    gesture(
        session,
        Gesture::Scroll {
            at,
            dx: amount(call.dx),
            dy: amount(call.dy),
        },
    )
    .await
}

async fn gesture(session: &Session, gesture: Gesture) -> Outcome {
    session.daemon().desk.gesture(session.holder(), gesture).await?;
    Ok(Reply::Done)
}

fn button(button: Option<PointerButton>) -> Button {
    match button.unwrap_or(PointerButton::Left) {
        PointerButton::Left => Button::Left,
        PointerButton::Middle => Button::Middle,
        PointerButton::Right => Button::Right,
    }
}
