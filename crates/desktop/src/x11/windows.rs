//! The top-level windows of an X11 screen.
//!
//! With a window manager that follows EWMH they are the ones on its list, which has dialogs but no menus, no tooltips
//! and no decorations. Without one they are the children of the root that are shown and that a manager would manage
//! (not override-redirect, which menus are).

use super::atoms::Atoms;
use super::connection::{PatientConnection, connect_patiently};
use super::ewmh::Screen;
use crate::DesktopError;
use crate::backend::{Point, WindowInfo, Windows};

mod activation;
mod describe;
mod roster;
mod stack;

/// The windows of one X11 screen.
#[derive(Debug)]
pub struct X11Windows {
    server: Server,
}

/// The screen as this ability sees it.
#[derive(Debug)]
struct Server {
    conn: PatientConnection,
    root: u32,
    atoms: Atoms,
}

impl X11Windows {
    /// Connects to `display`, such as `:1`.
    ///
    /// # Errors
    /// `Gone` where it cannot be reached.
    pub fn open(display: &str) -> Result<Self, DesktopError> {
        let (conn, root) = connect_patiently(display)?;
        let atoms = Atoms::new(&conn)?.reply()?;
        Ok(Self {
            server: Server { conn, root, atoms },
        })
    }
}

impl Windows for X11Windows {
    fn list(&mut self) -> Result<Vec<WindowInfo>, DesktopError> {
        let roster = roster::read(&self.server)?;
        describe::describe(&self.server, &roster)
    }

    fn popups(&mut self) -> Result<Vec<WindowInfo>, DesktopError> {
        let roster = roster::popups(&self.server)?;
        describe::describe(&self.server, &roster)
    }

    fn at(&mut self, point: Point) -> Result<Option<WindowInfo>, DesktopError> {
        stack::at(&self.server, point)
    }

    fn activate(&mut self, id: u64) -> Result<(), DesktopError> {
        activation::activate(&self.server, id)
    }
}

impl Server {
    fn screen(&self) -> Screen<'_, PatientConnection> {
        Screen {
            conn: &self.conn,
            root: self.root,
            atoms: &self.atoms,
        }
    }
}

/// No such window, in words that help on.
fn not_found(id: u64) -> DesktopError {
    DesktopError::WindowNotFound(format!(
        "there is no top-level window {id}, or it has been closed; list_windows shows the present ones"
    ))
}
