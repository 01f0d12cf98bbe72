//! Each rule against a small tree that breaks it and one that keeps it.

use std::fs;

use super::*;

/// A repository of these files, on disk and read back.
fn tree(files: &[(&str, &str)]) -> Tree {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    Tree::read(folder.path()).expect("a readable tree")
}

/// The paths and lines where the rule of this name finds a fault.
fn found(name: &str, files: &[(&str, &str)]) -> Vec<(String, usize)> {
    let rule = RULES.iter().find(|rule| rule.name == name).expect("the rule");
    (rule.faults)(&tree(files))
        .into_iter()
        .map(|fault| (fault.path, fault.line))
        .collect()
}

/// A rule, the files, and the one place where it finds a fault, if any.
type Row<'a> = (&'a str, &'a [(&'a str, &'a str)], Option<(&'a str, usize)>);

fn check(rows: &[Row<'_>]) {
    for (rule, files, fault) in rows {
        let expected: Vec<_> = fault
            .iter()
            .map(|(path, line)| ((*path).to_owned(), *line))
            .collect();
        assert_eq!(found(rule, files), expected, "{rule}: {files:?}");
    }
}

#[test]
fn rules_for_rust() {
    let long = "let a = 1;\n".repeat(601);
    let tested = format!("{}#[cfg(test)]\n{long}", "let a = 1;\n".repeat(600));
    check(&[
        ("file-length", &[("a.rs", &long)], Some(("a.rs", 0))),
        ("file-length", &[("a.rs", &tested)], None),
        ("module-docs", &[("a.rs", "use b;\n")], Some(("a.rs", 1))),
        ("module-docs", &[("a.rs", "//! A.\nuse b;\n")], None),
        (
            "unsafe-place",
            &[("crates/a/src/b.rs", "\nunsafe { c() }\n")],
            Some(("crates/a/src/b.rs", 2)),
        ),
        (
            "unsafe-place",
            &[("a.rs", "#![expect(unsafe_code)]\n")],
            Some(("a.rs", 1)),
        ),
        (
            "unsafe-place",
            &[("crates/sys/src/b.rs", "unsafe { c() }\n")],
            None,
        ),
        (
            "unsafe-place",
            &[("a.rs", "// unsafe\nlet b = \"unsafe\";\n")],
            None,
        ),
        (
            "lint-exception",
            &[("a.rs", "#[allow(dead_code)]\n")],
            Some(("a.rs", 1)),
        ),
        ("lint-exception", &[("a.rs", "#[expect(dead_code)]\n")], None),
        (
            "unbounded-queue",
            &[("a.rs", "let (a, b) = mpsc::channel();\n")],
            Some(("a.rs", 1)),
        ),
        (
            "unbounded-queue",
            &[("a.rs", "let (a, b) = mpsc::channel(8);\n")],
            None,
        ),
        (
            "ignored-test",
            &[("a.rs", "#[test]\n#[ignore]\nfn b() {}\n")],
            Some(("a.rs", 2)),
        ),
        ("ignored-test", &[("a.rs", "#[test]\nfn ignore() {}\n")], None),
        (
            "ignored-test",
            &[("a.rs", "#[ignore = \"large: cargo xtask test --all\"]\n")],
            None,
        ),
    ]);
}

#[test]
fn rules_for_text() {
    // Put together here, so that this file keeps the rules itself.
    let mark = format!("// {}{} later\n", "FIX", "ME");
    let place = format!("see {}{}x\n", "/ho", "me/");
    let inner = format!("see ./crates{}{}x\n", "/ho", "me/");
    let record = "# A\n\n## Context\n\n## Decision\n\n## Consequences\n";
    check(&[
        (
            "file-name",
            &[("a/utils.rs", "//! A.\n")],
            Some(("a/utils.rs", 0)),
        ),
        ("file-name", &[("common/a.py", "")], Some(("common", 0))),
        ("file-name", &[("model.rs", "")], None),
        ("unfinished", &[("a.py", &mark)], Some(("a.py", 1))),
        ("unfinished", &[("a.py", "# finished\n")], None),
        ("this-machine", &[("a.md", &place)], Some(("a.md", 1))),
        ("this-machine", &[("a.md", &inner)], None),
        ("this-machine", &[("Cargo.lock", &place)], None),
        ("whitespace", &[("a.md", "a \nb\n")], Some(("a.md", 1))),
        ("whitespace", &[("a.md", "a\r\nb\n")], Some(("a.md", 1))),
        ("whitespace", &[("a.md", "a\nb")], Some(("a.md", 2))),
        ("whitespace", &[("a.md", "a\n\n")], Some(("a.md", 2))),
        ("whitespace", &[("a.md", "a\n"), ("b.png", "")], None),
        (
            "dead-link",
            &[("docs/a.md", "\n[b](../b.md#c)\n")],
            Some(("docs/a.md", 2)),
        ),
        (
            "dead-link",
            &[("docs/a.md", "[b](../b.md#c) [d](#d)\n"), ("b.md", "")],
            None,
        ),
        ("decision-record", &[("docs/adr/0001-a.md", record)], None),
        (
            "decision-record",
            &[("docs/adr/1-a.md", record)],
            Some(("docs/adr/1-a.md", 0)),
        ),
    ]);
    assert_eq!(
        found(
            "decision-record",
            &[("docs/adr/0001-a.md", "# A\n\n## Context\n")]
        )
        .len(),
        2
    );
    assert_eq!(
        found(
            "decision-record",
            &[("docs/adr/0001-a.md", record), ("docs/adr/0001-b.md", record)]
        ),
        [("docs/adr/0001-b.md".to_owned(), 0)]
    );
}

#[test]
fn rules_for_crates() {
    let lints = "[lints]\nworkspace = true\n";
    check(&[
        (
            "test-layout",
            &[("crates/a/tests/b.rs", "")],
            Some(("crates/a/tests/b.rs", 0)),
        ),
        ("test-layout", &[("crates/a/tests/it/main.rs", "")], None),
        (
            "crate-lints",
            &[("crates/a/Cargo.toml", "[package]\n")],
            Some(("crates/a/Cargo.toml", 0)),
        ),
        ("crate-lints", &[("crates/a/Cargo.toml", lints)], None),
        (
            "one-version",
            &[("crates/a/Cargo.toml", "[dependencies]\nb = \"1\"\n")],
            Some(("crates/a/Cargo.toml", 2)),
        ),
        (
            "one-version",
            &[(
                "crates/a/Cargo.toml",
                "[dependencies]\nb.workspace = true\nc = { workspace = true }\n",
            )],
            None,
        ),
        (
            "unused-dependency",
            &[
                ("crates/a/Cargo.toml", "[dependencies]\nb-c.workspace = true\n"),
                ("crates/a/src/lib.rs", ""),
            ],
            Some(("crates/a/Cargo.toml", 2)),
        ),
        (
            "unused-dependency",
            &[
                (
                    "Cargo.toml",
                    "[workspace.dependencies]\nb-c = \"1\"\n\n[profile.dev]\nx = 1\n",
                ),
                (
                    "crates/a/Cargo.toml",
                    "[dev-dependencies]\nb-c.workspace = true\n",
                ),
                ("crates/a/src/lib.rs", "use b_c::D;\n"),
            ],
            None,
        ),
        (
            "unused-dependency",
            &[("Cargo.toml", "[workspace.dependencies]\nb = \"1\"\n")],
            Some(("Cargo.toml", 2)),
        ),
        (
            "crate-direction",
            &[
                ("crates/sys/Cargo.toml", lints),
                ("crates/aci/Cargo.toml", "[dependencies]\nsys.workspace = true\n"),
            ],
            Some(("crates/aci/Cargo.toml", 2)),
        ),
        (
            "crate-direction",
            &[(
                "crates/aci/Cargo.toml",
                "[dependencies]\ntokio.workspace = true\n",
            )],
            Some(("crates/aci/Cargo.toml", 2)),
        ),
        (
            "crate-direction",
            &[
                ("crates/sys/Cargo.toml", lints),
                (
                    "crates/desktop/Cargo.toml",
                    "[dependencies]\nsys.workspace = true\nx11rb.workspace = true\n",
                ),
            ],
            None,
        ),
    ]);
}

#[test]
fn products_are_not_read() {
    let tree = tree(&[
        ("target/a.rs", ""),
        ("demo/b.md", ""),
        ("src/demo/c.md", ""),
        ("x/__pycache__/d", ""),
    ]);
    let paths: Vec<&str> = tree.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["src/demo/c.md"]);
}
