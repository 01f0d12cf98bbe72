//! Chords of keys.

use std::time::Duration;

use xkeysym::key;

use super::borrowed::Borrowed;
use super::listener::Listener;
use super::script::{Act, Script};
use super::seat::Seat;
use super::{FOCUSING, Plan};
use crate::DesktopError;
use crate::backend::Gesture;
use crate::x11::keymap::{Keymap, Stroke, modifier};

/// How long the last key of a chord is down.
const KEY_HELD: Duration = Duration::from_millis(10);
/// The most groups that a keyboard has.
const GROUPS: u8 = 4;

/// Whether a gesture is meant for the window that has the focus, and for nothing else.
pub(super) fn is_for_focus(gesture: &Gesture) -> bool {
    match gesture {
        Gesture::Key(chord) => crate::keys::parse(chord).is_ok_and(|symbols| types(&symbols)),
        Gesture::Type(_) => true,
        _ => false,
    }
}

/// Whether a chord types or edits. One with another modifier than Shift, and a key such as F1, Print or those of
/// players, may be grabbed by a window manager or a program and so be of use without a focus.
fn types(symbols: &[u32]) -> bool {
    let commands = |symbol: &u32| {
        matches!(
            *symbol,
            key::Control_L..=key::Control_R | key::Meta_L..=key::Hyper_R
        )
    };
    let types = |symbol: &u32| {
        matches!(
            *symbol,
            // Characters, those of Unicode included, and dead keys.
            0x20..=0xfdff | 0x0100_0000..=0x0110_ffff | key::ISO_Left_Tab | key::dead_grave..=0xfe93
            | key::BackSpace..=key::Return | key::Escape | key::Delete | key::Insert
            | key::Home..=key::Begin | key::KP_Space..=key::KP_Equal
        )
    };
    !symbols.iter().any(commands) && symbols.iter().any(types)
}

/// The events of a chord, where all of its keys are on the keyboard.
pub(super) fn plan(seat: &mut Seat, chord: &str) -> Result<Plan, DesktopError> {
    let symbols = crate::keys::parse(chord)?;
    let Some((keymap, group, locked)) = seat.keyboard() else {
        return Ok(Plan::Slow);
    };
    Ok(script(keymap, group, locked, &symbols).map_or(Plan::Slow, |script| Plan::Script(script, None)))
}

/// The same with questions to the server; a key that is not on the keyboard is put there for the time of the chord.
pub(super) fn press(seat: &mut Seat, borrowed: &mut Borrowed, chord: &str) -> Result<(), DesktopError> {
    let symbols = crate::keys::parse(chord)?;
    seat.fresh_keyboard()?;
    if types(&symbols) {
        seat.check_audience(FOCUSING)?;
    } else {
        seat.check_focus()?;
    }
    seat.hear_pongs(true)?;
    let pressed = press_anywhere(seat, borrowed, &symbols, chord);
    if matches!(pressed, Err(DesktopError::Gone(_))) {
        // What is borrowed is given back by the next call, should there be one.
        return pressed;
    }
    let told = borrowed.give_back(seat);
    seat.hear_pongs(false)?;
    seat.flush()?;
    pressed.and(told)
}

fn press_anywhere(
    seat: &mut Seat,
    borrowed: &mut Borrowed,
    symbols: &[u32],
    chord: &str,
) -> Result<(), DesktopError> {
    let (keymap, group, locked) = seat.fresh_keyboard()?;
    if let Some(script) = script(keymap, group, locked, symbols) {
        return seat.run(&script);
    }
    let known = keymap.strokes(group, locked & !modifier::LOCK);
    let lacking: Vec<u32> = symbols
        .iter()
        .copied()
        .filter(|symbol| !known.contains_key(symbol))
        .collect();
    borrowed.bind(seat, &lacking)?;
    let listener = Listener::find(seat)?;
    listener.wait(seat)?;
    let (keymap, group, locked) = seat.fresh_keyboard()?;
    let Some(script) = script(keymap, group, locked, symbols) else {
        return Err(DesktopError::Unsupported(format!(
            "the keyboard has no spare key for {chord:?}"
        )));
    };
    seat.run(&script)?;
    listener.wait(seat).map(drop)
}

/// Presses in order, releases in reverse. In no case is a modifier left down.
fn script(keymap: &mut Keymap, group: u8, locked: u8, symbols: &[u32]) -> Option<Script> {
    // Caps Lock would make `a` another key, so it is off for the chord unless it is the chord.
    let changes_locks = symbols
        .iter()
        .any(|symbol| matches!(*symbol, key::Caps_Lock | key::Shift_Lock | key::ISO_Lock));
    let off = if changes_locks { 0 } else { locked & modifier::LOCK };
    let (strokes, other_group) = find(keymap, group, locked & !modifier::LOCK, symbols)?;
    let mut down: Vec<u8> = Vec::new();
    let mut set = 0;
    for stroke in strokes {
        for code in keymap.holding(stroke.modifiers & !set) {
            if !down.contains(&code) {
                down.push(code);
            }
        }
        set |= stroke.modifiers | keymap.modifiers_of(stroke.keycode);
        // A chord that names a key twice presses it once.
        if !down.contains(&stroke.keycode) {
            down.push(stroke.keycode);
        }
    }
    let mut script = Script::default();
    if off != 0 {
        script.push(Act::Lock {
            modifiers: off,
            on: false,
        });
    }
    if let Some(other) = other_group {
        script.push(Act::Group(other));
    }
    for &code in &down {
        script.key(code, true);
    }
    script.wait(KEY_HELD);
    for &code in down.iter().rev() {
        script.key(code, false);
    }
    if other_group.is_some() {
        script.push(Act::Group(group));
    }
    if off != 0 {
        script.push(Act::Lock {
            modifiers: off,
            on: true,
        });
    }
    Some(script)
}

/// The keys in the active group, or in another one, which is named then.
fn find(keymap: &mut Keymap, group: u8, locked: u8, symbols: &[u32]) -> Option<(Vec<Stroke>, Option<u8>)> {
    let others = (0..GROUPS).filter(|&other| other != group);
    std::iter::once(group).chain(others).find_map(|candidate| {
        let known = keymap.strokes(candidate, locked);
        let strokes: Option<Vec<Stroke>> = symbols.iter().map(|symbol| known.get(symbol).copied()).collect();
        Some((strokes?, (candidate != group).then_some(candidate)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_types_is_told_from_what_may_be_grabbed() {
        for chord in [
            "a",
            "Return",
            "shift+a",
            "Escape",
            "é",
            "U+1F600",
            "Left",
            "shift+Tab",
            "KP_1",
            "Delete",
        ] {
            assert!(is_for_focus(&Gesture::Key(chord.to_owned())), "{chord}");
        }
        for chord in [
            "ctrl+a",
            "alt+Tab",
            "super",
            "super+d",
            "shift+alt+x",
            "F1",
            "shift+F12",
            "Print",
            "Menu",
            "XF86AudioPlay",
            "Caps_Lock",
            "shift",
            "Pause",
            "nosuchkey",
        ] {
            assert!(!is_for_focus(&Gesture::Key(chord.to_owned())), "{chord}");
        }
    }
}
