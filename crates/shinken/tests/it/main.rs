//! The client against the real daemon on a real X server, and against peers that misbehave.

mod daemon;
mod dead;
mod pictures;
mod verbs;
