//! The `shinken` command.
//!
//! This crate reads arguments and prints; what is done stands in the crates below it. One file a command, in
//! `commands`; each has a clap struct and a `run` that gives the exit code.

mod commands;
mod output;

use std::process::ExitCode;

use clap::Parser as _;

/// Gives an agent a computer: makes desktops and uses them.
#[derive(Debug, clap::Parser)]
#[command(name = "shinken", version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Doctor(commands::doctor::Doctor),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Doctor(command) => command.run(),
    };
    outcome.unwrap_or_else(|error| {
        output::complain(&format!("shinken: {error:#}"));
        ExitCode::FAILURE
    })
}
