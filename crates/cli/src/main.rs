//! The `shinken` command.
//!
//! This crate reads arguments and prints; what is done stands in the crates below it. One file a command, in
//! `commands`; each has a clap struct and a `run` that gives the exit code: 0 done, 1 refused or failed, 2 wrong usage, 3 no
//! desktop to talk to any more, 141 nobody reads the output any more.

mod app_options;
mod commands;
mod complaint;
mod input;
mod output;
mod session;
mod shot_options;
mod wrong_usage;

use std::process::ExitCode;

use clap::Parser as _;

/// Gives an agent a computer: makes desktops and uses them.
#[derive(Debug, clap::Parser)]
#[command(
    name = "shinken",
    version,
    about,
    after_help = "Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 no desktop to talk to any more, 141 the output's \
                  reader has gone"
)]
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
    Shot(commands::shot::Shot),
    Act(commands::act::Act),
    Click(commands::click::Click),
    Type(commands::type_text::TypeText),
    Key(commands::key::Key),
    Scroll(commands::scroll::Scroll),
    Exec(commands::exec::Exec),
    Run(commands::run::Run),
    Clip(commands::clip::Clip),
    Cp(commands::cp::Cp),
    Windows(commands::windows::Windows),
    Apps(commands::apps::Apps),
    Launch(commands::launch::Launch),
    Watch(commands::watch::Watch),
    Observe(commands::observe::Observe),
    Doctor(commands::doctor::Doctor),
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(code) = sandbox::helper_main(&arguments) {
        return code;
    }
    let outcome = match Arguments::try_parse()
        .unwrap_or_else(|error| complaint::wrong_words(error, &arguments))
        .command
    {
        Command::Up(command) => command.run(),
        Command::Ps(command) => command.run(),
        Command::Down(command) => command.run(),
        Command::Gc(command) => command.run(),
        Command::Shot(command) => command.run(),
        Command::Act(command) => command.run(),
        Command::Click(command) => command.run(),
        Command::Type(command) => command.run(),
        Command::Key(command) => command.run(),
        Command::Scroll(command) => command.run(),
        Command::Exec(command) => command.run(),
        Command::Run(command) => command.run(),
        Command::Clip(command) => command.run(),
        Command::Cp(command) => command.run(),
        Command::Windows(command) => command.run(),
        Command::Apps(command) => command.run(),
        Command::Launch(command) => command.run(),
        Command::Watch(command) => command.run(),
        Command::Observe(command) => command.run(),
        Command::Doctor(command) => command.run(),
    };
    outcome.unwrap_or_else(|error| {
        if let Some(text) = complaint::text(&error) {
            output::complain(&format!("shinken: {text}"));
        }
        complaint::exit_code(&error)
    })
}
