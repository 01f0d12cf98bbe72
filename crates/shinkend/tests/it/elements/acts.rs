//! Acting on controls by id: only on the one that was meant.

use std::path::Path;

use rustix::process::Signal;
use serde_json::json;
use testbed::eventually;

use super::stage::{Desktop, PYTHON, done, find, program, refused, target};
use crate::daemon::PATIENCE;

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_default()
}

#[test]
fn what_was_told_to_be_gone_is_not_acted_on_though_another_is_in_its_place() {
    let desktop = Desktop::start();
    let mut client = desktop.daemon.client();
    let log = desktop.daemon.path("told.txt");
    let app = desktop.app(PYTHON, &[&program("recycler.py"), log.to_str().unwrap()]);
    let (_, save) = find(&mut client, "button", "Save");
    let press = json!({"verb": "invoke_action", "target": target(&save)});
    done(&mut client, press.clone());
    app.signal(Signal::USR1);
    eventually("the other button", PATIENCE, || {
        read(&log).contains("recycled").then_some(())
    });
    // Nobody has looked since.
    for action in [press, json!({"verb": "click", "target": target(&save)})] {
        let error = refused(&mut client, action, "stale_element_ref");
        assert!(
            error.contains("button \"Save\"") && error.contains("observe again"),
            "{error}"
        );
    }
    let (_, delete) = find(&mut client, "button", "Delete");
    assert_ne!(delete, save);
    done(
        &mut client,
        json!({"verb": "invoke_action", "target": target(&delete)}),
    );
    assert_eq!(read(&log), "pressed Save\nrecycled\npressed Delete\n");
}

#[test]
fn what_has_no_window_on_the_screen_is_refused_until_its_window_is_shown_again() {
    let desktop = Desktop::start();
    let mut client = desktop.daemon.client();
    let mut app = desktop.app("zenity", &["--question", "--title", "Away", "--text", "Really?"]);
    let (_, yes) = find(&mut client, "button", "Yes");
    let window = eventually("the dialog on the list of windows", PATIENCE, || {
        let windows = client.query("list_windows");
        let windows = windows.as_array()?;
        let dialog = windows.iter().find(|window| window["title"] == "Away")?;
        dialog["id"].as_u64()
    });
    let click = json!({"verb": "click", "target": target(&yes)});
    let id = window.to_string();
    for away in [
        ["windowminimize", "--sync", &id, ""],
        ["set_desktop_for_window", &id, "1", ""],
    ] {
        let arguments = away.iter().filter(|argument| !argument.is_empty());
        let told = desktop.command("xdotool").args(arguments).status();
        assert!(told.unwrap().success(), "{away:?}");
        let error = eventually("the click to be refused", PATIENCE, || {
            client.call(json!({"verb": "observe", "settle_ms": 100}));
            let ack = client.call(json!({"verb": "move", "target": target(&yes)}));
            ack["error"].as_str().map(str::to_owned)
        });
        assert!(
            error.starts_with(&format!(
                "invalid_action: the window of {yes}, {window} \"Away\", is minimized"
            )) && error.contains("activate_window"),
            "{error}"
        );
        refused(&mut client, click.clone(), "invalid_action");
        done(
            &mut client,
            json!({"verb": "activate_window", "window_id": window}),
        );
    }
    client.call(json!({"verb": "observe", "settle_ms": 300}));
    done(&mut client, click);
    let ended = eventually("the answer", PATIENCE, || app.exited());
    assert!(ended.success(), "{ended}");
}
