//! The accessibility tree of a desktop, as agents see it.
//!
//! [`tree`] holds the controls of all applications and decides which control is which; [`view`] gives a session's ids to
//! them and tells what changed since that session looked last; [`text`] writes it down, a line for each control.

mod act;
mod address;
mod applications;
mod apps;
mod bus;
mod cells;
mod changes;
mod cold;
mod desk;
pub mod engine;
mod error;
mod news;
pub mod node;
mod pages;
mod parents;
mod refresh;
mod scene;
mod scroll;
mod selection;
mod sight;
mod space;
mod table;
pub mod text;
mod toolkit;
pub mod tree;
mod value;
pub mod view;
mod walk;

pub use apps::{App, AppSelector, program_name};
pub use error::A11yError;
pub use scroll::Scrolled;
pub use selection::{Mark, Passage};
pub use toolkit::TopLevel;
pub use walk::Limits;
