//! `cargo xtask demo`: a program uses a real desktop, and a person can read afterwards how.

use crate::packages;
use crate::run::{Workspace, run};

/// Builds the daemon and the command the way they are used, then runs the demonstration with these arguments.
pub(crate) fn run_all(workspace: &Workspace, arguments: &[String]) -> anyhow::Result<()> {
    packages::install()?;
    run(&mut workspace.cargo(&["build", "--release", "-p", "shinkend", "-p", "cli"]))?;
    run(workspace
        .cargo(&["run", "--release", "-p", "shinken", "--example", "demo", "--"])
        .args(arguments))
}
