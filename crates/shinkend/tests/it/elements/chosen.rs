//! Looking at an application of choice, with a picture, and with a report on how it came to rest.
#![expect(clippy::panic, reason = "a test that cannot go on has failed")]

use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};
use testbed::eventually;

use super::stage::{Desktop, PYTHON, done, element, find, program, target};
use crate::client::{Client, Incoming};
use crate::daemon::PATIENCE;
use crate::pictures::{picture, png};

fn names(seen: &Value) -> Vec<&str> {
    let elements = seen["elements"].as_array().unwrap_or_else(|| panic!("{seen}"));
    elements
        .iter()
        .filter_map(|element| element["name"].as_str())
        .collect()
}

/// Waits until all of these processes are listed with their names.
fn apps(client: &mut Client, expected: &[(u32, &str)]) -> Vec<Value> {
    eventually("the applications", PATIENCE, || {
        let apps = client.query("apps");
        let apps = apps.as_array()?;
        let has =
            |&(pid, name): &(u32, &str)| apps.iter().any(|app| app["pid"] == pid && app["name"] == name);
        expected.iter().all(has).then(|| apps.clone())
    })
}

fn error(answer: &Value, code: &str) -> String {
    let error = answer["error"].as_str().unwrap_or_default().to_owned();
    assert!(error.starts_with(&format!("{code}: ")), "{answer}");
    error
}

#[test]
fn applications_are_listed_and_one_is_chosen_and_never_guessed() {
    let desktop = Desktop::start();
    let mut client = desktop.daemon.client();
    let one = desktop.app("zenity", &["--question", "--text=First?", "--ok-label=One"]);
    find(&mut client, "button", "One");
    let two = desktop.app("zenity", &["--question", "--text=Second?", "--ok-label=Two"]);
    find(&mut client, "button", "Two");
    let terminal = desktop.app("xterm", &["-T", "terminal"]);
    let all = [
        (one.id(), "zenity"),
        (two.id(), "zenity"),
        (terminal.id(), "xterm"),
    ];
    let listed = apps(&mut client, &all);
    assert_eq!(listed.len(), 3, "{listed:?}");
    let of = |pid: u32| listed.iter().find(|app| app["pid"] == pid).unwrap();
    assert!(
        of(one.id())["path"].as_str().unwrap().ends_with("/zenity"),
        "{listed:?}"
    );
    eventually("the terminal to be the active one", PATIENCE, || {
        let apps = client.query("apps");
        let mut focused = apps.as_array()?.iter().filter(|app| app["focused"] == true);
        (focused.next()?["pid"] == terminal.id() && focused.next().is_none()).then_some(())
    });
    // The one that is meant, though another is active.
    let seen = client.call(json!({"verb": "observe", "app": {"pid": one.id()}}));
    assert!(
        names(&seen).contains(&"One") && !names(&seen).contains(&"Two"),
        "{seen}"
    );
    let seen = client.call(json!({"verb": "observe", "app": {"name": "Zenity", "pid": two.id()}}));
    assert!(names(&seen).contains(&"Two"), "{seen}");
    let ambiguous = client.call(json!({"verb": "observe", "app": {"name": "zenity"}}));
    let told = error(&ambiguous, "ambiguous_app");
    for candidate in [one.id(), two.id()] {
        assert!(told.contains(&format!("pid {candidate}")), "{told}");
    }
    assert!(!told.contains("xterm"), "{told}");
    let unknown = client.call(json!({"verb": "observe", "app": {"name": "solitaire"}}));
    let told = error(&unknown, "app_not_found");
    assert!(told.contains("xterm") && told.contains("zenity"), "{told}");
    // Of one without a tree its regions are guessed, of it alone.
    let treeless = client.call(json!({"verb": "observe", "app": {"name": "xterm"}}));
    assert_eq!(treeless["elements"][0]["source"], "som", "{treeless}");
    assert!(
        names(&treeless).contains(&"terminal") && !names(&treeless).contains(&"Two"),
        "{treeless}"
    );
    client.invalid(json!({"verb": "observe", "app": {}}));
    // Ids of what was chosen can be acted on, and one that has gone is no candidate any more.
    let seen = client.call(json!({"verb": "observe", "app": {"pid": one.id()}}));
    let button = seen["elements"].as_array().unwrap().iter();
    let button = button.clone().find(|element| element["name"] == "One").unwrap();
    let button = target(button["ref"].as_str().unwrap());
    done(&mut client, json!({"verb": "invoke_action", "target": button}));
    eventually("the name to be clear", PATIENCE, || {
        let seen = client.call(json!({"verb": "observe", "app": {"name": "zenity"}}));
        seen["elements"]
            .is_array()
            .then(|| assert!(names(&seen).contains(&"Two"), "{seen}"))
    });
}

#[test]
fn a_frozen_application_is_listed_and_others_are_looked_at() {
    let desktop = Desktop::start();
    let mut client = desktop.daemon.client();
    let frozen = desktop.app("zenity", &["--question", "--ok-label=Frozen"]);
    find(&mut client, "button", "Frozen");
    let other = desktop.app("mousepad", &["--disable-server"]);
    find(&mut client, "text", "");
    let all = [(frozen.id(), "zenity"), (other.id(), "mousepad")];
    apps(&mut client, &all);
    frozen.signal(Signal::STOP);
    let start = Instant::now();
    let listed = apps(&mut client, &all);
    assert_eq!(listed.len(), 2, "{listed:?}");
    let seen = client.call(json!({"verb": "observe", "app": {"name": "mousepad"}}));
    assert!(names(&seen).contains(&"File"), "{seen}");
    assert!(start.elapsed() < Duration::from_secs(12), "{:?}", start.elapsed());
    let seen = client.call(json!({"verb": "observe", "app": {"name": "zenity"}}));
    error(&seen, "a11y_timeout");
    frozen.signal(Signal::CONT);
}

#[test]
fn a_picture_and_the_tree_are_of_the_same_moment() {
    let desktop = Desktop::start();
    let mut client = desktop.daemon.client();
    let _app = desktop.app("zenity", &["--question", "--ok-label=Agreed"]);
    find(&mut client, "button", "Agreed");
    let both = json!({"verb": "observe", "include": ["screenshot", "tree"], "settle_ms": 300});
    let (seen, shot) = eventually("a desktop at rest", PATIENCE, || {
        let seen = client.call(both.clone());
        let shot = client.call(json!({"verb": "screenshot"}));
        (seen["frame_hash"] == shot["frame_hash"] && seen["settle"]["quiesced"] == true)
            .then_some((seen, shot))
    });
    assert_eq!(
        (&seen["type"], &seen["tree"]),
        (&json!("observation"), &json!("full"))
    );
    assert!(names(&seen).contains(&"Agreed"), "{seen}");
    assert_eq!(seen["image"], shot["image"], "it is the picture of a screenshot");
    assert_eq!(seen["display"], shot["display"]);
    assert!(
        seen["settle"]["waited_ms"].as_f64().unwrap() >= 300.0,
        "{}",
        seen["settle"]
    );
    // What can be asked of a screenshot.
    let small = json!({"verb": "observe", "include": ["screenshot"], "max_long_edge": 200, "format": "jpeg",
        "scope": "active_window", "app": {"name": "zenity"}});
    let seen = client.call(small);
    assert_eq!(seen["image"]["format"], "jpeg", "{seen}");
    assert_eq!(
        seen["image"]["w"]
            .as_i64()
            .unwrap()
            .max(seen["image"]["h"].as_i64().unwrap()),
        200
    );
    assert_eq!(
        (&seen["elements"], &seen["tree_text"]),
        (&Value::Null, &Value::Null),
        "it was not asked for"
    );
    // Only the tree, as a difference.
    let seen = client.call(json!({"verb": "observe", "include": ["tree"], "diff": true}));
    assert_eq!(
        (&seen["tree"], &seen["image"]),
        (&json!("diff"), &Value::Null),
        "{seen}"
    );
    assert!(seen["settle"]["quiesced"].is_boolean(), "{seen}");
    client.invalid(json!({"verb": "observe", "include": []}));
    client.invalid(json!({"verb": "observe", "include": ["smell"]}));
    // Whoever asks as the contract says gets what the contract says.
    let plain = client.call(json!({"verb": "observe", "settle_ms": 100}));
    assert_eq!(plain["settle"], Value::Null, "{plain}");
}

#[test]
fn with_binary_frames_the_picture_comes_as_one() {
    let desktop = Desktop::start();
    let mut client = desktop.daemon.binary_client();
    let _app = desktop.app("zenity", &["--question", "--ok-label=Agreed"]);
    find(&mut client, "button", "Agreed");
    let call = client.act(json!({"verb": "observe", "include": ["screenshot", "tree"]}));
    let (header, bytes) = loop {
        match client.next() {
            Incoming::Binary(header, bytes) => break (header, bytes),
            Incoming::Closed(code, reason) => panic!("closed: {code} {reason}"),
            Incoming::Text(text) => assert_ne!(text["call_id"], call.as_str(), "{text}"),
        }
    };
    assert_eq!(header["cause"], call.as_str());
    assert!(names(&header).contains(&"Agreed"), "{header}");
    assert!(
        bytes.starts_with(b"\x89PNG"),
        "{:?}",
        &bytes[..bytes.len().min(8)]
    );
    assert_eq!(header["image"]["len"].as_u64().unwrap(), bytes.len() as u64);
    assert!(header["settle"]["quiesced"].is_boolean(), "{header}");
}

#[test]
fn unrest_is_reported_when_the_wait_is_over() {
    let desktop = Desktop::start();
    let mut client = desktop.daemon.client();
    // More changes than this test lasts.
    let _app = desktop.app(PYTHON, &[&program("churn.py"), "gtk3", "5", "1000000", "50"]);
    eventually("the window", PATIENCE, || {
        let seen = client.call(json!({"verb": "observe"}));
        (seen["node_count"].as_u64()? > 10).then_some(())
    });
    let start = Instant::now();
    let seen = client.call(json!({"verb": "observe", "include": ["tree"], "settle_ms": 1000}));
    assert_eq!(seen["settle"]["quiesced"], false, "{}", seen["settle"]);
    let waited = seen["settle"]["waited_ms"].as_f64().unwrap();
    assert!((1000.0..8000.0).contains(&waited), "{waited}");
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    assert!(
        seen["node_count"].as_u64().unwrap() > 10,
        "it is seen nevertheless"
    );
}

#[test]
fn a_picture_has_a_numbered_box_around_each_element_that_can_be_used() {
    let desktop = Desktop::start();
    let mut client = desktop.daemon.client();
    let _app = desktop.app("zenity", &["--question", "--text=Well?", "--ok-label=Agreed"]);
    let (_, button) = find(&mut client, "button", "Agreed");
    let (plain, seen) = eventually("a desktop at rest", PATIENCE, || {
        let plain = client.call(json!({"verb": "screenshot"}));
        let seen = client.call(json!({"verb": "observe", "include": ["marks", "tree"], "settle_ms": 200}));
        let again = client.call(json!({"verb": "screenshot"}));
        (plain["frame_hash"] == again["frame_hash"]).then_some((plain, seen))
    });
    assert_eq!(seen["frame_hash"], Value::Null, "it is no picture of the screen");
    let [(width, _, before), (_, _, marked)] = [&plain, &seen].map(|seen| png(&picture(seen)));
    let area = |reference: &str| {
        let edges = element(&seen, reference)["bbox"].as_array().unwrap();
        [0, 1, 2, 3].map(|n| usize::try_from(edges[n].as_u64().unwrap()).unwrap())
    };
    let differs = |x: usize, y: usize| {
        let at = 3 * (y * width as usize + x);
        before[at..at + 3] != marked[at..at + 3]
    };
    let [x, y, w, h] = area(&button);
    assert!(
        differs(x, y + h / 2) && differs(x + w / 2, y + h - 1),
        "its edges"
    );
    assert!(!differs(x + w / 2, y + h / 2), "what is in it can be seen");
    // What is only text has none.
    let (_, label) = find(&mut client, "label", "Well?");
    let [x, y, w, h] = area(&label);
    assert!(!differs(x + w / 2, y) && !differs(x + w / 2, y + h - 1));
    // The numbers are ids, also where the tree is not told.
    let alone = client.call(json!({"verb": "observe", "include": ["marks"], "max_long_edge": 400}));
    assert_eq!(
        (&alone["elements"], &alone["image"]["w"]),
        (&Value::Null, &json!(400))
    );
    done(&mut client, json!({"verb": "click", "target": target(&button)}));
}
