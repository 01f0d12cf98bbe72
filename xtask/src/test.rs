//! `cargo xtask test`.

use crate::run::{Steps, Workspace, run, succeeds};
use crate::{packages, python, schema};

/// Checks the generated files, then runs every test of the workspace; with `--all` also those that need large programs.
pub(crate) fn run_all(workspace: &Workspace, arguments: &[String]) -> anyhow::Result<()> {
    let (all, arguments): (Vec<&String>, Vec<&String>) = arguments.iter().partition(|word| *word == "--all");
    let all = !all.is_empty();
    if all {
        packages::install_all()?;
    } else {
        packages::install()?;
    }
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
    if all {
        words.extend(if nextest {
            ["--run-ignored", "all"]
        } else {
            ["--", "--include-ignored"]
        });
    }
    words.extend(arguments.iter().map(|word| word.as_str()));
    steps.step("tests", || run(&mut workspace.cargo(&words)));
    if arguments.is_empty() {
        steps.step("the Python package", || python::test(workspace));
        steps.step("examples in the documentation", || {
            run(&mut workspace.cargo(&["test", "--quiet", "--workspace", "--doc"]))
        });
    }
    steps.finish()
}
