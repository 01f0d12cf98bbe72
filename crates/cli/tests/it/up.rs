//! A desktop's ordinary life.

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use rustix::process::Signal;
use testbed::eventually;

use crate::stage::{PATIENCE, Stage, said};

#[test]
fn a_desktop_lives_until_its_command_is_interrupted() {
    let stage = Stage::new();
    let owned = stage.up(&[]);
    let desktop = owned.desktop.clone();
    assert!(desktop.is_well());
    let listed = stage.done(&["ps"]);
    assert!(
        listed.contains(&desktop.id) && listed.contains("640x480"),
        "{listed}"
    );
    owned.app.signal(Signal::INT);
    assert_eq!(owned.ended(), (Some(0), String::new()));
    // The command returns when all is gone, not a moment earlier.
    assert_eq!(stage.processes(), []);
    assert_eq!(desktop.x_files_left(), Vec::<String>::new());
    stage.assert_empty([&desktop]);
}

#[test]
fn programs_find_a_window_manager_as_soon_as_the_desktop_is_said_to_be_ready() {
    let stage = Stage::new();
    let owned = stage.up(&[]);
    let output = owned
        .desktop
        .root_property("_NET_SUPPORTING_WM_CHECK", Some(&owned.desktop.authority));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("window id"), "{text}");
}

#[test]
fn the_token_is_private_and_not_printed() {
    let stage = Stage::new();
    let printed = stage.done(&["up", "--detach", "--name", "secret", "--size", "640x480"]);
    let file = stage.runtime().join("secret/token");
    let token = std::fs::read_to_string(&file).unwrap();
    assert!(token.trim().len() >= 32);
    assert!(!printed.contains(token.trim()), "{printed}");
    assert!(printed.contains(file.to_str().unwrap()), "{printed}");
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&file), 0o600);
    assert_eq!(mode(&stage.runtime()), 0o700);
    for (_, line) in stage.processes() {
        assert!(!line.contains(token.trim()), "the token stands in {line}");
    }
    let shown = stage.detached(&["--show-token", "--name", "shown"]);
    assert_ne!(
        std::fs::read_to_string(&shown.token_file).unwrap(),
        token,
        "tokens differ"
    );
    stage.done(&["down", "--all"]);
    stage.assert_empty([&shown]);
}

#[test]
fn only_who_has_the_cookie_gets_to_the_display() {
    let stage = Stage::new();
    let owned = stage.up(&[]);
    let desktop = &owned.desktop;
    let without = desktop.root_property("_NET_WM_NAME", None);
    assert!(!without.status.success(), "{}", said(&without));
    let with = desktop.root_property("_NET_WM_NAME", Some(&desktop.authority));
    assert!(with.status.success(), "{}", said(&with));
}

#[test]
fn nothing_of_the_desktop_that_the_command_was_typed_on_gets_in() {
    let stage = Stage::new();
    let outside = [
        ("DISPLAY", ":outside"),
        ("WAYLAND_DISPLAY", "outside"),
        ("AT_SPI_BUS_ADDRESS", "unix:path=/outside"),
        ("SESSION_MANAGER", "outside"),
        ("NO_AT_BRIDGE", "1"),
        ("SHINKEND_TOKEN", "outside"),
        ("GDK_BACKEND", "outside"),
        ("QT_QPA_PLATFORM", "outside"),
        ("DESKTOP_STARTUP_ID", "outside"),
    ];
    let owned = stage.up_with(&[], &outside);
    for name in ["openbox", "shinkend --listen", "dbus-daemon --session"] {
        let pid = stage.process(name).as_raw_nonzero();
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap();
        let environment = String::from_utf8_lossy(&environment).replace('\0', "\n");
        for (variable, value) in outside {
            let line = format!("{variable}={value}");
            assert!(
                environment.lines().all(|entry| entry != line),
                "{name} has {line}"
            );
        }
        let display = format!("DISPLAY={}", owned.desktop.display);
        assert!(environment.lines().any(|entry| entry == display), "{environment}");
        let runtime = environment
            .lines()
            .find_map(|entry| entry.strip_prefix("XDG_RUNTIME_DIR="))
            .unwrap();
        assert!(
            runtime.starts_with(stage.runtime().to_str().unwrap()),
            "{runtime}"
        );
    }
}

#[test]
fn a_detached_desktop_lives_on_until_it_is_taken_down() {
    let stage = Stage::new();
    let desktop = stage.detached(&["--name", "alone"]);
    assert!(desktop.is_well());
    let listed: serde_json::Value = serde_json::from_str(&stage.done(&["ps", "--json"])).unwrap();
    assert_eq!(listed[0]["id"], "alone");
    assert_eq!(listed[0]["width"], 640);
    // What collects leftovers leaves it alone.
    stage.done(&["gc"]);
    assert!(desktop.is_well());
    stage.done(&["down"]);
    assert_eq!(stage.processes(), []);
    stage.assert_empty([&desktop]);
    assert!(stage.nobody(&["down"]).contains("no desktop runs"));
}

#[test]
fn one_name_is_used_again_and_again() {
    let stage = Stage::new();
    for _ in 0..5 {
        let desktop = stage.detached(&["--name", "again"]);
        assert!(desktop.is_well());
        stage.done(&["down", "again"]);
        assert_eq!(stage.processes(), []);
    }
}

#[test]
fn a_pipe_behind_a_detaching_command_ends_with_it() {
    let stage = Stage::new();
    // `output` reads both pipes to their end, which a desktop that kept them would never let come.
    let mut child = stage
        .shinken(&["up", "--detach", "--name", "quiet", "--size", "640x480"])
        .spawn()
        .unwrap();
    let status = eventually("the command to return", PATIENCE, || child.try_wait().unwrap());
    assert!(status.success());
    let (sender, receiver) = std::sync::mpsc::sync_channel(1);
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    receiver
        .recv_timeout(Duration::from_secs(10))
        .expect("the pipes are held open by the desktop")
        .unwrap();
    stage.done(&["down", "quiet"]);
}
