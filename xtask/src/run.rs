//! Running other programs, one visible step after another.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, bail};

/// Prints a line for the person who runs the command.
#[expect(
    clippy::print_stderr,
    reason = "this program's output is for a person at a terminal"
)]
pub(crate) fn say(line: &str) {
    eprintln!("{line}");
}

/// The repository that this program was started for.
#[derive(Debug)]
pub(crate) struct Workspace {
    /// Its top folder.
    pub(crate) root: PathBuf,
}

impl Workspace {
    /// Cargo tells the folder of this crate, and the repository is the folder above.
    pub(crate) fn find() -> anyhow::Result<Self> {
        let here = env::var_os("CARGO_MANIFEST_DIR").context("run it as `cargo xtask`")?;
        let root = Path::new(&here).parent().context("xtask lies in no folder")?;
        Ok(Self {
            root: root.to_owned(),
        })
    }

    /// `cargo` with these arguments.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = self.command(&cargo.to_string_lossy());
        command.args(arguments);
        command
    }

    /// A program in the repository's top folder, without the variables that `cargo run` gave to this one: they would
    /// tell build scripts and tests that they belong to this crate.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root).stdin(Stdio::null());
        for (name, _) in env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("CARGO_PKG_")
                || text.starts_with("CARGO_MANIFEST_")
                || text == "LD_LIBRARY_PATH"
            {
                command.env_remove(&name);
            }
        }
        command
    }
}

/// Runs a program to its end, its output passed through.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<()> {
    let line = shown(command);
    say(&format!("    {line}"));
    let status = command
        .status()
        .with_context(|| format!("cannot start `{line}`"))?;
    if !status.success() {
        bail!("`{line}` failed: {status}");
    }
    Ok(())
}

/// Whether a program starts and succeeds; its output is dropped.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// A command the way a person would type it.
fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    let mut line = name.to_string_lossy().into_owned();
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&argument.to_string_lossy());
    }
    line
}

/// Steps that all run, also after one failed, so that one run shows every fault.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    done: Vec<(String, f64, bool)>,
}

impl Steps {
    /// Runs one step and remembers how it ended.
    pub(crate) fn step(&mut self, name: &str, work: impl FnOnce() -> anyhow::Result<()>) {
        say(&format!("==> {name}"));
        let start = Instant::now();
        let outcome = work();
        if let Err(error) = &outcome {
            say(&format!("    FAILED: {error:#}"));
        }
        self.done
            .push((name.to_owned(), start.elapsed().as_secs_f64(), outcome.is_ok()));
    }

    /// Prints what each step took, and fails when one did.
    pub(crate) fn finish(self) -> anyhow::Result<()> {
        say("==> summary");
        for (name, seconds, good) in &self.done {
            let word = if *good { "ok" } else { "FAILED" };
            say(&format!("    {word:<7} {seconds:>7.1} s  {name}"));
        }
        let bad = self.done.iter().filter(|(_, _, good)| !good).count();
        if bad > 0 {
            bail!("{bad} of {} steps failed", self.done.len());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_runs_and_one_failure_fails_the_whole() {
        let mut steps = Steps::default();
        let mut ran = Vec::new();
        steps.step("a", || bail!("broken"));
        steps.step("b", || {
            ran.push("b");
            Ok(())
        });
        assert_eq!(ran, ["b"]);
        assert_eq!(
            steps.finish().expect_err("a failed").to_string(),
            "1 of 2 steps failed"
        );
    }

    #[test]
    fn a_failing_program_is_an_error_that_names_it() {
        let error = run(Command::new("sh").args(["-c", "exit 3"])).expect_err("it exits with 3");
        assert!(error.to_string().contains("sh -c exit 3"), "{error}");
        assert!(succeeds(&mut Command::new("true")));
        assert!(!succeeds(&mut Command::new("false")));
    }
}
