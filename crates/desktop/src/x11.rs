//! The X11 backend: XTEST for input, DAMAGE, COMPOSITE and MIT-SHM for pictures, EWMH for windows, ICCCM for the
//! clipboard. Each ability has its own connection to the server.

mod capture;
mod connection;

pub use capture::X11Capture;
