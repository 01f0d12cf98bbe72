//! The desktop crate against real X servers.

mod capture_correctness;
mod capture_painter;
mod capture_screen;
mod capture_storm;
mod capture_window;
mod clipboard_exchange;
mod clipboard_faults;
mod clipboard_gtk;
mod clipboard_handover;
mod clipboard_peers;
mod clipboard_protocol;
mod input_gestures;
mod input_gone;
mod input_keys;
mod input_layouts;
mod input_nobody;
mod input_pointer;
mod input_programs;
mod input_typing;
mod input_witness;
mod windows_faults;
mod windows_managed;
mod windows_stage;
mod windows_titles;
mod windows_unmanaged;
