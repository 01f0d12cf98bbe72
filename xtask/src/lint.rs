//! `cargo xtask lint`.

use anyhow::{Context as _, bail};

use crate::run::{Steps, Workspace, run, succeeds};
use crate::{packages, python, scripts, tidy};

/// Runs every linter, and fails when one found something.
pub(crate) fn run_all(workspace: &Workspace) -> anyhow::Result<()> {
    packages::install()?;
    components(workspace)?;
    let mut steps = Steps::default();
    steps.step("format", || {
        run(&mut workspace.cargo(&["fmt", "--all", "--check"]))
    });
    steps.step("tidy", || tidy::run_all(workspace));
    steps.step("scripts", || scripts::check(workspace));
    steps.step("Python", || python::lint(workspace));
    steps.step("site", || python::site(workspace));
    steps.step("clippy", || {
        run(&mut workspace.cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
    });
    steps.step("documentation", || {
        run(workspace
            .cargo(&["doc", "--workspace", "--no-deps", "--document-private-items"])
            .env("RUSTDOCFLAGS", "-D warnings"))
    });
    steps.finish()
}

/// Adds rustfmt and Clippy to the toolchain when it came without.
fn components(workspace: &Workspace) -> anyhow::Result<()> {
    for component in ["fmt", "clippy"] {
        let there = |workspace: &Workspace| succeeds(&mut workspace.cargo(&[component, "--version"]));
        if there(workspace) {
            continue;
        }
        let name = if component == "fmt" { "rustfmt" } else { "clippy" };
        run(workspace.command("rustup").args(["component", "add", name])).with_context(|| {
            format!("this toolchain lacks {name}; install it with the package manager Rust came from")
        })?;
        if !there(workspace) {
            bail!("{name} was added, and `cargo {component}` still does not start");
        }
    }
    Ok(())
}
