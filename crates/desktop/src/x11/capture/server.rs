//! The connection that pictures come over, and what the display must have for it.

use x11rb::connection::{Connection as _, RequestConnection as _};
use x11rb::errors::{ReplyError, ReplyOrIdError};
use x11rb::protocol::composite::{self, ConnectionExt as _, Redirect};
use x11rb::protocol::damage::{self, ConnectionExt as _};
use x11rb::protocol::xfixes::{self, ConnectionExt as _};
use x11rb::protocol::xinput::{self, ConnectionExt as _, XIEventMask};
use x11rb::protocol::xproto::{
    ChangeWindowAttributesAux, ConnectionExt as _, EventMask, ImageOrder, Setup, VisualClass,
};

use super::pixels::SERVER_PIXEL_BYTES;
use crate::DesktopError;
use crate::x11::atoms::Atoms;
use crate::x11::connection::{PatientConnection, connect_patiently};
use crate::x11::ewmh;

/// XI2's device that stands for all pointers and keyboards of users.
const ALL_MASTER_DEVICES: u16 = 1;

/// The display server as this ability sees it.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) conn: PatientConnection,
    pub(super) root: u32,
    pub(super) atoms: Atoms,
    /// Whether the server reports each movement of the pointer.
    pub(super) reports_pointer: bool,
    /// Visuals whose pixels are red, green and blue in the order that is read.
    visuals: Vec<u32>,
}

impl Server {
    /// Connects, checks that the display's pixels can be read, has each window keep pixels of its own, and subscribes
    /// to what can change the screen's size, the active window or the pointer.
    ///
    /// # Errors
    /// `Gone`; `Unsupported` where an extension is missing or pixels are not 24 bits deep.
    pub(super) fn open(display: &str) -> Result<Self, DesktopError> {
        let (conn, root) = connect_patiently(display)?;
        let visuals = readable_visuals(conn.setup(), root)?;
        for name in [
            composite::X11_EXTENSION_NAME,
            damage::X11_EXTENSION_NAME,
            xfixes::X11_EXTENSION_NAME,
        ] {
            if conn.extension_information(name)?.is_none() {
                return Err(DesktopError::Unsupported(format!(
                    "the X server has no {name} extension, which pictures need; start it with `+extension {name}`"
                )));
            }
        }
        // The versions that have what is used: CompositeNameWindowPixmap, FetchRegion. Each must be asked for before use.
        let (composite, damage, xfixes) = (
            conn.composite_query_version(0, 4)?,
            conn.damage_query_version(1, 1)?,
            conn.xfixes_query_version(5, 0)?,
        );
        let atoms = Atoms::new(&conn)?;
        composite.reply()?;
        damage.reply()?;
        xfixes.reply()?;
        let atoms = atoms.reply()?;
        conn.composite_redirect_subwindows(root, Redirect::AUTOMATIC)?
            .check()?;
        let mask = EventMask::STRUCTURE_NOTIFY | EventMask::PROPERTY_CHANGE;
        conn.change_window_attributes(root, &ChangeWindowAttributesAux::new().event_mask(mask))?
            .check()?;
        let reports_pointer = subscribe_to_pointer(&conn, root)?;
        Ok(Self {
            conn,
            root,
            atoms,
            reports_pointer,
            visuals,
        })
    }

    /// An unused resource id.
    pub(super) fn new_id(&self) -> Result<u32, ReplyOrIdError> {
        self.conn.generate_id()
    }

    /// The active window, `None` where there is none.
    ///
    /// # Errors
    /// `Gone`.
    pub(super) fn active_window(&self) -> Result<Option<u32>, DesktopError> {
        let (conn, root, atoms) = (&self.conn, self.root, &self.atoms);
        ewmh::Screen { conn, root, atoms }.active_window()
    }

    /// Whether pixels of this visual are in the order that is read.
    pub(super) fn reads(&self, visual: u32) -> bool {
        self.visuals.contains(&visual)
    }
}

/// The visuals with 32 bits a pixel, blue first.
fn readable_visuals(setup: &Setup, root: u32) -> Result<Vec<u32>, DesktopError> {
    let wide = |depth: u8| {
        setup.pixmap_formats.iter().any(|format| {
            format.depth == depth && usize::from(format.bits_per_pixel) == SERVER_PIXEL_BYTES * 8
        })
    };
    let screen = setup.roots.iter().find(|screen| screen.root == root);
    let visuals: Vec<u32> = screen
        .iter()
        .flat_map(|screen| &screen.allowed_depths)
        .filter(|depth| matches!(depth.depth, 24 | 32) && wide(depth.depth))
        .flat_map(|depth| &depth.visuals)
        .filter(|visual| matches!(visual.class, VisualClass::TRUE_COLOR | VisualClass::DIRECT_COLOR))
        .filter(|visual| (visual.red_mask, visual.green_mask, visual.blue_mask) == (0xff_0000, 0xff00, 0xff))
        .map(|visual| visual.visual_id)
        .collect();
    let readable = setup.image_byte_order == ImageOrder::LSB_FIRST
        && screen.is_some_and(|screen| visuals.contains(&screen.root_visual));
    if readable {
        return Ok(visuals);
    }
    Err(DesktopError::Unsupported(
        "the screen's pixels are not 24-bit colour with blue first, which alone can be read; \
         start the X server with a depth of 24, such as `Xvfb -screen 0 1280x800x24`"
            .to_owned(),
    ))
}

/// Asks for raw motion, which a moving device or XTEST makes wherever the pointer is, and for plain motion, which also
/// a warp makes but which ends at a window that asks for it itself (XI2 protocol, sections 6.2 and 7).
/// `false` where the server cannot.
fn subscribe_to_pointer(conn: &PatientConnection, root: u32) -> Result<bool, DesktopError> {
    if conn.extension_information(xinput::X11_EXTENSION_NAME)?.is_none() {
        return Ok(false);
    }
    let masks = [xinput::EventMask {
        deviceid: ALL_MASTER_DEVICES,
        mask: vec![XIEventMask::RAW_MOTION | XIEventMask::MOTION],
    }];
    let subscribed = conn
        .xinput_xi_query_version(2, 2)?
        .reply()
        .and_then(|_| Ok(conn.xinput_xi_select_events(root, &masks)?))
        .and_then(|cookie| cookie.check());
    match subscribed {
        Ok(()) => Ok(true),
        Err(ReplyError::X11Error(_)) => Ok(false),
        Err(ReplyError::ConnectionError(error)) => Err(error.into()),
    }
}
