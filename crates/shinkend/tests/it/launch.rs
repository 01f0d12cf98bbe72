//! Starting programs on the desktop.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;
use testbed::eventually;

use crate::daemon::{Daemon, PATIENCE, processes};

fn script(daemon: &Daemon, name: &str, text: &str) -> String {
    let path = daemon.path(name);
    std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn arguments_arrive_verbatim_and_the_desktop_is_the_daemons() {
    let daemon = Daemon::start();
    let mut client = daemon.client();
    let out = daemon.path("out");
    let app = script(
        &daemon,
        "dump",
        &format!(
            r#"printf '%s|' "$DISPLAY" "${{SHINKEND_TOKEN-none}}" "$@" > {0}.part; mv {0}.part {0}"#,
            out.display()
        ),
    );
    let args = json!(["a b", "$(touch X)", "--n='q'", "", "%U"]);
    let ack = client.call(json!({"verb": "launch_app", "app": app, "args": args}));
    assert_eq!(ack["ok"], true, "{ack}");
    let text = eventually("the arguments", PATIENCE, || std::fs::read_to_string(&out).ok());
    assert_eq!(
        text,
        format!("{}|none|a b|$(touch X)|--n='q'||%U|", daemon.server.display())
    );
}

#[test]
fn only_a_program_can_be_launched() {
    let daemon = Daemon::start();
    let mut client = daemon.client();
    for app in [
        "xterm -e sh",
        "../bin/x",
        "mousepad.desktop",
        "no-such-app",
        "/etc/passwd",
        "/no/such",
        "/tmp",
    ] {
        let ack = client.call(json!({"verb": "launch_app", "app": app}));
        assert_eq!(ack["ok"], false, "{app}");
        assert!(
            ack["error"].as_str().unwrap().starts_with("app_not_found: "),
            "{ack}"
        );
    }
}

#[test]
fn a_program_that_dies_at_once_is_an_error_with_its_last_words() {
    let daemon = Daemon::start();
    let mut client = daemon.client();
    let app = script(
        &daemon,
        "dies",
        "echo first >&2; echo 'cannot load libfoo.so' >&2; exit 127",
    );
    let ack = client.call(json!({"verb": "launch_app", "app": app}));
    let error = ack["error"].as_str().unwrap();
    assert!(error.starts_with("exec_spawn_failed: "), "{error}");
    assert!(
        error.contains("127") && error.contains("cannot load libfoo.so"),
        "{error}"
    );
    let error = client.call(json!({"verb": "launch_app", "app": "false"}))["error"].clone();
    assert!(error.as_str().unwrap().contains("exit code 1"), "{error}");
    // Those that hand over to another process and end well have done what was asked.
    assert_eq!(
        client.call(json!({"verb": "launch_app", "app": "true"}))["ok"],
        true
    );
}

#[test]
fn every_program_is_reaped() {
    let daemon = Daemon::start();
    let mut client = daemon.client();
    let app = script(&daemon, "short", "sleep 0.4");
    let calls: Vec<String> = (0..10)
        .map(|_| client.act(json!({"verb": "launch_app", "app": app})))
        .collect();
    for call in calls {
        assert_eq!(client.about(&call)["ok"], true);
    }
    let parent = daemon.app.id().to_string();
    eventually("no child but the guard", PATIENCE, || {
        let children = processes(|_, _| true).into_iter().filter(|pid| {
            let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
            status.lines().any(|line| {
                line.strip_prefix("PPid:")
                    .is_some_and(|ppid| ppid.trim() == parent)
            })
        });
        (children.count() == 1).then_some(())
    });
}
