//! The accessibility tree of a desktop, as agents see it.
//!
//! [`tree`] holds the controls of all applications and decides which control is which; [`view`] gives a session's ids to
//! them and tells what changed since that session looked last; [`text`] writes it down, a line for each control.

mod act;
mod address;
mod bus;
mod changes;
mod desk;
pub mod engine;
mod error;
pub mod node;
pub mod text;
pub mod tree;
pub mod view;
mod walk;

pub use error::A11yError;
pub use walk::Limits;
