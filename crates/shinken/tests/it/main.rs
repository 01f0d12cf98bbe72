//! The client against the real daemon on a real X server, and against peers that misbehave.

mod daemon;
mod proxy;
mod screen;

mod batch;
mod behind;
mod crowded;
mod dead;
mod elements;
mod files;
mod half_open;
mod pictures;
mod resume;
mod run;
mod sizes;
mod verbs;
