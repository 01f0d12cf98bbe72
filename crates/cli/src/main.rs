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
    Up(commands::up::Up),
    Ps(commands::ps::Ps),
    Down(commands::down::Down),
    Gc(commands::gc::Gc),
    Doctor(commands::doctor::Doctor),
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(code) = sandbox::helper_main(&arguments) {
        return code;
    }
    let outcome = match Arguments::parse().command {
        Command::Up(command) => command.run(),
        Command::Ps(command) => command.run(),
        Command::Down(command) => command.run(),
        Command::Gc(command) => command.run(),
        Command::Doctor(command) => command.run(),
    };
    outcome.unwrap_or_else(|error| {
        output::complain(&format!("shinken: {error:#}"));
        ExitCode::FAILURE
    })
}
