//! Rules for Rust files.

use super::code;
use super::{Fault, File, Tree};

/// Lines of a file, its trailing test module not counted.
const LONGEST: usize = 600;

/// Files that grew past what a reader can hold.
pub(super) fn long_files(tree: &Tree) -> Vec<Fault> {
    rust(tree)
        .filter_map(|file| {
            let tests = file
                .lines()
                .find(|(_, line)| *line == "#[cfg(test)]")
                .map(|(number, _)| number - 1);
            let length = tests.unwrap_or_else(|| file.text.lines().count());
            (length > LONGEST).then(|| Fault::new(file, 0, format!("{length} lines, more than {LONGEST}")))
        })
        .collect()
}

/// Files that do not say what they are for.
pub(super) fn undocumented_modules(tree: &Tree) -> Vec<Fault> {
    rust(tree)
        .filter(|file| !file.text.starts_with("//!"))
        .map(|file| Fault::new(file, 1, "no module documentation"))
        .collect()
}

/// Unsafe code outside of the one crate that may hold it.
pub(super) fn misplaced_unsafe(tree: &Tree) -> Vec<Fault> {
    code_lines(tree, |file, line| {
        let foreign = !file.path.starts_with("crates/sys/");
        let opened = ["allow(", "expect("].iter().any(|opening| line.contains(opening))
            && code::has_word(line, "unsafe_code");
        (foreign && (code::has_word(line, "unsafe") || opened)).then_some("unsafe code")
    })
}

/// Exceptions from a lint that stay when nothing needs them any more. A macro's expansion may or may not need one.
pub(super) fn allowed_lints(tree: &Tree) -> Vec<Fault> {
    rust(tree)
        .filter(|file| !file.text.contains("macro_rules!"))
        .flat_map(|file| {
            lines_with(file, |line| {
                (line.contains("#[allow(") || line.contains("#![allow(")).then_some("an allowed lint")
            })
        })
        .collect()
}

/// Queues that grow without end.
pub(super) fn unbounded_queues(tree: &Tree) -> Vec<Fault> {
    code_lines(tree, |_, line| {
        let made = ["unbounded_channel", "mpsc::channel()", "unbounded()"]
            .into_iter()
            .find(|maker| line.contains(maker));
        made.map(|_| "an unbounded queue")
    })
}

/// Tests that nobody runs. Those that say which command runs them are run by that.
pub(super) fn ignored_tests(tree: &Tree) -> Vec<Fault> {
    rust(tree)
        .flat_map(|file| {
            let left_out = lines_with(file, |line| {
                (line.contains("#[ignore]") || line.contains("#[ignore =")).then_some("an ignored test")
            });
            let is_run = |fault: &Fault| {
                let line = file.text.lines().nth(fault.line.saturating_sub(1));
                line.is_some_and(|line| line.contains("cargo xtask test --all"))
            };
            left_out.into_iter().filter(move |fault| !is_run(fault))
        })
        .collect()
}

fn rust(tree: &Tree) -> impl Iterator<Item = &File> {
    tree.files.iter().filter(|file| file.is_rust())
}

/// The lines of code, comments and literals blanked, that `fault` finds something in.
fn code_lines(tree: &Tree, fault: impl Fn(&File, &str) -> Option<&'static str>) -> Vec<Fault> {
    rust(tree)
        .flat_map(|file| lines_with(file, |line| fault(file, line)))
        .collect()
}

fn lines_with(file: &File, fault: impl Fn(&str) -> Option<&'static str>) -> Vec<Fault> {
    (1..)
        .zip(code::only(&file.text).lines())
        .filter_map(|(number, line)| fault(line).map(|what| Fault::new(file, number, what)))
        .collect()
}
