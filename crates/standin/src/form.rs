//! The one program on the stand-in's desktop: a form, as plain data.
//!
//! ```text
//! pointer ─▶ press ─▶ release on the same control ─▶ use it ─▶ focus, text, tick, choice, status
//! keyboard ─▶ the control that has the focus ────────▶
//! ```
//!
//! It does the same whenever the same is done to it: no clock, no chance, nothing outside of it.

use desktop::backend::Rect;

/// What the list offers.
pub(crate) const COLOURS: [&str; 8] = [
    "Red", "Orange", "Yellow", "Green", "Cyan", "Blue", "Violet", "Black",
];
/// How many of these are in sight.
pub(crate) const ROWS: usize = 4;
/// The most characters of a field; what is typed beyond is left out, as entries with a limit do.
pub(crate) const LONGEST: usize = 10_000;
/// The title of its window.
pub(crate) const TITLE: &str = "Contact form";
/// Where its window is.
pub(crate) const WINDOW: Rect = rect(40, 40, 560, 400);

/// A control.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Control {
    Window,
    NameLabel,
    Name,
    EmailLabel,
    Email,
    Newsletter,
    ColourLabel,
    List,
    /// A row of the list, counted from 0.
    Colour(usize),
    Save,
    Status,
}

impl Control {
    /// All of them, parents before their children.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        use Control::*;
        let before = [
            Window,
            NameLabel,
            Name,
            EmailLabel,
            Email,
            Newsletter,
            ColourLabel,
            List,
        ];
        let rows = (0..COLOURS.len()).map(Colour);
        before.into_iter().chain(rows).chain([Save, Status])
    }

    /// Those that take the keyboard focus, in the order of Tab.
    const FOCUSABLE: [Self; 5] = [Self::Name, Self::Email, Self::Newsletter, Self::List, Self::Save];
}

/// What can be seen of the form; equal forms look the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) name: String,
    pub(crate) email: String,
    pub(crate) newsletter: bool,
    pub(crate) colour: usize,
    /// The row of the list that stands first in sight.
    pub(crate) first_row: usize,
    pub(crate) status: String,
    pub(crate) focus: Control,
    /// Whether all text of the focused field is selected, so that what is typed takes its place.
    pub(crate) all_selected: bool,
}

impl Default for Form {
    fn default() -> Self {
        Self {
            name: String::new(),
            email: String::new(),
            newsletter: false,
            colour: 0,
            first_row: 0,
            status: "Not saved".to_owned(),
            focus: Control::Name,
            all_selected: false,
        }
    }
}

impl Form {
    /// Where a control is drawn; a row that was scrolled away is nowhere.
    pub(crate) fn area(&self, control: Control) -> Option<Rect> {
        Some(match control {
            Control::Window => WINDOW,
            Control::NameLabel => rect(60, 92, 100, 28),
            Control::Name => rect(170, 88, 400, 32),
            Control::EmailLabel => rect(60, 136, 100, 28),
            Control::Email => rect(170, 132, 400, 32),
            Control::Newsletter => rect(170, 176, 260, 28),
            Control::ColourLabel => rect(60, 220, 100, 28),
            Control::List => rect(170, 216, 200, 112),
            Control::Colour(row) => {
                let place = row.checked_sub(self.first_row).filter(|place| *place < ROWS)?;
                // At most three rows further down.
                rect(170, 216 + 28 * i32::try_from(place).unwrap_or(0), 200, 28)
            }
            Control::Save => rect(170, 344, 120, 36),
            Control::Status => rect(60, 396, 510, 28),
        })
    }

    /// The control that a click at this pixel reaches: the innermost one.
    pub(crate) fn hit(&self, x: i32, y: i32) -> Option<Control> {
        let inside = |area: Rect| {
            let (x, y) = (i64::from(x), i64::from(y));
            (area.x.into()..i64::from(area.x) + i64::from(area.w)).contains(&x)
                && (area.y.into()..i64::from(area.y) + i64::from(area.h)).contains(&y)
        };
        Control::all()
            .filter(|&control| self.area(control).is_some_and(inside))
            .last()
    }

    /// The text of a field.
    pub(crate) fn text(&self, control: Control) -> Option<&str> {
        match control {
            Control::Name => Some(&self.name),
            Control::Email => Some(&self.email),
            _ => None,
        }
    }

    /// Whether a control is ticked or chosen, where it can be.
    pub(crate) fn is_on(&self, control: Control) -> Option<bool> {
        match control {
            Control::Newsletter => Some(self.newsletter),
            Control::Colour(row) => Some(row == self.colour),
            _ => None,
        }
    }

    /// Does what a click on a control does.
    pub(crate) fn activate(&mut self, control: Control) {
        match control {
            Control::Newsletter => self.tick(!self.newsletter),
            Control::Colour(row) => self.choose(row),
            Control::Save => self.save(),
            _ => {}
        }
        let focus = match control {
            Control::Colour(_) => Control::List,
            // The labels belong to their fields.
            Control::NameLabel => Control::Name,
            Control::EmailLabel => Control::Email,
            Control::ColourLabel => Control::List,
            other => other,
        };
        if Control::FOCUSABLE.contains(&focus) {
            self.set_focus(focus);
        }
    }

    /// Gives a control the keyboard focus.
    pub(crate) fn set_focus(&mut self, control: Control) {
        (self.focus, self.all_selected) = (control, false);
    }

    /// Selects all of the focused field's text.
    pub(crate) fn select_all(&mut self) {
        self.all_selected = self.text(self.focus).is_some_and(|text| !text.is_empty());
    }

    /// The text that is selected.
    pub(crate) fn selected(&self) -> Option<&str> {
        self.text(self.focus).filter(|_| self.all_selected)
    }

    /// Puts the focus on the next control, or the one before.
    pub(crate) fn tab(&mut self, backward: bool) {
        let all = Control::FOCUSABLE;
        let at = all.iter().position(|&control| control == self.focus).unwrap_or(0);
        let step = if backward { all.len() - 1 } else { 1 };
        self.set_focus(all[(at + step) % all.len()]);
        // As toolkits do for who fills in a form by keyboard.
        self.select_all();
    }

    /// Types characters none of which is a control character.
    pub(crate) fn type_run(&mut self, run: &str) {
        if matches!(self.focus, Control::Newsletter | Control::Save) {
            let spaces = run.chars().filter(|&character| character == ' ').count();
            (0..spaces).for_each(|_| self.activate(self.focus));
        }
        self.edit(|text| {
            let room = LONGEST.saturating_sub(text.chars().count());
            let before = text.len();
            text.extend(run.chars().take(room));
            text.len() != before
        });
    }

    /// Deletes what is selected; where nothing is, the last character, if `backward`.
    pub(crate) fn delete(&mut self, backward: bool) {
        let selected = self.all_selected;
        self.edit(|text| backward && !selected && text.pop().is_some());
    }

    /// Changes the focused field's text, of which what was selected is gone then. `change` says whether it has changed any.
    fn edit(&mut self, change: impl FnOnce(&mut String) -> bool) {
        let replaces = std::mem::take(&mut self.all_selected);
        let Some(text) = self.field(self.focus) else {
            return;
        };
        if replaces {
            text.clear();
        }
        if change(text) || replaces {
            self.unsave();
        }
    }

    fn field(&mut self, control: Control) -> Option<&mut String> {
        match control {
            Control::Name => Some(&mut self.name),
            Control::Email => Some(&mut self.email),
            _ => None,
        }
    }

    /// Gives a field another text; whether it is a field.
    pub(crate) fn set_text(&mut self, control: Control, text: &str) -> bool {
        let Some(field) = self.field(control) else {
            return false;
        };
        if field != text {
            text.clone_into(field);
            self.unsave();
        }
        self.all_selected = false;
        true
    }

    /// Ticks the box, or takes the tick away.
    pub(crate) fn tick(&mut self, on: bool) {
        if self.newsletter != on {
            self.newsletter = on;
            self.unsave();
        }
    }

    /// Chooses a row of the list.
    pub(crate) fn choose(&mut self, row: usize) {
        if self.colour != row && row < COLOURS.len() {
            self.colour = row;
            self.unsave();
        }
        self.reveal(row);
    }

    /// Moves the choice, where the list has the focus.
    pub(crate) fn step(&mut self, down: bool) {
        if self.focus == Control::List {
            let row = if down {
                self.colour + 1
            } else {
                self.colour.saturating_sub(1)
            };
            self.choose(row.min(COLOURS.len() - 1));
        }
    }

    /// Scrolls the list until a row is in sight.
    pub(crate) fn reveal(&mut self, row: usize) {
        self.first_row = self
            .first_row
            .clamp((row + 1).saturating_sub(ROWS), row)
            .min(COLOURS.len() - ROWS);
    }

    /// Scrolls the list by so many rows.
    pub(crate) fn scroll(&mut self, rows: i64) {
        let first = i64::try_from(self.first_row).unwrap_or(0).saturating_add(rows);
        let first = usize::try_from(first.max(0)).unwrap_or(usize::MAX);
        self.first_row = first.min(COLOURS.len() - ROWS);
    }

    /// Saves what is filled in, and says so.
    pub(crate) fn save(&mut self) {
        if self.name.trim().is_empty() {
            self.status.clear();
            self.status.push_str("A name is missing");
            return;
        }
        let newsletter = if self.newsletter {
            "newsletter"
        } else {
            "no newsletter"
        };
        self.status = format!(
            "Saved {}, {}, {newsletter}, {}",
            self.name, self.email, COLOURS[self.colour]
        );
    }

    fn unsave(&mut self) {
        self.status.clear();
        self.status.push_str("Not saved");
    }
}

const fn rect(x: i32, y: i32, w: u32, h: u32) -> Rect {
    Rect { x, y, w, h }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_filled_in_by_keyboard() {
        let mut form = Form::default();
        form.type_run("Ada");
        form.tab(false);
        form.type_run("ada@x.org");
        form.tab(false);
        form.type_run(" ");
        form.tab(false);
        form.step(true);
        form.tab(false);
        form.type_run(" ");
        assert_eq!(form.status, "Saved Ada, ada@x.org, newsletter, Orange");
        form.tab(false);
        assert!(form.all_selected && form.focus == Control::Name);
        form.type_run("Bob");
        assert_eq!((form.name.as_str(), form.status.as_str()), ("Bob", "Not saved"));
        form.tab(true);
        assert_eq!(form.focus, Control::Save);
    }

    #[test]
    fn clicks_reach_the_innermost_control() {
        let form = Form::default();
        for control in Control::all() {
            let Some(area) = form.area(control) else { continue };
            let middle = (area.x + area.w as i32 / 2, area.y + area.h as i32 / 2);
            let hit = form.hit(middle.0, middle.1).unwrap();
            let covered = [Control::Window, Control::List].contains(&control);
            assert!(hit == control || covered, "{control:?}: {hit:?}");
        }
        assert_eq!(form.hit(10, 10), None);
        assert_eq!(form.hit(599, 439), Some(Control::Window));
        assert_eq!(form.hit(600, 439), None);
    }

    #[test]
    fn the_list_scrolls_within_its_ends() {
        let mut form = Form::default();
        form.scroll(100);
        assert_eq!(form.first_row, COLOURS.len() - ROWS);
        assert_eq!(form.area(Control::Colour(0)), None);
        form.reveal(1);
        assert_eq!(form.first_row, 1);
        form.choose(7);
        assert_eq!((form.first_row, form.colour), (4, 7));
        form.scroll(i64::MIN);
        assert_eq!(form.first_row, 0);
    }
}
