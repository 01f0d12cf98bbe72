//! The clipboard, text only.

use crate::DesktopError;

/// The clipboard (on X11: the CLIPBOARD selection, never PRIMARY).
pub trait Clipboard: Send + std::fmt::Debug {
    /// The text that the clipboard holds; empty when nobody owns it. Blocks for a few seconds at most.
    ///
    /// # Errors
    /// `ClipboardTooLarge`, `ClipboardTimeout` (the owner did not answer), `Unsupported` (it holds no text), `Gone`.
    fn get(&mut self) -> Result<String, DesktopError>;

    /// Takes the clipboard and serves `text` from now on until another program takes it.
    ///
    /// # Errors
    /// `ClipboardTooLarge`, `Busy` (another program keeps taking it), `Gone`.
    fn set(&mut self, text: String) -> Result<(), DesktopError>;
}
