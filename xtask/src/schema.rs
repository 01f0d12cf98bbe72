//! The files that are written from others: those of the types of crate `aci`, and the Python package's synchronous half.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail};

use crate::run::{Workspace, run};

/// Where they lie in the repository.
const FILES: [&str; 5] = [
    "schema/aci.schema.json",
    "schema/aci-extensions.schema.json",
    "schema/aci-files.schema.json",
    "docs/aci.md",
    "python/shinken/refusals.py",
];

/// Writes them.
pub(crate) fn write(workspace: &Workspace) -> anyhow::Result<()> {
    generate(workspace, &workspace.root)?;
    twin(workspace, &workspace.root.join(TWIN))
}

/// Fails when one of them is not what the types say.
pub(crate) fn check(workspace: &Workspace) -> anyhow::Result<()> {
    let fresh = workspace.root.join("target/xtask/schema");
    fs::create_dir_all(&fresh).context("cannot make a folder for the fresh schema")?;
    generate(workspace, &fresh)?;
    let fresh_twin = fresh.join(TWIN);
    fs::create_dir_all(&fresh_twin).context("cannot make a folder for the fresh twin")?;
    twin(workspace, &fresh_twin)?;
    let mut files: Vec<String> = FILES.into_iter().map(str::to_owned).collect();
    for folder in [&workspace.root.join(TWIN), &fresh_twin] {
        let entries = fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        files.extend(
            names
                .filter(|name| name.ends_with(".py"))
                .map(|name| format!("{TWIN}/{name}")),
        );
    }
    files.sort();
    files.dedup();
    let stale: Vec<&str> = files
        .iter()
        .map(String::as_str)
        .filter(|file| !same(&workspace.root.join(file), &fresh.join(file)))
        .collect();
    if stale.is_empty() {
        return Ok(());
    }
    bail!(
        "{} does not match the types; run `cargo xtask schema`",
        stale.join(" and ")
    )
}

/// The calls that wait in a thread, written from those that wait in a task.
const TWIN: &str = "python/shinken/sync";

fn twin(workspace: &Workspace, into: &Path) -> anyhow::Result<()> {
    run(workspace
        .command("python3")
        .args(["python/tools/sync_twin.py", "python/shinken/aio"])
        .arg(into))
}

fn generate(workspace: &Workspace, into: &Path) -> anyhow::Result<()> {
    let folder = into.to_string_lossy();
    run(&mut workspace.cargo(&[
        "run",
        "--quiet",
        "-p",
        "aci",
        "--example",
        "generate",
        "--",
        &folder,
    ]))
}

/// Whether both files are there with the same bytes.
fn same(one: &Path, other: &Path) -> bool {
    matches!((fs::read(one), fs::read(other)), (Ok(one), Ok(other)) if one == other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_or_different_file_is_not_the_same() {
        let folder = tempfile::tempdir().expect("a folder");
        let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
        assert!(!same(&one, &other));
        fs::write(&one, "a").expect("a file");
        assert!(!same(&one, &other));
        fs::write(&other, "b").expect("a file");
        assert!(!same(&one, &other));
        fs::write(&other, "a").expect("a file");
        assert!(same(&one, &other));
    }
}
