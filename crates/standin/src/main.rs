//! `shinken-standin`: speaks ACI v0 as the daemon does, for thousands of sessions in one process, without any desktop.
//!
//! It is for tests of programs that use desktops: every session gets a form of its own, which does the same whenever the same
//! is done to it. It does what its welcome says and refuses everything else.
//!
//! Start reading at [`server`], then [`connection`] (one client), [`session`] (what each call does), [`form`] (the program
//! on the screen), [`screen`] and [`elements`] (how it is seen).
//!
//! Invariants: one task per connection; a session at rest holds its form and its ids of elements and nothing else; a screen is
//! drawn when somebody looks, and equal forms have equal pixels, on whatever machine.

mod config;
mod connection;
mod desk;
mod elements;
mod form;
mod newcomers;
mod picture;
mod screen;
mod server;
mod session;
mod token;
mod welcome;

use std::io::IsTerminal as _;

use clap::Parser as _;

fn main() -> anyhow::Result<()> {
    let arguments = config::Arguments::parse();
    tracing_subscriber::fmt()
        .with_env_filter(
            tracing_subscriber::EnvFilter::try_from_env("SHINKEND_LOG").unwrap_or_else(|_| "info".into()),
        )
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .init();
    // One thread: a call takes microseconds, and pictures are drawn on the runtime's blocking threads.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(server::serve(arguments))
}
