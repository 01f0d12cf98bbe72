//! What one session can do to its form: pointer, keyboard, clipboard.

use aci::error_code::{CodedError, ErrorCode};
use aci::target::PointerButton;
use desktop::backend::Size;
use xkeysym::{Keysym, key};

use crate::form::{Control, Form};

/// A step of the wheel in the unit of a scroll.
const NOTCH: f64 = 120.0;
/// The longest text on the clipboard, in bytes.
const CLIPBOARD: usize = 1 << 20;
/// The longest text of one call, in characters.
const TYPED: usize = 10_000;

/// The desktop of one session.
#[derive(Debug)]
pub(crate) struct Desk {
    size: Size,
    pub(crate) form: Form,
    pub(crate) pointer: (i32, i32),
    clipboard: String,
    /// Whether the primary button is down, and on which control it was pressed.
    pressed: Option<Option<Control>>,
    /// What is less than a step of the wheel.
    turned: f64,
}

/// The message is well-formed, but cannot be done as it stands.
pub(crate) fn invalid(detail: impl Into<String>) -> CodedError {
    CodedError::new(ErrorCode::InvalidAction, detail)
}

impl Desk {
    pub(crate) fn new(size: Size) -> Self {
        Self {
            size,
            form: Form::default(),
            // Where X servers put it.
            pointer: (edge(size.w) / 2, edge(size.h) / 2),
            clipboard: String::new(),
            pressed: None,
            turned: 0.0,
        }
    }

    pub(crate) fn size(&self) -> Size {
        self.size
    }

    /// Moves the pointer to a pixel of the screen.
    pub(crate) fn point_at(&mut self, (x, y): (i32, i32)) -> Result<(), CodedError> {
        let Size { w, h } = self.size;
        if !(0..edge(w)).contains(&x) || !(0..edge(h)).contains(&y) {
            return Err(invalid(format!(
                "({x}, {y}) is not on the screen, which has {w}x{h} pixels"
            )));
        }
        self.pointer = (x, y);
        Ok(())
    }

    pub(crate) fn press(&mut self, button: PointerButton) {
        if button == PointerButton::Left {
            self.pressed = Some(self.form.hit(self.pointer.0, self.pointer.1));
        }
    }

    /// A control is used where it was both pressed and released on.
    pub(crate) fn release(&mut self, button: PointerButton) {
        if button != PointerButton::Left {
            return;
        }
        let (x, y) = self.pointer;
        if let Some(Some(pressed)) = self.pressed.take()
            && self.form.hit(x, y) == Some(pressed)
        {
            self.form.activate(pressed);
        }
    }

    /// Presses and releases so many times; twice in a field selects its text.
    pub(crate) fn click(&mut self, button: PointerButton, count: usize) {
        for _ in 0..count {
            self.press(button);
            self.release(button);
        }
        let (x, y) = self.pointer;
        let on_focus = self.form.hit(x, y) == Some(self.form.focus);
        if count == 2 && button == PointerButton::Left && on_focus {
            self.form.select_all();
        }
    }

    /// Turns the wheel down the page.
    pub(crate) fn scroll(&mut self, down: f64) {
        self.turned += down / NOTCH;
        let rows = self.turned.trunc();
        self.turned -= rows;
        let (x, y) = self.pointer;
        if matches!(self.form.hit(x, y), Some(Control::List | Control::Colour(_))) {
            // A cast to an integer takes the nearest one, however large the number is.
            self.form.scroll(rows as i64);
        }
    }

    /// Types a text, a line feed as Return and a tab as Tab.
    pub(crate) fn type_text(&mut self, text: &str) -> Result<(), CodedError> {
        if text.chars().nth(TYPED).is_some() {
            return Err(invalid(format!(
                "the text has more than {TYPED} characters; type it in parts, or set the clipboard and paste"
            )));
        }
        let typed = |character: &char| matches!(character, '\n' | '\r' | '\t') || !character.is_control();
        if let Some(control) = text.chars().find(|character| !typed(character)) {
            return Err(invalid(format!(
                "the control character {} cannot be typed; use the verb key",
                control.escape_unicode()
            )));
        }
        for line in text.split_inclusive(char::is_control) {
            self.form.type_run(line.trim_end_matches(char::is_control));
            match line.chars().next_back() {
                Some('\t') => self.form.tab(false),
                Some('\n' | '\r') => self.enter(),
                _ => {}
            }
        }
        Ok(())
    }

    /// Return saves, as the default button of a form does, wherever the focus is.
    fn enter(&mut self) {
        self.form.save();
    }

    /// Presses a chord. One that means nothing to the form does nothing, as on any desktop.
    pub(crate) fn key(&mut self, chord: &str) -> Result<(), CodedError> {
        let symbols = desktop::keys::parse(chord).map_err(|error| invalid(error.to_string()))?;
        let (mut shift, mut control, mut other) = (false, false, false);
        let mut keys = Vec::new();
        for symbol in symbols {
            match symbol {
                key::Shift_L | key::Shift_R => shift = true,
                key::Control_L | key::Control_R => control = true,
                modifier if Keysym::new(modifier).is_modifier_key() => other = true,
                plain => keys.push(plain),
            }
        }
        for symbol in keys {
            match (control, other) {
                (false, false) => self.plain_key(symbol, shift),
                (true, false) => self.control_key(symbol),
                _ => {}
            }
        }
        Ok(())
    }

    fn plain_key(&mut self, symbol: u32, shift: bool) {
        match symbol {
            key::Return | key::KP_Enter => self.enter(),
            key::Tab => self.form.tab(shift),
            key::ISO_Left_Tab => self.form.tab(true),
            key::BackSpace => self.form.delete(true),
            key::Delete => self.form.delete(false),
            key::Up => self.form.step(false),
            key::Down => self.form.step(true),
            other => {
                let character = Keysym::new(other)
                    .key_char()
                    .filter(|character| !character.is_control());
                if let Some(character) = character {
                    let upper = character.to_uppercase().next().filter(|_| shift);
                    self.form
                        .type_run(upper.unwrap_or(character).encode_utf8(&mut [0; 4]));
                }
            }
        }
    }

    fn control_key(&mut self, symbol: u32) {
        match symbol {
            key::a | key::A => self.form.select_all(),
            key::c | key::C => self.copy(),
            key::x | key::X if self.copy_selected() => self.form.delete(false),
            key::v | key::V => {
                // Fields have one line.
                let line = self.clipboard.chars().filter(|it| !it.is_control());
                self.form.type_run(&line.collect::<String>());
            }
            _ => {}
        }
    }

    fn copy(&mut self) {
        self.copy_selected();
    }

    fn copy_selected(&mut self) -> bool {
        let Some(text) = self.form.selected() else {
            return false;
        };
        text.clone_into(&mut self.clipboard);
        true
    }

    pub(crate) fn clipboard(&self) -> &str {
        &self.clipboard
    }

    pub(crate) fn set_clipboard(&mut self, text: String) -> Result<(), CodedError> {
        if text.len() > CLIPBOARD {
            return Err(CodedError::new(
                ErrorCode::ClipboardTooLarge,
                format!("the text has {} bytes; at most {CLIPBOARD} fit", text.len()),
            ));
        }
        self.clipboard = text;
        Ok(())
    }
}

/// A length as a coordinate.
fn edge(length: u32) -> i32 {
    i32::try_from(length).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn desk() -> Desk {
        Desk::new(Size { w: 640, h: 480 })
    }

    fn click(desk: &mut Desk, control: Control) {
        let area = desk.form.area(control).unwrap();
        desk.point_at((area.x + 5, area.y + 5)).unwrap();
        desk.click(PointerButton::Left, 1);
    }

    #[test]
    fn keys_do_what_they_do_in_any_form() {
        let mut desk = desk();
        desk.type_text("Grüße").unwrap();
        desk.key("shift+a").unwrap();
        desk.key("BackSpace").unwrap();
        desk.key("ctrl+a").unwrap();
        desk.key("ctrl+x").unwrap();
        assert_eq!((desk.form.name.as_str(), desk.clipboard()), ("", "Grüße"));
        desk.key("Tab").unwrap();
        desk.key("ctrl+v").unwrap();
        desk.key("exclam").unwrap();
        assert_eq!(desk.form.email, "Grüße!");
        desk.key("F5").unwrap();
        desk.key("alt+a").unwrap();
        assert_eq!(desk.form.email, "Grüße!");
        assert_eq!(desk.key("nosuchkey").unwrap_err().code, ErrorCode::InvalidAction);
    }

    #[test]
    fn a_button_is_used_where_it_was_pressed_and_released() {
        let mut desk = desk();
        click(&mut desk, Control::Newsletter);
        assert!(desk.form.newsletter);
        desk.press(PointerButton::Left);
        desk.point_at((1, 1)).unwrap();
        desk.release(PointerButton::Left);
        assert!(desk.form.newsletter);
        click(&mut desk, Control::Email);
        desk.type_text("a").unwrap();
        desk.click(PointerButton::Left, 2);
        desk.type_text("b").unwrap();
        assert_eq!(desk.form.email, "b");
        assert!(desk.point_at((640, 0)).is_err());
    }

    #[test]
    fn the_wheel_turns_the_list_by_whole_steps() {
        let mut desk = desk();
        desk.point_at((1, 1)).unwrap();
        desk.scroll(240.0);
        assert_eq!(desk.form.first_row, 0);
        click(&mut desk, Control::List);
        for (turn, first) in [(60.0, 0), (60.0, 1), (1e300, 4), (-1e300, 0)] {
            desk.scroll(turn);
            assert_eq!(desk.form.first_row, first, "{turn}");
        }
    }
}
