//! Raising a window and giving it the keyboard focus.

use std::thread::sleep;
use std::time::{Duration, Instant};

use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ClientMessageEvent, ConfigureWindowAux, ConnectionExt as _, EventMask, InputFocus,
    MapState, StackMode, Window, WindowClass,
};

use super::roster::{self, Roster};
use super::{Server, not_found};
use crate::DesktopError;
use crate::x11::connection::answer;

/// How long the window manager may take.
const PATIENCE: Duration = Duration::from_millis(2500);
/// How often it is looked whether the window is active by now.
const PAUSE: Duration = Duration::from_millis(4);

/// EWMH's source indication for pagers and the like, which managers obey without guarding against stolen focus.
const SOURCE_PAGER: u32 = 2;
/// EWMH's number for a window that is on each desktop.
const ALL_DESKTOPS: u32 = u32::MAX;
/// ICCCM's WM_STATE of a minimized window.
const ICONIC: u32 = 3;

/// Makes `id` the active window, and waits until it is.
///
/// # Errors
/// `WindowNotFound`; `Busy` where the window manager did not do it in time; `Gone`.
pub(super) fn activate(server: &Server, id: u64) -> Result<(), DesktopError> {
    let window = u32::try_from(id).map_err(|_| not_found(id))?;
    let roster = roster::read(server)?;
    if roster.managed {
        if !roster.windows.contains(&window) {
            return Err(not_found(id));
        }
        ask_manager(server, &roster, window)
    } else {
        raise_and_focus(server, window)
    }
}

/// The way of EWMH: the manager does it.
fn ask_manager(server: &Server, roster: &Roster, window: Window) -> Result<(), DesktopError> {
    let conn = &server.conn;
    if is_minimized(server, window)? {
        // ICCCM, 4.1.4: to be shown again, an iconic window is mapped.
        conn.map_window(window)?.ignore_error();
    }
    if let Some(desktop) = other_desktop(server, window)? {
        // Some managers, openbox for one, go to another desktop only when asked to.
        let data = [desktop, x11rb::CURRENT_TIME, 0, 0, 0];
        tell_manager(server, server.root, server.atoms._NET_CURRENT_DESKTOP, data)?;
    }
    let present = roster.active.unwrap_or(x11rb::NONE);
    let data = [SOURCE_PAGER, x11rb::CURRENT_TIME, present, 0, 0];
    tell_manager(server, window, server.atoms._NET_ACTIVE_WINDOW, data)?;
    conn.flush()?;
    let takes_focus = takes_focus(server, window)?;
    let deadline = Instant::now() + PATIENCE;
    loop {
        if is_there(server, window, takes_focus)? {
            return Ok(());
        }
        if answer(conn.get_window_attributes(window)?.reply())?.is_none() {
            return Err(not_found(window.into()));
        }
        if Instant::now() >= deadline {
            return Err(DesktopError::Busy(format!(
                "the window manager has not made window {window} the active one within {} ms; \
                 list_windows shows which one is, then try again",
                PATIENCE.as_millis()
            )));
        }
        sleep(PAUSE);
    }
}

/// Sends a message about a window, or about the root, to the manager.
fn tell_manager(server: &Server, about: Window, what: Atom, data: [u32; 5]) -> Result<(), DesktopError> {
    let message = ClientMessageEvent::new(32, about, what, data);
    let mask = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
    let sent = server.conn.send_event(false, server.root, mask, message)?;
    sent.ignore_error();
    Ok(())
}

/// The desktop that a window is on, where that is not the present one.
fn other_desktop(server: &Server, window: Window) -> Result<Option<u32>, DesktopError> {
    let (atoms, number) = (&server.atoms, AtomEnum::CARDINAL);
    let home = first_word(server, window, atoms._NET_WM_DESKTOP, number)?;
    let present = first_word(server, server.root, atoms._NET_CURRENT_DESKTOP, number)?;
    Ok(home.filter(|home| *home != ALL_DESKTOPS && present.is_some_and(|present| present != *home)))
}

/// The first number of a property.
fn first_word(
    server: &Server,
    of: Window,
    name: impl Into<Atom>,
    kind: impl Into<Atom>,
) -> Result<Option<u32>, DesktopError> {
    let asked = server.conn.get_property(false, of, name, kind, 0, 1)?;
    Ok(answer(asked.reply())?.and_then(|property| property.value32()?.next()))
}

/// Whether the window has become what was asked for.
fn is_there(server: &Server, window: Window, takes_focus: bool) -> Result<bool, DesktopError> {
    if !takes_focus {
        // It can only be raised; that it is shown is all that can be seen.
        let attributes = answer(server.conn.get_window_attributes(window)?.reply())?;
        return Ok(attributes.is_some_and(|attributes| attributes.map_state == MapState::VIEWABLE));
    }
    let Some(active) = server.screen().active_client(&[window])? else {
        return Ok(false);
    };
    // Managers give the focus to an open modal dialog instead of the window that it belongs to.
    if active != window && !belongs_to(server, active, window)? {
        return Ok(false);
    }
    Ok(server.screen().focused_of(&[active])?.is_some())
}

/// Whether `dialog` is there for `window`, directly or by way of other dialogs.
fn belongs_to(server: &Server, mut dialog: Window, window: Window) -> Result<bool, DesktopError> {
    for _ in 0..8 {
        let owner = first_word(server, dialog, AtomEnum::WM_TRANSIENT_FOR, AtomEnum::WINDOW)?;
        match owner {
            Some(owner) if owner == window => return Ok(true),
            Some(owner) => dialog = owner,
            None => return Ok(false),
        }
    }
    Ok(false)
}

fn is_minimized(server: &Server, window: Window) -> Result<bool, DesktopError> {
    let state = server.atoms.WM_STATE;
    Ok(first_word(server, window, state, state)? == Some(ICONIC))
}

/// Whether a window can have the focus at all (ICCCM, 4.1.7): it does not where its hints say no and it does not take
/// the focus by itself either.
fn takes_focus(server: &Server, window: Window) -> Result<bool, DesktopError> {
    let (conn, atoms) = (&server.conn, &server.atoms);
    let hints = conn.get_property(false, window, atoms.WM_HINTS, atoms.WM_HINTS, 0, 2)?;
    let protocols = conn.get_property(false, window, atoms.WM_PROTOCOLS, AtomEnum::ATOM, 0, 64)?;
    let (hints, protocols) = (answer(hints.reply())?, answer(protocols.reply())?);
    let mut hints = hints.iter().filter_map(|hints| hints.value32()).flatten();
    // Bit 0 of the flags tells that the next field, the input hint, counts.
    let refuses = matches!((hints.next(), hints.next()), (Some(flags), Some(0)) if flags & 1 != 0);
    let takes = protocols
        .iter()
        .filter_map(|protocols| protocols.value32())
        .flatten()
        .any(|protocol| protocol == atoms.WM_TAKE_FOCUS);
    Ok(!refuses || takes)
}

/// The way without a window manager: it is done here.
fn raise_and_focus(server: &Server, window: Window) -> Result<(), DesktopError> {
    let conn = &server.conn;
    let gone = || not_found(window.into());
    if window == server.root {
        return Err(gone());
    }
    let tree = conn.query_tree(window)?;
    let attributes = conn.get_window_attributes(window)?;
    let (tree, attributes) = (answer(tree.reply())?, answer(attributes.reply())?);
    let (tree, attributes) = tree.zip(attributes).ok_or_else(gone)?;
    let manageable = !attributes.override_redirect && attributes.class == WindowClass::INPUT_OUTPUT;
    if tree.parent != server.root || !manageable {
        return Err(gone());
    }
    if attributes.map_state == MapState::UNMAPPED {
        conn.map_window(window)?.ignore_error();
    }
    let raise = ConfigureWindowAux::new().stack_mode(StackMode::ABOVE);
    conn.configure_window(window, &raise)?.ignore_error();
    // With its end the focus returns to where it is on a bare display: under the pointer.
    let focus = conn.set_input_focus(InputFocus::POINTER_ROOT, window, x11rb::CURRENT_TIME)?;
    answer(focus.check())?.ok_or_else(gone)
}
