//! Taking pictures: of the screen, of a window, of the active window.

use super::look::{Looked, look};
use super::picture::Picture;
use super::screen::Scene;
use super::window::{Taken, Window};
use super::{X11Capture, screen_rect};
use crate::DesktopError;
use crate::backend::{Grab, Rect};
use crate::image::Scaler;

/// Windows that stay watched after a picture of them; the least recently used is forgotten first.
const WINDOWS_KEPT: usize = 3;

/// How often a window's picture is tried again when it moves or changes its size meanwhile.
const ATTEMPTS: u32 = 8;

/// How a picture is wanted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    /// The longer edge at most.
    pub(super) max_long_edge: Option<u32>,
    /// The generation to say the dirty parts against.
    pub(super) since: Option<u64>,
}

impl X11Capture {
    pub(super) fn grab_screen(&mut self, wanted: Wanted) -> Result<Grab, DesktopError> {
        let scene = self
            .screen
            .refresh(&self.server, &mut self.reader, &mut self.generations)?;
        self.settle(&scene)?;
        let source = screen_rect(scene.size);
        deliver(self.screen.picture(), &mut self.scaler, wanted, (&scene, source))
    }

    pub(super) fn grab_window(&mut self, id: u64, wanted: Wanted) -> Result<Grab, DesktopError> {
        let scene = self.take_window(id)?;
        self.deliver_window(wanted, &scene)
    }

    pub(super) fn grab_active(&mut self, wanted: Wanted) -> Result<Grab, DesktopError> {
        for _ in 0..ATTEMPTS {
            let Some(id) = self.server.active_window()? else {
                return Err(no_active_window());
            };
            let scene = match self.take_window(id.into()) {
                Ok(scene) => scene,
                // It closed, and another may be active by now.
                Err(DesktopError::WindowNotFound(_)) => continue,
                Err(error) => return Err(error),
            };
            // Reports that tell of another active window come only since this one is watched.
            if self.server.active_window()? != Some(id) {
                continue;
            }
            self.active = Some(id);
            // A change between that answer and now makes it unknown again.
            self.drain()?;
            let before = self.pictured.replace(id);
            if before != Some(id)
                && let Some((picture, _)) = self.windows.last_mut().and_then(Window::picture)
            {
                // The numbers of this region must rise, also when going back to a window that has an older one.
                picture.renumber(&mut self.generations);
            }
            return self.deliver_window(wanted, &scene);
        }
        Err(no_active_window())
    }

    /// Brings the picture of a window up to date; it is the last of the watched ones then.
    fn take_window(&mut self, id: u64) -> Result<Scene, DesktopError> {
        for _ in 0..ATTEMPTS {
            self.watch_last(id)?;
            let taken = self.take_last();
            if taken.is_err()
                && let Some(window) = self.windows.pop()
            {
                window.forget(&self.server)?;
            }
            let scene = taken?;
            self.settle(&scene)?;
            // Otherwise what was read may be another window with the same id, whose drawing would not be reported.
            if !self.windows.last().is_some_and(Window::is_gone) {
                return Ok(scene);
            }
        }
        Err(unsettled())
    }

    /// Sees to it that the window is watched, as the last one.
    fn watch_last(&mut self, id: u64) -> Result<(), DesktopError> {
        self.drain()?;
        if let Some(at) = self
            .windows
            .iter()
            .position(|window| window.is_gone() && u64::from(window.id()) == id)
        {
            self.windows.remove(at).forget(&self.server)?;
        }
        match self
            .windows
            .iter()
            .position(|window| u64::from(window.id()) == id)
        {
            Some(at) => {
                let window = self.windows.remove(at);
                self.windows.push(window);
            }
            None => {
                if self.windows.len() == WINDOWS_KEPT {
                    self.windows.remove(0).forget(&self.server)?;
                }
                self.windows.push(Window::watch(&self.server, id)?);
            }
        }
        Ok(())
    }

    fn take_last(&mut self) -> Result<Scene, DesktopError> {
        if let Some(id) = self
            .windows
            .last()
            .filter(|window| window.current().is_some())
            .map(Window::id)
            && let Looked::At(view, scene) = look(&self.server, id)?
        {
            // Reports of what other programs have synchronized before have come ahead of that answer. Without one, and
            // with the window where it was, it need not be read.
            let quiet = self.drain()?;
            if quiet && self.windows.last().is_some_and(|window| window.is_still(&view)) {
                return Ok(scene);
            }
        }
        for _ in 0..ATTEMPTS {
            let Some(window) = self.windows.last_mut() else {
                break;
            };
            if let Taken::Done(scene) = window.take(&self.server, &mut self.reader, &mut self.generations)? {
                return Ok(scene);
            }
        }
        Err(unsettled())
    }

    /// Makes the answer from the window that was taken last.
    fn deliver_window(&mut self, wanted: Wanted, scene: &Scene) -> Result<Grab, DesktopError> {
        let (picture, source) = self.windows.last_mut().and_then(Window::picture).ok_or_else(|| {
            DesktopError::CaptureFailed("the window's picture is not there; take it again".to_owned())
        })?;
        deliver(picture, &mut self.scaler, wanted, (scene, source))
    }
}

/// Makes the answer from an up-to-date picture.
fn deliver(
    picture: &mut Picture,
    scaler: &mut Scaler,
    wanted: Wanted,
    (scene, source): (&Scene, Rect),
) -> Result<Grab, DesktopError> {
    let (frame, hash) = picture.deliver(wanted.max_long_edge, scaler)?;
    let dirty = wanted
        .since
        .and_then(|since| picture.dirty_since(since, wanted.max_long_edge));
    Ok(Grab {
        frame,
        hash,
        screen: scene.size,
        source,
        pointer: scene.pointer,
        generation: picture.generation(),
        dirty,
    })
}

fn unsettled() -> DesktopError {
    DesktopError::CaptureFailed(
        "the window keeps moving or changing its size; take the picture again when it has settled".to_owned(),
    )
}

fn no_active_window() -> DesktopError {
    DesktopError::WindowNotFound(
        "no window is active; activate_window one of those that list_windows names, or take a picture of the screen"
            .to_owned(),
    )
}
