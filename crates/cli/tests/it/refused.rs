//! Desktops that cannot start: the reason and the remedy are said, and nothing is left.

use std::os::unix::fs::PermissionsExt as _;

use crate::stage::{Stage, said};

#[test]
fn a_daemon_that_does_not_start_is_quoted() {
    let stage = Stage::new();
    let complaint = stage.refused(&["up", "--detach", "--", "--no-such-flag"]);
    assert!(
        complaint.contains("daemon") && complaint.contains("--no-such-flag"),
        "{complaint}"
    );
    assert_eq!(complaint.matches("did not start").count(), 1, "{complaint}");
    stage.assert_empty([]);
}

#[test]
fn a_missing_program_is_named_with_the_command_that_installs_it() {
    let stage = Stage::new();
    let output = stage
        .shinken(&["up"])
        .env("PATH", "/nonexistent")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(
        complaint.contains("Xvfb") && complaint.contains("install"),
        "{complaint}"
    );
    assert!(complaint.contains("xvfb"), "{complaint}");
    stage.assert_empty([]);
}

#[test]
fn a_runtime_folder_that_others_could_have_made_is_not_used() {
    let stage = Stage::new();
    let folder = stage.runtime();
    std::fs::create_dir(&folder).unwrap();
    for mode in [0o777, 0o770] {
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(mode)).unwrap();
        let complaint = stage.refused(&["up"]);
        assert!(complaint.contains(folder.to_str().unwrap()), "{complaint}");
    }
    std::fs::remove_dir(&folder).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), &folder).unwrap();
    assert!(stage.refused(&["up"]).contains("not a folder"));
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    assert_eq!(stage.processes(), []);
}

#[test]
fn a_path_in_which_no_accessibility_bus_starts_is_said_to_be() {
    let stage = Stage::new();
    let colon = stage.path("a:b");
    std::fs::create_dir(&colon).unwrap();
    let output = stage
        .shinken(&["up", "--detach"])
        .env("XDG_RUNTIME_DIR", &colon)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("colon"), "{}", said(&output));
    assert_eq!(stage.processes(), []);
}

#[test]
fn names_that_lead_elsewhere_and_sizes_that_no_screen_has() {
    let stage = Stage::new();
    for name in ["", "..", "a/b", "-x", ".new-x", &"x".repeat(41)] {
        let complaint = stage.misused(&["up", &format!("--name={name}")]);
        assert!(complaint.contains("name"), "{complaint}");
    }
    for size in ["1x1", "640", "640x", "x480", "99999x480", "-1x480"] {
        let output = stage.run(&["up", &format!("--size={size}")]);
        assert_eq!(output.status.code(), Some(2), "{size}: {}", said(&output));
    }
    stage.assert_empty([]);
}

#[test]
fn a_path_too_long_for_sockets_is_said_to_be() {
    let stage = Stage::new();
    let deep = stage.runtime().join("d".repeat(120));
    std::fs::create_dir_all(&deep).unwrap();
    let output = stage
        .shinken(&["up"])
        .env("XDG_RUNTIME_DIR", &deep)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(complaint.contains("too long"), "{complaint}");
    assert_eq!(stage.processes(), []);
}
