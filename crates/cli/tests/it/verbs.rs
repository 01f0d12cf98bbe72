//! The commands that do something on a desktop.

use testbed::eventually;

use crate::stage::{PATIENCE, Stage, said};

#[test]
fn a_person_uses_a_desktop_by_commands() {
    let stage = Stage::new();
    let owned = stage.up(&[]);
    let typed = stage.path("typed");
    let line = format!("touch '{0}'; exec cat > '{0}'", typed.display());
    // What is printed is the window, which has the keyboard already.
    let told = stage.done(&[
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
    let active = stage.done(&["windows"]);
    let id = told.split_whitespace().next().unwrap_or_default();
    assert!(
        told.contains("typing here")
            && active
                .lines()
                .any(|line| line.contains(id) && line.ends_with("typing here (active)")),
        "{told}{active}"
    );
    eventually("the program in the terminal", PATIENCE, || {
        typed.exists().then_some(())
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
    let output = stage.run(&[
        "watch",
        "--frames",
        "1",
        "--save",
        frames.to_str().unwrap_or_default(),
    ]);
    assert!(output.status.success(), "{}", said(&output));
    // Nobody sees a line change in a file.
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.starts_with("1 picture in "), "{told}");
    assert_eq!((told.lines().count(), told.contains('\r')), (1, false), "{told}");
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
    assert!(said(&output).contains("0.2 s"), "{}", said(&output));
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
        (&["exec", "--", "no-such-program-here"][..], "`sh -c`"),
        (&["click", "9999", "1"], "off the screen"),
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
    let complaint = stage.misused(&["key", "ctrl+nonsense"]);
    assert!(complaint.contains("nonsense"), "{complaint}");
    let complaint = stage.refused(&["shot", "--scope", "window:1"]);
    assert!(complaint.contains("`shinken windows`"), "{complaint}");
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

#[test]
fn text_typed_right_after_the_launch_is_not_lost() {
    let stage = Stage::new();
    // What an editor on another desktop has left for recovery is not asked about.
    let home = stage.path("home");
    std::fs::create_dir(&home).unwrap_or_default();
    let _owned = stage.up_with(&[], &[("HOME", home.to_str().unwrap_or_default())]);
    let told = stage.done(&["launch", "mousepad"]);
    assert!(told.contains("Mousepad"), "{told}");
    stage.done(&["type", "hello world"]);
    let text = eventually("the text", PATIENCE, || {
        stage.done(&["key", "ctrl+a", "ctrl+c"]);
        let output = stage.run(&["clip", "get"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (!text.is_empty()).then_some(text)
    });
    assert_eq!(text, "hello world");
}

#[test]
fn a_launch_without_a_window_is_not_waited_for_for_ever() {
    let stage = Stage::new();
    let _owned = stage.up(&[]);
    let complaint = stage.refused(&["launch", "--within", "1", "sleep", "600"]);
    assert!(complaint.contains("no new window came within 1 s"), "{complaint}");
    assert_eq!(stage.done(&["launch", "--no-wait", "sleep", "600"]), "");
}
