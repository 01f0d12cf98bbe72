//! `cargo xtask tidy`: the rules of this repository that no other linter knows.
//!
//! A rule is one entry of [`RULES`] and one function from the files to the faults it finds.

mod code;
mod crates;
mod rust;
mod text;
mod tree;

use anyhow::bail;

use crate::run::{Workspace, say};

pub(crate) use tree::{File, Tree};

/// A rule.
struct Rule {
    name: &'static str,
    /// What to do instead, said with every fault.
    instead: &'static str,
    faults: fn(&Tree) -> Vec<Fault>,
}

/// A place that breaks a rule.
#[derive(Debug, PartialEq, Eq)]
struct Fault {
    path: String,
    /// Counted from 1; 0 is the file as a whole.
    line: usize,
    what: String,
}

impl Fault {
    fn new(file: &File, line: usize, what: impl Into<String>) -> Self {
        Self {
            path: file.path.clone(),
            line,
            what: what.into(),
        }
    }
}

/// All rules.
const RULES: &[Rule] = &[
    Rule {
        name: "file-length",
        instead: "split it by concept",
        faults: rust::long_files,
    },
    Rule {
        name: "file-name",
        instead: "name the thing that is in it",
        faults: text::vague_names,
    },
    Rule {
        name: "module-docs",
        instead: "begin the file with //! and what it is for",
        faults: rust::undocumented_modules,
    },
    Rule {
        name: "unfinished",
        instead: "finish it, or leave it out",
        faults: text::unfinished,
    },
    Rule {
        name: "unsafe-place",
        instead: "put it into a module of crate sys",
        faults: rust::misplaced_unsafe,
    },
    Rule {
        name: "lint-exception",
        instead: "use #[expect(…, reason = \"…\")], which goes away with its cause",
        faults: rust::allowed_lints,
    },
    Rule {
        name: "unbounded-queue",
        instead: "bound it, and say what happens when it is full",
        faults: rust::unbounded_queues,
    },
    Rule {
        name: "ignored-test",
        instead: "make it pass, or leave it out",
        faults: rust::ignored_tests,
    },
    Rule {
        name: "test-layout",
        instead: "integration tests of a crate are one program: tests/it/main.rs",
        faults: crates::stray_tests,
    },
    Rule {
        name: "crate-lints",
        instead: "say [lints] workspace = true",
        faults: crates::without_lints,
    },
    Rule {
        name: "one-version",
        instead: "name the version in [workspace.dependencies] and say workspace = true here",
        faults: crates::own_versions,
    },
    Rule {
        name: "unused-dependency",
        instead: "remove the entry",
        faults: crates::unused,
    },
    Rule {
        name: "crate-direction",
        instead: "depend downward only, as ARCHITECTURE.md draws it; a new edge is a decision for docs/adr",
        faults: crates::wrong_edges,
    },
    Rule {
        name: "this-machine",
        instead: "leave out folders and hosts that only one machine has",
        faults: text::this_machine,
    },
    Rule {
        name: "whitespace",
        instead: "end lines with their last word, and the file with one line feed",
        faults: text::whitespace,
    },
    Rule {
        name: "dead-link",
        instead: "link to a file that is there",
        faults: text::dead_links,
    },
    Rule {
        name: "decision-record",
        instead: "docs/adr/NNNN-title.md, numbered once, with the headings Context, Decision and Consequences",
        faults: text::malformed_records,
    },
];

/// Checks the repository against every rule.
pub(crate) fn run_all(workspace: &Workspace) -> anyhow::Result<()> {
    let tree = Tree::read(&workspace.root)?;
    let mut count = 0;
    for rule in RULES {
        for Fault { path, line, what } in (rule.faults)(&tree) {
            count += 1;
            say(&format!(
                "    {path}:{line}: [{}] {what}; {}",
                rule.name, rule.instead
            ));
        }
    }
    if count > 0 {
        bail!("{count} faults");
    }
    say(&format!(
        "    {} files, {} rules, no fault",
        tree.files.len(),
        RULES.len()
    ));
    Ok(())
}

#[cfg(test)]
mod tests;
