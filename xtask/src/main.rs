//! Every command that a person or CI runs: `cargo xtask COMMAND`.
//!
//! It needs Rust, a C compiler and apt, and installs the rest itself ([`packages`]). So it must build before any of
//! those packages is there: it depends on no crate of this workspace and on none that compiles C.
//!
//! Start reading at [`COMMANDS`].

mod bench;
mod demo;
mod fuzz;
mod lint;
mod packages;
mod python;
mod run;
mod schema;
mod scripts;
mod test;
mod tidy;

use std::env;
use std::process::ExitCode;

use run::Workspace;

/// One command: its name, what it does, and the function behind it.
struct Command {
    name: &'static str,
    about: &'static str,
    run: fn(&Workspace, &[String]) -> anyhow::Result<()>,
}

/// All commands, in the order of the help text.
const COMMANDS: &[Command] = &[
    Command {
        name: "setup",
        about: "install the Debian packages that building and testing need",
        run: |_, _| packages::install(),
    },
    Command {
        name: "lint",
        about: "rustfmt, clippy, rustdoc, tidy, the syntax of scripts, ruff, mypy and pyright, and the links of the documentation",
        run: |workspace, _| lint::run_all(workspace),
    },
    Command {
        name: "test",
        about: "the written schema is current, then every test; with --all those of large programs too; arguments go to the test runner",
        run: test::run_all,
    },
    Command {
        name: "schema",
        about: "write schema/*.schema.json and docs/aci.md from the types",
        run: |workspace, _| schema::write(workspace),
    },
    Command {
        name: "install",
        about: "the Debian packages, and the Python package into .venv",
        run: |workspace, _| python::install(workspace),
    },
    Command {
        name: "docs",
        about: "the documentation as a site, with the Python interface; writes target/site",
        run: |workspace, _| {
            packages::install()?;
            python::site(workspace)?;
            run::say("==> target/site/index.html");
            Ok(())
        },
    },
    Command {
        name: "demo",
        about: "a program uses a real desktop; writes demo/",
        run: demo::run_all,
    },
    Command {
        name: "bench",
        about: "measure the codecs and everything end to end; writes bench/",
        run: bench::run_all,
    },
    Command {
        name: "fuzz",
        about: "the fuzz targets, a minute each or --seconds N",
        run: fuzz::run_all,
    },
    Command {
        name: "tidy",
        about: "the rules of this repository that no other linter knows",
        run: |workspace, _| tidy::run_all(workspace),
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let Some(command) = arguments
        .first()
        .and_then(|name| COMMANDS.iter().find(|command| command.name == name))
    else {
        run::say("Usage: cargo xtask COMMAND\n");
        for command in COMMANDS {
            run::say(&format!("  {:<8} {}", command.name, command.about));
        }
        return ExitCode::from(2);
    };
    match Workspace::find().and_then(|workspace| (command.run)(&workspace, &arguments[1..])) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            run::say(&format!("cargo xtask {}: {error:#}", command.name));
            ExitCode::FAILURE
        }
    }
}
