//! What is printed is not read to its end, or cannot be written.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::process::Output;

use testbed::eventually;

use crate::stage::{PATIENCE, Stage, said};

/// Runs the command with an output that nobody can read.
fn unread(stage: &Stage, arguments: &[&str]) -> Output {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    stage.shinken(arguments).stdout(writer).output().unwrap()
}

/// Runs the command with an output on a full disk.
fn unwritten(stage: &Stage, arguments: &[&str]) -> Output {
    let full = File::options().write(true).open("/dev/full").unwrap();
    stage.shinken(arguments).stdout(full).output().unwrap()
}

#[test]
fn a_reader_that_has_seen_enough_is_no_fault() {
    let stage = Stage::new();
    let _owned = stage.up(&[]);
    let mut yes = stage.shinken(&["exec", "--", "yes"]).spawn().unwrap();
    let mut output = BufReader::new(yes.stdout.take().unwrap());
    let mut first = String::new();
    output.read_line(&mut first).unwrap();
    assert_eq!(first, "y\n");
    drop(output);
    let ended = yes.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(141), "{}", said(&ended));
    assert!(ended.stderr.is_empty(), "{}", said(&ended));
    eventually("the program's end", PATIENCE, || {
        let lines = stage.processes();
        (!lines.iter().any(|(_, line)| line.starts_with("yes"))).then_some(())
    });
    for arguments in [&["windows"][..], &["shot", "-"], &["ps"]] {
        let ended = unread(&stage, arguments);
        assert_eq!(ended.status.code(), Some(141), "{arguments:?}: {}", said(&ended));
        assert!(ended.stderr.is_empty(), "{arguments:?}: {}", said(&ended));
    }
    let ended = unwritten(&stage, &["shot", "-"]);
    assert_eq!(ended.status.code(), Some(1), "{}", said(&ended));
    assert!(said(&ended).contains("No space left"), "{}", said(&ended));
}

#[test]
fn a_desktop_that_nobody_was_told_of_does_not_run() {
    let stage = Stage::new();
    for arguments in [&["up", "--detach", "--json"][..], &["up"]] {
        let ended = unwritten(&stage, arguments);
        assert_eq!(ended.status.code(), Some(1), "{arguments:?}: {}", said(&ended));
        assert!(said(&ended).contains("No space left"), "{}", said(&ended));
        let ended = unread(&stage, arguments);
        assert_eq!(ended.status.code(), Some(141), "{arguments:?}: {}", said(&ended));
        stage.assert_empty([]);
    }
}

#[test]
fn all_desktops_end_also_when_nobody_reads_of_it() {
    let stage = Stage::new();
    let desktops = [stage.detached(&[]), stage.detached(&[])];
    let ended = unread(&stage, &["down", "--all"]);
    assert_eq!(ended.status.code(), Some(141), "{}", said(&ended));
    assert_eq!(stage.processes(), []);
    stage.assert_empty(&desktops);
}
