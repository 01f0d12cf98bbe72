//! Wrong usage: exit code 2, with the right way, whether a desktop runs or not.

use crate::stage::Stage;

#[test]
fn what_the_arguments_alone_show_to_be_wrong() {
    let stage = Stage::new();
    let click = r#"{"verb":"click","x":3,"y":4}"#;
    for (arguments, words) in [
        (&["up", "--name", "my desk"][..], "cannot be a desktop's name"),
        (&["exec", "--env", "X", "--", "true"], "NAME=VALUE"),
        (&["exec", "ls"], "shinken exec -- PROGRAM"),
        (&["watch", "--fps", "100"], "0.1 to 30"),
        (&["scroll", "10", "10"], "--dy"),
        (&["cp", "a", "b"], "NAME:PATH"),
        (&["cp", "x:a", ":b"], "one of the two"),
        (&["cp", "a", "x:b", "--sandbox", "y"], "named twice"),
        (&["click", "-5", "3"], "X Y in pixels"),
        (&["click", "640,400"], "X Y in pixels"),
        (&["click", "1", "2", "3"], "X Y in pixels"),
        (
            &["click", "1", "2", "--double", "--button", "right"],
            "left button",
        ),
        (&["shot", "--quality", "5", "x.png"], "no quality"),
        (&["shot", "x.gif"], ".png or .jpg"),
        (&["act", click], r#""target":{"kind":"point_px","x":3,"y":4}"#),
        (
            &["act", r#"{"verb":"click","target":[1,2]}"#],
            r#""target":{"kind":"point_px","x":3,"y":4}"#,
        ),
        (&["act", r#"{"verb":"list_windows"}"#], "`shinken windows --json`"),
    ] {
        let complaint = stage.misused(arguments);
        assert!(complaint.contains(words), "{arguments:?}: {complaint}");
    }
}

#[test]
fn help_of_launch_names_its_arguments() {
    let help = Stage::new().done(&["launch", "--help"]);
    let (arguments, desktop) = (help.find("Arguments:"), help.find("Desktop:"));
    assert!(arguments.is_some() && arguments < desktop, "{help}");
}

#[test]
fn which_of_several_desktops_is_said_by_option() {
    let stage = Stage::new();
    let first = stage.detached(&["--name", "first"]);
    let second = stage.detached(&["--name", "second"]);
    assert!(stage.refused(&["windows"]).contains("--sandbox NAME"));
    assert!(stage.refused(&["down"]).contains("shinken down NAME"));
    stage.done(&["windows", "--name", "first"]);
    let address = format!("ws://{}", first.socket);
    let complaint = stage.nobody(&["windows", "--connect", &address]);
    assert!(complaint.contains("--token-file FILE"), "{complaint}");
    let lost = stage.path("no/such/folder");
    let complaint = stage.refused(&[
        "watch",
        "--sandbox",
        "first",
        "--save",
        lost.to_str().unwrap_or_default(),
    ]);
    assert!(complaint.contains("cannot make the folder"), "{complaint}");
    stage.done(&["down", "--sandbox", "first"]);
    stage.done(&["down"]);
    stage.assert_empty([&first, &second]);
}
