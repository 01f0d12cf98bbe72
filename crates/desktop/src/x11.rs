//! The X11 backend: XTEST for input, DAMAGE, COMPOSITE and MIT-SHM for pictures, EWMH for windows, ICCCM for the
//! clipboard. Each ability has its own connection to the server.

mod atoms;
mod capture;
mod clipboard;
mod connection;
mod ewmh;
mod hidden_window;
mod input;
mod keymap;
mod text;
mod windows;

pub use capture::X11Capture;
pub use clipboard::X11Clipboard;
pub use input::X11Input;
pub use windows::X11Windows;
