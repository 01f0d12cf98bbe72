//! Typing text.

use std::time::Duration;

use xkeysym::key;

use super::script::Script;
use super::seat::Seat;
use crate::DesktopError;
use crate::x11::keymap::symbols_of;

/// How long a typed key is down, and how long after that the next one goes down.
const KEY_HELD: Duration = Duration::from_millis(3);
const BETWEEN_KEYS: Duration = Duration::from_millis(1);

/// Types the text.
pub(super) fn text(seat: &mut Seat, text: &str) -> Result<(), DesktopError> {
    let (keymap, group, locked) = seat.fresh_keyboard()?;
    let strokes = keymap.strokes(group, locked).clone();
    let mut script = Script::default();
    let mut last = '\0';
    for (index, character) in text.chars().enumerate() {
        let was = std::mem::replace(&mut last, character);
        let symbols = match character {
            '\n' if was == '\r' => continue,
            '\n' | '\r' => [key::Return; 2],
            '\t' => [key::Tab; 2],
            _ => symbols_of(character),
        };
        let Some(stroke) = symbols.iter().find_map(|symbol| strokes.get(symbol)) else {
            return Err(DesktopError::Invalid(format!(
                "the keyboard layout has no key for {character:?}, character {index} of the text; nothing was typed"
            )));
        };
        let (keymap, _, _) = seat.fresh_keyboard()?;
        let holding = keymap.holding(stroke.modifiers);
        for &code in &holding {
            script.key(code, true);
        }
        script.key(stroke.keycode, true);
        script.wait(KEY_HELD);
        script.key(stroke.keycode, false);
        for &code in holding.iter().rev() {
            script.key(code, false);
        }
        script.wait(BETWEEN_KEYS);
    }
    seat.check_focus()?;
    seat.run(&script)
}
