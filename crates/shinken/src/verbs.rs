//! One method for every verb and every query, under the names that they have on the wire.

mod act;
mod desktop;
mod elements;
mod input;
mod launch;
mod pixels;
mod queries;
mod run;

pub use act::{Act, ObservedAct, Place};
pub use elements::{App, Passage};
pub use queries::{Window, WindowId};
