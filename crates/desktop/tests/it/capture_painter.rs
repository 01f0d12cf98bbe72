//! A program that draws, for the tests of pictures, and a second pair of eyes that reads the screen its own way.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use desktop::backend::{Rect, Size};
use desktop::image::Frame;
use testbed::XServer;
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{
    AtomEnum, ChangeGCAux, ConfigureWindowAux, ConnectionExt as _, CreateGCAux, CreateWindowAux, EventMask,
    ImageFormat, PropMode, Rectangle, StackMode, WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

/// 0xRRGGBB, as the server's pixel value.
pub(crate) type Colour = u32;

pub(crate) const RED: Colour = 0xff_0000;
pub(crate) const GREEN: Colour = 0x00_ff00;
pub(crate) const BLUE: Colour = 0x00_00ff;

/// A client of its own that makes windows and fills them.
#[derive(Debug)]
pub(crate) struct Painter {
    pub(crate) conn: RustConnection,
    pub(crate) root: u32,
    gc: u32,
}

pub(crate) fn rect(x: i32, y: i32, w: u32, h: u32) -> Rect {
    Rect { x, y, w, h }
}

fn rectangle(rect: Rect) -> Rectangle {
    Rectangle {
        x: rect.x as i16,
        y: rect.y as i16,
        width: rect.w as u16,
        height: rect.h as u16,
    }
}

impl Painter {
    pub(crate) fn new(server: &XServer) -> Self {
        let (conn, screen) = x11rb::connect(Some(server.display())).unwrap();
        let root = conn.setup().roots[screen].root;
        let gc = conn.generate_id().unwrap();
        conn.create_gc(gc, root, &CreateGCAux::new().graphics_exposures(0))
            .unwrap();
        Self { conn, root, gc }
    }

    /// A mapped window that no window manager touches.
    pub(crate) fn window(&self, place: Rect, colour: Colour) -> u32 {
        let window = self.child(self.root, place, colour, true);
        self.conn.map_window(window).unwrap();
        self.sync();
        window
    }

    /// A mapped window that a window manager may move and decorate.
    pub(crate) fn managed(&self, place: Rect, colour: Colour) -> u32 {
        let window = self.child(self.root, place, colour, false);
        let title = format!("painter {window}");
        self.conn
            .change_property8(
                PropMode::REPLACE,
                window,
                AtomEnum::WM_NAME,
                AtomEnum::STRING,
                title.as_bytes(),
            )
            .unwrap();
        // USPosition and PSize (ICCCM, WM_NORMAL_HINTS), so that the place is kept.
        let mut hints = [0_u32; 18];
        hints[0] = 1 | 8;
        self.conn
            .change_property32(
                PropMode::REPLACE,
                window,
                AtomEnum::WM_NORMAL_HINTS,
                AtomEnum::WM_SIZE_HINTS,
                &hints,
            )
            .unwrap();
        self.conn.map_window(window).unwrap();
        self.sync();
        window
    }

    /// A window that is not mapped yet.
    pub(crate) fn child(&self, parent: u32, place: Rect, colour: Colour, own: bool) -> u32 {
        self.child_with_id(self.conn.generate_id().unwrap(), parent, place, colour, own)
    }

    /// The same with an id of the caller's choice.
    pub(crate) fn child_with_id(
        &self,
        window: u32,
        parent: u32,
        place: Rect,
        colour: Colour,
        own: bool,
    ) -> u32 {
        let attributes = CreateWindowAux::new()
            .background_pixel(colour)
            .override_redirect(u32::from(own))
            .event_mask(EventMask::STRUCTURE_NOTIFY);
        let at = rectangle(place);
        self.conn
            .create_window(
                24,
                window,
                parent,
                at.x,
                at.y,
                at.width,
                at.height,
                0,
                WindowClass::INPUT_OUTPUT,
                0,
                &attributes,
            )
            .unwrap();
        window
    }

    pub(crate) fn fill(&self, window: u32, place: Rect, colour: Colour) {
        self.conn
            .change_gc(self.gc, &ChangeGCAux::new().foreground(colour))
            .unwrap();
        self.conn
            .poly_fill_rectangle(window, self.gc, &[rectangle(place)])
            .unwrap();
    }

    pub(crate) fn copy(&self, window: u32, from: Rect, to: (i32, i32)) {
        let at = rectangle(from);
        self.conn
            .copy_area(
                window,
                window,
                self.gc,
                at.x,
                at.y,
                to.0 as i16,
                to.1 as i16,
                at.width,
                at.height,
            )
            .unwrap();
    }

    pub(crate) fn place(&self, window: u32, place: Rect) {
        let values = ConfigureWindowAux::new()
            .x(place.x)
            .y(place.y)
            .width(place.w)
            .height(place.h);
        self.conn.configure_window(window, &values).unwrap();
    }

    pub(crate) fn raise(&self, window: u32) {
        let above = ConfigureWindowAux::new().stack_mode(StackMode::ABOVE);
        self.conn.configure_window(window, &above).unwrap();
    }

    /// Returns when the server has done all that was asked for.
    pub(crate) fn sync(&self) {
        self.conn.sync().unwrap();
    }

    pub(crate) fn warp_pointer(&self, x: i16, y: i16) {
        self.conn
            .warp_pointer(x11rb::NONE, self.root, 0, 0, 0, 0, x, y)
            .unwrap();
        self.sync();
    }

    /// The whole screen by a plain GetImage.
    pub(crate) fn screen(&self) -> Frame {
        let size = self.conn.get_geometry(self.root).unwrap().reply().unwrap();
        let image = self
            .conn
            .get_image(
                ImageFormat::Z_PIXMAP,
                self.root,
                0,
                0,
                size.width,
                size.height,
                !0,
            )
            .unwrap()
            .reply()
            .unwrap();
        let rgb = image.data.chunks(4).flat_map(|p| [p[2], p[1], p[0]]).collect();
        let size = Size {
            w: size.width.into(),
            h: size.height.into(),
        };
        Frame::new(size, rgb).unwrap()
    }
}

/// The colour of one pixel of a frame.
pub(crate) fn pixel(frame: &Frame, x: u32, y: u32) -> Colour {
    let at = (y as usize * frame.size().w as usize + x as usize) * 3;
    frame.rgb()[at..at + 3]
        .iter()
        .fold(0, |colour, byte| colour << 8 | u32::from(*byte))
}

/// Whether every pixel has this colour.
pub(crate) fn is_all(frame: &Frame, colour: Colour) -> bool {
    let [_, r, g, b] = colour.to_be_bytes();
    frame.rgb().chunks(3).all(|pixel| pixel == [r, g, b])
}
