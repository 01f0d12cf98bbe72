//! The accessibility tree of real programs, and acting on their controls by id.

mod acts;
mod chosen;
mod form;
mod guessed;
mod kept;
mod odd;
mod scrolling;
mod selection;
pub(crate) mod stage;

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use testbed::{XServer, eventually};

use crate::daemon::{Daemon, PATIENCE};
use stage::{Desktop, done, element, find, refused, target};

#[test]
fn menus_and_dialogs_of_an_editor_by_id() {
    let desktop = Desktop::start();
    let mut client = desktop.daemon.client();
    let file = desktop.daemon.path("saved.txt");
    let _app = desktop.app("mousepad", &["--disable-server"]);
    let (seen, text) = find(&mut client, "text", "");
    assert_eq!(seen["tree"], "full");
    assert_eq!(seen["focus"], text.as_str());
    assert!(
        seen["tree_text"]
            .as_str()
            .unwrap()
            .ends_with(&format!("focus: {text}"))
    );
    assert_eq!(seen["node_count"], seen["elements"].as_array().unwrap().len());
    done(
        &mut client,
        json!({"verb": "set_value", "target": target(&text), "text": "Grüße ☕\n"}),
    );
    // Ids of the first look still mean the same.
    let (_, menu) = find(&mut client, "menu", "File");
    done(&mut client, json!({"verb": "click", "target": target(&menu)}));
    let (opened, item) = find(&mut client, "menu-item", "Save As...");
    assert_eq!(element(&opened, &text)["value"], "Grüße ☕\n");
    done(&mut client, json!({"verb": "click", "target": target(&item)}));
    find(&mut client, "file-chooser", "Save As");
    eventually("the dialog to have the focus", PATIENCE, || {
        let seen = client.call(json!({"verb": "observe"}));
        let focus = element(&seen, seen["focus"].as_str()?);
        (focus["ref"] != text.as_str() && focus["role"] == "text").then_some(())
    });
    done(&mut client, json!({"verb": "key", "keys": "ctrl+a"}));
    done(
        &mut client,
        json!({"verb": "type_text", "text": file.to_str().unwrap()}),
    );
    // The dialog looks up the folder in what was typed and takes no click until it has, of which it shows nothing.
    client.call(json!({"verb": "observe", "settle_ms": 500}));
    let (_, save) = find(&mut client, "button", "Save");
    done(&mut client, json!({"verb": "click", "target": target(&save)}));
    let saved = eventually("the file", PATIENCE, || {
        std::fs::read_to_string(&file)
            .ok()
            .filter(|text| !text.is_empty())
    });
    assert_eq!(saved, "Grüße ☕\n");
    // The dialog is gone, and its controls with it, for good.
    eventually("the dialog to go", PATIENCE, || {
        let seen = client.call(json!({"verb": "observe", "diff": true}));
        let elements = seen["elements"].as_array()?;
        elements
            .iter()
            .all(|element| element["ref"] != save.as_str())
            .then_some(())
    });
    let error = refused(
        &mut client,
        json!({"verb": "click", "target": target(&save)}),
        "stale_element_ref",
    );
    assert!(
        error.contains("button \"Save\"") && error.contains("observe again"),
        "{error}"
    );
}

#[test]
fn a_difference_tells_only_what_changed() {
    let desktop = Desktop::start();
    let mut client = desktop.daemon.client();
    let _app = desktop.app("zenity", &["--entry", "--text=Your name", "--entry-text=nobody"]);
    let (seen, entry) = find(&mut client, "text", "");
    assert_eq!(element(&seen, &entry)["value"], "nobody");
    let seen = client.call(json!({"verb": "observe", "diff": true, "settle_ms": 100}));
    assert_eq!(
        (&seen["tree"], &seen["diff_of"]),
        (&json!("diff"), &json!(seen["revision"].as_i64().unwrap() - 1))
    );
    done(
        &mut client,
        json!({"verb": "set_value", "target": target(&entry), "text": "somebody"}),
    );
    let seen = client.call(json!({"verb": "observe", "diff": true, "settle_ms": 100}));
    let lines: Vec<&str> = seen["tree_text"].as_str().unwrap().lines().collect();
    let changed: Vec<&&str> = lines
        .iter()
        .filter(|line| line.starts_with(['~', '+', '-']))
        .collect();
    assert_eq!(changed.len(), 1, "{lines:?}");
    assert!(
        changed[0].starts_with("~ ") && changed[0].contains("Value:\"somebody\""),
        "{lines:?}"
    );
    let seen = client.call(json!({"verb": "observe", "diff": true}));
    assert!(
        seen["tree_text"].as_str().unwrap().contains("\nno change"),
        "{seen}"
    );
}

#[test]
fn what_is_typed_into_a_password_field_is_never_shown() {
    let desktop = Desktop::start();
    let mut client = desktop.daemon.client();
    let _app = desktop.app("zenity", &["--password"]);
    let (_, field) = find(&mut client, "password-text", "");
    done(&mut client, json!({"verb": "click", "target": target(&field)}));
    done(&mut client, json!({"verb": "type_text", "text": "swordfish"}));
    let seen = client.call(json!({"verb": "observe", "settle_ms": 200}));
    assert!(!seen.to_string().contains("swordfish"), "{seen}");
    assert_eq!(element(&seen, &field)["value"], Value::Null);
}

#[test]
fn a_click_by_id_lands_in_the_control_and_actions_have_names() {
    let desktop = Desktop::start();
    let mut client = desktop.daemon.client();
    for by_action in [false, true] {
        let mut app = desktop.app("zenity", &["--question", "--text=Well?"]);
        let (_, yes) = find(&mut client, "button", "Yes");
        if by_action {
            let named = json!({"verb": "invoke_action", "target": target(&yes), "text": "fold"});
            let error = refused(&mut client, named, "unsupported");
            assert!(
                error.to_lowercase().contains("click"),
                "it lists what there is: {error}"
            );
            done(
                &mut client,
                json!({"verb": "invoke_action", "target": target(&yes)}),
            );
        } else {
            done(&mut client, json!({"verb": "click", "target": target(&yes)}));
        }
        let status = eventually("zenity to end", PATIENCE, || app.exited());
        assert_eq!(status.code(), Some(0), "Yes was chosen");
    }
}

#[test]
fn what_another_program_covers_is_not_clicked() {
    let desktop = Desktop::start();
    let mut client = desktop.daemon.client();
    let _below = desktop.app("zenity", &["--entry", "--text=Below"]);
    let (_, ok) = find(&mut client, "button", "OK");
    let above = desktop.app("xterm", &["-T", "above", "-maximized"]);
    eventually("the terminal to cover all", PATIENCE, || {
        let windows = client.query("list_windows");
        let windows = windows.as_array()?;
        windows
            .iter()
            .any(|window| window["title"] == "above" && window["w"].as_i64() > Some(700))
            .then_some(())
    });
    let click = json!({"verb": "click", "target": target(&ok)});
    let error = refused(&mut client, click.clone(), "invalid_action");
    assert!(
        error.contains("\"above\"") && error.contains("invoke_action"),
        "{error}"
    );
    above.signal(Signal::KILL);
    eventually("the button to be free", PATIENCE, || {
        let ack = client.call(click.clone());
        (ack["ok"] == true).then_some(())
    });
}

#[test]
fn a_number_is_set_within_its_range() {
    let desktop = Desktop::start();
    let mut client = desktop.daemon.client();
    let _app = desktop.app("zenity", &["--scale", "--value=20", "--max-value=80"]);
    let (seen, slider) = find(&mut client, "slider", "");
    assert_eq!(element(&seen, &slider)["value"], "20");
    done(
        &mut client,
        json!({"verb": "set_value", "target": target(&slider), "text": "42"}),
    );
    let (seen, same) = find(&mut client, "slider", "");
    assert_eq!(
        (element(&seen, &same)["value"].as_str(), same.as_str()),
        (Some("42"), slider.as_str())
    );
    let beyond = json!({"verb": "set_value", "target": target(&slider), "text": "999"});
    assert!(refused(&mut client, beyond, "unsupported").contains("80"));
    let word = json!({"verb": "set_value", "target": target(&slider), "text": "much"});
    refused(&mut client, word, "invalid_action");
}

#[test]
fn a_frozen_program_costs_a_typed_error_and_nobody_else_waits() {
    let desktop = Desktop::start();
    let mut client = desktop.daemon.client();
    let app = desktop.app("zenity", &["--entry", "--text=Frozen"]);
    let (_, entry) = find(&mut client, "text", "");
    let process = Pid::from_raw(i32::try_from(app.id()).unwrap()).unwrap();
    kill_process(process, Signal::STOP).unwrap();
    let start = Instant::now();
    let call = client.act(json!({"verb": "observe"}));
    let mut other = desktop.daemon.client();
    let asked = Instant::now();
    other.query("screen_size");
    assert!(asked.elapsed() < Duration::from_secs(2), "{:?}", asked.elapsed());
    let answer = client.about(&call);
    assert!(
        answer["error"]
            .as_str()
            .unwrap_or_default()
            .starts_with("a11y_timeout: "),
        "{answer}"
    );
    let click = json!({"verb": "click", "target": target(&entry)});
    refused(&mut client, click, "a11y_timeout");
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    kill_process(process, Signal::CONT).unwrap();
    let (_, same) = find(&mut client, "text", "");
    assert_eq!(same, entry, "it is the same control");
}

#[test]
fn without_a_bus_it_is_unavailable_and_says_what_to_install() {
    let server = XServer::start(320, 240);
    let daemon = Daemon::start_on(server, &[]);
    let mut client = daemon.client();
    let answer = client.call(json!({"verb": "observe"}));
    let error = answer["error"].as_str().unwrap_or_default();
    assert!(error.starts_with("a11y_unavailable: "), "{answer}");
    refused(
        &mut client,
        json!({"verb": "click", "target": target("e1")}),
        "stale_element_ref",
    );
    refused(
        &mut client,
        json!({"verb": "click", "target": target("button")}),
        "invalid_action",
    );
    refused(
        &mut client,
        json!({"verb": "observe", "structured": false}),
        "invalid_action",
    );
}
