//! The syntax of everything that is not Rust: shell, Python and JavaScript.

use std::path::Path;

use anyhow::{Context as _, bail};

use crate::run::{Workspace, say};
use crate::tidy::Tree;

/// A language, how its files are known, and the program that reads one without running it.
struct Language {
    name: &'static str,
    owns: fn(path: &str, text: &str) -> bool,
    program: &'static str,
    arguments: &'static [&'static str],
}

const LANGUAGES: &[Language] = &[
    Language {
        name: "shell",
        owns: |path, text| path.ends_with(".sh") || first_line(text).is_some_and(|line| line.ends_with("sh")),
        program: "bash",
        arguments: &["-n"],
    },
    Language {
        name: "Python",
        owns: |path, text| {
            path.ends_with(".py") || first_line(text).is_some_and(|line| line.contains("python"))
        },
        program: "python3",
        arguments: &[
            "-c",
            "import ast, sys; ast.parse(open(sys.argv[1], 'rb').read(), sys.argv[1])",
        ],
    },
    Language {
        name: "JavaScript",
        owns: |path, _| [".js", ".mjs", ".cjs"].iter().any(|end| path.ends_with(end)),
        program: "node",
        arguments: &["--check"],
    },
];

/// The line that names a script's interpreter.
fn first_line(text: &str) -> Option<&str> {
    text.lines().next().filter(|line| line.starts_with("#!"))
}

/// Reads every script, and says which language has none.
pub(crate) fn check(workspace: &Workspace) -> anyhow::Result<()> {
    check_tree(workspace, &Tree::read(&workspace.root)?)
}

fn check_tree(workspace: &Workspace, tree: &Tree) -> anyhow::Result<()> {
    let mut broken = Vec::new();
    for language in LANGUAGES {
        let files: Vec<&str> = tree
            .files
            .iter()
            .filter(|file| (language.owns)(&file.path, &file.text))
            .map(|file| file.path.as_str())
            .collect();
        if files.is_empty() {
            say(&format!("    {}: no files", language.name));
            continue;
        }
        say(&format!("    {}: {}", language.name, files.join(" ")));
        for file in files {
            if !reads(workspace, language, Path::new(file))? {
                broken.push(file);
            }
        }
    }
    if broken.is_empty() {
        return Ok(());
    }
    bail!("does not parse: {}", broken.join(" "))
}

fn reads(workspace: &Workspace, language: &Language, file: &Path) -> anyhow::Result<bool> {
    let program = language.program;
    let status = workspace
        .command(program)
        .args(language.arguments)
        .arg(file)
        .status()
        .with_context(|| {
            format!(
                "{} files are checked with {program}, which does not start",
                language.name
            )
        })?;
    Ok(status.success())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn verdict(name: &str, text: &str) -> bool {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join(name), text).expect("a file");
        let workspace = Workspace {
            root: folder.path().to_owned(),
        };
        check(&workspace).is_ok()
    }

    #[test]
    fn a_script_that_does_not_parse_is_found() {
        assert!(verdict(
            "run",
            "#!/usr/bin/env bash\nif true; then echo hello; fi\n"
        ));
        assert!(!verdict("run", "#!/usr/bin/env bash\nif true; then echo hello\n"));
        assert!(verdict("notes", "if true; then\n"));
    }
}
