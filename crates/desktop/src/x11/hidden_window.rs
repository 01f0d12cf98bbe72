//! A window of our own that nobody sees: it owns things, receives answers and tells the server's time.

use x11rb::connection::Connection;
use x11rb::protocol::xproto::{ConnectionExt as _, CreateWindowAux, EventMask, Window, WindowClass};

use crate::DesktopError;

/// A window that is never shown and no manager's business; changes of its properties are reported.
///
/// # Errors
/// `Gone`.
pub(super) fn hidden_window(conn: &impl Connection, root: Window) -> Result<Window, DesktopError> {
    let window = conn.generate_id()?;
    let attributes = CreateWindowAux::new()
        .override_redirect(1)
        .event_mask(EventMask::PROPERTY_CHANGE);
    conn.create_window(
        0,
        window,
        root,
        -1,
        -1,
        1,
        1,
        0,
        WindowClass::INPUT_ONLY,
        0,
        &attributes,
    )?
    .ignore_error();
    Ok(window)
}
