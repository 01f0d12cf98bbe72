//! The files that are written from the types of crate `aci`.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail};

use crate::run::{Workspace, run};

/// Where they lie in the repository.
const FILES: [&str; 3] = [
    "schema/aci.schema.json",
    "schema/aci-extensions.schema.json",
    "docs/aci.md",
];

/// Writes them.
pub(crate) fn write(workspace: &Workspace) -> anyhow::Result<()> {
    generate(workspace, &workspace.root)
}

/// Fails when one of them is not what the types say.
pub(crate) fn check(workspace: &Workspace) -> anyhow::Result<()> {
    let fresh = workspace.root.join("target/xtask/schema");
    fs::create_dir_all(&fresh).context("cannot make a folder for the fresh schema")?;
    generate(workspace, &fresh)?;
    let stale: Vec<&str> = FILES
        .into_iter()
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
