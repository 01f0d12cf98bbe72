//! Rules for every text file.

use std::collections::HashMap;

use super::{Fault, File, Tree};

/// Names that say nothing about what is in the file.
const VAGUE: &[&str] = &[
    "common", "helper", "helpers", "misc", "mod", "stuff", "util", "utils",
];

/// Words of unfinished work, each in two parts so that this file does not break its own rule.
const UNFINISHED: &[(&str, &str)] = &[
    ("FIX", "ME"),
    ("XX", "X:"),
    ("TO", "DO"),
    ("to", "do!("),
    ("unimple", "mented!("),
];

/// Folders and hosts of one machine or one network, in two parts for the same reason.
const PLACES: &[(&str, &str)] = &[
    ("/wo", "rk/"),
    ("/ro", "ot/"),
    ("/ho", "me/"),
    ("crates", ".io/"),
    ("index.crates", ".io"),
    ("pypi", ".org"),
    ("npmjs", ".org"),
    ("deb.debian", ".org"),
    ("proxy.golang", ".org"),
];

/// Files and folders named after nothing.
pub(super) fn vague_names(tree: &Tree) -> Vec<Fault> {
    tree.paths
        .iter()
        .filter(|path| {
            let name = path.rsplit('/').next().unwrap_or(path);
            let stem = name.split('.').next().unwrap_or(name);
            VAGUE.contains(&stem)
        })
        .map(|path| Fault {
            path: path.clone(),
            line: 0,
            what: "a vague name".to_owned(),
        })
        .collect()
}

/// Marks of work that was put off.
pub(super) fn unfinished(tree: &Tree) -> Vec<Fault> {
    let words: Vec<String> = UNFINISHED.iter().map(|(a, b)| format!("{a}{b}")).collect();
    lines(tree, |_, line| {
        words
            .iter()
            .find(|word| line.contains(word.as_str()))
            .map(|word| format!("{word:?}"))
    })
}

/// Absolute paths of a machine and hosts of package registries.
pub(super) fn this_machine(tree: &Tree) -> Vec<Fault> {
    let places: Vec<String> = PLACES.iter().map(|(a, b)| format!("{a}{b}")).collect();
    lines(tree, |file, line| {
        let found = places.iter().find(|place| names_place(line, place))?;
        (file.path != "Cargo.lock").then(|| format!("names {found:?}"))
    })
}

/// Whether the line has this place, and not as the tail of a longer path.
fn names_place(line: &str, place: &str) -> bool {
    line.match_indices(place).any(|(at, _)| {
        !place.starts_with('/')
            || !line[..at].ends_with(|letter: char| letter.is_alphanumeric() || ".}*~-_".contains(letter))
    })
}

/// Spaces at line ends, carriage returns, and a missing or doubled end of the file.
pub(super) fn whitespace(tree: &Tree) -> Vec<Fault> {
    let mut faults = lines(tree, |_, line| {
        (line.ends_with([' ', '\t']) || line.contains('\r'))
            .then(|| "a space or carriage return at the end".to_owned())
    });
    for file in &tree.files {
        if !file.text.is_empty() && (!file.text.ends_with('\n') || file.text.ends_with("\n\n")) {
            faults.push(Fault::new(file, file.text.lines().count(), "the file's end"));
        }
    }
    faults
}

/// Markdown links to files of the repository that are not there.
pub(super) fn dead_links(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for file in tree.files.iter().filter(|file| file.path.ends_with(".md")) {
        for (number, line) in file.lines() {
            for target in link_targets(line) {
                if !tree.paths.contains(&resolve(&file.path, target)) {
                    faults.push(Fault::new(file, number, format!("no file {target:?}")));
                }
            }
        }
    }
    faults
}

/// The targets of a line's links, but for web addresses and places in the same page.
fn link_targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .map(|target| target.split('#').next().unwrap_or(target))
        .filter(|target| !target.is_empty() && !target.contains("://"))
}

/// A link's path from the top of the repository.
fn resolve(from: &str, target: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "." | "" => {}
            ".." => _ = parts.pop(),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

/// Decision records out of their form.
pub(super) fn malformed_records(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut numbers: HashMap<&str, &str> = HashMap::new();
    for file in &tree.files {
        let Some(name) = file.path.strip_prefix("docs/adr/") else {
            continue;
        };
        let number = name.split('-').next().unwrap_or_default();
        if number.len() != 4 || !number.bytes().all(|byte| byte.is_ascii_digit()) || !name.ends_with(".md") {
            faults.push(Fault::new(file, 0, "not named by a number of four digits"));
        } else if let Some(other) = numbers.insert(number, name) {
            faults.push(Fault::new(file, 0, format!("the number of {other}")));
        }
        for heading in ["## Context", "## Decision", "## Consequences"] {
            if !file.text.lines().any(|line| line == heading) {
                faults.push(Fault::new(file, 0, format!("no heading {heading:?}")));
            }
        }
    }
    faults
}

fn lines(tree: &Tree, fault: impl Fn(&File, &str) -> Option<String>) -> Vec<Fault> {
    let mut faults = Vec::new();
    for file in &tree.files {
        for (number, line) in file.lines() {
            if let Some(what) = fault(file, line) {
                faults.push(Fault::new(file, number, what));
            }
        }
    }
    faults
}
