//! `shinken doctor`.

use std::os::unix::fs::PermissionsExt as _;

use crate::stage::{Stage, said};

#[test]
fn without_any_program_it_names_the_packages_and_fails() {
    let stage = Stage::new();
    for path in ["", "/nonexistent"] {
        let output = stage.shinken(&["doctor"]).env("PATH", path).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        let text = String::from_utf8_lossy(&output.stdout);
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
    }
}

#[test]
fn what_is_installed_is_said_with_its_place() {
    let text = Stage::new().done(&["doctor"]);
    let xvfb = text.lines().find(|line| line.contains("Xvfb")).unwrap();
    assert!(xvfb.starts_with("ok") && xvfb.contains('/'), "{text}");
    let provider = text
        .lines()
        .find(|line| line.contains("provider process"))
        .unwrap();
    assert!(
        provider.starts_with("ok") && provider.contains("isolates nothing"),
        "{text}"
    );
}

#[test]
fn a_runtime_folder_that_others_may_enter_is_a_fault() {
    let stage = Stage::new();
    std::fs::create_dir(stage.runtime()).unwrap();
    std::fs::set_permissions(stage.runtime(), std::fs::Permissions::from_mode(0o777)).unwrap();
    let output = stage.run(&["doctor"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
}
