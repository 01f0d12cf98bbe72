//! The connection through which input goes, and what is known about the server's keyboard, screen and focus.

use std::time::{Duration, Instant};

use x11rb::connection::{Connection as _, RequestConnection as _};
use x11rb::protocol::Event;
use x11rb::protocol::xkb::{self, ConnectionExt as _};
use x11rb::protocol::xproto::{
    self, AtomEnum, BUTTON_PRESS_EVENT, BUTTON_RELEASE_EVENT, ChangeWindowAttributesAux, ConnectionExt as _,
    EventMask, InputFocus, KEY_PRESS_EVENT, KEY_RELEASE_EVENT, KeyButMask, MOTION_NOTIFY_EVENT, NotifyDetail,
    PropMode, Timestamp, Window,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::wrapper::ConnectionExt as _;

use super::keeper::Keeper;
use super::script::{Act, Script};
use crate::DesktopError;
use crate::x11::atoms::Atoms;
use crate::x11::connection::{PatientConnection, connect_patiently};
use crate::x11::ewmh::Screen;
use crate::x11::hidden_window::hidden_window;
use crate::x11::keymap::{Keymap, real};

/// How far ahead of time events are sent at most: what is sent cannot be called back.
const LEAD: Duration = Duration::from_millis(250);
/// How many events may be on the way without a sign of life from the server, so that a write never blocks: 36 bytes
/// each, a fraction of what a socket takes.
const UNCONFIRMED: usize = 1_000;
/// How often it is looked whether a window has got the focus.
const PAUSE: Duration = Duration::from_millis(10);

/// The connection and the state of the other side.
#[derive(Debug)]
pub(super) struct Seat {
    pub(super) conn: PatientConnection,
    pub(super) root: Window,
    pub(super) atoms: Atoms,
    /// A window of our own, never shown: it receives the server's time, and shows others that we live.
    pub(super) window: Window,
    size: (u32, u32),
    /// Whether keys go nowhere.
    focus_is_none: bool,
    /// Whether they go to the window manager.
    keeper: Keeper,
    /// The window that had the focus when the server was last asked.
    focus: Window,
    /// The server's time when it was last asked for.
    time: Timestamp,
    /// The last answer of a program to the question whether it listens.
    pong: Option<Pong>,
    keymap: Keymap,
    /// The map was changed since it was read.
    keymap_is_stale: bool,
    /// The modifiers that are locked on, Caps Lock and Num Lock among them.
    locked: u8,
    /// The active group.
    group: u8,
    /// When the last event that was sent takes effect.
    effective_at: Instant,
    /// The keys and buttons that went down and have not come up, in the order of sending.
    down: Vec<Act>,
    /// Events sent since the server was last heard of.
    unconfirmed: usize,
}

/// An answer to `_NET_WM_PING`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pong {
    /// The time that the question carried.
    pub(super) time: Timestamp,
    /// The window that was asked.
    pub(super) window: Window,
}

impl Seat {
    pub(super) fn open(display: &str) -> Result<Self, DesktopError> {
        let (conn, root) = connect_patiently(display)?;
        require_extensions(&conn)?;
        select_events(&conn, root)?;
        let atoms = Atoms::new(&conn)?;
        let window = hidden_window(&conn, root)?;
        let atoms = atoms.reply()?;
        let geometry = conn.get_geometry(root)?;
        let focus = conn.get_input_focus()?;
        let state = conn.xkb_get_state(xkb::ID::USE_CORE_KBD.into())?;
        let geometry = geometry.reply()?;
        let focus = focus.reply()?;
        let state = state.reply()?;
        let keymap = Keymap::load(&conn)?;
        Ok(Self {
            root,
            atoms,
            window,
            size: (geometry.width.into(), geometry.height.into()),
            keeper: Keeper::default(),
            focus_is_none: focus.focus == u32::from(InputFocus::NONE),
            focus: focus.focus,
            time: x11rb::CURRENT_TIME,
            pong: None,
            keymap,
            keymap_is_stale: false,
            locked: real(state.locked_mods),
            group: state.group.into(),
            effective_at: Instant::now(),
            unconfirmed: 0,
            down: Vec::new(),
            conn,
        })
    }

    /// Takes in what the server has reported; does not wait.
    pub(super) fn note_events(&mut self) -> Result<(), DesktopError> {
        while let Some(event) = self.conn.poll_for_event()? {
            self.note(&event);
        }
        Ok(())
    }

    fn note(&mut self, event: &Event) {
        self.keeper.note(event, self.root, &self.atoms);
        match event {
            Event::ConfigureNotify(event) if event.window == self.root => {
                self.size = (event.width.into(), event.height.into());
            }
            Event::FocusIn(event) if event.event == self.root => {
                self.focus_is_none = event.detail == NotifyDetail::NONE;
            }
            Event::FocusOut(event) if event.event == self.root && event.detail == NotifyDetail::NONE => {
                self.focus_is_none = false;
            }
            Event::XkbStateNotify(event) => {
                self.locked = real(event.locked_mods);
                self.group = event.group.into();
            }
            Event::MappingNotify(event) if event.request != xproto::Mapping::POINTER => {
                self.keymap_is_stale = true
            }
            Event::XkbMapNotify(_) | Event::XkbNewKeyboardNotify(_) => self.keymap_is_stale = true,
            Event::PropertyNotify(event) if event.window == self.window => self.time = event.time,
            Event::ClientMessage(event)
                if event.type_ == self.atoms.WM_PROTOCOLS && event.window == self.root =>
            {
                let [what, time, window, ..] = event.data.as_data32();
                if what == self.atoms._NET_WM_PING {
                    self.pong = Some(Pong { time, window });
                }
            }
            Event::Error(error) => tracing::debug!("the X server refused an input request: {error:?}"),
            _ => {}
        }
    }

    pub(super) fn size(&self) -> (u32, u32) {
        self.size
    }

    pub(super) fn check_focus(&self) -> Result<(), DesktopError> {
        if !self.focus_is_none {
            return Ok(());
        }
        Err(nobody())
    }

    /// Whether only the server can tell who gets keys.
    pub(super) fn is_focus_doubtful(&self) -> bool {
        self.keeper.is_doubtful()
    }

    /// Like [`Seat::check_focus`], and sees that the focus is not where the window manager keeps it while nobody has it.
    /// A window that was just clicked or shown is given it a moment later, so it is awaited for so long.
    pub(super) fn check_audience(&mut self, patience: Duration) -> Result<(), DesktopError> {
        let deadline = Instant::now() + patience;
        if self.keeper.is_doubtful() {
            self.ask_manager()?;
        }
        loop {
            self.check_focus()?;
            // Menus and the like take the keyboard for themselves instead of the focus.
            if !self.keeper.has_focus() || self.is_keyboard_taken()? {
                return Ok(());
            }
            if Instant::now() >= deadline {
                return Err(nobody());
            }
            std::thread::sleep(PAUSE);
            self.round_trip()?;
        }
    }

    /// Finds out who manages the windows, and whether it keeps the focus.
    pub(super) fn ask_manager(&mut self) -> Result<(), DesktopError> {
        let screen = Screen {
            conn: &self.conn,
            root: self.root,
            atoms: &self.atoms,
        };
        self.keeper.refresh(&screen)?;
        self.round_trip()
    }

    /// Whether another client has grabbed the keyboard. A grab on a window that is not shown never comes about; but that
    /// another one is there is answered before that it is not shown.
    fn is_keyboard_taken(&self) -> Result<bool, DesktopError> {
        let mode = xproto::GrabMode::ASYNC;
        let asked = self
            .conn
            .grab_keyboard(false, self.window, x11rb::CURRENT_TIME, mode, mode)?;
        match asked.reply()?.status {
            xproto::GrabStatus::ALREADY_GRABBED | xproto::GrabStatus::FROZEN => Ok(true),
            xproto::GrabStatus::SUCCESS => {
                self.conn.ungrab_keyboard(x11rb::CURRENT_TIME)?;
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    /// The keyboard's map, the active group and the locked modifiers; nothing while the map must be read anew.
    pub(super) fn keyboard(&mut self) -> Option<(&mut Keymap, u8, u8)> {
        (!self.keymap_is_stale).then_some((&mut self.keymap, self.group, self.locked))
    }

    /// The same, after reading what is not known. Blocks.
    pub(super) fn fresh_keyboard(&mut self) -> Result<(&mut Keymap, u8, u8), DesktopError> {
        self.round_trip()?;
        while self.keymap_is_stale {
            self.keymap_is_stale = false;
            self.keymap = Keymap::load(&self.conn)?;
            self.note_events()?;
        }
        Ok((&mut self.keymap, self.group, self.locked))
    }

    pub(super) fn effective_at(&self) -> Instant {
        self.effective_at
    }

    /// Whether the script can be sent without waiting first.
    pub(super) fn has_room(&self, script: &Script) -> bool {
        let lead = self.effective_at.saturating_duration_since(Instant::now());
        lead + script.total() <= LEAD && self.unconfirmed + script.steps().len() <= UNCONFIRMED
    }

    /// Sends the events; waits in between where they reach too far into the future.
    pub(super) fn run(&mut self, script: &Script) -> Result<(), DesktopError> {
        let mut due = Duration::ZERO;
        let mut counted = 0;
        for &(pause, act) in script.steps() {
            due += pause;
            // Whole milliseconds of the sum, so that no fraction is lost.
            let delay = due.as_millis() as u64 - counted;
            counted += delay;
            self.wait_for_room(Duration::from_millis(delay))?;
            self.send(delay, act)?;
        }
        self.conn.flush()?;
        Ok(())
    }

    /// From here to [`Seat::ungrab`] the server serves no other program, so that what is read stays true.
    pub(super) fn grab(&self) -> Result<(), DesktopError> {
        self.conn.grab_server()?;
        Ok(())
    }

    pub(super) fn ungrab(&self) -> Result<(), DesktopError> {
        self.conn.ungrab_server()?;
        self.flush()
    }

    pub(super) fn flush(&self) -> Result<(), DesktopError> {
        Ok(self.conn.flush()?)
    }

    fn wait_for_room(&mut self, pause: Duration) -> Result<(), DesktopError> {
        let lead = self.effective_at.saturating_duration_since(Instant::now()) + pause;
        if lead > LEAD || self.unconfirmed >= UNCONFIRMED {
            self.round_trip()?;
        }
        Ok(())
    }

    fn send(&mut self, delay: u64, act: Act) -> Result<(), DesktopError> {
        let device = xkb::ID::USE_CORE_KBD.into();
        let (kind, detail, x, y) = match act {
            Act::Pointer(to) => (MOTION_NOTIFY_EVENT, 0, to.x, to.y),
            Act::Button(number, true) => (BUTTON_PRESS_EVENT, number, 0, 0),
            Act::Button(number, false) => (BUTTON_RELEASE_EVENT, number, 0, 0),
            Act::Key(code, true) => (KEY_PRESS_EVENT, code, 0, 0),
            Act::Key(code, false) => (KEY_RELEASE_EVENT, code, 0, 0),
            Act::Lock { modifiers, on } => {
                let mask = u16::from(modifiers).into();
                let locks = u16::from(if on { modifiers } else { 0 }).into();
                let no = 0_u16.into();
                self.conn
                    .xkb_latch_lock_state(device, mask, locks, false, 0.into(), no, false, 0)?;
                return Ok(());
            }
            Act::Group(group) => {
                let no = 0_u16.into();
                self.conn
                    .xkb_latch_lock_state(device, no, no, true, group.into(), no, false, 0)?;
                return Ok(());
            }
        };
        let delay_millis = u32::try_from(delay).unwrap_or(u32::MAX);
        // Positions were checked against the screen, whose sides fit.
        let (x, y) = (
            i16::try_from(x).unwrap_or(i16::MAX),
            i16::try_from(y).unwrap_or(i16::MAX),
        );
        self.conn
            .xtest_fake_input(kind, detail, delay_millis, self.root, x, y, 0)?;
        self.effective_at = self.effective_at.max(Instant::now()) + Duration::from_millis(delay);
        self.unconfirmed += 1;
        match act {
            Act::Button(_, true) | Act::Key(_, true) => self.down.push(act),
            Act::Button(number, false) => self.down.retain(|&down| down != Act::Button(number, true)),
            Act::Key(code, false) => self.down.retain(|&down| down != Act::Key(code, true)),
            _ => {}
        }
        Ok(())
    }

    /// The keys that are down now, other than those pressed here.
    pub(super) fn held_by_others(&self) -> Result<Vec<u8>, DesktopError> {
        let keys = self.conn.query_keymap()?.reply()?.keys;
        let is_held = |&code: &u8| keys[usize::from(code / 8)] & (1 << (code % 8)) != 0;
        Ok((u8::MIN..=u8::MAX)
            .filter(is_held)
            .filter(|&code| !self.down.contains(&Act::Key(code, true)))
            .collect())
    }

    /// Moves keys that others hold, which are not noted as pressed here.
    pub(super) fn move_others(&mut self, codes: &[u8], down: bool) -> Result<(), DesktopError> {
        let kind = if down { KEY_PRESS_EVENT } else { KEY_RELEASE_EVENT };
        for &code in codes {
            self.conn.xtest_fake_input(kind, code, 0, self.root, 0, 0, 0)?;
            self.unconfirmed += 1;
        }
        self.flush()
    }

    /// What was pressed and not released, in the order in which it went down.
    pub(super) fn down(&self) -> &[Act] {
        &self.down
    }

    /// Waits until the server has done all that was sent.
    pub(super) fn round_trip(&mut self) -> Result<(), DesktopError> {
        self.focus = self.conn.get_input_focus()?.reply()?.focus;
        self.unconfirmed = 0;
        self.effective_at = Instant::now();
        self.note_events()?;
        self.focus_is_none = self.focus == u32::from(InputFocus::NONE);
        let screen = Screen {
            conn: &self.conn,
            root: self.root,
            atoms: &self.atoms,
        };
        self.keeper.found(&screen, self.focus)
    }

    /// The window that had the focus at the last [`Seat::round_trip`].
    pub(super) fn focus(&self) -> Window {
        self.focus
    }

    /// The server's time.
    pub(super) fn server_time(&mut self) -> Result<Timestamp, DesktopError> {
        let (name, kind) = (self.atoms.SHINKEN_TIME, AtomEnum::CARDINAL);
        self.conn
            .change_property32(PropMode::REPLACE, self.window, name, kind, &[])?;
        self.round_trip()?;
        Ok(self.time)
    }

    /// Waits for this answer of a program, at most until `deadline`; says whether it came.
    pub(super) fn await_pong(&mut self, wanted: Pong, deadline: Instant) -> Result<bool, DesktopError> {
        self.conn.flush()?;
        loop {
            self.note_events()?;
            if self.pong == Some(wanted) {
                return Ok(true);
            }
            let readable = self.conn.stream().readable_by(deadline);
            if !readable.map_err(|error| DesktopError::Gone(error.to_string()))? {
                return Ok(false);
            }
        }
    }

    /// Has the answers of programs come here, which they send to the root window.
    pub(super) fn hear_pongs(&self, hear: bool) -> Result<(), DesktopError> {
        let more = if hear {
            EventMask::SUBSTRUCTURE_NOTIFY
        } else {
            EventMask::NO_EVENT
        };
        let attributes = ChangeWindowAttributesAux::new().event_mask(root_events() | more);
        self.conn.change_window_attributes(self.root, &attributes)?;
        Ok(())
    }

    /// Releases keys and buttons that are down on the server's test devices: those of a former owner of this display
    /// that was killed. What a person holds down on a real device is not released by this.
    pub(super) fn release_leftovers(&mut self) -> Result<(), DesktopError> {
        let keys = self.conn.query_keymap()?.reply()?.keys;
        let mask = u16::from(self.conn.query_pointer(self.root)?.reply()?.mask);
        let mut script = Script::default();
        for code in u8::MIN..=u8::MAX {
            if keys[usize::from(code / 8)] & (1 << (code % 8)) != 0 {
                script.key(code, false);
            }
        }
        for number in 1..=5 {
            if mask & (u16::from(KeyButMask::BUTTON1) << (number - 1)) != 0 {
                script.button(number, false);
            }
        }
        self.run(&script)?;
        self.round_trip()
    }
}

fn nobody() -> DesktopError {
    DesktopError::WindowNotFound(
        "no window has the keyboard focus; click a window or activate_window it first".to_owned(),
    )
}

fn require_extensions(conn: &PatientConnection) -> Result<(), DesktopError> {
    let missing = |name: &str| DesktopError::Unsupported(format!("the X server has no {name} extension"));
    let xtest = conn.extension_information(x11rb::protocol::xtest::X11_EXTENSION_NAME)?;
    xtest.ok_or_else(|| missing("XTEST"))?;
    conn.xtest_get_version(2, 2)?.reply()?;
    let xkb = conn.extension_information(xkb::X11_EXTENSION_NAME)?;
    xkb.ok_or_else(|| missing("XKEYBOARD"))?;
    if conn.xkb_use_extension(1, 0)?.reply()?.supported {
        Ok(())
    } else {
        Err(missing("XKEYBOARD 1.0"))
    }
}

/// What is reported about the root window: its size, whether the focus goes to nobody, and who manages windows.
fn root_events() -> EventMask {
    EventMask::STRUCTURE_NOTIFY | EventMask::FOCUS_CHANGE | EventMask::PROPERTY_CHANGE
}

fn select_events(conn: &PatientConnection, root: u32) -> Result<(), DesktopError> {
    conn.change_window_attributes(root, &ChangeWindowAttributesAux::new().event_mask(root_events()))?;
    let parts = xkb::MapPart::KEY_TYPES | xkb::MapPart::KEY_SYMS | xkb::MapPart::MODIFIER_MAP;
    let state = xkb::StatePart::MODIFIER_LOCK | xkb::StatePart::GROUP_STATE;
    let details = xkb::SelectEventsAux {
        state_notify: Some(xkb::SelectEventsAuxStateNotify {
            affect_state: state,
            state_details: state,
        }),
        ..xkb::SelectEventsAux::default()
    };
    let whole = xkb::EventType::NEW_KEYBOARD_NOTIFY | xkb::EventType::MAP_NOTIFY;
    conn.xkb_select_events(
        xkb::ID::USE_CORE_KBD.into(),
        xkb::EventType::from(0_u16),
        whole,
        parts,
        parts,
        &details,
    )?;
    Ok(())
}
