//! `cargo xtask test`.

use crate::run::{Steps, Workspace, run, succeeds};
use crate::{packages, schema};

/// Checks the generated files, then runs every test of the workspace.
pub(crate) fn run_all(workspace: &Workspace, arguments: &[String]) -> anyhow::Result<()> {
    packages::install()?;
    let mut steps = Steps::default();
    steps.step("schema and reference are current", || schema::check(workspace));
    // Tests of one crate start the programs of another, and Cargo builds only a crate's own programs for its tests.
    steps.step("programs", || {
        run(&mut workspace.cargo(&["build", "--workspace", "--bins"]))
    });
    let nextest = succeeds(&mut workspace.cargo(&["nextest", "--version"]));
    let mut words = if nextest {
        vec!["nextest", "run", "--workspace", "--no-fail-fast"]
    } else {
        vec![
            "test",
            "--workspace",
            "--lib",
            "--bins",
            "--tests",
            "--examples",
            "--no-fail-fast",
        ]
    };
    words.extend(arguments.iter().map(String::as_str));
    steps.step("tests", || run(&mut workspace.cargo(&words)));
    if arguments.is_empty() {
        steps.step("examples in the documentation", || {
            run(&mut workspace.cargo(&["test", "--quiet", "--workspace", "--doc"]))
        });
    }
    steps.finish()
}
