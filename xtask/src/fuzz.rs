//! `cargo xtask fuzz`: the fuzz targets, one after another.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use crate::run::{Steps, Workspace, run, succeeds};

/// The programs of `fuzz/Cargo.toml`.
const TARGETS: [&str; 2] = ["message_text", "binary_frame"];
/// How long each runs where nothing else is asked for.
const SECONDS: u64 = 60;

/// Runs every target for `--seconds N`, and fails when one found something.
pub(crate) fn run_all(workspace: &Workspace, arguments: &[String]) -> anyhow::Result<()> {
    let seconds = seconds(arguments)?;
    if !succeeds(&mut workspace.cargo(&["fuzz", "--version"])) {
        bail!("cargo-fuzz is missing; run `cargo install cargo-fuzz --locked`");
    }
    let fuzz = workspace.root.join("fuzz");
    let dictionary = dictionary(&workspace.root, &fuzz)?;
    let mut steps = Steps::default();
    for target in TARGETS {
        steps.step(target, || run_target(workspace, target, seconds, &dictionary));
    }
    steps.finish()
}

fn run_target(workspace: &Workspace, target: &str, seconds: u64, dictionary: &Path) -> anyhow::Result<()> {
    // What is found goes into the first folder, so that the second stays as it is checked in.
    let [corpus, seeds] = ["corpus", "seeds"].map(|folder| format!("fuzz/{folder}/{target}"));
    fs::create_dir_all(workspace.root.join(&corpus)).context("cannot make the corpus")?;
    let time = format!("-max_total_time={seconds}");
    let words = format!("-dict={}", dictionary.display());
    let mut command = workspace.cargo(&["fuzz", "run", "--fuzz-dir", "fuzz", target, &corpus, &seeds, "--"]);
    command.args([&time, &words, "-max_len=8192", "-print_final_stats=1"]);
    // The compiler's sanitizers are not stable, and the toolchain is.
    run(command.env("RUSTC_BOOTSTRAP", "1"))
        .with_context(|| format!("the input that did it is in fuzz/artifacts/{target}"))
}

/// The words of the protocol for the fuzzer to write with.
fn dictionary(root: &Path, fuzz: &Path) -> anyhow::Result<PathBuf> {
    let schema = root.join("schema/aci.schema.json");
    let schema = fs::read_to_string(&schema).with_context(|| format!("cannot read {}", schema.display()))?;
    let folder = fuzz.join("target");
    fs::create_dir_all(&folder).context("cannot make fuzz/target")?;
    let path = folder.join("aci.dict");
    let lines: String = words(&schema)
        .iter()
        .map(|word| format!("\"{word}\"\n"))
        .collect();
    fs::write(&path, lines).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path)
}

/// Every short piece between quotes that looks like a word of the protocol.
fn words(schema: &str) -> BTreeSet<&str> {
    let word = |piece: &&str| {
        (1..=32).contains(&piece.len())
            && piece
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
    };
    schema.split('"').filter(word).collect()
}

fn seconds(arguments: &[String]) -> anyhow::Result<u64> {
    match arguments {
        [] => Ok(SECONDS),
        [flag, number] if flag == "--seconds" => number
            .parse()
            .with_context(|| format!("{number:?} is no number of seconds")),
        other => bail!(
            "unknown arguments {:?}; the only one is --seconds N",
            other.join(" ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_can_be_chosen() {
        let of = |arguments: &[&str]| {
            let arguments: Vec<String> = arguments.iter().map(|word| (*word).to_owned()).collect();
            seconds(&arguments)
        };
        assert_eq!(of(&[]).expect("a minute"), 60);
        assert_eq!(of(&["--seconds", "600"]).expect("ten minutes"), 600);
        assert!(of(&["--seconds", "ten"]).is_err());
        assert!(of(&["--minutes", "1"]).is_err());
    }

    #[test]
    fn the_dictionary_has_words_and_no_sentences() {
        let found =
            words(r##"{"enum": ["top-left", "b_2"], "description": "Two words.", "$ref": "#/$defs/X"}"##);
        assert_eq!(Vec::from_iter(found), ["b_2", "description", "enum", "top-left"]);
    }
}
