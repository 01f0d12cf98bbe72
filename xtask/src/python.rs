//! The Python package: its environment, its linters, its tests.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};

use crate::packages;
use crate::run::{Workspace, run, say, succeeds};

/// What the linters and tests need, with versions.
const REQUIREMENTS: &str = "python/requirements.txt";
/// So many tests run at a time.
const TESTS_AT_ONCE: &str = "3";

/// An environment of Python's `venv`.
struct Environment<'a> {
    workspace: &'a Workspace,
    folder: PathBuf,
}

impl<'a> Environment<'a> {
    /// The environment at this place, made if need be.
    fn at(workspace: &'a Workspace, folder: PathBuf) -> anyhow::Result<Self> {
        let environment = Self { workspace, folder };
        // Its programs name its place, so that one which was moved does not work; then a fresh one is made.
        if !succeeds(environment.command("pip").arg("--version")) {
            // Debian's own where there is one, so that what is tested is what Debian's users have.
            let debian = Path::new("/usr/bin/python3");
            let python = if debian.exists() {
                debian
            } else {
                Path::new("python3")
            };
            run(workspace
                .command(&python.to_string_lossy())
                .args(["-m", "venv", "--clear"])
                .arg(&environment.folder))?;
        }
        Ok(environment)
    }

    /// The one that linters and tests share, with all that they need.
    fn of_tests(workspace: &'a Workspace) -> anyhow::Result<Self> {
        let environment = Self::at(workspace, workspace.root.join("target/python"))?;
        let wanted = fs::read_to_string(workspace.root.join(REQUIREMENTS)).context(REQUIREMENTS)?;
        let installed = environment.folder.join("installed-requirements");
        if fs::read_to_string(&installed).is_ok_and(|there| there == wanted) {
            return Ok(environment);
        }
        run(environment.command("pip").args([
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "-r",
            REQUIREMENTS,
        ]))?;
        fs::write(&installed, wanted).context("cannot note what was installed")?;
        Ok(environment)
    }

    /// A program of it.
    fn command(&self, program: &str) -> Command {
        let programs = self.folder.join("bin");
        let mut command = self.workspace.command(&programs.join(program).to_string_lossy());
        let path = env::var_os("PATH").unwrap_or_default();
        let path = env::join_paths(std::iter::once(programs).chain(env::split_paths(&path)));
        command.envs(path.map(|path| ("PATH", path)));
        command.env("VIRTUAL_ENV", &self.folder);
        command
    }
}

/// Ruff, mypy and pyright over the package, its tests and the programs of other tests.
pub(crate) fn lint(workspace: &Workspace) -> anyhow::Result<()> {
    let environment = Environment::of_tests(workspace)?;
    run(environment.command("ruff").args(["check", "--quiet"]))?;
    run(environment.command("ruff").args(["format", "--check", "--quiet"]))?;
    run(environment.command("mypy").arg("--no-error-summary"))?;
    run(&mut environment.command("pyright"))
}

/// Writes the documentation as a site into `target/site`; a link that leads nowhere fails.
pub(crate) fn site(workspace: &Workspace) -> anyhow::Result<()> {
    let environment = Environment::of_tests(workspace)?;
    // What its makers say of their next product is for those who choose it.
    run(environment
        .command("mkdocs")
        .args(["build", "--quiet", "--strict"])
        .env("NO_MKDOCS_2_WARNING", "1"))
}

/// Builds the native module, holds its stub file against it, and runs the package's tests.
pub(crate) fn test(workspace: &Workspace) -> anyhow::Result<()> {
    let environment = Environment::of_tests(workspace)?;
    run(environment
        .command("maturin")
        .args(["develop", "--quiet", "--profile", "dev"]))?;
    let stubs = workspace.root.join("target/xtask/stubs");
    run(environment
        .command("maturin")
        .args([
            "generate-stubs",
            "--quiet",
            "--profile",
            "dev",
            "-m",
            "python/Cargo.toml",
            "--out",
        ])
        .arg(&stubs))?;
    let read = |path: PathBuf| fs::read_to_string(&path).with_context(|| path.display().to_string());
    let fresh = read(stubs.join("shinken/_native.pyi"))?;
    let written = workspace.root.join("python/shinken/_native.pyi");
    if read(written.clone())? != fresh {
        let copy = stubs.join("shinken/_native.pyi");
        bail!(
            "the stub file is not what the native module says: cp {} {}",
            copy.display(),
            written.display()
        );
    }
    run(environment.command("pytest").args(["-n", TESTS_AT_ONCE]))
}

/// Installs what a user needs: the Debian packages, and the package with its programs into `.venv`.
pub(crate) fn install(workspace: &Workspace) -> anyhow::Result<()> {
    packages::install()?;
    let environment = Environment::at(workspace, workspace.root.join(".venv"))?;
    run(environment
        .command("pip")
        .args(["install", "--disable-pip-version-check", ".[pictures]"]))?;
    say("==> the package is installed; . .venv/bin/activate");
    Ok(())
}
