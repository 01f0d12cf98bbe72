//! `shinken doctor`.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::process::{Command, Output};

fn doctor(path: Option<&str>) -> (tempfile::TempDir, Output) {
    let runtime = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_shinken"));
    command.arg("doctor").env("XDG_RUNTIME_DIR", runtime.path());
    if let Some(path) = path {
        command.env("PATH", path);
    }
    let output = command.output().unwrap();
    (runtime, output)
}

#[test]
fn without_any_program_it_names_the_packages_and_fails() {
    let (_runtime, output) = doctor(Some(""));
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    let install = text
        .lines()
        .find(|line| line.contains("apt-get install"))
        .unwrap_or_else(|| panic!("no command that installs: {text}"));
    for package in ["xvfb", "openbox", "dbus"] {
        assert!(
            install.split_whitespace().any(|word| word == package),
            "{package}: {install}"
        );
    }
    assert!(text.contains("MISSING   Xvfb"), "{text}");
}

#[test]
fn what_is_installed_is_said_with_its_place() {
    let (_runtime, output) = doctor(None);
    let text = String::from_utf8(output.stdout).unwrap();
    let xvfb = text.lines().find(|line| line.contains("Xvfb")).unwrap();
    assert!(xvfb.starts_with("ok") && xvfb.contains('/'), "{text}");
}

#[test]
fn a_runtime_folder_that_others_may_enter_is_a_fault() {
    use std::os::unix::fs::PermissionsExt as _;
    let runtime = tempfile::tempdir().unwrap();
    let folder = runtime.path().join("shinken");
    std::fs::create_dir(&folder).unwrap();
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_shinken"))
        .arg("doctor")
        .env("XDG_RUNTIME_DIR", runtime.path())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("not safe"), "{text}");
}
