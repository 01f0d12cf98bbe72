//! The commands that do something on a desktop.

use testbed::eventually;

use crate::stage::{PATIENCE, Stage, said};

#[test]
fn a_person_uses_a_desktop_by_commands() {
    let stage = Stage::new();
    let owned = stage.up(&[]);
    let typed = stage.path("typed");
    let line = format!("touch {0}; exec cat > {0}", typed.display());
    stage.done(&[
        "launch",
        "xterm",
        "-T",
        "typing here",
        "-u8",
        "-e",
        "sh",
        "-c",
        &line,
    ]);
    eventually("the terminal to be active", PATIENCE, || {
        let windows = stage.done(&["windows"]);
        (windows.contains("typing here (active)") && typed.exists()).then_some(())
    });
    stage.done(&["type", "Grüße ☕"]);
    stage.done(&["key", "Return", "ctrl+d"]);
    eventually("the text", PATIENCE, || {
        (std::fs::read_to_string(&typed).ok()? == "Grüße ☕\n").then_some(())
    });
    stage.done(&["click", "300", "200", "--double"]);
    stage.done(&["click", "300", "200", "--button", "middle"]);
    stage.done(&["scroll", "300", "200", "--dy", "-120"]);

    stage.done(&["clip", "set", "a text ☕\n"]);
    assert_eq!(stage.done(&["clip", "get"]), "a text ☕\n");

    let picture = stage.path("picture.jpg");
    let told = stage.done(&[
        "shot",
        picture.to_str().unwrap_or_default(),
        "--format",
        "jpeg",
        "--max-long-edge",
        "320",
    ]);
    assert!(told.contains("320x240"), "{told}");
    assert_eq!(
        std::fs::read(&picture).unwrap_or_default().get(..2),
        Some(&[0xff, 0xd8][..])
    );

    let action = r#"{"verb":"move","target":{"kind":"point_px","x":7,"y":8},"observe":{}}"#;
    let answer: serde_json::Value = serde_json::from_str(&stage.done(&["act", action])).unwrap_or_default();
    assert_eq!(
        answer["observation"]["pointer"],
        serde_json::json!([7, 8]),
        "{answer}"
    );

    let frames = stage.path("frames");
    stage.done(&[
        "watch",
        "--frames",
        "1",
        "--save",
        frames.to_str().unwrap_or_default(),
    ]);
    assert!(frames.join("000000.png").exists());
    drop(owned);
}

#[test]
fn output_and_exit_codes_are_passed_on() {
    let stage = Stage::new();
    let _owned = stage.up(&[]);
    let output = stage.run(&["exec", "--", "sh", "-c", "echo out; echo err >&2; exit 7"]);
    assert_eq!(output.status.code(), Some(7));
    assert_eq!(
        (output.stdout.as_slice(), output.stderr.as_slice()),
        (&b"out\n"[..], &b"err\n"[..])
    );
    let output = stage.run(&["exec", "--timeout", "0.2", "--", "sleep", "600"]);
    assert_eq!(output.status.code(), Some(124), "{}", said(&output));
    let output = stage.run(&[
        "exec",
        "--env",
        "A=b c",
        "--cwd",
        "/",
        "--",
        "sh",
        "-c",
        "echo $A; pwd; kill -9 $$",
    ]);
    assert_eq!(output.status.code(), Some(137));
    assert_eq!(output.stdout, b"b c\n/\n");
    for (arguments, words) in [
        (&["exec", "--", "no-such-program-here"][..], "exec_spawn_failed"),
        (&["click", "9999", "1"], "off the screen"),
        (&["key", "ctrl+nonsense"], "invalid_action"),
    ] {
        let complaint = stage.refused(arguments);
        assert!(complaint.contains(words), "{arguments:?}: {complaint}");
    }
    for (action, words) in [
        (r#"{"verb":"moove"}"#, "did you mean"),
        (r#"{"verb":"key"}"#, "keys"),
        ("{", "not JSON"),
    ] {
        let complaint = stage.misused(&["act", action]);
        assert!(complaint.contains(words), "{action}: {complaint}");
    }
    for nobody in [["--connect", "ws://127.0.0.1:1"], ["--sandbox", "nobody"]] {
        let output = stage.run(&["windows", nobody[0], nobody[1]]);
        assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    }
    // What was done is told also where the picture after it could not be taken.
    let action =
        r#"{"verb":"move","target":{"kind":"point_px","x":7,"y":8},"observe":{"scope":"window:12345"}}"#;
    let output = stage.run(&["act", action]);
    assert_eq!(output.status.code(), Some(1));
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    assert_eq!(answer["ok"], true, "{answer}");
    assert!(
        answer["observation_error"]
            .as_str()
            .is_some_and(|error| error.contains("window_not_found")),
        "{answer}"
    );
}
