//! Looking at the desktop and drawing on it beside the daemon.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ConnectionExt as _, CreateGCAux, ImageFormat, KeyButMask};
use x11rb::rust_connection::RustConnection;

/// A connection to the X server of a test.
#[derive(Debug)]
pub(crate) struct Screen {
    connection: RustConnection,
    root: u32,
    size: (u16, u16),
}

impl Screen {
    pub(crate) fn open(display: &str) -> Self {
        let (connection, number) = x11rb::connect(Some(display)).unwrap();
        let screen = &connection.setup().roots[number];
        let (root, size) = (screen.root, (screen.width_in_pixels, screen.height_in_pixels));
        Self {
            connection,
            root,
            size,
        }
    }

    /// Whether the first button of the pointer is down.
    pub(crate) fn button_is_down(&self) -> bool {
        let pointer = self.connection.query_pointer(self.root).unwrap().reply().unwrap();
        pointer.mask.contains(KeyButMask::BUTTON1)
    }

    /// Fills the first `rows` of the screen with noise that no codec makes smaller; their RGB pixels.
    pub(crate) fn noise(&self, seed: u64, rows: u16) -> Vec<u8> {
        let gc = self.connection.generate_id().unwrap();
        self.connection
            .create_gc(gc, self.root, &CreateGCAux::new())
            .unwrap();
        let mut state = seed | 1;
        let mut rgb = Vec::with_capacity(usize::from(self.size.0) * usize::from(rows) * 3);
        let mut line = Vec::with_capacity(usize::from(self.size.0) * 4);
        for y in 0..rows {
            line.clear();
            for _ in 0..self.size.0 {
                // Xorshift, 64 bits with the shifts 13, 7 and 17.
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                let [_, _, b, g, r, ..] = state.to_le_bytes();
                line.extend_from_slice(&[b, g, r, 0]);
                rgb.extend_from_slice(&[r, g, b]);
            }
            self.connection
                .put_image(
                    ImageFormat::Z_PIXMAP,
                    self.root,
                    gc,
                    self.size.0,
                    1,
                    0,
                    y.try_into().unwrap(),
                    0,
                    24,
                    &line,
                )
                .unwrap();
        }
        self.connection.free_gc(gc).unwrap();
        // An answer says that all of it was drawn.
        self.connection.get_input_focus().unwrap().reply().unwrap();
        rgb
    }
}
