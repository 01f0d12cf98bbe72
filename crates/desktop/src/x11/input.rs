//! Pointer and keyboard through XTEST.
//!
//! A gesture becomes a [`script`]: a list of events with the pauses between them. The pauses are kept by the server
//! itself (the delay field of FakeInput), which holds up this connection's later requests meanwhile. So a click costs the caller one
//! write, and a round trip on this connection waits until all that was sent has taken effect. Every gesture that
//! presses something releases it in the same script, so the two reach the server in one piece.
//!
//! What has to be known for a gesture (the screen's size, the keyboard map and state, whether a window has the focus) is
//! kept current by events in [`seat`], not asked for.

mod borrowed;
mod keeper;
mod keys;
mod listener;
mod pointer;
mod script;
mod seat;
mod typing;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use self::borrowed::Borrowed;
use self::pointer::Wheel;
use self::script::{Act, Script};
use self::seat::Seat;
use crate::DesktopError;
use crate::backend::{Gesture, Holder, Input, Pace};

/// How long the window manager may take to give the focus to a window that was just clicked or shown.
const FOCUSING: Duration = Duration::from_millis(300);

/// Mouse and keyboard of an X11 display.
#[derive(Debug)]
pub struct X11Input {
    seat: Seat,
    /// Who holds which button of the server.
    held: BTreeMap<u8, Holder>,
    wheels: BTreeMap<Holder, Wheel>,
    /// Empty between calls, except after one that failed half-way.
    borrowed: Borrowed,
    /// The events have been noted for the gesture that comes next.
    noted: bool,
}

impl X11Input {
    /// Connects to `display`, and releases what a former owner left down.
    ///
    /// # Errors
    /// `Gone` where there is no such display, `Unsupported` where it lacks XTEST or XKB.
    pub fn open(display: &str) -> Result<Self, DesktopError> {
        let mut seat = Seat::open(display)?;
        seat.ask_manager()?;
        seat.release_leftovers()?;
        let mut borrowed = Borrowed::of_the_dead(&mut seat)?;
        borrowed.give_back(&mut seat)?;
        Ok(Self {
            seat,
            held: BTreeMap::new(),
            wheels: BTreeMap::new(),
            borrowed,
            noted: false,
        })
    }

    /// The events of a gesture other than typing; nothing is changed yet.
    fn script(&mut self, holder: Option<Holder>, gesture: &Gesture) -> Result<Plan, DesktopError> {
        let seat = &mut self.seat;
        let size = seat.size();
        let script = match gesture {
            Gesture::Move(at) => pointer::glide(size, Some(*at)),
            Gesture::Click { at, button, count } => pointer::click(size, *at, *button, *count),
            Gesture::ButtonDown { at, button } => pointer::press(size, *at, *button),
            Gesture::ButtonUp { at, button } => pointer::lift(size, *at, *button),
            Gesture::Drag {
                from,
                to,
                button,
                duration,
            } => pointer::drag(size, (*from, *to), *button, *duration),
            Gesture::Scroll { at, dx, dy } => {
                let wheel = holder.and_then(|holder| self.wheels.get(&holder)).copied();
                let (script, wheel) = pointer::scroll(size, *at, wheel.unwrap_or_default(), (*dx, *dy))?;
                return Ok(Plan::Script(script, Some(wheel)));
            }
            Gesture::Key(chord) => return keys::plan(seat, chord),
            Gesture::Type(_) => return Ok(Plan::Slow),
        }?;
        Ok(Plan::Script(script, None))
    }
}

/// How a gesture can be done.
#[derive(Debug)]
enum Plan {
    /// By these events; a wheel keeps the rest that is given.
    Script(Script, Option<Wheel>),
    /// Only with questions to the server in between.
    Slow,
}

impl Input for X11Input {
    fn screen_size(&mut self) -> Result<(u32, u32), DesktopError> {
        self.seat.note_events()?;
        Ok(self.seat.size())
    }

    fn pace(&mut self, gesture: &Gesture) -> Pace {
        // What cannot be done is refused at once.
        if self.seat.note_events().is_err() {
            return Pace::Immediate;
        }
        self.noted = true;
        if self.seat.is_focus_doubtful() && keys::is_for_focus(gesture) {
            return Pace::Blocking;
        }
        if !self.borrowed.is_empty() || !self.strays().steps().is_empty() {
            return Pace::Blocking;
        }
        match self.script(None, gesture) {
            Ok(Plan::Script(script, _)) if !self.seat.has_room(&script) => Pace::Blocking,
            Ok(Plan::Slow) => Pace::Blocking,
            Ok(Plan::Script(..)) | Err(_) => Pace::Immediate,
        }
    }

    fn perform(&mut self, holder: Holder, gesture: &Gesture) -> Result<Instant, DesktopError> {
        if !std::mem::take(&mut self.noted) {
            self.seat.note_events()?;
        }
        self.recover()?;
        match self.script(Some(holder), gesture)? {
            Plan::Script(script, wheel) => {
                if script.presses_keys() {
                    self.seat.check_focus()?;
                }
                if self.seat.is_focus_doubtful() && keys::is_for_focus(gesture) {
                    self.seat.check_audience(FOCUSING)?;
                }
                self.seat.run(&script)?;
                self.note_buttons(holder, &script);
                if let Some(wheel) = wheel {
                    self.wheels.insert(holder, wheel);
                }
            }
            Plan::Slow => match gesture {
                Gesture::Type(text) => typing::text(&mut self.seat, &mut self.borrowed, text)?,
                Gesture::Key(chord) => keys::press(&mut self.seat, &mut self.borrowed, chord)?,
                _ => {}
            },
        }
        Ok(self.seat.effective_at())
    }

    fn settle(&mut self) -> Result<(), DesktopError> {
        self.recover()?;
        self.seat.round_trip()
    }

    fn release(&mut self, holder: Holder) -> Result<(), DesktopError> {
        self.wheels.remove(&holder);
        self.held.retain(|_, by| *by != holder);
        self.recover()
    }
}

impl X11Input {
    /// Whatever is pressed belongs to whoever pressed it last; a release by anybody ends that.
    fn note_buttons(&mut self, holder: Holder, script: &Script) {
        for (button, down) in script.buttons() {
            if down {
                self.held.insert(button, holder);
            } else {
                self.held.remove(&button);
            }
        }
    }

    /// Undoes what a gesture that failed half-way has left.
    fn recover(&mut self) -> Result<(), DesktopError> {
        let strays = self.strays();
        self.seat.run(&strays)?;
        self.borrowed.give_back(&mut self.seat)
    }

    /// Releases whatever is down and held by nobody.
    fn strays(&self) -> Script {
        let mut script = Script::default();
        for &act in self.seat.down().iter().rev() {
            match act {
                Act::Button(number, _) if !self.held.contains_key(&number) => script.button(number, false),
                Act::Key(code, _) => script.key(code, false),
                _ => {}
            }
        }
        script
    }
}

impl Drop for X11Input {
    fn drop(&mut self) {
        self.held.clear();
        let nothing = self.seat.down().is_empty() && self.borrowed.is_empty();
        // The server drops what it has not read when a connection closes, so it is waited for. Where it is gone, nothing
        // is down any more.
        if !nothing && self.recover().is_ok() {
            self.seat.round_trip().ok();
        }
    }
}
