//! The form as pixels.

mod glyphs;

use desktop::backend::{Rect, Size};
use desktop::image::Frame;

use crate::form::{COLOURS, Control, Form, ROWS, TITLE};

type Colour = [u8; 3];

const DESKTOP: Colour = [46, 92, 122];
const FACE: Colour = [236, 236, 232];
const TITLE_BAR: Colour = [34, 52, 84];
const PAPER: Colour = [255, 255, 255];
const INK: Colour = [24, 24, 28];
const EDGE: Colour = [140, 140, 136];
const FOCUS: Colour = [28, 108, 216];
const CHOSEN: Colour = [176, 208, 248];
const BUTTON: Colour = [214, 216, 220];

/// A dot of a glyph is so many pixels wide and high.
const DOT: u32 = 2;
/// From one character to the next.
const ADVANCE: u32 = 6 * DOT;

/// Draws a screen of this size.
pub(crate) fn draw(form: &Form, size: Size) -> Option<Frame> {
    let bytes = size.w as usize * size.h as usize;
    let mut canvas = Canvas {
        size,
        rgb: DESKTOP.repeat(bytes),
    };
    Control::all().for_each(|control| canvas.control(form, control));
    Frame::new(size, canvas.rgb)
}

struct Canvas {
    size: Size,
    rgb: Vec<u8>,
}

impl Canvas {
    fn control(&mut self, form: &Form, control: Control) {
        let Some(area) = form.area(control) else { return };
        let focused = form.focus == control;
        match control {
            Control::Window => {
                self.fill(area, FACE);
                self.outline(area, INK, 1);
                let bar = Rect { h: 32, ..area };
                self.fill(bar, TITLE_BAR);
                self.text(bar, 12, TITLE, PAPER);
            }
            Control::NameLabel => self.text(area, 0, "Name", INK),
            Control::EmailLabel => self.text(area, 0, "E-mail", INK),
            Control::ColourLabel => self.text(area, 0, "Colour", INK),
            Control::Name | Control::Email => {
                self.box_of(area, PAPER, focused);
                self.field(area, form.text(control).unwrap_or_default(), form, focused);
            }
            Control::Newsletter => {
                let tick = Rect {
                    x: area.x + 4,
                    y: area.y + 4,
                    w: 20,
                    h: 20,
                };
                self.box_of(tick, PAPER, focused);
                if form.newsletter {
                    self.fill(inner(tick, 5), INK);
                }
                self.text(area, 34, "Newsletter", INK);
            }
            Control::List => {
                self.box_of(area, PAPER, focused);
                self.scroll_bar(area, form.first_row);
            }
            Control::Colour(row) => {
                let line = Rect {
                    w: area.w - 16,
                    ..inner(area, 2)
                };
                if row == form.colour {
                    self.fill(line, CHOSEN);
                }
                self.text(line, 6, COLOURS[row], INK);
            }
            Control::Save => {
                self.box_of(area, BUTTON, focused);
                self.text(area, 36, "Save", INK);
            }
            Control::Status => self.text(area, 0, &form.status, INK),
        }
    }

    /// A field's text with its caret; of one that is too long the end, where the caret stands.
    fn field(&mut self, area: Rect, text: &str, form: &Form, focused: bool) {
        let room = (area.w as usize - 20) / ADVANCE as usize;
        let count = text.chars().count();
        let shown: String = text.chars().skip(count.saturating_sub(room)).collect();
        let width = u32::try_from(count.min(room)).unwrap_or(0) * ADVANCE;
        let line = Rect {
            x: area.x + 8,
            w: width,
            ..inner(area, 6)
        };
        if focused && form.all_selected {
            self.fill(line, CHOSEN);
        } else if focused {
            let caret = Rect {
                x: line.x.saturating_add_unsigned(width),
                w: 2,
                ..line
            };
            self.fill(caret, INK);
        }
        self.text(area, 8, &shown, INK);
    }

    fn scroll_bar(&mut self, list: Rect, first: usize) {
        let all = COLOURS.len();
        let part =
            |rows: usize| u32::try_from(rows).unwrap_or(0) * (list.h - 4) / u32::try_from(all).unwrap_or(1);
        let thumb = Rect {
            x: list.x.saturating_add_unsigned(list.w - 12),
            y: list.y.saturating_add_unsigned(2 + part(first)),
            w: 10,
            h: part(ROWS),
        };
        self.fill(thumb, EDGE);
    }

    fn box_of(&mut self, area: Rect, face: Colour, focused: bool) {
        self.fill(area, face);
        if focused {
            self.outline(area, FOCUS, 2);
        } else {
            self.outline(area, EDGE, 1);
        }
    }

    /// One line of text, in the middle of the height of `area`, cut off at its right edge.
    fn text(&mut self, area: Rect, indent: u32, text: &str, ink: Colour) {
        let room = area.w.saturating_sub(indent) / ADVANCE;
        let y = area
            .y
            .saturating_add_unsigned((area.h.saturating_sub(7 * DOT)) / 2);
        for (character, place) in text.chars().zip(0..room) {
            let x = area.x.saturating_add_unsigned(indent + place * ADVANCE);
            for (row, bits) in (0..).zip(glyphs::glyph(character)) {
                for column in (0..5_u32).filter(|column| bits >> (4 - column) & 1 == 1) {
                    let dot = Rect {
                        x: x.saturating_add_unsigned(column * DOT),
                        y: y.saturating_add_unsigned(row * DOT),
                        w: DOT,
                        h: DOT,
                    };
                    self.fill(dot, ink);
                }
            }
        }
    }

    fn outline(&mut self, area: Rect, colour: Colour, width: u32) {
        let Rect { x, y, w, h } = area;
        let (right, lower) = (
            x.saturating_add_unsigned(w - width),
            y.saturating_add_unsigned(h - width),
        );
        self.fill(Rect { h: width, ..area }, colour);
        self.fill(
            Rect {
                y: lower,
                h: width,
                ..area
            },
            colour,
        );
        self.fill(Rect { w: width, ..area }, colour);
        self.fill(
            Rect {
                x: right,
                w: width,
                ..area
            },
            colour,
        );
    }

    /// Fills what of an area is on the screen.
    fn fill(&mut self, area: Rect, colour: Colour) {
        let span = |from: i32, length: u32, most: u32| {
            let edge = |at: i64| u32::try_from(at.max(0)).unwrap_or(u32::MAX).min(most) as usize;
            edge(from.into())..edge(i64::from(from) + i64::from(length))
        };
        let columns = span(area.x, area.w, self.size.w);
        let pitch = self.size.w as usize * 3;
        for row in span(area.y, area.h, self.size.h) {
            let line = row * pitch + columns.start * 3..row * pitch + columns.end * 3;
            for pixel in self.rgb[line].as_chunks_mut::<3>().0 {
                *pixel = colour;
            }
        }
    }
}

/// The area without its border.
fn inner(area: Rect, border: u32) -> Rect {
    Rect {
        x: area.x.saturating_add_unsigned(border),
        y: area.y.saturating_add_unsigned(border),
        w: area.w.saturating_sub(2 * border),
        h: area.h.saturating_sub(2 * border),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size { w: 640, h: 480 };

    #[test]
    fn equal_forms_look_the_same_and_others_do_not() {
        let form = Form::default();
        let before = draw(&form, SIZE).unwrap();
        assert_eq!(before, draw(&form.clone(), SIZE).unwrap());
        let changes: [fn(&mut Form); 8] = [
            |form| form.type_run("a"),
            |form| form.type_run("b"),
            |form| form.type_run("日"),
            |form| form.type_run("本"),
            |form| form.tick(true),
            |form| form.choose(5),
            |form| form.save(),
            |form| form.tab(false),
        ];
        let mut seen = vec![before.hash()];
        for change in changes {
            let mut form = Form::default();
            change(&mut form);
            let hash = draw(&form, SIZE).unwrap().hash();
            assert!(!seen.contains(&hash));
            seen.push(hash);
        }
    }

    #[test]
    fn any_text_can_be_drawn() {
        let mut form = Form::default();
        for first in (0..0x3000).step_by(16).chain([0x1f600, 0x10fff0]) {
            form.name = (first..first + 16).filter_map(char::from_u32).collect();
            form.save();
            assert!(draw(&form, SIZE).is_some());
        }
    }
}
