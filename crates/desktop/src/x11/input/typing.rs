//! Typing text.
//!
//! A character that the active layout has is typed by its key; any other by a key without symbols that is bound for it and
//! given back afterwards ([`super::borrowed`]). The text is sent in short pieces; while one is on its way no other program is served,
//! so that neither the layout nor the focus changes under it. After each piece the layout is known anew.

use std::time::Duration;

use xkeysym::key;

use super::FOCUSING;
use super::borrowed::Borrowed;
use super::listener::Listener;
use super::script::Script;
use super::seat::Seat;
use crate::DesktopError;
use crate::x11::keymap::{Keymap, Stroke, symbols_of};

/// How long a typed key is down, and how long after that the next one goes down.
const KEY_HELD: Duration = Duration::from_millis(3);
const BETWEEN_KEYS: Duration = Duration::from_millis(1);
/// Characters that are sent in one piece. Other programs wait meanwhile: some 40 milliseconds.
const PIECE: usize = 10;

/// The most changes of the layout by others during one call; then somebody changes it without end.
const MOST_CHANGES: usize = 50;

/// One character to type: its symbol, and the other one that stands for it too.
type Wanted = [u32; 2];

/// Types the text.
///
/// # Errors
/// `Invalid` for a character that no key can give; nothing has been typed then. The other errors say how far it came.
pub(super) fn text(seat: &mut Seat, borrowed: &mut Borrowed, text: &str) -> Result<(), DesktopError> {
    let wanted = wanted(text)?;
    if wanted.is_empty() {
        return Ok(());
    }
    seat.hear_pongs(true)?;
    let mut typist = Typist {
        seat,
        borrowed,
        wanted: &wanted,
        done: 0,
        listener: None,
    };
    let typed = typist.run();
    if matches!(typed, Err(DesktopError::Gone(_))) {
        // What is borrowed is given back by the next call, should there be one.
        return typed;
    }
    let told = typist.given_back();
    seat.hear_pongs(false)?;
    seat.flush()?;
    typed.and(told)
}

/// The symbols for a text. `\n`, `\r` and `\r\n` are one Return each.
fn wanted(text: &str) -> Result<Vec<Wanted>, DesktopError> {
    let mut wanted = Vec::new();
    let mut before = '\0';
    for (index, character) in text.chars().enumerate() {
        let after_return = before == '\r';
        before = character;
        wanted.push(match character {
            '\n' if after_return => continue,
            '\n' | '\r' => [key::Return; 2],
            '\t' => [key::Tab; 2],
            _ if character.is_control() || is_noncharacter(character) => {
                return Err(DesktopError::Invalid(format!(
                    "character {index} of the text is {}, which no key types; nothing was typed",
                    character.escape_unicode()
                )));
            }
            _ => symbols_of(character),
        });
    }
    Ok(wanted)
}

fn is_noncharacter(character: char) -> bool {
    let code = u32::from(character);
    (0xfdd0..=0xfdef).contains(&code) || code & 0xfffe == 0xfffe
}

struct Typist<'a> {
    seat: &'a mut Seat,
    borrowed: &'a mut Borrowed,
    wanted: &'a [Wanted],
    done: usize,
    /// Who answered before, and how.
    listener: Option<Listener>,
}

impl Typist<'_> {
    fn run(&mut self) -> Result<(), DesktopError> {
        self.seat.round_trip()?;
        self.seat.check_audience(FOCUSING)?;
        let mut changes = 0;
        while self.done < self.wanted.len() {
            self.borrowed.unlock(self.seat)?;
            let rest = &self.wanted[self.done..];
            let (keymap, group, locked) = self.seat.fresh_keyboard()?;
            let strokes = covered(keymap, group, locked, rest);
            // What the keyboard lacks is bound before the first character, so that an error there leaves no half.
            if strokes.is_empty() || (strokes.len() < rest.len() && !self.borrowed.has_keys()) {
                self.bind()?;
                continue;
            }
            if !self.send(&strokes)? {
                changes += 1;
                if changes > MOST_CHANGES {
                    return Err(DesktopError::Busy(
                        self.so_far("the keyboard layout is changed again and again"),
                    ));
                }
            }
        }
        Ok(())
    }

    /// Binds what is wanted next, as much as there are keys for.
    fn bind(&mut self) -> Result<(), DesktopError> {
        if self.borrowed.has_keys() {
            self.await_reader()?;
        }
        let (keymap, group, locked) = self.seat.fresh_keyboard()?;
        let capacity = self.borrowed.capacity(keymap);
        let known = keymap.strokes(group, locked);
        let mut lacking = Vec::new();
        for symbols in &self.wanted[self.done..] {
            let stroke = symbols.iter().find_map(|symbol| known.get(symbol));
            let stays = stroke.is_some_and(|stroke| !self.borrowed.has_key(stroke.keycode));
            if stays || lacking.contains(&symbols[0]) {
                continue;
            }
            if lacking.len() == capacity {
                break;
            }
            lacking.push(symbols[0]);
        }
        if lacking.is_empty() || capacity == 0 {
            return Err(DesktopError::Unsupported(
                self.so_far("the keyboard has no spare key for the next character"),
            ));
        }
        self.borrowed.bind(self.seat, &lacking)?;
        self.await_reader()
    }

    /// Sends pieces until all is sent (`true`) or the layout has changed (`false`).
    fn send(&mut self, strokes: &[Stroke]) -> Result<bool, DesktopError> {
        for piece in strokes.chunks(PIECE) {
            self.seat.round_trip()?;
            self.seat.grab()?;
            let sent = self.send_piece(piece);
            self.seat.ungrab()?;
            if !sent? {
                return Ok(false);
            }
            self.done += piece.len();
        }
        Ok(true)
    }

    fn send_piece(&mut self, piece: &[Stroke]) -> Result<bool, DesktopError> {
        self.seat.round_trip()?;
        // Without patience, for nobody else is served now.
        match self.seat.check_audience(Duration::ZERO) {
            Err(DesktopError::WindowNotFound(nobody)) => {
                return Err(DesktopError::WindowNotFound(self.so_far(&nobody)));
            }
            other => other?,
        }
        let mut lifted = self.seat.held_by_others()?;
        let Some((keymap, ..)) = self.seat.keyboard() else {
            return Ok(false);
        };
        let script = script(keymap, piece);
        lifted.retain(|&code| keymap.is_held_modifier(code));
        // A modifier that another program has pressed by XTEST is on the same keyboard as ours, and is lifted for the piece.
        // Its own release waits for the end of the grab, so it comes after the key is down again. One that a person holds
        // on a real keyboard stays in effect: only that device can release it.
        self.seat.move_others(&lifted, false)?;
        let typed = self.seat.run(&script);
        self.seat.move_others(&lifted, true)?;
        typed?;
        Ok(true)
    }

    /// Waits until the program has read the keys that it was sent.
    fn await_reader(&mut self) -> Result<(), DesktopError> {
        let listener = Listener::find(self.seat)?;
        if listener.wait(self.seat)? {
            self.listener = Some(listener);
            return Ok(());
        }
        if self.listener == Some(listener) {
            let text =
                "the window with the keyboard focus has stopped answering, and may not have read all of it";
            return Err(DesktopError::Busy(self.so_far(text)));
        }
        Ok(())
    }

    /// Gives back what was borrowed, after the program has read what was typed with it.
    fn given_back(&mut self) -> Result<(), DesktopError> {
        let read = if self.borrowed.has_keys() {
            self.await_reader()
        } else {
            Ok(())
        };
        let told = self.borrowed.give_back(self.seat);
        read.and(told)
    }

    fn so_far(&self, what: &str) -> String {
        format!(
            "{what}; {} of {} characters were sent",
            self.done,
            self.wanted.len()
        )
    }
}

/// The strokes for as much of the text as the keyboard has now.
fn covered(keymap: &mut Keymap, group: u8, locked: u8, wanted: &[Wanted]) -> Vec<Stroke> {
    let known = keymap.strokes(group, locked);
    let strokes = wanted
        .iter()
        .map_while(|symbols| symbols.iter().find_map(|symbol| known.get(symbol)).copied());
    strokes.collect()
}

/// The keys of a piece of text.
fn script(keymap: &Keymap, strokes: &[Stroke]) -> Script {
    let mut script = Script::default();
    for stroke in strokes {
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
    script
}
