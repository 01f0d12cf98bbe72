//! Programs that are slow, empty or gone at the wrong moment.

use std::os::unix::process::ExitStatusExt as _;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::json;
use testbed::eventually;

use super::stage::{Desktop, PYTHON, done, element, find, target};
use crate::daemon::PATIENCE;

const ODD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/odd.py");

#[test]
fn a_toolkit_that_is_told_late_is_asked_again() {
    let desktop = Desktop::start();
    let mut client = desktop.daemon.client();
    let _app = desktop.app(PYTHON, &[ODD, "late-toolkit"]);
    let (seen, button) = find(&mut client, "button", "button/0");
    let windows = client.query("list_windows");
    let window = windows
        .as_array()
        .unwrap()
        .iter()
        .find(|window| window["title"] == "odd")
        .unwrap();
    let at = |edge: &str| window[edge].as_i64().unwrap();
    // Within the window it is at 20, 30.
    assert_eq!(
        element(&seen, &button)["bbox"],
        json!([at("x") + 20, at("y") + 30, 80, 40])
    );
}

#[test]
fn one_that_is_killed_while_it_is_read_and_one_that_is_frozen_leave_the_others() {
    let desktop = Desktop::start();
    let mut client = desktop.daemon.client();
    let frozen = desktop.app("zenity", &["--entry", "--text=Frozen"]);
    find(&mut client, "text", "");
    frozen.signal(Signal::STOP);
    let mut dying = desktop.app(PYTHON, &[ODD, "dies"]);
    let mut errors = Vec::new();
    // It kills itself when half of its buttons were asked, which only looking does.
    let status = eventually("it to be killed", PATIENCE, || {
        let asked = Instant::now();
        let seen = client.call(json!({"verb": "observe"}));
        assert!(asked.elapsed() < Duration::from_secs(15), "{seen}");
        errors.extend(seen["error"].as_str().map(str::to_owned));
        dying.exited()
    });
    assert_eq!(status.signal(), Some(Signal::KILL.as_raw()));
    let typed =
        |error: &&String| error.starts_with("a11y_timeout: ") || error.starts_with("a11y_unavailable: ");
    assert_eq!(errors.iter().find(|error| !typed(error)), None);
    let mut other = desktop.app("zenity", &["--question", "--text=Well?"]);
    let (_, yes) = find(&mut client, "button", "Yes");
    done(&mut client, json!({"verb": "click", "target": target(&yes)}));
    let status = eventually("zenity to end", PATIENCE, || other.exited());
    assert_eq!(status.code(), Some(0));
    frozen.signal(Signal::CONT);
    find(&mut client, "text", "");
}

/// Looks once when the window is there, which is before the tree is.
fn is_whole_at_the_first_look(mode: &str) {
    let desktop = Desktop::start();
    let mut client = desktop.daemon.client();
    let _app = desktop.app(PYTHON, &[ODD, mode]);
    eventually("the window", PATIENCE, || {
        let windows = client.query("list_windows");
        windows
            .as_array()?
            .iter()
            .find(|window| window["focused"] == true)?;
        Some(())
    });
    let seen = client.call(json!({"verb": "observe"}));
    let text = seen["tree_text"].as_str().unwrap_or_default();
    assert!(text.contains("button \"button/0\""), "{seen}");
}

#[test]
fn a_program_that_has_just_started_is_waited_for() {
    is_whole_at_the_first_look("cold");
}

#[test]
fn a_program_that_is_on_the_bus_twice_is_read_where_it_has_something() {
    is_whole_at_the_first_look("twice");
}
