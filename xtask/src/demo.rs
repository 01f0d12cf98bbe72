//! `cargo xtask demo`: a program uses a real desktop, and a person can read afterwards how.

use std::env;

use anyhow::Context as _;

use crate::packages;
use crate::run::{Workspace, run};

/// Builds the daemon and the command the way they are used, then runs the demonstration with these arguments.
pub(crate) fn run_all(workspace: &Workspace, arguments: &[String]) -> anyhow::Result<()> {
    packages::install()?;
    // In one call: Cargo would build shared crates once more for another choice of packages.
    run(&mut workspace.cargo(&[
        "build",
        "--release",
        "-p",
        "shinkend",
        "-p",
        "cli",
        "-p",
        "shinken",
        "--bins",
        "--example",
        "demo",
    ]))?;
    let here = env::current_exe().context("the path of this program is unknown")?;
    // This program lies in `debug` beside `release`.
    let target = here
        .ancestors()
        .nth(2)
        .context("this program lies in no folder")?;
    let demo = target.join("release/examples/demo");
    run(workspace.command(&demo.to_string_lossy()).args(arguments))
}
