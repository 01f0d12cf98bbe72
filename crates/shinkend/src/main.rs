//! `shinkend`: the guest daemon. It owns a desktop and serves it through ACI v0 on a WebSocket.
//!
//! Start reading at [`server`] (listeners and HTTP), then [`connection`] (one client), [`session`] (the order of its calls)
//! and [`verbs`] (what each call does). [`desk`] is the way from async code to the blocking abilities of crate `desktop`. [`files`] is the
//! channel for files beside it.
//!
//! Invariants: one task per connection reads, one writes, one does the calls in order; every queue between them has a
//! bound; every wait on the desktop, on a program or on the network has a deadline; nothing of a client is parsed
//! beyond `hello` before its token was checked, and whoever has not said it yet keeps no other client out ([`places`]).

mod config;
mod connection;
mod desk;
mod elements;
mod exec;
mod files;
mod guard;
mod guesses;
mod launch;
mod outbox;
mod places;
mod reply;
mod run;
mod screencast;
mod server;
mod session;
mod token;
mod verbs;
mod welcome;

use std::io::IsTerminal as _;
use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    let arguments = config::Arguments::parse();
    if let Some(mark) = arguments.guard {
        return guard::watch(&mark);
    }
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: config::Arguments) -> anyhow::Result<()> {
    tracing_subscriber::fmt()
        .with_env_filter(
            tracing_subscriber::EnvFilter::try_from_env("SHINKEND_LOG").unwrap_or_else(|_| "info".into()),
        )
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .init();
    let token = token::Token::load(arguments.token_file.as_deref())?;
    let config = config::Config::new(arguments, token)?;
    // One thread: a call passes from the reader through its session to the writer, and waking another thread for each costs
    // more than the call. What takes long is done on the runtime's blocking threads.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let outcome = runtime.block_on(server::serve(config));
    // A call into a desktop that hangs must not hold the process.
    runtime.shutdown_timeout(std::time::Duration::from_secs(1));
    outcome
}
