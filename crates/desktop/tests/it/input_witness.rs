//! A window that writes down what reaches it, and reads keys the way the core protocol says.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use testbed::XServer;
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xkb::ConnectionExt as _;
use x11rb::protocol::xproto::{
    ConnectionExt as _, CreateWindowAux, EventMask, InputFocus, KeyButMask, Window, WindowClass,
};
use x11rb::rust_connection::RustConnection;

/// One event, with the server's time in milliseconds and the state before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) what: What,
    pub(crate) time: u32,
    pub(crate) state: KeyButMask,
    pub(crate) at: (i16, i16),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    Press(u8),
    Release(u8),
    Motion,
    KeyDown(u8),
    KeyUp(u8),
}

/// The window and its own connection.
#[derive(Debug)]
pub(crate) struct Witness {
    pub(crate) conn: RustConnection,
    pub(crate) root: Window,
    pub(crate) window: Window,
}

impl Witness {
    /// Covers the whole screen, and has the focus.
    pub(crate) fn new(server: &XServer) -> Self {
        let (conn, screen) = x11rb::connect(Some(server.display())).unwrap();
        // Without this the server hides the group from the state of keys.
        conn.xkb_use_extension(1, 0).unwrap().reply().unwrap();
        let screen = &conn.setup().roots[screen];
        let (root, width, height) = (screen.root, screen.width_in_pixels, screen.height_in_pixels);
        let window = conn.generate_id().unwrap();
        let mask = EventMask::KEY_PRESS
            | EventMask::KEY_RELEASE
            | EventMask::BUTTON_PRESS
            | EventMask::BUTTON_RELEASE
            | EventMask::POINTER_MOTION;
        let look = CreateWindowAux::new().override_redirect(1).event_mask(mask);
        conn.create_window(
            0,
            window,
            root,
            0,
            0,
            width,
            height,
            0,
            WindowClass::INPUT_OUTPUT,
            0,
            &look,
        )
        .unwrap();
        conn.map_window(window).unwrap();
        let witness = Self { conn, root, window };
        witness.focus(window);
        witness
    }

    pub(crate) fn focus(&self, window: Window) {
        self.conn
            .set_input_focus(InputFocus::NONE, window, x11rb::CURRENT_TIME)
            .unwrap();
        self.sync();
    }

    pub(crate) fn sync(&self) {
        self.conn.get_input_focus().unwrap().reply().unwrap();
    }

    /// Everything that reached the window since the last time. All of it is there once the sender has settled.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.sync();
        let mut seen = Vec::new();
        while let Some(event) = self.conn.poll_for_event().unwrap() {
            let (what, time, state, at) = match event {
                Event::ButtonPress(e) => (What::Press(e.detail), e.time, e.state, (e.root_x, e.root_y)),
                Event::ButtonRelease(e) => (What::Release(e.detail), e.time, e.state, (e.root_x, e.root_y)),
                Event::MotionNotify(e) => (What::Motion, e.time, e.state, (e.root_x, e.root_y)),
                Event::KeyPress(e) => (What::KeyDown(e.detail), e.time, e.state, (e.root_x, e.root_y)),
                Event::KeyRelease(e) => (What::KeyUp(e.detail), e.time, e.state, (e.root_x, e.root_y)),
                _ => continue,
            };
            seen.push(Seen {
                what,
                time,
                state,
                at,
            });
        }
        seen
    }

    /// What the keys that went down mean, by names of symbols for those that are no character.
    pub(crate) fn keys(&self) -> String {
        let seen = self.seen();
        let setup = self.conn.setup();
        let (first, count) = (setup.min_keycode, setup.max_keycode - setup.min_keycode + 1);
        let map = self
            .conn
            .get_keyboard_mapping(first, count)
            .unwrap()
            .reply()
            .unwrap();
        let columns = usize::from(map.keysyms_per_keycode);
        let mut text = String::new();
        for event in seen {
            let What::KeyDown(code) = event.what else { continue };
            let state = u16::from(event.state);
            let column = usize::from(state & 1)
                + usize::from((state >> 13) & 1) * 2
                + usize::from((state >> 7) & 1) * 4;
            let row = &map.keysyms[usize::from(code - first) * columns..][..columns];
            let symbol = xkeysym::Keysym::new(
                row.get(column)
                    .copied()
                    .filter(|&symbol| symbol != 0)
                    .unwrap_or(row[0]),
            );
            match symbol.key_char().filter(|character| !character.is_control()) {
                Some(character) => text.push(character),
                None => text.push_str(&format!(
                    "<{}>",
                    symbol.name().unwrap_or("?").replacen("XK_", "", 1)
                )),
            }
        }
        text
    }

    /// The keys and buttons that are down.
    pub(crate) fn held(&self) -> (Vec<u8>, u16) {
        let keys = self.conn.query_keymap().unwrap().reply().unwrap().keys;
        let down = (0..=u8::MAX)
            .filter(|code| keys[usize::from(code / 8)] & (1 << (code % 8)) != 0)
            .collect();
        let mask = self.conn.query_pointer(self.root).unwrap().reply().unwrap().mask;
        (down, u16::from(mask))
    }
}
