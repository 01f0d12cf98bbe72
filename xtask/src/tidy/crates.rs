//! Rules for the crates of the workspace and the edges between them.

use super::{Fault, File, Tree};

/// Which crates of the workspace a crate may depend on. A crate that is not here may depend on none.
const EDGES: &[(&str, &[&str])] = &[
    ("aci", &[]),
    ("sys", &[]),
    ("a11y", &[]),
    ("desktop", &["sys"]),
    ("marks", &[]),
    ("websocket", &[]),
    ("sandbox", &["aci", "sys"]),
    ("standin", &["a11y", "aci", "desktop", "websocket"]),
    (
        "shinkend",
        &["a11y", "aci", "desktop", "marks", "sys", "transfer"],
    ),
    ("shinken", &["aci", "sandbox", "transfer", "websocket"]),
    ("cli", &["aci", "marks", "sandbox", "shinken"]),
    ("python", &["aci", "sandbox", "shinken"]),
    ("testbed", &["sys"]),
    ("transfer", &["aci"]),
    (
        "xbench",
        &["aci", "desktop", "marks", "sandbox", "shinken", "testbed"],
    ),
    ("xtask", &[]),
];

/// Crates that know neither sockets nor clocks nor tasks, and all they may use from outside.
const PURE: &[(&str, &[&str])] = &[("aci", &["bytes", "serde_json", "thiserror"]), ("marks", &[])];

/// A line of a manifest that names a dependency.
struct Dependency<'a> {
    line: usize,
    name: &'a str,
    /// Everything after the name.
    rest: &'a str,
    /// For tests, examples and benches only.
    for_tests: bool,
}

/// Integration tests that are programs of their own.
pub(super) fn stray_tests(tree: &Tree) -> Vec<Fault> {
    tree.files
        .iter()
        .filter(|file| {
            let parts: Vec<&str> = file.path.split('/').collect();
            matches!(parts[..], ["crates", _, "tests", _]) && file.is_rust()
        })
        .map(|file| Fault::new(file, 0, "a test program of its own"))
        .collect()
}

/// Crates without the workspace's lints.
pub(super) fn without_lints(tree: &Tree) -> Vec<Fault> {
    manifests(tree)
        .filter(|(_, file)| !section(file, "lints").any(|(_, line)| line == "workspace = true"))
        .map(|(_, file)| Fault::new(file, 0, "does not take the workspace's lints"))
        .collect()
}

/// Dependencies with a version or path of their own.
pub(super) fn own_versions(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (_, file) in manifests(tree) {
        for dependency in dependencies(file) {
            if !dependency.rest.replace(' ', "").contains("workspace=true") {
                let what = format!("{} does not come from the workspace", dependency.name);
                faults.push(Fault::new(file, dependency.line, what));
            }
        }
    }
    faults
}

/// Entries of the workspace that no crate takes, and dependencies that no source of their crate names.
pub(super) fn unused(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut taken = Vec::new();
    for (name, file) in manifests(tree) {
        let folder = file.path.trim_end_matches("Cargo.toml");
        for dependency in dependencies(file) {
            taken.push(dependency.name);
            let word = dependency.name.replace('-', "_");
            let used = tree.files.iter().any(|source| {
                source.is_rust() && source.path.starts_with(folder) && source.text.contains(&word)
            });
            if !used {
                let what = format!("{name} never names {}", dependency.name);
                faults.push(Fault::new(file, dependency.line, what));
            }
        }
    }
    if let Some(file) = tree.files.iter().find(|file| file.path == "Cargo.toml") {
        let entries =
            section(file, "workspace.dependencies").filter_map(|(line, text)| Some((line, entry(text)?.0)));
        for (line, name) in entries.filter(|(_, name)| !taken.contains(name)) {
            faults.push(Fault::new(file, line, format!("no crate uses {name}")));
        }
    }
    faults
}

/// Edges between crates that nobody decided on, and outside crates in a pure one.
pub(super) fn wrong_edges(tree: &Tree) -> Vec<Fault> {
    let names: Vec<&str> = manifests(tree).map(|(name, _)| name).collect();
    let mut faults = Vec::new();
    for (name, file) in manifests(tree) {
        let edges = allowed(EDGES, name).unwrap_or_default();
        let pure = allowed(PURE, name);
        for dependency in dependencies(file).filter(|dependency| !dependency.for_tests) {
            let wrong = if names.contains(&dependency.name) {
                !edges.contains(&dependency.name)
            } else {
                pure.is_some_and(|outside| !outside.contains(&dependency.name))
            };
            if wrong {
                let what = format!("{name} may not depend on {}", dependency.name);
                faults.push(Fault::new(file, dependency.line, what));
            }
        }
    }
    faults
}

fn allowed<'a>(table: &[(&str, &'a [&'a str])], name: &str) -> Option<&'a [&'a str]> {
    table.iter().find(|(from, _)| *from == name).map(|(_, to)| *to)
}

/// The crates' manifests, each with the crate's name.
fn manifests(tree: &Tree) -> impl Iterator<Item = (&str, &File)> {
    tree.files.iter().filter_map(|file| {
        let folder = file.path.strip_suffix("/Cargo.toml")?;
        let name = folder.strip_prefix("crates/").unwrap_or(folder);
        (!name.contains('/') && name != "fuzz").then_some((name, file))
    })
}

fn dependencies(file: &File) -> impl Iterator<Item = Dependency<'_>> {
    let of = |name: &'static str, for_tests: bool| {
        section(file, name).filter_map(move |(line, text)| {
            let (name, rest) = entry(text)?;
            Some(Dependency {
                line,
                name,
                rest,
                for_tests,
            })
        })
    };
    of("dependencies", false)
        .chain(of("build-dependencies", false))
        .chain(of("dev-dependencies", true))
}

/// A dependency's name and what follows: of `name.workspace = true` and `name = { … }` alike.
fn entry(line: &str) -> Option<(&str, &str)> {
    let end = line.find(|letter: char| !letter.is_alphanumeric() && !"-_".contains(letter))?;
    (end > 0).then(|| line.split_at(end))
}

/// The numbered lines of one section of a manifest.
fn section<'a>(file: &'a File, name: &str) -> impl Iterator<Item = (usize, &'a str)> {
    let heading = format!("[{name}]");
    file.lines()
        .map(|(number, line)| (number, line.trim()))
        .skip_while(move |(_, line)| *line != heading)
        .skip(1)
        .take_while(|(_, line)| !line.starts_with('['))
        .filter(|(_, line)| !line.starts_with('#'))
}
