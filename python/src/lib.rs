//! The native half of the Python package `shinken`: the Rust client as Python objects.
//!
//! It converts and waits, and decides nothing: which verbs there are and what they mean is in crate `shinken`, how they
//! look in Python is in the package. Start with `session::Session`, whose methods give a `call::Call`; a call is waited
//! for by a thread (`call::Call::wait`) or by an asyncio loop (`asyncio::Bridge`), and is the same either way.
//!
//! Invariants: no wait holds Python's lock; the bytes of a picture are copied once, into the object that Python gets; all
//! sessions of a process share two threads; nothing of a process is used in a child that was forked from it.

mod asyncio;
mod call;
mod error;
mod files;
mod frame_cache;
mod geometry;
mod json;
mod local;
mod outcome;
mod runtime;
mod session;
mod shot;
mod streams;
mod view;

use pyo3::prelude::*;

/// The Rust client as Python objects. It is private: use the package `shinken`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::asyncio::Bridge;
    #[pymodule_export]
    use crate::call::Call;
    #[pymodule_export]
    use crate::files::{NativeFiles, NativeTransfer};
    #[pymodule_export]
    use crate::frame_cache::FrameCache;
    #[pymodule_export]
    use crate::geometry::{point_of_frame, share_of_frame};
    #[pymodule_export]
    use crate::local::{Desktop, desktops, end_desktop, find_desktop, providers, start_desktop};
    #[pymodule_export]
    use crate::outcome::{NativeActed, NativeStep};
    #[pymodule_export]
    use crate::session::{Session, connect};
    #[pymodule_export]
    use crate::shot::NativeShot;
    #[pymodule_export]
    use crate::streams::{EventStream, NativeFrame, OutputStream, PictureStream};
    #[pymodule_export]
    use crate::view::NativeView;
}
